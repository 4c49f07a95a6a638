"""One direct record in Autograder's interchange file: a grader's grade for the query.

Read and written; what the grade cannot say again is left over.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from curator.exchange.autograder_graders import (
    SPEC_FIELDS,
    grader_fields,
    prompt_flag,
)
from curator.exchange.autograder_records import nulls_of
from curator.exchange.records import Place, described, text_of, whole_number
from grading.ratings import UNREADABLE
from grading.responders import GraderSpec

_OWN_FIELDS = ("correctAnswered", "answer", "self_ratings")
_FIELDS = {*_OWN_FIELDS, "llm", *SPEC_FIELDS}
_GRADE_FIELDS = ("correctAnswered", "self_ratings")
HERE, ABSENT = "here", "absent"
"""Said in the leftovers: ``self_ratings`` are here where they would not be written, and
``correctAnswered`` is absent where it would be."""


def direct_grade(place: Place, record: Mapping[str, Any]) -> tuple[str | None, int]:
    """Raw response and rating of a direct relevance record.

    Without a rating it is 1 or 0, as ``correctAnswered`` says, if the prompt does not
    ask for one; if it does, a rating of null is unreadable, and one must be there.
    """
    correct, given = record.get("correctAnswered"), record.get("self_ratings")
    rated = prompt_flag(place, record, "is_self_rated")
    raw = text_of(place, record.get("answer"), "answer of a direct grade")
    if correct is not None and type(correct) is not bool:
        raise place.error(
            f"correctAnswered is {described(correct)} in a direct grade; expected true "
            "or false."
        )
    if given is not None:
        rating = whole_number(place, given, "self_ratings of a direct grade", 0, 5)
    elif rated:
        if "self_ratings" not in record:
            raise place.error(
                "is_self_rated is true, and self_ratings of a direct grade are "
                "missing; expected a whole number, 0 to 5."
            )
        rating = UNREADABLE
    elif correct is None:
        raise place.error(
            'a direct grade states none; expected "self_ratings" or "correctAnswered".'
        )
    else:
        rating = int(correct)
    return raw, rating


def direct_leftovers(record: Mapping[str, Any], rating: int) -> dict[str, Any]:
    """What a direct record written from its grade would not say as this one does."""
    left = {k: v for k, v in record.items() if k not in _FIELDS}
    left |= nulls_of(record, _OWN_FIELDS)
    correct = record.get("correctAnswered", ABSENT)
    if correct is not None and correct != (rating >= 1):
        left["correctAnswered"] = correct
    info = record.get("prompt_info")
    if record.get("self_ratings") is not None and not _states_rating(info, rating):
        left["self_ratings"] = HERE
    return left


def direct_record(
    grader: GraderSpec,
    raw: str | None,
    rating: int,
    leftovers: Mapping[str, Any],
    common: Mapping[str, Any],
) -> dict[str, Any]:
    """The direct record that ``direct_grade`` reads back as this grade.

    ``common`` are nulls of the query's other records; they give way to what only their
    field can say.
    """
    fields = grader_fields(grader)
    record = {"correctAnswered": rating >= 1, "answer": raw or "", **fields}
    if raw is None:
        del record["answer"]
    said = {name: leftovers.get(name) for name in _GRADE_FIELDS}
    record |= {k: v for k, v in leftovers.items() if said.get(k) not in (HERE, ABSENT)}
    states = _states_rating(record.get("prompt_info"), rating)
    if states or said["self_ratings"] == HERE:
        record["self_ratings"] = rating if rating != UNREADABLE else None
    rated = states or record.get("self_ratings") is not None
    if said["correctAnswered"] == ABSENT and rated:
        del record["correctAnswered"]
    needed = {
        "self_ratings": states,
        "correctAnswered": not rated,
        "answer": raw is not None,
    }
    return record | {k: v for k, v in common.items() if not needed.get(k)}


def _states_rating(info: Mapping[str, Any] | None, rating: int) -> bool:
    """Whether a direct record must have ``self_ratings``, to be read as this rating.

    What is not 1 for "answered" and 0 for not can be said in no other field, and where
    ``info`` of the prompt says that it asks for a rating no other is looked at.
    """
    return rating > 1 or bool((info or {}).get("is_self_rated"))
