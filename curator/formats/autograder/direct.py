"""One direct record in Autograder's interchange file: a grader's grade for the query.

Read and written; what the grade cannot say again is left over.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from curator.formats.autograder.graders import SPEC_FIELDS, grader_fields, prompt_flag
from curator.formats.autograder.records import nulls_of
from curator.formats.text.records import Place, described, text_of, whole_number
from grading.ratings import UNREADABLE
from grading.responders import GraderSpec

_OWN_FIELDS = ("correctAnswered", "answer", "self_ratings")
_FIELDS = {*_OWN_FIELDS, "llm", *SPEC_FIELDS}
_GRADE_FIELDS = ("correctAnswered", "self_ratings")
HERE, ABSENT = "here", "absent"
"""Said in the leftovers: a field is here where it would not be written (as
``self_ratings``), or absent where it would be (either)."""


def direct_grade(place: Place, record: Mapping[str, Any]) -> tuple[str | None, int]:
    """Raw response and rating of a direct relevance record.

    Without a rating it is 1 or 0, as ``correctAnswered`` says; but a rating of null is
    unreadable where the prompt asks for one.
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
    elif rated and "self_ratings" in record:
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
    states = _states_rating(info, rating)
    if record.get("self_ratings") is not None and not states:
        left["self_ratings"] = HERE
    if "self_ratings" not in record and states:
        left["self_ratings"] = ABSENT
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
    asked = states = _states_rating(record.get("prompt_info"), rating)
    if said["self_ratings"] == ABSENT and record["correctAnswered"] is (rating == 1):
        states = rating not in (0, 1)
    if states or said["self_ratings"] == HERE:
        record["self_ratings"] = rating if rating != UNREADABLE else None
    rated = states or record.get("self_ratings") is not None
    if said["correctAnswered"] == ABSENT and rated:
        del record["correctAnswered"]
    needed = {
        "self_ratings": asked,
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
