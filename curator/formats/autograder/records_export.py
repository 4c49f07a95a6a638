"""One exam record of Autograder's interchange file, written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from curator.formats.autograder.graders import grader_fields
from curator.formats.autograder.records import LISTS, nulls_of, ratio_of, says_asked
from curator.formats.text.empty_fields import filled
from grading.responders import GraderSpec, ReadingKind


def exam_record(
    grader: GraderSpec,
    item_ids: Sequence[str],
    raws: Sequence[str | None],
    ratings: Sequence[int],
    leftovers: Mapping[str, Any],
) -> dict[str, Any]:
    """The exam record that ``ExamRecord`` reads back as these grades."""
    kind = grader.reading.kind
    correct, wrong = _split(zip(item_ids, ratings, strict=True), kind)
    written = set(item_ids)
    if leftovers.get("correctAnswered") is not None and "wrongAnswered" in leftovers:
        correct = [i for i in leftovers["correctAnswered"] if i in written]
        wrong = [i for i in leftovers["wrongAnswered"] or [] if i in written]
    answered = zip(item_ids, raws, ratings, strict=True)
    kept = leftovers.get("answers")
    answers = [
        [item_id, raw]
        for item_id, raw, rating in answered
        if raw is not None
        or says_asked(kind, rating)
        or (isinstance(kept, dict) and item_id in kept)
    ]
    if isinstance(kept, list):
        answers = [pair for pair in kept if pair[0] in written]
    record = {
        "correctAnswered": correct,
        "wrongAnswered": wrong,
        "answers": answers,
        **grader_fields(grader),
        "exam_ratio": ratio_of(correct, wrong),
    }
    if kind == "rated":
        id_field = (
            "nugget_id" if grader.reading.item_kind == "nugget" else "question_id"
        )
        more = leftovers.get("self_ratings") or {}
        record["self_ratings"] = [
            {
                id_field: item_id,
                "self_rating": rating if rating >= 0 else None,
                **more.get(item_id, {}),
            }
            for item_id, rating in zip(item_ids, ratings, strict=True)
            if rating >= 0 or item_id in more
        ]
    elif leftovers.get("self_ratings") == []:
        record["self_ratings"] = []
    record |= {k: v for k, v in leftovers.items() if k not in LISTS}
    return filled(record, nulls_of(leftovers, LISTS))


def _split(
    rated: Iterable[tuple[str, int]], kind: ReadingKind
) -> tuple[list[str], list[str]]:
    """Ids answered and not; with the latter, as published, an unreadable rating."""
    correct, wrong = [], []
    for item_id, rating in rated:
        if rating >= 1:
            correct.append(item_id)
        elif rating == 0 or kind == "rated":
            wrong.append(item_id)
    return correct, wrong
