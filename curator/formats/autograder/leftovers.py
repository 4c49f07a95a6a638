"""What the records of one query say that has no other home, until all are read.

A field that came empty in every record of the query is kept once, as the query's.
"""

from __future__ import annotations

from typing import Any

from curator.formats.text.empty_fields import empty_among, take_common
from curator.formats.text.json_text import json_text
from curator.formats.text.records import Place

UNGRADED = "ungraded_record"
_OFTEN_EMPTY = {"paragraph", "paragraph_data", "exam_grades", "grades"}
_RECORD_FIELDS = {"paragraph_id", "text", *_OFTEN_EMPTY}


class Leftovers:
    """Those of one query; ``take`` empties it for the next."""

    def __init__(self, place: Place, form: str) -> None:
        self._place = place
        self._form = form
        self._of_records: dict[str, dict[str, Any]] = {}  # by passage id
        self._of_grades: dict[str, dict[str, dict[str, Any]]] = {}  # by grader
        self._ungraded: dict[tuple[str, str], list[tuple[int, Any]]] = {}

    def add_record(
        self, passage_id: str, record: dict[str, Any], left: dict[str, Any]
    ) -> None:
        """Take a passage's record, ``left`` being what is left of its data."""
        if not record.keys() <= _RECORD_FIELDS:
            left |= {k: v for k, v in record.items() if k not in _RECORD_FIELDS}
        if record.get("paragraph"):
            left["paragraph"] = record["paragraph"]
        text = record.get("text", "")
        if text != "" and (text is None or not text.strip()):
            left["text"] = text
        empty = empty_among(record, _OFTEN_EMPTY)
        left |= {k: v for k, v in empty.items() if v != {}}  # {} is written anyway
        if not self._of_records.get(passage_id):
            self._of_records[passage_id] = left

    def add_grade(self, grader: str, passage_id: str, left: dict[str, Any]) -> None:
        """Take what is left of a record of grades."""
        of_grader = self._of_grades.setdefault(grader, {})
        if not of_grader.get(passage_id):
            of_grader[passage_id] = left

    def add_ungraded(
        self, grader: str, passage_id: str, place: int, record: dict[str, Any]
    ) -> None:
        """Take a record that grades no item, whole, and its place in the list."""
        self._ungraded.setdefault((grader, passage_id), []).append((place, record))

    def take(self, query_id: str) -> dict[tuple[str, str, str], str]:
        """The extras of this query."""
        form: dict[str, Any] = {}
        if common := take_common(self._of_records.values()):
            form["record"] = common
        for grader, of_grader in self._of_grades.items():
            if common := take_common(of_grader.values(), nulls_only=True):
                form.setdefault("grades", {})[grader] = common
        found: dict[tuple[str, str], dict[str, Any]] = {("graded_form", query_id): form}
        for passage_id, left in self._of_records.items():
            found["passage_record", f"{query_id}\t{passage_id}"] = left
        for grader, of_grader in self._of_grades.items():
            for passage_id, left in of_grader.items():
                found["grade_record", f"{grader}\t{query_id}\t{passage_id}"] = left
        for (grader, passage_id), records in self._ungraded.items():
            key = f"{grader}\t{query_id}\t{passage_id}"
            found[UNGRADED, key] = {"exam_grades": records}
        self._ungraded.clear()
        self._of_records.clear()
        self._of_grades.clear()
        return {
            (*key, self._form): json_text(self._place, left)
            for key, left in found.items()
            if left
        }
