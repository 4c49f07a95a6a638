"""What a file looks like, so that it can be read, or an error say how to read it."""

from __future__ import annotations

import json
import struct
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from curator.errors import InputFileError
from curator.formats.leaderboard_tsv import COLUMNS
from curator.formats.text.fields import FAMILIES as NAMED
from curator.formats.text.fields import QUERIES, field_of_a_record
from curator.formats.text.json_documents import first_value, leading_value
from curator.formats.text.lines import TextLines
from curator.formats.text.records import described, error_at, on_one_line
from curator.formats.text.spreadsheets import QUESTION_COLUMNS

FAMILIES = {
    "autograder": ("graded passages in Autograder's form", "--autograder"),
    "bank": ("a question bank", "--bank"),
    "queries": ("a file of queries", "--queries"),
    "passages": ("a file of passages", "--passages"),
    "runs": ("a TREC run", "--runs"),
    "reports": ("generated reports", "--reports"),
    "judgments": ("TREC qrels", "--judgments"),
    "gold": ("gold articles", "--gold"),
    "official": ("an official leaderboard", "--official"),
    "bundle": ("a bundle", "--bundle"),
}
"""What each family is called and the import option that reads it."""

OF_FOLDERS = ("runs", "reports")
"""The families of which a whole folder may be given."""

RANK = "orig_TREC_leaderboard_rank"

_KEYS = {
    "bank": (
        *({"items"}, {"questions"}, {"qid", "question"}),
        *({"nugget_bank"}, {"claim_bank"}, {"qid", "nuggets"}),
    ),
    "reports": ({"responses"}, {"run_id", "answer"}, {"metadata", "answer"}),
    "gold": (
        {"query_id", "text", "passage_id"},
        {"query_id", "text", "docid"},
        {"query_id", "text", "id"},
    ),
    "passages": ({"passage_id"}, {"paragraph_id"}, {"docid"}, {"id", "contents"}),
    "queries": (*({"query_id", name} for name in QUERIES.texts), {"request_id"}),
}
"""Fields by which a JSON object is recognised; the first family that fits."""


LONG_QUERY = 50  # words; a longer text may as well be an article

_OF_OTHERS = {
    "passages": ('"query_id"',),
    "queries": ('"passage_id"', '"paragraph_id"', '"docid"', '"id"'),
}
"""Of files whose reader would take lines of another family for its own: fields of the
others, as they stand in a line."""

_OF_QUERIES = {"id", *QUERIES.texts[1:], "problem_statement", "background", "subtopics"}
"""Fields of which each record is a query's, though others too have an "id"."""


def family_of(path: Path) -> str:
    """The one family that the file, or every file of the folder, is of.

    Raises InputFileError with the options to choose from where there is none, and
    where there are several.
    """
    found = _fitting_folder(path) if path.is_dir() else fitting(path)
    if len(found) == 1:
        return found[0]
    if not found:
        lines = TextLines(path, expected="a file of a known kind")
        if path.is_file():
            next(iter(lines))  # an empty or garbled file has an error of its own
        options = ", ".join(option for _, option in FAMILIES.values())
        unknown = f"no kind of file is recognised in it; say which: {options}."
        instead = way_out(path)
        if not instead:
            leading_value(path)  # a damaged document has an error of its own, too
        raise error_at(path, lines.number or None, instead or unknown)
    names = " or ".join(FAMILIES[family][0] for family in found)
    options = " or ".join(FAMILIES[family][1] for family in found)
    if later := _line_of_another(path, found[0]):
        first, other = FAMILIES[found[0]][0], FAMILIES[later[1]][0]
        raise error_at(
            path,
            later[0],
            f"looks like {other}, and the first line like {first}; part the file, or "
            f"say {options} if all lines are of one kind.",
        )
    raise error_at(path, None, f"could be {names}; say {options}.")


def fitting(path: Path) -> tuple[str, ...]:
    """Every family of FAMILIES that the first line fits, or that a later one is of."""
    found = recognised(path)
    if found is not None and (later := _line_of_another(path, found)):
        return (found, later[1])
    if found not in (None, "queries"):
        return (found,) if found else ()
    try:
        first = next(iter(TextLines(path, expected="a text file")), "")
    except InputFileError:
        return ()
    try:
        value = json.loads(first)
    except (ValueError, RecursionError):
        if found:
            return (found,)
        return _of_two_columns(first.split("\t"))
    if isinstance(value, dict) and isinstance(value.get("text"), str):
        if found is None and "id" in value:
            return ("queries", "passages")
        if found and len(value["text"].split()) > LONG_QUERY:
            return ("queries", "gold")
    return (found,) if found else ()


def _line_of_another(path: Path, family: str) -> tuple[int, str] | None:
    """(number, family) of the first line that is of another family than this one."""
    if family not in _OF_OTHERS:
        return None
    lines = TextLines(path, expected="a text file")
    try:
        for text in lines:
            if any(field in text for field in _OF_OTHERS[family]):
                other = _family_of_line(text)
                if other not in (None, family):
                    return lines.number, other
    except InputFileError:  # which the reader says too
        pass
    return None


def _family_of_line(text: str) -> str | None:
    try:
        return _family_of_json(json.loads(text))
    except (ValueError, RecursionError):
        return None


def _of_two_columns(cells: list[str]) -> tuple[str, ...]:
    """The families whose lines may be so: an id and a text, with a tab between."""
    if len(cells) != 2:
        return ()
    headed = (one for one, names in NAMED.items() if names.head("\t".join(cells)))
    return tuple(headed) or tuple(NAMED)


def _fitting_folder(folder: Path) -> tuple[str, ...]:
    """The families of every visible file in it; a folder of queries is none."""
    try:
        files = [one for one in folder.iterdir() if not one.name.startswith(".")]
    except OSError:
        return ()
    found = {recognised(one) for one in files if one.is_file()}
    return tuple(family for family in OF_FOLDERS if found == {family})


@contextmanager
def wrong_file_hint(path: Path, family: str) -> Iterator[None]:
    """Adds to an InputFileError what the file looks like, if that is something else."""
    try:
        yield
    except InputFileError as error:
        found = recognised(path)
        if found is None and (instead := way_out(path)):
            said = instead[0].upper() + instead[1:]
            raise InputFileError(on_one_line(f"{error} {said}")) from None
        if found is None or found == family or (family, found) == ("gold", "queries"):
            raise  # an article without an id of its own looks like a query
        what, option = FAMILIES[found]
        raise InputFileError(f"{error} It looks like {what}: use {option}.") from None


def recognised(path: Path) -> str | None:
    """The family of FAMILIES that the first line speaks for, None if none does."""
    if not path.is_file():
        return None  # a pipe gives its content only once
    if _is_bundle(path):
        return "bundle"
    try:
        lines = TextLines(path, expected="a text file")
        first = next(iter(lines))
    except InputFileError:
        return None
    value = first_value(path)
    if value is None and first.lstrip().startswith(("{", "[")):
        return None
    return _family_of_json(value) or _family_of_columns(first)


def _is_bundle(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
    # What the library raises for a damaged one; a later version than it knows is one.
    except (OSError, ValueError, NotImplementedError, zipfile.BadZipFile, struct.error):
        return False
    folders = (name.removesuffix(MANIFEST) for name in names if MANIFEST in name)
    return MANIFEST in names or any(f"{one}{SUMS}" in names for one in folders)


def _family_of_json(value: Any) -> str | None:
    match value:
        case [str(), list()]:
            return "autograder"
        case [int() as query_id, [*records]] if not isinstance(query_id, bool):
            of_passages = all(isinstance(one, dict) for one in records)
            return "autograder" if of_passages else None
        case [{"globalID": _}, *_]:
            return "bank"
        case dict() if value:
            for family, field_sets in _KEYS.items():
                if any(fields <= value.keys() for fields in field_sets):
                    return family
            if field_of_a_record(value):
                titled = any(name in value for name in QUERIES.texts)
                return "queries" if titled and value.keys() <= _OF_QUERIES else None
            if all(isinstance(v, int | float) for v in value.values()):
                return "official"
            if all(isinstance(v, str) for v in value.values()):
                return "queries"
    return None


def _family_of_columns(line: str) -> str | None:
    if any({"method", RANK} <= set(line.strip().split(sign)) for sign in "\t,"):
        return "official"  # a leaderboard, with its headings
    match line.split():
        case [_, _, _, rank, score, _] if _is_number(rank) and _is_number(score):
            return "runs"
        case [_, _, _, grade] if _is_number(grade):
            return "judgments"
    return None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


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
        return _way_of_folder(path)
    if not path.is_file():
        return ""  # a pipe gives its content only once
    try:
        first = next(iter(TextLines(path, expected="")))
        value = _json(first)
        if value is None and first.startswith("{"):  # an object over several lines
            value = _json(TextLines(path, expected="").whole())
    except InputFileError:
        return ""
    return _way_of_object(value) if isinstance(value, dict) else _way_of_columns(first)


def _way_of_folder(folder: Path) -> str:
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


def _way_of_object(value: dict[str, Any]) -> str:
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


def _way_of_columns(line: str) -> str:
    if line.split(",") == list(QUESTION_COLUMNS):
        return (
            "this is a bank's table, for reading; `curator export WORKSPACE --bank "
            "x.jsonl` writes the bank to be imported."
        )
    if any(line.split(sign)[0] == COLUMNS[0] for sign in "\t,"):
        return "this is a board for reading: it has no column of official ranks."
    for sign, what in {",": "commas", ";": "semicolons"}.items():
        match line.split(sign):
            case [_, _, _, grade] | [_, _, _, grade, _, _] if _is_grade(grade):
                return (
                    f"there are {what} between its columns; TREC runs and qrels have "
                    "blanks there."
                )
    return ""


def _is_grade(text: str) -> bool:
    return text.strip().removeprefix("-").isdecimal()
