"""Records of grades in Autograder's interchange file, in and out, and their graders.

An exam record holds one grader's grades of a passage for many items, a direct record
its one grade for the query. A record that would be written otherwise is kept as it
came; an export takes the items out of it that are not kept, and adds new ones.

One (``llm``, ``prompt_class``) pair is one grader, named ``<llm>/<prompt_class>``. What
the file says of it goes into its Responder as JSON texts, so that an export gives it
back unchanged.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import repeat
from math import isclose
from typing import Any, Literal

from curator.formats.parsed_import import ImportedGrades
from curator.formats.text.json_text import json_text
from curator.formats.text.notices import Oddities, counted
from curator.formats.text.records import (
    FileLocation,
    Record,
    described,
    flag_of,
    name_of,
    record_of,
    text_of,
)
from grading.ratings import UNREADABLE
from grading.responders import (
    AS_GIVEN,
    PROBABILITY_AS_GIVEN,
    GraderSpec,
    Reading,
    ReadingKind,
    Responder,
)

SPEC_FIELDS = ("llm_options", "prompt_info", "prompt_type")
"""Kept in Responder.decoding as (name, JSON); one the file lacks is not there."""

_ANSWERED = ("correctAnswered", "wrongAnswered", "answers")

UNKNOWN = "unknown"  # the llm or prompt class of a record that does not say

ItemKind = Literal["question", "nugget", "query"]
GraderId = tuple[str, str, ReadingKind, ItemKind]


_ODD = {
    "unrated": "[grade] without a rating, read as unknown, not as 0: {}.",
    "unnamed": "[record] of grades without an llm or a prompt_class, read as grades of "
    "{}.",
    "apart": "[grader] of one llm and prompt_class, because its records have several "
    "forms: {}.",
    "redescribed": "[grader] with several descriptions, of which the first is kept: "
    "{}.",
    "empty": "[grader] without any grade, left out: {}.",
}


class Graders:
    """The graders of one file in the order they first appear, with their grades."""

    def __init__(self) -> None:
        self.odd = Oddities(_ODD)
        self._number: dict[GraderId, int] = {}
        self._described_as: list[dict[str, Any]] = []
        self.grades: list[ImportedGrades] = []

    def number_of(self, record: Record, *, direct: bool, nuggets: bool) -> int:
        """The position in ``grades`` of the grader who gave this record."""
        grader_id = _grader_id(record, direct=direct, nuggets=nuggets)
        if grader_id not in self._number:
            self._add(grader_id, record)
        number = self._number[grader_id]
        name = self.grades[number].grader.name
        if UNKNOWN in grader_id[:2]:
            self.odd.count("unnamed", name=name)
        if self._described_as[number] != {f: record.get(f) for f in SPEC_FIELDS}:
            self.odd.name("redescribed", name)
        return number

    def _add(self, grader_id: GraderId, record: Record) -> None:
        llm, prompt_class, kind, item_kind = grader_id
        decoding = [
            (field, json_text(record, record[field]))
            for field in SPEC_FIELDS
            if field in record
        ]
        if record.get("llm") is None:
            decoding.append(("llm", "null"))
        name = f"{name_of(record, llm, 'llm')}/{prompt_class}"
        alike = [
            self.grades[number].grader.name
            for other, number in self._number.items()
            if other[:2] == (llm, prompt_class)
        ]
        if alike:
            # Two ways of reading: rare, and their responses differ.
            name = f"{name} ({kind} {item_kind})"
            decoding.append(("read_as", f"{kind} {item_kind}"))
            for grader_name in (*alike, name):
                self.odd.name("apart", grader_name)
        grader = GraderSpec(
            name,
            Responder(llm, "", prompt_class, tuple(decoding)),
            Reading(kind, item_kind, AS_GIVEN),
        )
        self._number[grader_id] = len(self.grades)
        self._described_as.append({f: record.get(f) for f in SPEC_FIELDS})
        self.grades.append(ImportedGrades(grader))

    def read_probabilities(self, place: FileLocation) -> None:
        """Take the grades of a grader for probabilities where some are fractions."""
        for grades in self.grades:
            if float not in set(map(type, grades.ratings)):
                continue
            highest = max(grades.ratings)
            if highest > 1:
                item_id = grades.item_ids[grades.ratings.index(highest)]
                raise place.error(
                    f"{grades.grader.name} rates '{item_id}' {highest}, and others by "
                    "a fraction; probabilities are from 0 to 1."
                )
            reading = replace(grades.grader.reading, parser=PROBABILITY_AS_GIVEN)
            grades.grader = replace(grades.grader, reading=reading)

    def notices(self) -> list[str]:
        """Return notices about the graders and their grades."""
        for grades in self.grades:
            name = grades.grader.name
            self.odd.count("unrated", grades.ratings.count(UNREADABLE), name)
            self.odd.count("empty", not len(grades), name)
        return self.odd.notices()


def name_of_grader(record: Record) -> str:
    """Return the grader of an exam record without grades, after the usual checks."""
    llm, prompt_class, _, _ = _grader_id(record, direct=False, nuggets=False)
    return f"{name_of(record, llm, 'llm')}/{prompt_class}"


@lru_cache(maxsize=256)
def grader_fields(grader: GraderSpec) -> dict[str, Any]:
    """``llm``, ``llm_options``, ``prompt_info`` and ``prompt_type`` of a grader.

    An imported grader's are given back as they came; one of ours is described so that
    the workbench can tell it from others.
    """
    kept = dict(grader.responder.decoding)
    llm = None if kept.get("llm") == "null" else grader.responder.model
    fields: dict[str, Any] = {"llm": llm}
    if grader.reading.is_imported:
        return fields | {f: json.loads(kept[f]) for f in SPEC_FIELDS if f in kept}
    kind, item_kind = grader.reading.kind, grader.reading.item_kind
    # Keys in the order in which they come back from an import.
    return fields | {
        "llm_options": dict(sorted(grader.responder.decoding)),
        "prompt_info": {
            "check_answer_key": kind == "keyed",
            "is_self_rated": kind in ("rated", "direct"),
            # Not the prompt's text: the workbench filters by short class names.
            "prompt_class": grader.name,
        },
        "prompt_type": "direct_grading" if item_kind == "query" else item_kind,
    }


def prompt_flag(record: Record, name: str) -> bool | None:
    """Return the flag ``name`` of ``prompt_info``, or None if it is absent."""
    value = prompt_info(record).get(name)
    return flag_of(record, value, f"{name} of prompt_info")


def prompt_info(record: Record) -> dict[str, Any]:
    """The record's description of its prompt; empty for null."""
    info = record.get("prompt_info")
    if info is None:
        return {}
    return record_of(record, info, "prompt_info")


def _grader_id(record: Record, *, direct: bool, nuggets: bool) -> GraderId:
    options = record.get("llm_options")
    if options not in (None, "", []):  # empty in any form is none
        record_of(record, options, "llm_options")
    prompt_type = text_of(record, record.get("prompt_type"), "prompt_type")
    # Older files state a template as an option, or nothing.
    prompt_class = prompt_info(record).get("prompt_class")
    if prompt_class is None and isinstance(options, dict):
        prompt_class = options.get("prompt_template")
    if prompt_class is None:
        prompt_class = UNKNOWN
    name_of(record, prompt_class, "prompt_class")
    kind: ReadingKind = "direct" if direct else _reading_kind(record)
    item_kind: ItemKind = "query" if direct else "question"
    nuggets = nuggets or prompt_type == "nugget" or prompt_class.startswith("Nugget")
    if nuggets and not direct:
        item_kind = "nugget"
    llm = text_of(record, record.get("llm"), "llm")
    return UNKNOWN if llm is None else llm, prompt_class, kind, item_kind


def _reading_kind(record: Record) -> ReadingKind:
    """Return how an exam record states grades. Raises the record's error if not.

    An empty list of ratings is none where the prompt is said not to ask for any.
    Where no item is named, as all of them failed, lists may be missing.
    """
    rated = prompt_flag(record, "is_self_rated")
    keyed = prompt_flag(record, "check_answer_key")
    ratings = record.get("self_ratings")
    if rated is False and ratings:
        raise record.error(
            f"is_self_rated is false, and self_ratings hold "
            f"{counted(len(ratings), 'rating')}; correct one of them."
        )
    if ratings is not None and rated is not False:
        return "rated"
    needed = ("self_ratings",) if rated else _ANSWERED[:2]
    missing = [name for name in needed if name not in record or rated]
    if missing and any(record.get(name) for name in _ANSWERED):
        raise record.error(
            f"{missing[0]} is missing, where is_self_rated is {described(rated)}; "
            "expected a list."
        )
    return "rated" if rated else "keyed" if keyed else "answered"


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
