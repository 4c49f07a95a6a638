"""Files that no import reads though people try them, and what to give instead.

Most of them Curator wrote itself, to be read by people.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from curator.errors import InputFileError
from curator.formats.leaderboard_tsv import COLUMNS
from curator.formats.text.lines import TextLines
from curator.formats.text.records import described
from curator.formats.text.spreadsheets import QUESTION_COLUMNS

MANIFEST = "manifest.json"
SUMS = "SHA256SUMS"
"""The members that every bundle has."""

WITH_A_BUNDLE = "for reading; it comes back with a whole bundle (--bundle)."

_LINES = {
    "this is a history, " + WITH_A_BUNDLE: {"event", "at", "by", "batch", "before"},
    "these are grades for reading; `curator export WORKSPACE --autograder x.jsonl` "
    "writes them to be imported.": {"query", "kind", "passage", "rating"},
}
"""What to say of JSON lines with these fields."""


def way_out(path: Path) -> str:
    """What the file or folder is, and the way out, as the rest of a message; or ""."""
    if path.is_dir():
        return _of_folder(path)
    if not path.is_file():
        return ""  # a pipe gives its content only once
    try:
        first = next(iter(TextLines(path, expected="")))
        value = _json(first)
        if value is None and first.startswith("{"):  # an object over several lines
            value = _json(TextLines(path, expected="").whole())
    except InputFileError:
        return ""
    return _of_json(value) if isinstance(value, dict) else _of_columns(first)


def _of_folder(folder: Path) -> str:
    try:
        names = {one.name for one in folder.iterdir() if not one.name.startswith(".")}
    except OSError:
        return ""
    if {MANIFEST, SUMS} <= names:
        return "this is an unpacked bundle; give the zip, or zip what is in the folder."
    return "" if names else "the folder is empty; expected runs or reports in it."


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _of_json(value: dict[str, Any]) -> str:
    form = str(value.get("format"))
    if form.startswith("curator bundle"):
        return "this is the manifest of a bundle; give the bundle itself, the zip."
    if form.startswith("curator release"):
        return "this is a release, " + WITH_A_BUNDLE
    if {"file", "sha256", "kind"} <= value.keys():
        return f"this is the manifest of {described(value['file'])}; give that file."
    for said, fields in _LINES.items():
        if fields <= value.keys():
            return said
    return ""


def _of_columns(line: str) -> str:
    if line.split(",") == list(QUESTION_COLUMNS):
        return (
            "this is a bank's table, for reading; `curator export WORKSPACE --bank "
            "x.jsonl` writes the bank to be imported."
        )
    if any(line.split(sign)[0] == COLUMNS[0] for sign in "\t,"):
        return "this is a board for reading: it has no column of official ranks."
    for sign, what in {",": "commas", ";": "semicolons"}.items():
        match line.split(sign):
            case [_, _, _, grade] | [_, _, _, grade, _, _] if _is_number(grade):
                return (
                    f"there are {what} between its columns; TREC runs and qrels have "
                    "blanks there."
                )
    return ""


def _is_number(text: str) -> bool:
    return text.strip().removeprefix("-").isdecimal()
