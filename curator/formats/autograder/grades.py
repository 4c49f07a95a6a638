"""Autograder's interchange file in: passages, judgments, rankings and grades by query.

A line is ``[query_id, [passage record]]``. A record's text is graded, not its id: where
one text stands twice in a query's pool, both records must agree.

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

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from curator.bank.questions import Kind, Question
from curator.collection.queries import Query
from curator.formats.autograder.direct import direct_grade, direct_leftovers
from curator.formats.autograder.graders import Graders, name_of_grader
from curator.formats.autograder.leftovers import Leftovers
from curator.formats.autograder.paragraphs import STATED_TITLE, ParagraphData
from curator.formats.autograder.records import ExamRecord, Graded
from curator.formats.parsed_import import Incoming, Progress
from curator.formats.passages import require_same_text
from curator.formats.recognition import wrong_file_hint
from curator.formats.text.gc_pause import collector_paused
from curator.formats.text.json_text import json_value
from curator.formats.text.lines import TextLines
from curator.formats.text.notices import counted
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


def read_autograder_grades(path: Path, *, progress: Progress | None = None) -> Incoming:
    """Everything a file of graded passages holds.

    Every passage with a text is in its query's pool, in the file's order. Raises
    InputFileError, also for two grades of one pair that disagree.
    """
    with wrong_file_hint(path, "autograder"), collector_paused():
        lines = TextLines(path, expected=EXPECTED, progress=progress)
        reading = _Reading(lines)
        for text in lines:
            reading.add_query(json_value(lines, text))
        return reading.result()


class _Reading:
    """What has been read of one file so far."""

    def __init__(self, lines: TextLines) -> None:
        self.place = lines
        self.incoming = Incoming(lines.path.name, "Autograder graded passages")
        self.graders = Graders()
        self.paragraphs = ParagraphData(lines, self.incoming)
        self.without_text = 0
        self.without_items = 0
        self.ungraded_records = 0
        self.repeated_passages = 0
        self.repeated_texts = 0
        self.other_raws = 0
        self.doubled = 0  # entries of a record that say a grade or an answer again
        self.by_correctness = 0  # direct grades without a rating
        self._item_ids: dict[str, str] = {}
        # Grades of the query being read, to compare and to say no pair twice.
        self._by_text: dict[tuple[str, int], Graded] = {}
        self._by_passage: dict[tuple[str, int], set[str]] = {}
        self._first_with_text: dict[str, str] = {}
        self._left = Leftovers(lines, FORMAT)

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
        if query_id in self.incoming.queries:
            raise place.error(
                f"query '{query_id}' has a line already; put its passages into one."
            )
        self.incoming.queries[query_id] = Query(query_id)
        self._by_text.clear()
        self._by_passage.clear()
        self._first_with_text.clear()
        for record in records:
            self._add_passage(query_id, record_of(place, record, "a passage"))
        title, stated = self.paragraphs.finish_query(query_id)
        self.incoming.queries[query_id] = Query(query_id, title)
        extras = self.incoming.extras
        extras.update(self._left.take(query_id))
        if stated is not None:
            extras[STATED_TITLE, query_id, FORMAT] = stated

    def _add_passage(self, query_id: str, record: dict[str, Any]) -> None:
        place = self.place
        if "paragraph_id" not in record:
            raise place.error('a passage without the field "paragraph_id".')
        passage_id = identifier(place, record["paragraph_id"], "paragraph_id")
        text = text_of(place, record.get("text"), f"text of passage '{passage_id}'")
        if text is None or not text.strip():
            text = None
            self.without_text += 1
        else:
            self._pool(query_id, passage_id, text)
        left = self.paragraphs.add(query_id, passage_id, record.get("paragraph_data"))
        self._left.add_record(passage_id, record, left)
        values = list_of(place, record.get("exam_grades"), "exam_grades")
        for position, value in enumerate(values):
            exam = ExamRecord(place, value)
            if not exam.names_items:
                name = name_of_grader(place, exam.record)
                self._left.add_ungraded(name, passage_id, position, exam.record)
                self.without_items += 1
                continue
            number = self.graders.number_of(
                place, exam.record, direct=False, nuggets=exam.nuggets
            )
            grades = self.graders.grades[number]
            kind = grades.grader.reading.kind
            graded = exam.graded(kind)
            self.doubled += exam.doubled
            self._check_items(query_id, graded, number)
            leftovers = exam.leftovers(graded, kind)
            leftovers |= self.graders.told_otherwise(number, exam.record)
            if self._in_other_words(text, number, graded):
                leftovers["answers"] = exam.record.get("answers") or []
            self._left.add_grade(grades.grader.name, passage_id, leftovers)
            self._add_grades(number, query_id, passage_id, text, graded)
        for value in list_of(place, record.get("grades"), "grades"):
            direct = record_of(place, value, "an entry of grades")
            raw, rating = direct_grade(place, direct)
            unrated = direct.get("self_ratings") is None
            self.by_correctness += unrated and rating != UNREADABLE
            number = self.graders.number_of(place, direct, direct=True, nuggets=False)
            grader = self.graders.grades[number].grader
            leftovers = direct_leftovers(direct, rating)
            leftovers |= self.graders.told_otherwise(number, direct)
            graded = {query_id: (raw, rating)}
            if self._in_other_words(text, number, graded):
                leftovers["answer"] = raw
            self._left.add_grade(grader.name, passage_id, leftovers)
            self._add_grades(number, query_id, passage_id, text, graded)

    def _pool(self, query_id: str, passage_id: str, text: str) -> None:
        known = self.incoming.passages.setdefault(passage_id, text)
        if known is not text:
            require_same_text(self.place, passage_id, known, text)
        self.repeated_passages += (query_id, passage_id) in self.incoming.pooled
        self.incoming.pooled[query_id, passage_id] = None
        first = self._first_with_text.setdefault(text, passage_id)
        self.repeated_texts += first != passage_id

    def _check_items(self, query_id: str, graded: Graded, number: int) -> None:
        """Note every item as a question of this query, refuse one of another."""
        questions = self.incoming.questions
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

    def _in_other_words(self, text: str | None, number: int, graded: Graded) -> bool:
        """Whether this grader said otherwise of the same text before."""
        known = self._by_text.get((text, number)) if text is not None else None
        return known is not None and any(
            item_id in known and known[item_id][0] != raw
            for item_id, (raw, _) in graded.items()
        )

    def _add_grades(
        self,
        number: int,
        query_id: str,
        passage_id: str,
        text: str | None,
        graded: Graded,
    ) -> None:
        if text is None:
            self.ungraded_records += 1
            return
        same_text = self._by_text.get((text, number))
        if same_text is None:
            self._by_text[text, number] = graded
        elif same_text is not graded:
            graded = self._agreed(number, passage_id, same_text, graded)
        written = self._by_passage.setdefault((passage_id, number), set())
        if written:
            graded = {i: grade for i, grade in graded.items() if i not in written}
        written.update(graded)
        count = len(graded)
        columns = self.graders.grades[number]
        columns.query_ids.extend([query_id] * count)
        columns.passage_ids.extend([passage_id] * count)
        # One string for an id however often it is named: a third of the memory.
        known = self._item_ids.setdefault
        columns.item_ids.extend([known(item_id, item_id) for item_id in graded])
        columns.raws.extend([raw for raw, _ in graded.values()])
        columns.ratings.extend([rating for _, rating in graded.values()])

    def _agreed(
        self, number: int, passage_id: str, known: Graded, graded: Graded
    ) -> Graded:
        """The grades as they stand for this text already, the new ones added."""
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
            self.other_raws += first_raw != raw
            agreed[item_id] = (first_raw, rating)
        return agreed

    def result(self) -> Incoming:
        """The whole file, with notices."""
        incoming = self.incoming
        incoming.rankings = self.paragraphs.rankings()
        for system in self.paragraphs.systems_from_0():
            incoming.extras["run_form", system, FORMAT] = '{"first_rank":0}'
        incoming.grades = [grades for grades in self.graders.grades if len(grades)]
        incoming.notices += [*self.paragraphs.notices(), *self._notices()]
        return incoming

    def _notices(self) -> Iterator[str]:
        if self.without_text:
            yield (
                f"{counted(self.without_text, 'passage')} without text, left out of "
                "the pools: their ranks answer nothing."
            )
        if self.ungraded_records:
            yield (
                f"{counted(self.ungraded_records, 'record')} of grades for passages "
                "without text, left out."
            )
        if self.without_items:
            yield (
                f"{counted(self.without_items, 'record')} of grades without any item, "
                "kept for an export."
            )
        if self.repeated_passages:
            yield (
                f"{counted(self.repeated_passages, 'record')} of a passage that its "
                "query has already, taken together with the first."
            )
        if self.repeated_texts:
            yield (
                f"{counted(self.repeated_texts, 'passage')} with the text of another "
                "one in the query's pool; they share its grades."
            )
        if self.other_raws:
            yield (
                f"{counted(self.other_raws, 'response')} of other words, but the same "
                "grade, for a text graded before; the first is kept."
            )
        if self.doubled:
            yield (
                f"{counted(self.doubled, 'entry', 'entries')} of records that say the "
                "same again of an item, counted once."
            )
        if self.by_correctness:
            yield (
                f"{counted(self.by_correctness, 'direct grade')} without self_ratings, "
                "read from correctAnswered: 1 for true and 0 for false."
            )
        yield from self.graders.notices()
