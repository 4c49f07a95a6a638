"""Who gave a record of grades in Autograder's interchange file.

One (``llm``, ``prompt_class``) pair is one grader, named ``<llm>/<prompt_class>``. What
the file says of it goes into its Responder as JSON texts, so that an export gives it
back unchanged.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal

from curator.exchange.incoming import ImportedGrades
from curator.exchange.json_text import json_text
from curator.exchange.records import Place, described, name_of, record_of, text_of
from grading.responders import AS_GIVEN, GraderSpec, Reading, ReadingKind, Responder

SPEC_FIELDS = ("llm_options", "prompt_info", "prompt_type")
"""Kept in Responder.decoding as (name, JSON); one the file lacks is not there."""

UNKNOWN = "unknown"  # the llm or prompt class of a record that does not say

ItemKind = Literal["question", "nugget", "query"]
GraderId = tuple[str, str, ReadingKind, ItemKind]


class Graders:
    """The graders of one file in the order they first appear, with their grades."""

    def __init__(self) -> None:
        self.redescribed: set[str] = set()
        self._number: dict[GraderId, int] = {}
        self._described_as: list[list[Any]] = []
        self.grades: list[ImportedGrades] = []

    def number_of(
        self, place: Place, record: Mapping[str, Any], *, direct: bool, nuggets: bool
    ) -> int:
        """The position in ``grades`` of the grader who gave this record.

        A later record that describes the same grader otherwise counts as its; the
        first description is kept and the name noted in ``redescribed``.
        """
        llm = record.get("llm")
        info = record.get("prompt_info")
        if info is not None and not isinstance(info, dict):
            raise place.error(f"prompt_info is {described(info)}; expected an object.")
        prompt_class = _prompt_class(place, record, info or {})
        kind: ReadingKind = "direct" if direct else _reading_kind(record, info or {})
        item_kind: ItemKind = "query" if direct else "question"
        if not direct and (
            nuggets
            or record.get("prompt_type") == "nugget"
            or prompt_class.startswith("Nugget")
        ):
            item_kind = "nugget"
        llm_name = UNKNOWN if llm is None else llm
        if type(llm_name) is not str:
            raise place.error(f"llm is {described(llm)}; expected a model's name.")
        grader_id = (llm_name, prompt_class, kind, item_kind)
        number = self._number.get(grader_id)
        if number is None:
            return self._add(place, grader_id, record)
        if self._described_as[number] != [record.get(f) for f in SPEC_FIELDS]:
            self.redescribed.add(self.grades[number].grader.name)
        return number

    def _add(self, place: Place, grader_id: GraderId, record: Mapping[str, Any]) -> int:
        llm, prompt_class, kind, item_kind = grader_id
        record_of(place, record.get("llm_options") or {}, "llm_options")
        text_of(place, record.get("prompt_type"), "prompt_type")
        decoding = [
            (field, json_text(place, record[field]))
            for field in SPEC_FIELDS
            if field in record
        ]
        if record.get("llm") is None:
            decoding.append(("llm", "null"))
        name = f"{name_of(place, llm, 'llm')}/{prompt_class}"
        if any(llm == other[0] and prompt_class == other[1] for other in self._number):
            # One name for two ways of reading: rare, and their responses differ.
            name = f"{name} ({kind} {item_kind})"
            decoding.append(("read_as", f"{kind} {item_kind}"))
        grader = GraderSpec(
            name,
            Responder(llm, "", prompt_class, tuple(decoding)),
            Reading(kind, item_kind, AS_GIVEN),
        )
        self._number[grader_id] = len(self.grades)
        self._described_as.append([record.get(f) for f in SPEC_FIELDS])
        self.grades.append(ImportedGrades(grader))
        return len(self.grades) - 1

    def told_otherwise(self, number: int, record: Mapping[str, Any]) -> dict[str, Any]:
        """What this record says of its grader that the first description does not."""
        return {
            field: record.get(field)
            for field, known in zip(
                SPEC_FIELDS, self._described_as[number], strict=True
            )
            if record.get(field) != known
        }


def grader_fields(grader: GraderSpec) -> dict[str, Any]:
    """``llm``, ``llm_options``, ``prompt_info`` and ``prompt_type`` of a grader.

    An imported grader's are given back as they came; one of ours is described so that
    the workbench can tell it from others.
    """
    kept = dict(grader.responder.decoding)
    fields: dict[str, Any] = {
        "llm": None if kept.get("llm") == "null" else grader.responder.model
    }
    if grader.reading.parser == AS_GIVEN:
        given = (field for field in SPEC_FIELDS if field in kept)
        return fields | {field: json.loads(kept[field]) for field in given}
    kind, item_kind = grader.reading.kind, grader.reading.item_kind
    return fields | {
        "llm_options": dict(grader.responder.decoding),
        "prompt_info": {
            # Not the prompt's text: the workbench filters by short class names.
            "prompt_class": grader.name,
            "is_self_rated": kind in ("rated", "direct"),
            "check_answer_key": kind == "keyed",
        },
        "prompt_type": "direct_grading" if item_kind == "query" else item_kind,
    }


def _prompt_class(
    place: Place, record: Mapping[str, Any], info: Mapping[str, Any]
) -> str:
    """The prompt's class; older files state a template as an option, or nothing."""
    found = info.get("prompt_class")
    if found is None:
        options = record.get("llm_options")
        if isinstance(options, dict):
            found = options.get("prompt_template")
    return UNKNOWN if found is None else name_of(place, found, "prompt_class")


def _reading_kind(record: Mapping[str, Any], info: Mapping[str, Any]) -> ReadingKind:
    if info.get("is_self_rated") or record.get("self_ratings") is not None:
        return "rated"
    return "keyed" if info.get("check_answer_key") else "answered"
