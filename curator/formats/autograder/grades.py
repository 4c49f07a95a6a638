"""Autograder's interchange file in: passages, judgments, rankings and grades by query.

A line is ``[query_id, [passage record]]``. A record's text is graded, not its id: where
one text occurs twice in a query's pool, both records must agree.

Extras kept under the format "autograder", each a JSON object:

``("passage_record", "<query_id>\\t<passage_id>")``
    fields of the record that have no other home, or came empty. In its ``judgments``
    and ``rankings`` an entry with a query is of a subtopic and whole; one without is
    what an entry of the query itself says besides (a ranking's with its ``method``),
    and stands beside a subtopic's also where it says nothing.
``("grade_record", "<grader>\\t<query_id>\\t<passage_id>")``
    what the grades alone do not say of a record: unknown fields, an ``exam_ratio`` or
    correct/wrong lists that do not follow from the ratings, its answers where the same
    text was graded in other words before, and how it describes its grader where that
    is otherwise than the grader's first record.
``("ungraded_record", "<llm>/<prompt_class>\\t<query_id>\\t<passage_id>")``
    ``exam_grades``: whole records that grade no item, as where every response failed,
    each with its place in the passage's list.
``("graded_form", "<query_id>")``
    ``record``: fields that came empty in all of the query's records alike; ``grades``:
    by grader, fields that came null in all of its records of the query.
``("stated_title", "<query_id>")``
    ``titleQuery`` of the query's first judgment, where it is not the title here.
``("run_form", "<system>")``
    ``first_rank`` 0 of a system that counts from there.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from curator.bank.questions import Kind, Question
from curator.collection.pools import Query
from curator.formats.autograder.graders import Graders, name_of_grader
from curator.formats.autograder.paragraphs import STATED_TITLE, ParagraphData
from curator.formats.autograder.records import (
    ExamRecord,
    Graded,
    direct_grade,
    direct_leftovers,
)
from curator.formats.parsed_import import ParsedImport
from curator.formats.passages import require_same_text
from curator.formats.recognition import file_reader
from curator.formats.text.fields import is_empty, take_common
from curator.formats.text.json_text import json_text, json_value
from curator.formats.text.lines import TextLines, collector_paused
from curator.formats.text.notices import Oddities
from curator.formats.text.records import (
    described,
    identifier,
    list_of,
    record_of,
    text_of,
)
from grading.ratings import UNREADABLE

EXPECTED = "graded passages in Autograder's form: [query_id, [passages]] a line"
FORMAT = "autograder"


@file_reader("autograder", EXPECTED)
def read_autograder_grades(lines: TextLines) -> ParsedImport:
    """Read a file of graded passages.

    Every passage with a text is in its query's pool, in the file's order. Raises
    InputFileError, also for two grades of one pair that disagree.
    """
    with collector_paused():
        reading = _GradesReader(lines)
        for text in lines:
            reading.add_query(json_value(lines, text))
        return reading.result()


_ODD = {
    "no text": "[passage] without text, left out of the pools: their ranks count as "
    "answering nothing.",
    "ungraded": "[record] of grades for passages without text, left out.",
    "no items": "[record] of grades without any item, kept for exports.",
    "repeated": "[record] of a passage that the query has already, merged with the "
    "first.",
    "same text": "[passage] with the same text as another one of the query; they share "
    "their grades.",
    "other words": "[response] that differs from an earlier one with the same grade "
    "for the same text; the first is kept.",
    "doubled": "[entry/entries] that repeat a grade of an item, counted once.",
    "correctness": "[direct grade] without self_ratings, read from correctAnswered: 1 "
    "for true and 0 for false.",
}


class _GradesReader:
    """Collects the content of one file."""

    def __init__(self, lines: TextLines) -> None:
        self.place = lines
        self.parsed = ParsedImport(lines.path.name, "Autograder graded passages")
        self.graders = Graders()
        self.paragraphs = ParagraphData(lines, self.parsed)
        self.odd = Oddities(_ODD)
        self._item_ids: dict[str, str] = {}
        # Of the query being read: grades, to compare and to say no pair twice,
        self._by_text: dict[tuple[str | None, int], Graded] = {}
        self._by_passage = defaultdict[tuple[str, int], set[str]](set)
        self._first_with_text: dict[str, str] = {}
        # and what is left over of records, by passage id; of grades by grader before.
        self._left_of_records: dict[str, dict[str, Any]] = {}
        self._left_of_grades = defaultdict[str, dict[str, dict[str, Any]]](dict)
        self._ungraded = defaultdict[tuple[str, str], list[tuple[int, Any]]](list)

    def add_query(self, value: object) -> None:
        """Take a line's value."""
        place = self.place
        match value:
            case [query, list(records)]:
                pass
            case _:
                raise place.error(
                    f"the line is {described(value)}; expected [query_id, [passages]]."
                )
        query_id = identifier(place, query, "query id")
        if query_id in self.parsed.queries:
            raise place.error(
                f"query '{query_id}' has a line already; put its passages into one."
            )
        self.parsed.queries[query_id] = Query(query_id)
        for record in records:
            self._add_passage(query_id, record_of(place, record, "a passage"))
        title, stated = self.paragraphs.finish_query(query_id)
        self.parsed.queries[query_id] = Query(query_id, title)
        self._keep_leftovers(query_id)
        if stated is not None:
            self.parsed.extras[STATED_TITLE, query_id, FORMAT] = stated
        self._by_text.clear()
        self._by_passage.clear()
        self._first_with_text.clear()
        self._left_of_records.clear()
        self._left_of_grades.clear()
        self._ungraded.clear()

    def _add_passage(self, query_id: str, record: dict[str, Any]) -> None:
        place = self.place
        if "paragraph_id" not in record:
            raise place.error('a passage without the field "paragraph_id".')
        passage_id = identifier(place, record["paragraph_id"], "paragraph_id")
        text = text_of(place, record.get("text"), f"text of passage '{passage_id}'")
        left = self.paragraphs.add(query_id, passage_id, record.get("paragraph_data"))
        if text is None or not text.strip():
            if "text" in record and text != "":
                left["text"] = text
            text = None
            self.odd.count("no text")
        else:
            self._pool(query_id, passage_id, text)
        if not record.keys() <= _RECORD_FIELDS:
            left |= {k: v for k, v in record.items() if k not in _RECORD_FIELDS}
        if record.get("paragraph"):
            left["paragraph"] = record["paragraph"]
        for name in _OFTEN_EMPTY:
            value = record.get(name, {})
            if is_empty(value) and value != {}:  # {} is written anyway
                left[name] = value
        if not self._left_of_records.get(passage_id):
            self._left_of_records[passage_id] = left
        values = list_of(place, record.get("exam_grades"), "exam_grades")
        for position, value in enumerate(values):
            exam = ExamRecord(place, value)
            if not exam.names_items:
                name = name_of_grader(place, exam.record)
                self._ungraded[name, passage_id].append((position, exam.record))
                self.odd.count("no items")
                continue
            number, otherwise = self.graders.number_of(
                place, exam.record, direct=False, nuggets=exam.nuggets
            )
            kind = self.graders.grades[number].grader.reading.kind
            graded = exam.graded(kind)
            self.odd.count("doubled", exam.doubled)
            self._check_items(query_id, graded, number)
            left = exam.leftovers(graded, kind) | otherwise
            own = {"answers": exam.record.get("answers") or []}
            self._add_grades(number, query_id, passage_id, text, graded, left, own)
        for value in list_of(place, record.get("grades"), "grades"):
            direct = record_of(place, value, "an entry of grades")
            raw, rating = direct_grade(place, direct)
            unrated = direct.get("self_ratings") is None
            self.odd.count("correctness", unrated and rating != UNREADABLE)
            number, otherwise = self.graders.number_of(
                place, direct, direct=True, nuggets=False
            )
            graded = {query_id: (raw, rating)}
            left = direct_leftovers(direct, rating) | otherwise
            own = {"answer": raw}
            self._add_grades(number, query_id, passage_id, text, graded, left, own)

    def _pool(self, query_id: str, passage_id: str, text: str) -> None:
        known = self.parsed.passages.setdefault(passage_id, text)
        if known is not text:
            require_same_text(self.place, passage_id, known, text)
        self.odd.count("repeated", (query_id, passage_id) in self.parsed.pooled)
        self.parsed.pooled[query_id, passage_id] = None
        first = self._first_with_text.setdefault(text, passage_id)
        self.odd.count("same text", first != passage_id)

    def _check_items(self, query_id: str, graded: Graded, number: int) -> None:
        """Note every item as a question of this query, refuse one of another."""
        questions = self.parsed.questions
        nugget = self.graders.grades[number].grader.reading.item_kind == "nugget"
        kind: Kind = "nugget" if nugget else "question"
        for item_id in graded:
            known = questions.get(item_id)
            if known is None:
                identifier(self.place, item_id, f"{kind} id")
                questions[item_id] = Question(item_id, query_id, None, kind)
            elif known.query_id != query_id:
                raise self.place.error(
                    f"{known.kind} '{item_id}' is graded for query '{query_id}' and "
                    f"for '{known.query_id}'; it belongs to one."
                )
            elif known.kind != kind:
                raise self.place.error(
                    f"'{item_id}' is a {known.kind} to one grader and a {kind} to "
                    "another; give one of them another id."
                )

    def _add_grades(
        self,
        number: int,
        query_id: str,
        passage_id: str,
        text: str | None,
        graded: Graded,
        left: dict[str, Any],
        own: dict[str, Any],
    ) -> None:
        """Take the grades of a record, and what is left over of it.

        Where the same text was graded in other words before, these are kept for it and
        the record's ``own`` are left over.
        """
        columns = self.graders.grades[number]
        known = self._by_text.get((text, number), {})
        if any(i in known and known[i][0] != raw for i, (raw, _) in graded.items()):
            left |= own
        of_grader = self._left_of_grades[columns.grader.name]
        if not of_grader.get(passage_id):
            of_grader[passage_id] = left
        if text is None:
            self.odd.count("ungraded")
            return
        if known:
            graded = self._agreed(number, passage_id, known, graded)
        else:
            self._by_text[text, number] = graded
        written = self._by_passage[passage_id, number]
        if written:
            graded = {i: grade for i, grade in graded.items() if i not in written}
        written.update(graded)
        columns.query_ids.extend([query_id] * len(graded))
        columns.passage_ids.extend([passage_id] * len(graded))
        # One string for an id however often it is named: a third of the memory.
        one_string = self._item_ids.setdefault
        columns.item_ids.extend([one_string(item_id, item_id) for item_id in graded])
        columns.raws.extend([raw for raw, _ in graded.values()])
        columns.ratings.extend([rating for _, rating in graded.values()])

    def _agreed(
        self, number: int, passage_id: str, known: Graded, graded: Graded
    ) -> Graded:
        agreed = {}
        for item_id, (raw, rating) in graded.items():
            first_raw, first_rating = known.setdefault(item_id, (raw, rating))
            if first_rating != rating:
                name = self.graders.grades[number].grader.name
                raise self.place.error(
                    f"{name} rates the text of passage '{passage_id}' {rating} for "
                    f"'{item_id}' and {first_rating} earlier in this query; one grade "
                    "must stand."
                )
            self.odd.count("other words", first_raw != raw)
            agreed[item_id] = (first_raw, rating)
        return agreed

    def _keep_leftovers(self, query_id: str) -> None:
        """Make extras of what is left over of the query's records."""
        form: dict[str, Any] = {}
        if common := take_common(self._left_of_records.values()):
            form["record"] = common
        for grader, of_grader in self._left_of_grades.items():
            if common := take_common(of_grader.values(), nulls_only=True):
                form.setdefault("grades", {})[grader] = common
        found: dict[tuple[str, str], dict[str, Any]] = {("graded_form", query_id): form}
        for passage_id, left in self._left_of_records.items():
            found["passage_record", f"{query_id}\t{passage_id}"] = left
        for grader, of_grader in self._left_of_grades.items():
            for passage_id, left in of_grader.items():
                found["grade_record", f"{grader}\t{query_id}\t{passage_id}"] = left
        for (grader, passage_id), records in self._ungraded.items():
            key = f"{grader}\t{query_id}\t{passage_id}"
            found[UNGRADED, key] = {"exam_grades": records}
        for (entity, key), left in found.items():
            if left:
                self.parsed.extras[entity, key, FORMAT] = json_text(self.place, left)

    def result(self) -> ParsedImport:
        """The whole file, with notices."""
        parsed = self.parsed
        parsed.rankings = self.paragraphs.lists.rankings(self.place)
        for system in self.paragraphs.lists.oddities.shifted_systems:
            parsed.extras["run_form", system, FORMAT] = '{"first_rank":0}'
        self.graders.settle(self.place)
        parsed.grades = [grades for grades in self.graders.grades if len(grades)]
        why_gaps = "its text was probably not available"
        parsed.notices += self.paragraphs.lists.notices(why_gaps=why_gaps)
        for odd in (self.paragraphs.odd, self.odd, self.graders):
            parsed.notices += odd.notices()
        return parsed


UNGRADED = "ungraded_record"
_OFTEN_EMPTY = ("paragraph", "paragraph_data", "exam_grades", "grades")
_RECORD_FIELDS = {"paragraph_id", "text", *_OFTEN_EMPTY}
