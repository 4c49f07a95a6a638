"""Records of grades in Autograder's interchange file, in and out.

An exam record holds one grader's grades of a passage for many items, a direct record
its one grade for the query. A record that would be written otherwise is kept as it
came; an export takes the items out of it that are not kept, and adds new ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import repeat
from math import isclose
from typing import Any

from curator.formats.autograder.graders import grader_fields, prompt_flag
from curator.formats.text.records import (
    Record,
    described,
    flag_of,
    record_of,
    text_of,
)
from grading.ratings import UNREADABLE
from grading.responders import GraderSpec, ReadingKind

Graded = dict[str, tuple[str | None, float]]
"""item id -> (raw response, rating, or probability)"""

LISTS = ("correctAnswered", "wrongAnswered", "answers", "self_ratings")
"""Fields of an exam record that its grades state."""
_SCALE = frozenset(range(6))
SCALE = "whole number from 0 to 5, or a probability from 0 to 1"
_IDS = ("question_id", "nugget_id")


class ExamRecord:
    """The grades an exam record states, checked."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.correct, self.wrong = (_ids(record, name) for name in LISTS[:2])
        self.raws = _raws(record)
        self.nuggets, self.ratings = _ratings(record)
        items = (set(self.correct), set(self.wrong), self.raws, self.ratings)
        self.names_items = any(items)
        entries = sum(len(record.get(name) or ()) for name in LISTS)
        self.doubled = entries - sum(map(len, items))
        if both := items[0] & items[1]:
            raise record.error(
                f"{described(min(both))} is in correctAnswered and in "
                "wrongAnswered; keep one of them."
            )

    def graded(self, kind: ReadingKind) -> Graded:
        """Raw response and rating by item id, in the order of ``answers``."""
        ratings: Mapping[str, float] = self.ratings
        if kind != "rated":
            ratings = dict.fromkeys(self.wrong, 0) | dict.fromkeys(self.correct, 1)
        ids = dict.fromkeys([*self.raws, *self.ratings, *self.correct, *self.wrong])
        raws = map(self.raws.get, ids)
        rated = map(ratings.get, ids, repeat(UNREADABLE))
        return dict(zip(ids, zip(raws, rated, strict=True), strict=True))


def _ids(record: Record, name: str) -> list[str]:
    ids = record.items_of(name)
    for item_id in ids:
        if type(item_id) is not str:
            raise record.at(name).error(
                f"{name} lists {described(item_id)}; expected ids in quotes."
            )
    return ids


def _raws(record: Record) -> dict[str, str | None]:
    pairs = record.items_of("answers")
    # Nearly all are so, and are read several times as fast this way.
    if (
        set(map(type, pairs)) == {list}
        and set(map(len, pairs)) == {2}
        and {type(value) for pair in pairs for value in pair} == {str}
    ):
        plain: dict[str, str | None] = dict(pairs)
        if len(plain) == len(pairs):
            return plain
    raws: dict[str, str | None] = {}
    for number, pair in enumerate(pairs):
        match pair:
            case [str() as item_id, str() | None as raw] if (
                raws.setdefault(item_id, raw) == raw
            ):
                continue
        raise record.at("answers", number).error(
            f"answers holds {described(pair)}; expected pairs [id, response], both in "
            "quotes, and one response to an item."
        )
    return raws


def _ratings(record: Record) -> tuple[bool, dict[str, float]]:
    """Return whether the self-ratings are of nuggets, and each by its item's id."""
    entries = record.items_of("self_ratings")
    first = entries[0] if entries else None
    nuggets = isinstance(first, dict) and first.get("question_id") is None
    id_name, other = _IDS[nuggets], _IDS[not nuggets]
    try:
        ratings: dict[str, float] = {e[id_name]: e["self_rating"] for e in entries}
    except (KeyError, TypeError):
        ratings = {}
    if (
        len(ratings) == len(entries)
        and set(map(len, entries)) <= {2}
        and set(map(type, ratings)) <= {str}
        and set(map(type, ratings.values())) <= {int}
        and _SCALE.issuperset(ratings.values())
    ):
        return nuggets, ratings
    ratings = {}
    for number, entry in enumerate(entries):
        place = record.at("self_ratings", number)
        entry = record_of(place, entry, "a self-rating")
        item_id, others = entry.get(id_name), entry.get(other)
        if type(item_id) is not str or others not in (None, item_id):
            raise place.error(
                f"a self-rating names {described(item_id)} as its {id_name}, and "
                f"{described(others)} as its {other}; expected one id in quotes, of "
                "the same kind in all of a record."
            )
        rating = entry.get("self_rating", "missing")
        if rating is not None and not _is_grade(rating):
            raise place.error(
                f"self_rating of {described(item_id)} is {described(rating)}; expected "
                f"a {SCALE}."
            )
        rating = UNREADABLE if rating is None else rating
        if ratings.setdefault(item_id, rating) != rating:
            raise place.error(
                f"{described(item_id)} is rated twice in one record, differently; keep "
                "one of them."
            )
    return nuggets, ratings


def _is_grade(value: object) -> bool:
    if isinstance(value, float):
        return 0 <= value <= 1
    return type(value) is int and value in _SCALE


def is_correct(grade: float) -> bool:
    """Return True if an item counts as correct: a rating or probability above 0."""
    return grade >= (0.1 if isinstance(grade, float) else 1)


def exam_record(
    grader: GraderSpec, graded: Graded, imported: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The exam record that ``ExamRecord`` reads back as these grades.

    Of the ``imported`` record all is written but the items that are not ``graded``;
    items that it lacks are added.
    """
    kind = grader.reading.kind
    # As published, an unreadable rating is a wrong answer.
    worst = UNREADABLE if kind == "rated" else 0
    rows = [(item_id, raw, rating) for item_id, (raw, rating) in graded.items()]
    correct = [item_id for item_id, _, r in rows if is_correct(r)]
    others = graded.keys() - correct
    wrong = [i for i, _, r in rows if i in others and r >= worst]
    # Without a rating, an answer alone shows that the item was asked.
    answers = [
        [item_id, raw]
        for item_id, raw, r in rows
        if raw is not None or (kind != "rated" and r == UNREADABLE)
    ]
    record: dict[str, Any] = dict(
        zip(LISTS[:3], (correct, wrong, answers), strict=True)
    )
    ratio = len(correct) / (len(correct) + len(wrong) or 1)
    record |= {"answers": answers, **grader_fields(grader), "exam_ratio": ratio}
    if kind == "rated":
        id_field = _IDS[grader.reading.item_kind == "nugget"]
        record["self_ratings"] = [
            {id_field: item_id, "self_rating": r} for item_id, _, r in rows if r >= 0
        ]
    if not imported:
        return record
    named = {_item_of(entry) for name in LISTS for entry in imported.get(name) or ()}
    changes: dict[str, Any] = {}
    for name in LISTS:
        stated = imported.get(name) or []
        now = [entry for entry in stated if _item_of(entry) in graded]
        now += [e for e in record.get(name, ()) if _item_of(e) not in named]
        if now != stated:
            changes[name] = now
    if changes and imported.get("exam_ratio") is not None:
        changes["exam_ratio"] = ratio
    return {**imported, **changes}


def _item_of(entry: Any) -> str:
    """Return the item of an entry of LISTS."""
    if isinstance(entry, dict):
        return str(entry.get(_IDS[0]) or entry.get(_IDS[1]))
    return str(entry if isinstance(entry, str) else entry[0])


def is_written_so(record: Mapping[str, Any], written: Mapping[str, Any]) -> bool:
    """Return True if two exam records are equal but for the order of items."""
    if record == written:
        return True
    if record.keys() - {"exam_ratio"} != written.keys() - {"exam_ratio"}:
        return False
    ratio = record.get("exam_ratio", written["exam_ratio"])
    return (
        type(ratio) in (int, float)
        and isclose(ratio, written["exam_ratio"], abs_tol=1e-6)
        and all(
            value == written[name]
            or (
                name in LISTS
                and value
                and sorted(value, key=_item_of) == sorted(written[name], key=_item_of)
            )
            for name, value in record.items()
            if name != "exam_ratio"
        )
    )


def direct_grade(record: Record) -> tuple[str | None, float]:
    """Raw response and rating of a direct relevance record.

    Without a rating it is 1 or 0, as ``correctAnswered`` says; but a rating of null is
    unreadable where the prompt asks for one.
    """
    rated = prompt_flag(record, "is_self_rated")
    raw = text_of(record, record.get("answer"), "answer of a direct grade")
    rating = record.get("self_ratings")
    what = "correctAnswered of a direct grade"
    correct = flag_of(record, record.get("correctAnswered"), what)
    if rating is None and rated and "self_ratings" in record:
        return raw, UNREADABLE
    if rating is None and correct is not None:
        return raw, int(correct)
    if rating is None or not _is_grade(rating):
        raise record.at("self_ratings").error(
            f"self_ratings of a direct grade is {described(rating)}; expected a "
            f"{SCALE}, or correctAnswered."
        )
    return raw, rating


def direct_record(grader: GraderSpec, raw: str | None, rating: float) -> dict[str, Any]:
    """The direct record that ``direct_grade`` reads back as this grade."""
    record: dict[str, Any] = {"correctAnswered": is_correct(rating), "answer": raw}
    record |= grader_fields(grader)
    if raw is None:
        del record["answer"]
    # Other fields only tell 1 for "answered" from 0.
    info = record.get("prompt_info") or {}
    if isinstance(rating, float) or rating > 1 or info.get("is_self_rated"):
        record["self_ratings"] = None if rating == UNREADABLE else rating
    return record
