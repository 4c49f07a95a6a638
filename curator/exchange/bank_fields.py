"""The fields of lines and items in Autograder's banks: which have a home here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from curator.bank.questions import Kind
from curator.exchange.answer_keys import FIELDS as KEY_FIELDS
from curator.exchange.empty_fields import empty_among, is_empty
from curator.exchange.records import Place

GROUPS = ("items", "questions")
LINE_FIELDS = {"query_id", "query_text", "facet_id", "facet_text", *GROUPS}
_FLAT = ("qid", "question")
_OWN_FIELDS = {"query_id", "facet_id", "state", "provenance", *KEY_FIELDS}
ITEM_FIELDS: dict[Kind, set[str]] = {
    "question": _OWN_FIELDS | {"question_id", "question_text"},
    "nugget": _OWN_FIELDS | {"nugget_id", "nugget_text"},
}
FLAT_FIELDS = _OWN_FIELDS | {"query_text", "facet_text", *_FLAT}
# Fields with a home that say nothing when they are empty.
LINE_EMPTY = {"facet_id", "facet_text"}
ITEM_EMPTY = {"query_id", "facet_id", "state", "provenance"}


def refuse_two_forms(
    place: Place, record: dict[str, Any], groups: Sequence[str]
) -> None:
    """Raise the place's error for a line that is a question and a list of them.

    ``groups`` are those of GROUPS that it has.
    """
    others = _FLAT if groups else ("question_id", "question_text", "nugget_id")
    for name in others:
        if record.get(name) is not None:
            raise place.error(
                f'has "{name}" beside "{(*groups, _FLAT[0])[0]}"; a line is a question '
                "or a list of items, part it into two."
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
