"""Graders of Autograder's interchange format.

One (``llm``, ``prompt_class``) pair is one grader, named ``<llm>/<prompt_class>``. What
the file says of it goes into its Responder as JSON texts, so that an export gives it
back unchanged.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import lru_cache
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
