"""Graders of Autograder's interchange format.

One (``llm``, ``prompt_class``) pair is one grader, named ``<llm>/<prompt_class>``. What
the file says of it goes into its Responder as JSON texts, so that an export gives it
back unchanged.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from curator.formats.parsed_import import ImportedGrades
from curator.formats.text.json_text import json_text
from curator.formats.text.notices import Oddities, counted
from curator.formats.text.records import (
    FileLocation,
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

    def number_of(
        self,
        place: FileLocation,
        record: Mapping[str, Any],
        *,
        direct: bool,
        nuggets: bool,
    ) -> tuple[int, dict[str, Any]]:
        """The position in ``grades`` of the grader who gave this record.

        And what the record says of its grader that the first one of the same grader
        does not, whose description is kept; that is noted.
        """
        grader_id = _grader_id(place, record, direct=direct, nuggets=nuggets)
        number = self._number.get(grader_id)
        if number is None:
            number = self._add(place, grader_id, record)
        name = self.grades[number].grader.name
        if UNKNOWN in grader_id[:2]:
            self.odd.count("unnamed", name=name)
        known = self._described_as[number]
        otherwise = {f: record.get(f) for f in SPEC_FIELDS if record.get(f) != known[f]}
        if otherwise:
            self.odd.name("redescribed", name)
        return number, otherwise

    def _add(
        self, place: FileLocation, grader_id: GraderId, record: Mapping[str, Any]
    ) -> int:
        llm, prompt_class, kind, item_kind = grader_id
        decoding = [
            (field, json_text(place, record[field]))
            for field in SPEC_FIELDS
            if field in record
        ]
        if record.get("llm") is None:
            decoding.append(("llm", "null"))
        name = f"{name_of(place, llm, 'llm')}/{prompt_class}"
        alike = [
            self.grades[number].grader.name
            for other, number in self._number.items()
            if other[:2] == (llm, prompt_class)
        ]
        if alike:
            # One name for two ways of reading: rare, and their responses differ.
            name = f"{name} ({kind} {item_kind})"
            decoding.append(("read_as", f"{kind} {item_kind}"))
            for one in (*alike, name):
                self.odd.name("apart", one)
        grader = GraderSpec(
            name,
            Responder(llm, "", prompt_class, tuple(decoding)),
            Reading(kind, item_kind, AS_GIVEN),
        )
        self._number[grader_id] = len(self.grades)
        self._described_as.append({f: record.get(f) for f in SPEC_FIELDS})
        self.grades.append(ImportedGrades(grader))
        return len(self.grades) - 1

    def settle(self, place: FileLocation) -> None:
        """Take the grades of a grader for probabilities where one is a fraction."""
        for grades in self.grades:
            if float not in set(map(type, grades.ratings)):
                continue
            highest = max(grades.ratings)
            if highest > 1:
                at = grades.ratings.index(highest)
                raise place.error(
                    f"{grades.grader.name} rates passage '{grades.passage_ids[at]}' "
                    f"{highest} for '{grades.item_ids[at]}', and others by a fraction; "
                    "probabilities are from 0 to 1."
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


def name_of_grader(place: FileLocation, record: Mapping[str, Any]) -> str:
    """Return the grader of an exam record without grades, after the usual checks."""
    llm, prompt_class, _, _ = _grader_id(place, record, direct=False, nuggets=False)
    return f"{name_of(place, llm, 'llm')}/{prompt_class}"


def grader_fields(grader: GraderSpec) -> dict[str, Any]:
    """``llm``, ``llm_options``, ``prompt_info`` and ``prompt_type`` of a grader.

    An imported grader's are given back as they came; one of ours is described so that
    the workbench can tell it from others.
    """
    kept = dict(grader.responder.decoding)
    fields: dict[str, Any] = {
        "llm": None if kept.get("llm") == "null" else grader.responder.model
    }
    if grader.reading.is_imported:
        given = (field for field in SPEC_FIELDS if field in kept)
        return fields | {field: json.loads(kept[field]) for field in given}
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


def prompt_flag(
    place: FileLocation, record: Mapping[str, Any], name: str
) -> bool | None:
    """Return the flag ``name`` of ``prompt_info``, or None if it is absent."""
    return flag_of(
        place, prompt_info(place, record).get(name), f"{name} of prompt_info"
    )


def prompt_info(place: FileLocation, record: Mapping[str, Any]) -> dict[str, Any]:
    """The record's description of its prompt; empty where there is none."""
    info = record.get("prompt_info")
    return {} if info is None else record_of(place, info, "prompt_info")


def _grader_id(
    place: FileLocation, record: Mapping[str, Any], *, direct: bool, nuggets: bool
) -> GraderId:
    options = record.get("llm_options")
    if options not in (None, "", []):  # empty in any form is none
        record_of(place, options, "llm_options")
    prompt_type = text_of(place, record.get("prompt_type"), "prompt_type")
    # Older files state a template as an option, or nothing.
    prompt_class = prompt_info(place, record).get("prompt_class")
    if prompt_class is None and isinstance(options, dict):
        prompt_class = options.get("prompt_template")
    if prompt_class is None:
        prompt_class = UNKNOWN
    name_of(place, prompt_class, "prompt_class")
    kind: ReadingKind = "direct" if direct else _reading_kind(place, record)
    item_kind: ItemKind = "query" if direct else "question"
    nuggets = nuggets or prompt_type == "nugget" or prompt_class.startswith("Nugget")
    if nuggets and not direct:
        item_kind = "nugget"
    llm = record.get("llm")
    if llm is not None and type(llm) is not str:
        raise place.error(f"llm is {described(llm)}; expected a model's name.")
    return UNKNOWN if llm is None else llm, prompt_class, kind, item_kind


def _reading_kind(place: FileLocation, record: Mapping[str, Any]) -> ReadingKind:
    """Return how an exam record states grades. Raises the place's error if not.

    An empty list of ratings is none where the prompt is said not to ask for any.
    Where no item is named, as all of them failed, ratings asked for may be missing, and
    so may the lists.
    """
    rated = prompt_flag(place, record, "is_self_rated")
    keyed = prompt_flag(place, record, "check_answer_key")
    ratings = record.get("self_ratings")
    names_items = any(record.get(name) for name in (*_ANSWERED, "self_ratings"))
    if rated and ratings is None and names_items:
        stated = "null" if "self_ratings" in record else "missing"
        raise place.error(
            f"is_self_rated is true, and self_ratings are {stated}; expected a list of "
            "them."
        )
    if rated is False and ratings:
        raise place.error(
            f"is_self_rated is false, and self_ratings hold "
            f"{counted(len(ratings), 'rating')}; correct one of them."
        )
    if ratings is not None and rated is not False:
        return "rated"
    for name in _ANSWERED[:2]:
        if names_items and name not in record:
            raise place.error(
                f"{name} is missing where no self_ratings are; expected a list of ids."
            )
    if rated:
        return "rated"
    return "keyed" if keyed else "answered"
