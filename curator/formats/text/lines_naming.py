"""The line of a file that speaks of certain ids, found when it is too late to know it.

What a file contradicts is known only once it meets the workspace; by then it is parsed,
and where each record stood was not kept. So it is looked for again.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from curator.errors import InputFileError
from curator.formats.text.lines import TextLines


def line_naming(path: Path, names: tuple[str, ...]) -> tuple[str, int] | None:
    """(file name, line number) of the first line with all these ids; None if none has.

    An id is found where neither a letter, a digit nor ``_`` stands right beside it, as
    it is or as JSON may write it. In a folder all files are looked through, by name.
    """
    if not names:
        return None
    patterns = [_pattern(name) for name in names]
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    for file in files:
        if not file.is_file():
            continue
        lines = TextLines(file, expected="")
        try:
            for text in lines:
                if all(pattern.search(text) for pattern in patterns):
                    return file.name, lines.number
        except InputFileError:
            continue
    return None


def _pattern(name: str) -> re.Pattern[str]:
    forms = {name, json.dumps(name)[1:-1], json.dumps(name, ensure_ascii=False)[1:-1]}
    either = "|".join(re.escape(form) for form in sorted(forms))
    return re.compile(rf"(?<!\w)(?:{either})(?!\w)")
