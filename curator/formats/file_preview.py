"""Previews of files before an import: kind, number of records, first record.

Of a long file the first lines are read and counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from curator.bank.questions import noun_of
from curator.errors import InputFileError
from curator.formats.bank_tables import is_workbook
from curator.formats.parsed_import import ImportedGrades, ParsedImport
from curator.formats.recognition import fitting, reader_of, refuse_unreadable
from curator.formats.registry import import_options
from curator.formats.text.lines import TextLines
from curator.formats.text.notices import counted
from curator.unfinished import LockedFolder

MAX_LINES = 10_000
MAX_CHARACTERS = 4_000_000
FIRST_CHARACTERS = 200
UNKNOWN = "This kind of file is not recognised."


@dataclass(frozen=True, slots=True)
class FilePreview:
    """The import options that may read a file, the likeliest first, and its records.

    ``records`` is their number in words, "24 passages", after "at least" for a long
    file; "" if a file is too large to be counted. ``first`` is the first record on one
    line. ``problem`` is the reason why nothing can read the file.
    """

    options: tuple[str, ...] = ()
    records: str = ""
    first: str = ""
    problem: str = ""


def preview_file(path: Path) -> FilePreview:
    """Return the preview of a file; only its first lines are read."""
    with LockedFolder() as folder:
        try:
            sample, is_whole = path, True
            if not is_workbook(path):
                lines, is_whole = _first_lines(path)
                if not is_whole and lines:
                    sample = Path(folder) / path.name.removesuffix(".gz")
                    sample.write_text("\n".join(lines) + "\n", encoding="utf-8")
            options = likely_options(path.name, fitting(sample))
            if not options:
                refuse_unreadable(sample)
                return FilePreview(problem=UNKNOWN)
        except InputFileError as error:
            return FilePreview(problem=_without_name(error, path))
        problems = []
        for option in options if is_whole or sample is not path else ():
            try:
                records, first = _records(reader_of(option)(sample))
            except InputFileError as error:
                problems.append(error)
                continue
            options = tuple(sorted(options, key=lambda other: other != option))
            if not is_whole:
                records = f"at least {records}"
            return FilePreview(options, records, first)
    if is_whole and all(type(error) is InputFileError for error in problems):
        return FilePreview(problem=_without_name(problems[0], path))
    return FilePreview(options)


def _without_name(error: InputFileError, path: Path) -> str:
    """Return the message of an error without the name of the file."""
    message = re.sub(rf"^{re.escape(path.name)}(: |, )", "", str(error))
    return message[:1].upper() + message[1:]


def likely_options(name: str, options: Sequence[str]) -> tuple[str, ...]:
    """Return the options that files can be given by, those first that the name has."""
    available = import_options()
    fits = [option for option in options if option in available]

    def place(option: str) -> int:
        # What a file holds most of stands in its name last.
        signs = re.finditer(available[option].sign, name.lower())
        return max((match.end() for match in signs), default=0)

    return tuple(sorted(fits, key=place, reverse=True))


def _first_lines(path: Path) -> tuple[list[str], bool]:
    """Return the first lines and True if they are all; [] if the first is too long."""
    lines, characters = list[str](), 0
    for line in TextLines(path, expected="a text file"):
        characters += len(line)
        if len(lines) == MAX_LINES or characters > MAX_CHARACTERS:
            return lines, False
        lines.append(line)
    return lines, True


def _records(parsed: ParsedImport) -> tuple[str, str]:
    """Return the number of records in words, and the first on one line."""
    questions = parsed.questions.values()
    systems = dict.fromkeys(ranking.system for ranking in parsed.rankings)
    contents: list[tuple[str, list[tuple[object, ...]]]] = [
        # What a file is about, before what it mentions.
        ("grades", [pair for grades in parsed.grades for pair in _pairs(grades)]),
        ("official ranks", [*parsed.official.items()]),
        ("gold articles", [(query, *ids) for query, ids in parsed.gold.items()]),
        ("judgments", [(*pair, level) for pair, level in parsed.judgments.items()]),
        ("systems", [(system,) for system in systems]),
        (f"{noun_of(questions)}s", [(it.query_id, it.title) for it in questions]),
        ("passages", [*parsed.passages.items()]),
        ("queries", [(it.query_id, it.title or "") for it in parsed.queries.values()]),
    ]
    noun, records = next((it for it in contents if it[1]), ("records", []))
    singular = "query" if noun == "queries" else noun.removesuffix("s")
    first = " · ".join(map(str, records[0])) if records else ""
    first = " ".join(first.split())[:FIRST_CHARACTERS]
    return counted(len(records), singular, noun), first


def _pairs(grades: ImportedGrades) -> Iterable[tuple[object, ...]]:
    ratings = (f"{rating:g}" for rating in grades.ratings)
    return zip(grades.query_ids, grades.passage_ids, ratings, strict=True)
