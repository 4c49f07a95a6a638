"""The fields of lines and items in Autograder's banks: which have a home here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from curator.bank.questions import Kind
from curator.formats.autograder.answer_keys import FIELDS as KEY_FIELDS
from curator.formats.text.empty_fields import empty_among, is_empty
from curator.formats.text.records import Place, described

GROUPS = ("items", "questions")
LINE_FIELDS = {"query_id", "query_text", "facet_id", "facet_text", *GROUPS}
_FLAT = ("qid", "question")
_ALSO_NAMED = {"question_id": "qid", "question_text": "question", "nugget_id": "qid"}
_OWN_FIELDS = {"query_id", "facet_id", "state", "provenance", *KEY_FIELDS}
ITEM_FIELDS: dict[Kind, set[str]] = {
    "question": _OWN_FIELDS | {"question_id", "question_text"},
    "nugget": _OWN_FIELDS | {"nugget_id", "nugget_text"},
}
FLAT_FIELDS = _OWN_FIELDS | {"query_text", "facet_text", *_FLAT, *_ALSO_NAMED}
# Fields with a home that say nothing when they are empty.
LINE_EMPTY = {"facet_id", "facet_text"}
ITEM_EMPTY = {"query_id", "facet_id", "state", "provenance"}


def refuse_two_forms(
    place: Place, record: dict[str, Any], groups: Sequence[str]
) -> None:
    """Raise the place's error for a line that is a question and a list of them.

    ``groups`` are those of GROUPS that it has; the ``qid`` beside one may be the
    query's. A question may be named as an item is, too, if it is named alike.
    """
    for name in _FLAT if groups else ():
        value = record.get(name)
        if value is not None and (name, value) != ("qid", record.get("query_id")):
            raise place.error(
                f'has "{name}" beside "{groups[0]}"; a line is a question or a list '
                "of items, part it into two."
            )
    for other, name in () if groups else _ALSO_NAMED.items():
        value, stated = record.get(other), record.get(name)
        if value is not None and value != stated and str(value) != str(stated):
            raise place.error(
                f"{other} is {described(value)} and {name} {described(stated)} in one "
                "line; they must agree."
            )


def other_fields(
    record: dict[str, Any], homes: set[str], often_empty: set[str]
) -> dict[str, Any]:
    """What of a record has no home here, and what of ``often_empty`` came empty."""
    others = {name: value for name, value in record.items() if name not in homes}
    return others | empty_among(record, often_empty)


def said_of(extra: dict[str, Any]) -> dict[str, Any]:
    """Those of the fields that are not empty."""
    return {name: value for name, value in extra.items() if not is_empty(value)}
