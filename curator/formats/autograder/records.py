"""A record of grades in Autograder's interchange file.

An exam record holds one grader's grades of a passage for many items, a direct record
its one grade for the query. What neither's grades can say again is left over.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import repeat
from math import isclose
from typing import Any

from curator.formats.autograder.graders import SPEC_FIELDS, grader_fields, prompt_flag
from curator.formats.text.fields import filled
from curator.formats.text.records import (
    FileLocation,
    described,
    either,
    flag_of,
    list_of,
    record_of,
    text_of,
)
from grading.ratings import UNREADABLE
from grading.responders import GraderSpec, ReadingKind

Graded = dict[str, tuple[str | None, float]]
"""item id -> (raw response, rating, or probability)"""

LISTS = ("correctAnswered", "wrongAnswered", "answers", "self_ratings")
"""Fields of an exam record that its grades say."""
_OWN_EXAM_FIELDS = (*LISTS, "exam_ratio")
_EXAM_FIELDS = {*_OWN_EXAM_FIELDS, "llm", *SPEC_FIELDS}
_SCALE = set(range(6))
SCALE = "whole number from 0 to 5, or a probability from 0 to 1"
_IDS = ("question_id", "nugget_id")


class ExamRecord:
    """The grades an exam record states, checked."""

    def __init__(self, place: FileLocation, value: object) -> None:
        self.place = place
        self.record = record_of(place, value, "an entry of exam_grades")
        self.correct, self.wrong = (
            _ids(place, self.record, name) for name in LISTS[:2]
        )
        self.raws = _raws(place, self.record.get("answers"))
        self.nuggets = False
        self.more_of_ratings: dict[str, dict[str, Any]] = {}
        self.ratings = self._ratings()
        items = (set(self.correct), set(self.wrong), self.raws, self.ratings)
        self.names_items = any(items)
        entries = sum(len(self.record.get(name) or ()) for name in LISTS)
        self.doubled = entries - sum(map(len, items))
        if both := items[0] & items[1]:
            raise place.error(
                f"{described(min(both))} is in correctAnswered and in "
                "wrongAnswered; keep one of them."
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
        """Return the fields that a record written from ``graded`` would lose."""
        left = {}
        if not self.record.keys() <= _EXAM_FIELDS:
            left = {k: v for k, v in self.record.items() if k not in _EXAM_FIELDS}
        # Mostly correct are the ids rated 1 or more, and wrong all others.
        positive = {one for one, (_, rating) in graded.items() if is_correct(rating)}
        all_listed = len(self.correct) + len(self.wrong) == len(graded)
        if kind == "rated" and not (all_listed and positive == set(self.correct)):
            left |= {"correctAnswered": self.correct, "wrongAnswered": self.wrong}
        ratio, usual = self.record.get("exam_ratio"), ratio_of(self.correct, self.wrong)
        is_number = type(ratio) in (int, float)
        if ratio is not None and not (
            is_number and isclose(ratio, usual, abs_tol=1e-6)
        ):
            left["exam_ratio"] = ratio
        if self.more_of_ratings:
            left["self_ratings"] = self.more_of_ratings
        elif kind != "rated" and self.record.get("self_ratings") == []:
            left["self_ratings"] = []
        unsaid = {
            item_id: None
            for item_id, raw in self.raws.items()
            if raw is None and not needs_answer(kind, graded[item_id][1])
        }
        if unsaid:
            left["answers"] = unsaid
        return nulls_of(self.record, _OWN_EXAM_FIELDS) | left

    def _ratings(self) -> Mapping[str, float]:
        place = self.place
        entries = list_of(place, self.record.get("self_ratings"), "self_ratings")
        first = entries[0] if entries else None
        self.nuggets = isinstance(first, dict) and first.get("question_id") is None
        plain = _plain_ratings(entries, _IDS[self.nuggets])
        if plain is not None:
            return plain
        ratings: dict[str, float] = {}
        for entry in entries:
            record_of(place, entry, "a self-rating")
            item_id = self._rated_item(entry)
            rating = entry.get("self_rating", "")
            if rating is None:
                rating = UNREADABLE
            elif not _is_grade(rating):
                stated = described(rating) if "self_rating" in entry else "missing"
                raise place.error(
                    f"self_rating of {described(item_id)} is {stated}; expected a "
                    f"{SCALE}."
                )
            known = ratings.setdefault(item_id, rating)
            if known != rating:
                both = [described(None if r < 0 else r) for r in (known, rating)]
                raise place.error(
                    f"{described(item_id)} is rated {' and '.join(both)} in one "
                    "record; keep one of them."
                )
            written = {"self_rating"}
            if any(entry.get(name) is None for name in _IDS):
                written.add(_IDS[self.nuggets])
            more = {k: v for k, v in entry.items() if k not in written}
            if rating == UNREADABLE or more:
                self.more_of_ratings[item_id] = more
        return ratings

    def _rated_item(self, entry: dict[str, Any]) -> str:
        """The id of the item that a self-rating is of."""
        place = self.place
        named = {name: entry[name] for name in _IDS if entry.get(name) is not None}
        item_id, *others = named.values() or (None,)
        if others and others != [item_id]:
            raise place.error(
                f"a self-rating names a question and a nugget, {described(item_id)} "
                f"and {described(others[0])}; expected one."
            )
        if type(item_id) is not str:
            raise place.error(
                f"a self-rating names its item {described(item_id)}; expected "
                f"{either(_IDS)} with an id in quotes."
            )
        if _IDS[self.nuggets] not in named:
            raise place.error(
                "self_ratings of one record name questions and nuggets, one of them "
                f"{described(item_id)}; split them into two records."
            )
        return item_id


def _is_grade(value: object) -> bool:
    if isinstance(value, float):
        return 0 <= value <= 1
    return type(value) is int and value in _SCALE


def is_correct(grade: float) -> bool:
    """Return True if an item counts as correct: a rating or probability above 0."""
    return grade >= (0.1 if isinstance(grade, float) else 1)


def needs_answer(kind: ReadingKind, rating: float) -> bool:
    """Return True if only an answer can show that the item was asked.

    So that it is written also where the answer is null.
    """
    return kind != "rated" and rating == UNREADABLE


def nulls_of(record: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    """Return the named fields that are null in the record."""
    if None not in record.values():  # as in nearly all records
        return {}
    return {name: None for name in names if name in record and record[name] is None}


def _ids(place: FileLocation, record: Mapping[str, Any], name: str) -> list[str]:
    ids = list_of(place, record.get(name), name)
    for item_id in ids:
        if type(item_id) is not str:
            raise place.error(
                f"{name} lists {described(item_id)}; expected ids in quotes."
            )
    return ids


def _plain_ratings(entries: list[Any], id_field: str) -> dict[str, int] | None:
    """The ratings, if each entry is an id and a rating 0-5 and no id occurs twice.

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


def _raws(place: FileLocation, value: object) -> dict[str, str | None]:
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


def ratio_of(correct: Sequence[str], wrong: Sequence[str]) -> float:
    """The share of correct items; 0 where there is none."""
    asked = len(correct) + len(wrong)
    return len(correct) / asked if asked else 0.0


_OWN_FIELDS = ("correctAnswered", "answer", "self_ratings")
_FIELDS = {*_OWN_FIELDS, "llm", *SPEC_FIELDS}
_GRADE_FIELDS = ("correctAnswered", "self_ratings")
HERE, ABSENT = "here", "absent"
"""Said in the leftovers: a field is here where it would not be written (as
``self_ratings``), or absent where it would be (either)."""


def direct_grade(
    place: FileLocation, record: Mapping[str, Any]
) -> tuple[str | None, float]:
    """Raw response and rating of a direct relevance record.

    Without a rating it is 1 or 0, as ``correctAnswered`` says; but a rating of null is
    unreadable where the prompt asks for one.
    """
    rated = prompt_flag(place, record, "is_self_rated")
    raw = text_of(place, record.get("answer"), "answer of a direct grade")
    given = record.get("self_ratings")
    what = "correctAnswered of a direct grade"
    correct = flag_of(place, record.get("correctAnswered"), what)
    if given is not None:
        if not _is_grade(given):
            raise place.error(
                f"self_ratings of a direct grade is {described(given)}; expected a "
                f"{SCALE}."
            )
        rating: float = given
    elif rated and "self_ratings" in record:
        rating = UNREADABLE
    elif correct is None:
        raise place.error(
            'a direct grade is empty; expected "self_ratings" or "correctAnswered".'
        )
    else:
        rating = int(correct)
    return raw, rating


def direct_leftovers(record: Mapping[str, Any], rating: float) -> dict[str, Any]:
    """Return the fields that a direct record written from its grade would lose."""
    left = {k: v for k, v in record.items() if k not in _FIELDS}
    left |= nulls_of(record, _OWN_FIELDS)
    correct = record.get("correctAnswered", ABSENT)
    if correct is not None and correct != is_correct(rating):
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
    rating: float,
    leftovers: Mapping[str, Any],
    common: Mapping[str, Any],
) -> dict[str, Any]:
    """The direct record that ``direct_grade`` reads back as this grade.

    ``common`` are nulls of the query's other records; they give way to what only their
    field can say.
    """
    fields = grader_fields(grader)
    record = {"correctAnswered": is_correct(rating), "answer": raw or "", **fields}
    if raw is None:
        del record["answer"]
    stated = {name: leftovers.get(name) for name in _GRADE_FIELDS}
    record |= {
        k: v for k, v in leftovers.items() if stated.get(k) not in (HERE, ABSENT)
    }
    asked = states = _states_rating(record.get("prompt_info"), rating)
    if stated["self_ratings"] == ABSENT and record["correctAnswered"] is (rating == 1):
        states = rating not in (0, 1)
    if states or stated["self_ratings"] == HERE:
        record["self_ratings"] = rating if rating != UNREADABLE else None
    rated = states or record.get("self_ratings") is not None
    if stated["correctAnswered"] == ABSENT and rated:
        del record["correctAnswered"]
    needed = {
        "self_ratings": asked,
        "correctAnswered": not rated,
        "answer": raw is not None,
    }
    return record | {k: v for k, v in common.items() if not needed.get(k)}


def _states_rating(info: Mapping[str, Any] | None, rating: float) -> bool:
    """Whether a direct record must have ``self_ratings``, to be read as this rating.

    What is not 1 for "answered" and 0 for not can be said in no other field, and where
    ``info`` of the prompt says that it asks for a rating no other is looked at.
    """
    fraction = isinstance(rating, float)
    return fraction or rating > 1 or bool((info or {}).get("is_self_rated"))


def exam_record(
    grader: GraderSpec,
    item_ids: Sequence[str],
    raws: Sequence[str | None],
    ratings: Sequence[float],
    leftovers: Mapping[str, Any],
) -> dict[str, Any]:
    """The exam record that ``ExamRecord`` reads back as these grades."""
    kind = grader.reading.kind
    correct = [i for i, r in zip(item_ids, ratings, strict=True) if is_correct(r)]
    # As published, an unreadable rating is a wrong answer.
    worst = UNREADABLE if kind == "rated" else 0
    wrong = [
        i
        for i, r in zip(item_ids, ratings, strict=True)
        if worst <= r and not is_correct(r)
    ]
    written = set(item_ids)
    if leftovers.get("correctAnswered") is not None and "wrongAnswered" in leftovers:
        correct = [i for i in leftovers["correctAnswered"] if i in written]
        wrong = [i for i in leftovers["wrongAnswered"] or [] if i in written]
    kept = leftovers.get("answers")
    if isinstance(kept, list):
        answers = [pair for pair in kept if pair[0] in written]
    else:
        answers = [
            [item_id, raw]
            for item_id, raw, rating in zip(item_ids, raws, ratings, strict=True)
            if raw is not None or needs_answer(kind, rating) or item_id in (kept or ())
        ]
    record = {
        "correctAnswered": correct,
        "wrongAnswered": wrong,
        "answers": answers,
        **grader_fields(grader),
        "exam_ratio": ratio_of(correct, wrong),
    }
    if kind == "rated":
        id_field = _IDS[grader.reading.item_kind == "nugget"]
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
