"""One exam record in Autograder's interchange file, read and written.

It holds one grader's grades of a passage for many items; a direct record, of
``autograder_direct``, its one grade for the query. What neither's grades can say again
is left over.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import repeat
from typing import Any

from curator.exchange.autograder_graders import SPEC_FIELDS, grader_fields
from curator.exchange.empty_fields import filled
from curator.exchange.records import Place, described, list_of, record_of
from grading.ratings import UNREADABLE
from grading.responders import GraderSpec, ReadingKind

Graded = dict[str, tuple[str | None, int]]
"""item id -> (raw response, rating)"""

_LISTS = ("correctAnswered", "wrongAnswered", "answers", "self_ratings")
_OWN_EXAM_FIELDS = (*_LISTS, "exam_ratio")
_EXAM_FIELDS = {*_OWN_EXAM_FIELDS, "llm", *SPEC_FIELDS}
_SCALE = set(range(6))
_RATING_FIELDS = {"question_id", "nugget_id", "self_rating"}


class ExamRecord:
    """The grades an exam record states, checked."""

    def __init__(self, place: Place, value: object) -> None:
        self.place = place
        self.record = record_of(place, value, "an entry of exam_grades")
        self.correct = _ids(
            place, self.record.get("correctAnswered"), "correctAnswered"
        )
        self.wrong = _ids(place, self.record.get("wrongAnswered"), "wrongAnswered")
        self.raws = _raws(place, self.record.get("answers"))
        self.nuggets = False
        self.more_of_ratings: dict[str, dict[str, Any]] = {}
        self.ratings = self._ratings()
        both = set(self.correct).intersection(self.wrong)
        if both:
            raise place.error(
                f"{described(min(both))} stands in correctAnswered and in "
                "wrongAnswered; it can be only one."
            )

    def graded(self, kind: ReadingKind) -> Graded:
        """Raw response and rating by item id, in the order of ``answers``."""
        ratings = self.ratings
        if kind != "rated":
            ratings = dict.fromkeys(self.wrong, 0) | dict.fromkeys(self.correct, 1)
        ids = dict.fromkeys([*self.raws, *self.ratings, *self.correct, *self.wrong])
        raws = map(self.raws.get, ids)
        rated = map(ratings.get, ids, repeat(UNREADABLE))
        return dict(zip(ids, zip(raws, rated, strict=True), strict=True))

    def leftovers(self, graded: Graded, kind: ReadingKind) -> dict[str, Any]:
        """What a record written from ``graded`` would not say as this one does."""
        left = {}
        if not self.record.keys() <= _EXAM_FIELDS:
            left = {k: v for k, v in self.record.items() if k not in _EXAM_FIELDS}
        if kind == "rated" and not self._lists_follow(graded):
            left |= {"correctAnswered": self.correct, "wrongAnswered": self.wrong}
        ratio = self.record.get("exam_ratio")
        if ratio is not None and not _is_ratio(ratio, self.correct, self.wrong):
            left["exam_ratio"] = ratio
        if self.more_of_ratings:
            left["self_ratings"] = self.more_of_ratings
        return nulls_of(self.record, _OWN_EXAM_FIELDS) | left

    def _lists_follow(self, graded: Graded) -> bool:
        """Whether correct and wrong are the ids rated 1 or more and all others."""
        positive = {item_id for item_id, (_, rating) in graded.items() if rating >= 1}
        listed = len(self.correct) + len(self.wrong)
        return listed == len(graded) and positive == set(self.correct)

    def _ratings(self) -> dict[str, int]:
        place = self.place
        entries = list_of(place, self.record.get("self_ratings"), "self_ratings")
        first = entries[0] if entries else None
        self.nuggets = isinstance(first, dict) and first.get("question_id") is None
        plain = _plain_ratings(entries, "nugget_id" if self.nuggets else "question_id")
        if plain is not None:
            return plain
        ratings: dict[str, int] = {}
        for entry in entries:
            if type(entry) is not dict:
                record_of(place, entry, "a self-rating")
            item_id, rating = entry.get("question_id"), entry.get("self_rating")
            if item_id is None and "nugget_id" in entry:
                item_id, self.nuggets = entry["nugget_id"], True
            if type(item_id) is not str:
                raise place.error(
                    f"a self-rating names its item {described(item_id)}; expected "
                    '"question_id" or "nugget_id" with an id in quotes.'
                )
            if rating is None:
                rating = UNREADABLE
            elif type(rating) is not int or not 0 <= rating <= 5:
                raise place.error(
                    f"self_rating of {described(item_id)} is {described(rating)}; "
                    "expected a whole number from 0 to 5."
                )
            if ratings.setdefault(item_id, rating) != rating:
                raise place.error(
                    f"{described(item_id)} is rated {ratings[item_id]} and {rating} in "
                    "one record; keep one of them."
                )
            if rating == UNREADABLE or not entry.keys() <= _RATING_FIELDS:
                more = {k: v for k, v in entry.items() if k not in _RATING_FIELDS}
                self.more_of_ratings[item_id] = more
        return ratings


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
    # Nothing but an answer can say that an item was asked and not readable.
    answers = [
        [item_id, raw]
        for item_id, raw, rating in answered
        if raw is not None or (kind != "rated" and rating == UNREADABLE)
    ]
    if leftovers.get("answers") is not None:
        answers = [pair for pair in leftovers["answers"] if pair[0] in written]
    record = {
        "correctAnswered": correct,
        "wrongAnswered": wrong,
        "answers": answers,
        **grader_fields(grader),
        "exam_ratio": _ratio(correct, wrong),
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
    record |= {k: v for k, v in leftovers.items() if k not in _LISTS}
    return filled(record, nulls_of(leftovers, _LISTS))


def nulls_of(record: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    """Those of the named fields that the record has as null."""
    if None not in record.values():  # as in nearly all records
        return {}
    return {name: None for name in names if name in record and record[name] is None}


def _ids(place: Place, value: object, what: str) -> list[str]:
    ids = list_of(place, value, what)
    for item_id in ids:
        if type(item_id) is not str:
            raise place.error(
                f"{what} lists {described(item_id)}; expected ids in quotes."
            )
    return ids


def _plain_ratings(entries: list[Any], id_field: str) -> dict[str, int] | None:
    """The ratings, if each entry is an id and a rating 0-5 and no id stands twice.

    Nearly all records are so, and are read three times as fast this way.
    """
    try:
        ratings = {entry[id_field]: entry["self_rating"] for entry in entries}
    except (KeyError, TypeError):
        return None
    plain = (
        len(ratings) == len(entries)
        and set(map(len, entries)) <= {2}
        and set(map(type, ratings)) <= {str}
        and set(map(type, ratings.values())) <= {int}
        and set(ratings.values()) <= _SCALE
    )
    return ratings if plain else None


def _raws(place: Place, value: object) -> dict[str, str | None]:
    pairs = list_of(place, value, "answers")
    if set(map(type, pairs)) == {list} and set(map(len, pairs)) == {2}:
        ids, answers = zip(*pairs, strict=True)
        if set(map(type, ids)) == {str} == set(map(type, answers)):
            plain: dict[str, str | None] = dict(pairs)
            if len(plain) == len(pairs):
                return plain
    raws: dict[str, str | None] = {}
    for pair in pairs:
        if type(pair) is not list or len(pair) != 2:
            raise place.error(
                f"answers holds {described(pair)}; expected pairs [id, response]."
            )
        item_id, raw = pair
        if type(item_id) is not str or (type(raw) is not str and raw is not None):
            raise place.error(
                f"answers pairs {described(item_id)} with {described(raw)}; expected "
                "[id, response], both in quotes."
            )
        if raws.setdefault(item_id, raw) != raw:
            raise place.error(
                f"{described(item_id)} has two answers in one record; keep one of them."
            )
    return raws


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


def _ratio(correct: Sequence[str], wrong: Sequence[str]) -> float:
    asked = len(correct) + len(wrong)
    return len(correct) / asked if asked else 0.0


def _is_ratio(value: object, correct: Sequence[str], wrong: Sequence[str]) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return math.isclose(value, _ratio(correct, wrong), abs_tol=1e-6)
