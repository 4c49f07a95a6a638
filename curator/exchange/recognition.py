"""What a file looks like, so that an error can say which option it belongs to."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from curator.errors import InputFileError
from curator.exchange.text_lines import TextLines

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
}
"""What each family is called and the import option that reads it."""

_KEYS = {
    "bank": ({"items"}, {"questions"}, {"qid", "question"}),
    "reports": ({"responses"},),
    "gold": (
        {"query_id", "text", "passage_id"},
        {"query_id", "text", "docid"},
        {"query_id", "text", "id"},
    ),
    "passages": ({"passage_id"}, {"paragraph_id"}, {"docid"}, {"id", "contents"}),
    "queries": (
        {"query_id", "text"},
        {"query_id", "title"},
        {"query_id", "title_query"},
        {"request_id"},
    ),
}
"""Fields by which a JSON object is recognised; the first family that fits."""


@contextmanager
def wrong_file_hint(path: Path, family: str) -> Iterator[None]:
    """Adds to an InputFileError what the file looks like, if that is another family."""
    try:
        yield
    except InputFileError as error:
        found = recognised(path)
        if found is None or found == family or (family, found) == ("gold", "queries"):
            raise  # an article without an id of its own looks like a query
        what, option = FAMILIES[found]
        raise InputFileError(f"{error} It looks like {what}: use {option}.") from None


def recognised(path: Path) -> str | None:
    """The family of FAMILIES that the first line speaks for, None if none does."""
    if not path.is_file():
        return None  # a pipe gives its content only once
    try:
        lines = TextLines(path, expected="a text file")
        first = next(iter(lines))
    except InputFileError:
        return None
    try:
        value = json.loads(first)
    except (ValueError, RecursionError):
        try:
            # A JSON object may be spread over lines; nothing else read here is.
            opens = first.lstrip().startswith("{")
            value = json.loads(TextLines(path, expected="").whole()) if opens else None
        except (ValueError, RecursionError, InputFileError):
            return None
    return _family_of_json(value) or _family_of_columns(first.split())


def _family_of_json(value: Any) -> str | None:
    match value:
        case [str(), list()]:
            return "autograder"
        case dict() if value:
            for family, field_sets in _KEYS.items():
                if any(fields <= value.keys() for fields in field_sets):
                    return family
            if all(isinstance(v, int | float) for v in value.values()):
                return "official"
            if all(isinstance(v, str) for v in value.values()):
                return "queries"
    return None


def _family_of_columns(columns: list[str]) -> str | None:
    match columns:
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
