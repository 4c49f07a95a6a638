"""Autograder's interchange file in: passages, judgments, rankings and grades by query.

A line is ``[query_id, [passage record]]``. A record's text is graded, not its id: where
one text occurs twice in a query's pool, both records must agree.

Extras kept under the format "autograder", each a JSON object:

``("passage_record", "<query_id>\\t<passage_id>")``
    fields of the record that have no other home or came empty. In its ``judgments``
    and ``rankings`` an entry with a query is of a subtopic and whole; one without is
    what an entry of the query itself says besides (a ranking's with its ``method``).
``("grade_record", "<grader>\\t<query_id>\\t<passage_id>")``
    ``record``: a record of grades as it came where an export would write it otherwise.
``("ungraded_record", "<llm>/<prompt_class>\\t<query_id>\\t<passage_id>")``
    ``exam_grades``: whole records that grade no item, as where every response failed,
    each with its place in the passage's list.
``("graded_form", "<query_id>")``
    ``record``: fields that came empty in all of the query's records alike.
``("stated_title", "<query_id>")``
    ``titleQuery`` of the query's first judgment, where it is not the title here.
``("run_form", "<system>")``
    ``first_rank`` 0 of a system that counts from there.

Judgments and rankings in ``paragraph_data`` may be of a subtopic
(``<query_id>/<subtopic_id>``, as in TREC CAR). Where a query has none of its own, the
best of its subtopics' stands for it: the highest judgment of a passage, and its best
rank by a system.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Collection
from typing import Any

from curator.bank.questions import Kind, Question
from curator.collection.pools import Query
from curator.collection.rankings import RankedPassage
from curator.formats.autograder.records import (
    ExamRecord,
    Graded,
    Graders,
    direct_grade,
    direct_record,
    exam_record,
    is_written_so,
    name_of_grader,
)
from curator.formats.parsed_import import ParsedImport
from curator.formats.passages import require_same_text
from curator.formats.recognition import file_reader
from curator.formats.text.fields import is_empty
from curator.formats.text.json_text import json_text, json_value
from curator.formats.text.lines import TextLines, collector_paused
from curator.formats.text.notices import Oddities
from curator.formats.text.records import (
    MAX_GRADE,
    MAX_RANK,
    FileLocation,
    JsonPlace,
    Record,
    described,
    identifier,
    name_of,
    number_of,
    record_of,
    text_of,
    whole_number,
)
from curator.formats.trec.runs import RankedLists
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
        self.lines = lines
        self.parsed = ParsedImport(lines.path.name, "Autograder graded passages")
        self.graders = Graders()
        self.paragraphs = ParagraphData(self.parsed)
        self.odd = Oddities(_ODD)
        self._item_ids: dict[str, str] = {}
        self._start_query("")

    def _start_query(self, query_id: str) -> None:
        self._query_id = query_id
        # Grades, to compare and to take no pair twice,
        self._by_text: dict[tuple[str | None, int], Graded] = {}
        self._by_passage = defaultdict[tuple[str, int], set[str]](set)
        self._first_with_text: dict[str, str] = {}
        # and what is kept of records, by passage id, and of grades, by extra.
        self._records: dict[str, dict[str, Any]] = {}
        self._kept: dict[tuple[str, str], dict[str, Any]] = {}

    def add_query(self, value: object) -> None:
        """Take a line's value."""
        if not isinstance(value, list) or list(map(type, value[1:])) != [list]:
            raise self.lines.error(
                f"the line is {described(value)}; expected [query_id, [passages]]."
            )
        query, records = value
        query_id = identifier(self.lines.at(0), query, "query id")
        if query_id in self.parsed.queries:
            raise self.lines.error(
                f"query '{query_id}' has a line already; put its passages into one."
            )
        self.parsed.queries[query_id] = Query(query_id)
        self._start_query(query_id)
        for number, record in enumerate(records):
            self._add_passage(Record(self.lines.at(1, number), record, "a passage"))
        title, stated = self.paragraphs.finish_query(query_id)
        self.parsed.queries[query_id] = Query(query_id, title)
        if common := _take_common(self._records.values()):
            self._kept["graded_form", query_id] = {"record": common}
        for passage_id, fields in self._records.items():
            self._kept["passage_record", f"{query_id}\t{passage_id}"] = fields
        for (entity, key), fields in self._kept.items():
            if fields:
                self.parsed.extras[entity, key, FORMAT] = json_text(self.lines, fields)
        if stated is not None:
            self.parsed.extras[STATED_TITLE, query_id, FORMAT] = stated

    def _add_passage(self, record: Record) -> None:
        passage_id = record.identifier("paragraph_id")
        record.of = f"passage '{passage_id}'"
        text = record.words("text")
        fields = {k: v for k, v in record.items() if k not in _RECORD_FIELDS}
        if record.get("paragraph"):
            fields["paragraph"] = record["paragraph"]
        data = Record(
            record.place, record.get("paragraph_data") or {}, "paragraph_data"
        )
        fields |= self.paragraphs.add(self._query_id, passage_id, data)
        if text is None:
            if record.get("text", "") != "":
                fields["text"] = record["text"]
            self.odd.count("no text")
        else:
            self._pool(record, passage_id, text)
        for name in _OFTEN_EMPTY:
            value = record.get(name, {})
            if is_empty(value) and value != {}:  # {} is written anyway
                fields[name] = value
        self._records[passage_id] = self._records.get(passage_id) or fields
        for position, exam in enumerate(record.records("exam_grades", "a record")):
            self._add_exam(exam, position, passage_id, text)
        for direct in record.records("grades", "a record"):
            raw, rating = direct_grade(direct)
            unrated = direct.get("self_ratings") is None
            self.odd.count("correctness", unrated and rating != UNREADABLE)
            number = self.graders.number_of(direct, direct=True, nuggets=False)
            grader = self.graders.grades[number].grader
            same = direct == direct_record(grader, raw, rating)
            graded = {self._query_id: (raw, rating)}
            self._add_grades(number, passage_id, text, graded, direct, same)

    def _add_exam(
        self, record: Record, position: int, passage_id: str, text: str | None
    ) -> None:
        exam = ExamRecord(record)
        if not exam.names_items:
            key = f"{name_of_grader(record)}\t{self._query_id}\t{passage_id}"
            kept = self._kept.setdefault((UNGRADED, key), {"exam_grades": []})
            kept["exam_grades"].append((position, record))
            self.odd.count("no items")
            return
        number = self.graders.number_of(record, direct=False, nuggets=exam.nuggets)
        grader = self.graders.grades[number].grader
        graded = exam.graded(grader.reading.kind)
        self.odd.count("doubled", exam.doubled)
        self._check_items(record.place, graded, number)
        same = is_written_so(record, exam_record(grader, graded))
        self._add_grades(number, passage_id, text, graded, record, same)

    def _pool(self, place: Record, passage_id: str, text: str) -> None:
        earlier = self.parsed.passages.setdefault(passage_id, text)
        if earlier is not text:
            require_same_text(place, passage_id, earlier, text)
        self.odd.count("repeated", (self._query_id, passage_id) in self.parsed.pooled)
        self.parsed.pooled[self._query_id, passage_id] = None
        first = self._first_with_text.setdefault(text, passage_id)
        self.odd.count("same text", first != passage_id)

    def _check_items(self, place: JsonPlace, graded: Graded, number: int) -> None:
        """Note every item as a question of this query, refuse one of another."""
        questions = self.parsed.questions
        nugget = self.graders.grades[number].grader.reading.item_kind == "nugget"
        kind: Kind = "nugget" if nugget else "question"
        for item_id in graded:
            earlier = questions.get(item_id)
            if earlier is None:
                identifier(place, item_id, f"{kind} id")
                questions[item_id] = Question(item_id, self._query_id, None, kind)
            elif (earlier.query_id, earlier.kind) != (self._query_id, kind):
                raise place.error(
                    f"'{item_id}' is a {kind} of query '{self._query_id}' here, and "
                    f"above a {earlier.kind} of query '{earlier.query_id}'; give one "
                    "of them another id."
                )

    def _add_grades(
        self,
        number: int,
        passage_id: str,
        text: str | None,
        graded: Graded,
        record: Record,
        same: bool,
    ) -> None:
        """Take the grades of a record, and keep it unless it is written the ``same``.

        It is not where the same text was graded in other words before, which count.
        """
        columns = self.graders.grades[number]
        earlier = self._by_text.get((text, number), {})
        if any(i in earlier and earlier[i][0] != raw for i, (raw, _) in graded.items()):
            same = False
        if not same:
            key = f"{columns.grader.name}\t{self._query_id}\t{passage_id}"
            self._kept.setdefault(("grade_record", key), {"record": record})
        if text is None:
            self.odd.count("ungraded")
            return
        if earlier:
            graded = self._agreed(record, number, passage_id, earlier, graded)
        else:
            self._by_text[text, number] = graded
        written = self._by_passage[passage_id, number]
        if written:
            graded = {i: grade for i, grade in graded.items() if i not in written}
        written.update(graded)
        columns.query_ids.extend([self._query_id] * len(graded))
        columns.passage_ids.extend([passage_id] * len(graded))
        # One string for an id however often it is named: a third of the memory.
        one_string = self._item_ids.setdefault
        columns.item_ids.extend([one_string(item_id, item_id) for item_id in graded])
        columns.raws.extend([raw for raw, _ in graded.values()])
        columns.ratings.extend([rating for _, rating in graded.values()])

    def _agreed(
        self,
        record: Record,
        number: int,
        passage_id: str,
        earlier: Graded,
        graded: Graded,
    ) -> Graded:
        for item_id, (raw, rating) in graded.items():
            first_raw, first_rating = earlier.setdefault(item_id, (raw, rating))
            if first_rating != rating:
                name = self.graders.grades[number].grader.name
                raise record.error(
                    f"{name} rates the text of passage '{passage_id}' {rating} for "
                    f"'{item_id}' and {first_rating} earlier in this query; one grade "
                    "must stand."
                )
            self.odd.count("other words", first_raw != raw)
        return {item_id: earlier[item_id] for item_id in graded}

    def result(self) -> ParsedImport:
        """The whole file, with notices."""
        parsed = self.parsed
        parsed.rankings = self.paragraphs.lists.rankings(self.lines)
        for system in self.paragraphs.lists.oddities.shifted_systems:
            parsed.extras["run_form", system, FORMAT] = '{"first_rank":0}'
        self.graders.read_probabilities(self.lines)
        parsed.grades = [grades for grades in self.graders.grades if len(grades)]
        why_gaps = "its text was probably not available"
        parsed.notices += self.paragraphs.lists.notices(why_gaps=why_gaps)
        for odd in (self.paragraphs.odd, self.odd, self.graders):
            parsed.notices += odd.notices()
        return parsed


UNGRADED = "ungraded_record"
_OFTEN_EMPTY = ("paragraph", "paragraph_data", "exam_grades", "grades")
_RECORD_FIELDS = {"paragraph_id", "text", *_OFTEN_EMPTY}


def _take_common(records: Collection[dict[str, Any]]) -> dict[str, Any]:
    """Remove from every record, and return, the empty fields that all have alike."""
    common = {
        name: value
        for name, value in next(iter(records), {}).items()
        if is_empty(value)
        and all(name in record and record[name] == value for record in records)
    }
    for record in records:
        for name in common:
            del record[name]
    return common


STATED_TITLE = "stated_title"
_DATA_FIELDS = {"judgments", "rankings"}
_JUDGMENT_FIELDS = {"paragraphId", "query", "relevance"}
_RANKING_FIELDS = {"paragraphId", "queryId", "rank", "score"}
_ODD_DATA = {
    "judgments": "[judgment] taken from subtopics, the highest of each passage.",
    "rankings": "[ranking] merged from subtopics, each passage at its best rank.",
    "titles": "[judgment] with another titleQuery than the first of the query, which "
    "is kept as its title.",
}


def stated_title(title: str | None) -> str:
    """The extra of this entity, which is kept of a query with another title only."""
    return json.dumps({"titleQuery": title}, separators=(",", ":"))


class ParagraphData:
    """Judgments and rankings gathered over a file, query by query."""

    def __init__(self, parsed: ParsedImport) -> None:
        self._judgments = parsed.judgments
        self.lists = RankedLists()
        self.odd = Oddities(_ODD_DATA)
        self._names: set[str] = set()
        self._start_query()

    def _start_query(self) -> None:
        self._title: str | None = None
        self._stated: str | None = None  # the query's first titleQuery, as an extra
        self._of_subtopics: dict[str, int] = {}  # passage id -> best judgment
        self._best: dict[str, dict[str, RankedPassage]] = {}  # system -> passage id ->
        self._systems: set[str] = set()  # with a ranking of the query itself

    def add(self, query_id: str, passage_id: str, data: Record) -> dict[str, Any]:
        """Take a passage's data; return what of it has no other home, by field."""
        more = {k: v for k, v in data.items() if k not in _DATA_FIELDS or v is None}
        others: dict[str, Any] = {"paragraph_data": more} if more else {}
        for name, take, whose in (
            ("judgments", self._take_judgment, "query"),
            ("rankings", self._take_ranking, "queryId"),
        ):
            kept = []
            for entry in data.items_of(name):
                record_of(data.place, entry, f"an entry of {name}")
                named = entry.get("paragraphId")
                if named is not None and str(named) != passage_id:
                    raise data.at(name).error(
                        f"an entry of passage '{passage_id}' names paragraphId "
                        f"{described(named)}; they must agree."
                    )
                kept.append(take(data.place, query_id, passage_id, entry))
            # Beside a subtopic's, that the query has its own is to be known too.
            parts = {entry.get("method") for entry in kept if whose in entry}
            if kept := [
                entry
                for entry in kept
                if entry.get("method") in parts or entry.keys() - {"method"}
            ]:
                others[name] = kept
        return others

    def finish_query(self, query_id: str) -> tuple[str | None, str | None]:
        """The query's title, if a judgment states one, and what ``stated_title`` is.

        Call after its last passage.
        """
        for passage_id, grade in self._of_subtopics.items():
            self.odd.count("judgments", (query_id, passage_id) not in self._judgments)
            self._judgments.setdefault((query_id, passage_id), grade)
        for system in self._best.keys() - self._systems:
            self.odd.count("rankings")
            for line in self._best[system].values():
                self.lists.add(system, query_id, line)
        title, stated = self._title, self._stated
        self._start_query()
        return title, stated

    def _take_judgment(
        self, place: JsonPlace, query_id: str, passage_id: str, entry: dict[str, Any]
    ) -> dict[str, Any]:
        """Return the entry if it is of a subtopic, else its unknown fields."""
        relevance, what = entry.get("relevance"), f"relevance of passage '{passage_id}'"
        grade = whole_number(place, relevance, what, -MAX_GRADE, MAX_GRADE)
        title = text_of(place, entry.get("titleQuery"), "titleQuery")
        if title and title.strip() and title != query_id:
            if self._title is None:
                self._title = title
            self.odd.count("titles", title != self._title)
        if _is_of_subtopic(query_id, entry.get("query"), place):
            best = self._of_subtopics.get(passage_id, grade)
            self._of_subtopics[passage_id] = max(best, grade)
            return entry
        stored = self._judgments.setdefault((query_id, passage_id), grade)
        if stored != grade:
            raise place.error(
                f"passage '{passage_id}' is judged {stored} and {grade} for query "
                f"'{query_id}'; keep one of the judgments."
            )
        if "titleQuery" in entry:
            stated = stated_title(title)
            self._stated = self._stated or stated
            if stated == self._stated:
                del entry["titleQuery"]
        return {k: v for k, v in entry.items() if k not in _JUDGMENT_FIELDS}

    def _take_ranking(
        self, place: JsonPlace, query_id: str, passage_id: str, entry: dict[str, Any]
    ) -> dict[str, Any]:
        """Return the entry if it is of a subtopic, else method and unknown fields."""
        system = entry.get("method")
        if type(system) is not str or system not in self._names:
            system = name_of(place, system, "method")
            self._names.add(system)
        rank, score = entry.get("rank"), entry.get("score")
        if type(rank) is not int or not 0 <= rank <= MAX_RANK:
            rank = whole_number(place, rank, f"rank by '{system}'", 0, MAX_RANK)
        if type(score) is not float or not math.isfinite(score):
            score = number_of(place, score, f"score by '{system}'")
        line = RankedPassage(passage_id, rank, score)
        if _is_of_subtopic(query_id, entry.get("queryId"), place):
            best = self._best.setdefault(system, {})
            if passage_id not in best or rank < best[passage_id].rank:
                best[passage_id] = line
            return entry
        self._systems.add(system)
        self.lists.add(system, query_id, line)
        return {k: v for k, v in entry.items() if k not in _RANKING_FIELDS}


def _is_of_subtopic(query_id: str, named: object, place: FileLocation) -> bool:
    """Return True if an entry names a subtopic, False if it names the query or none.

    Raises the place's error for another query.
    """
    if named is None or str(named) == query_id:
        return False
    if not (isinstance(named, str) and named.startswith(f"{query_id}/")):
        raise place.error(
            f"an entry in query '{query_id}' names query {described(named)}; expected "
            f"'{query_id}' or '{query_id}/<subtopic>'."
        )
    return True
