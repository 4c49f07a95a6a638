"""One direct record in Autograder's interchange file: a grader's grade for the query.

Read and written; what the grade cannot say again is left over.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from curator.exchange.autograder_graders import SPEC_FIELDS, grader_fields
from curator.exchange.autograder_records import nulls_of
from curator.exchange.records import Place, described, whole_number
from grading.responders import GraderSpec

_OWN_FIELDS = ("correctAnswered", "answer", "self_ratings")
_FIELDS = {*_OWN_FIELDS, "llm", *SPEC_FIELDS}
_GRADE_FIELDS = ("correctAnswered", "self_ratings")
HERE, ABSENT = "here", "absent"
"""Said in the leftovers of one of ``_GRADE_FIELDS``, of which a record has both or one,
where it has the one that would not be written, or lacks the one that would be."""


def direct_grade(place: Place, record: Mapping[str, Any]) -> tuple[str | None, int]:
    """Raw response and rating of a direct relevance record."""
    correct, given = record.get("correctAnswered"), record.get("self_ratings")
    raw = record.get("answer")
    if raw is not None and type(raw) is not str:
        raise place.error(f"answer is {described(raw)}; expected the model's words.")
    if correct is not None and type(correct) is not bool:
        raise place.error(
            f"correctAnswered is {described(correct)} in a direct grade; expected true "
            "or false."
        )
    if given is not None:
        rating = whole_number(place, given, "self_ratings of a direct grade", 0, 5)
    elif correct is None:
        raise place.error(
            'a direct grade states none; expected "self_ratings" or "correctAnswered".'
        )
    else:
        rating = int(correct)
    return raw, rating


def direct_leftovers(
    grader: GraderSpec, record: Mapping[str, Any], rating: int
) -> dict[str, Any]:
    """What a direct record written from its grade would not say as this one does."""
    left = {k: v for k, v in record.items() if k not in _FIELDS}
    left |= nulls_of(record, _OWN_FIELDS)
    correct = record.get("correctAnswered", ABSENT)
    if correct is not None and correct != (rating >= 1):
        left["correctAnswered"] = correct
    if "self_ratings" not in record:
        if _states_rating(grader, rating):
            left["self_ratings"] = ABSENT
    elif record["self_ratings"] is not None and not _states_rating(grader, rating):
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
    if _states_rating(grader, rating):
        record["self_ratings"] = rating
    said = {name: leftovers.get(name) for name in _GRADE_FIELDS}
    record |= {k: v for k, v in leftovers.items() if said.get(k) not in (HERE, ABSENT)}
    if said["self_ratings"] == HERE:
        record["self_ratings"] = rating
    if said["self_ratings"] == ABSENT and rating <= 1:
        record.pop("self_ratings", None)
    if said["correctAnswered"] == ABSENT and record.get("self_ratings") is not None:
        del record["correctAnswered"]
    needed = {
        "self_ratings": rating > 1,
        "correctAnswered": record.get("self_ratings") is None,
        "answer": raw is not None,
    }
    return record | {k: v for k, v in common.items() if not needed.get(k)}


def _states_rating(grader: GraderSpec, rating: int) -> bool:
    """Whether a direct record has ``self_ratings`` where no leftover says otherwise.

    What is not 1 for "answered" and 0 for not can be said in no other field.
    """
    info = grader_fields(grader).get("prompt_info") or {}
    return rating > 1 or bool(info.get("is_self_rated"))
