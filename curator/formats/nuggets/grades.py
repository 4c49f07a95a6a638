"""Grades of questions that a judge gave with its reasons, a grade a line.

``{"run_id", "query_id", "nugget_id", "question", "passage", "doc_id"?,
"paragraph_idx"?, "grade", "reasoning"?, "confidence"?}``, as TREC AutoJudge's rubric
judges write them and auto-judge-annotate shows them. Without a ``doc_id`` the passage
is all that the run says of the topic.

An extra of the format "nugget_grades", ("nugget_grade", "<grader>\\t<n>\\t<hash>"), is
line n as it came, but for what stands elsewhere, under ``line``, and ``at``, its
question's and its passage's id. The confidence is there: it says how sure the judge is
of a grade, be it 5 or 0, and is no probability that the passage answers.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from curator.bank.questions import Question, new_question_id
from curator.collection.pools import Query
from curator.collection.rankings import Ranking, Slot
from curator.formats import codec
from curator.formats.autograder.grades_export import GradedPassage
from curator.formats.nuggets.items import (
    add_question,
    ordered_json,
    our_id,
    their_id,
    words,
)
from curator.formats.parsed_import import ImportedGrades, ParsedImport
from curator.formats.recognition import file_reader
from curator.formats.reports import passage_stem
from curator.formats.text.fields import filled
from curator.formats.text.json_text import json_line, json_records
from curator.formats.text.lines import TextLines
from curator.formats.text.notices import Oddities, counted
from curator.formats.text.output_files import output_file
from curator.formats.text.records import Record, described, name_of, whole_number
from grading.ratings import HIGHEST, ratings_of
from grading.responders import AS_GIVEN, GraderSpec, Reading, Responder

EXPECTED = (
    'a judge\'s grades: {"run_id", "query_id", "nugget_id", "question", "passage", '
    '"grade"} a line'
)
FORMAT, LINE = "nugget_grades", "nugget_grade"
ASKED = "nugget-grades"
"""The prompt of a judge whose file does not say how it was asked."""
GRADER = "grader"
"""The field, ours, that names the judge; without it the file's name does."""

_ODD = {
    "otherwise": "[grade] that differs from an earlier one for the same question and "
    "passage text: kept for exports, the first counts.",
    "documents": "[passage] of a document, in the topic's pool without a system: "
    "import runs to say which systems retrieved it.",
}


def file_grader(path: Path) -> str:
    """The name of a judge whose file names none: the file's, without its endings."""
    return path.name.partition(".")[0] or path.name


@file_reader("grades", EXPECTED)
def read_nugget_grades(lines: TextLines) -> ParsedImport:
    """The grades, their reasons as the judge's own words. Raises InputFileError.

    A run's response is its one passage, and that of ``--reports`` where that is one.
    """
    from grading.registry import is_reserved

    parsed = ParsedImport(lines.path.name, "grades of a judge")
    odd = Oddities(_ODD)
    graders: dict[str, ImportedGrades] = {}
    first: dict[tuple[str, str, str], tuple[int, str | None]] = {}
    runs: dict[tuple[str, str], str] = {}
    for record in json_records(lines):
        name = record.get(GRADER, file_grader(lines.path))
        name = name_of(record.at(GRADER), name, "the judge's name")
        # A name that can be opened here would mean two graders.
        if is_reserved(name):
            name = f"judge {name.replace(':', ' ')}"
        grades = graders.setdefault(name, ImportedGrades(judge(name)))
        query_id = record.identifier("query_id")
        question = _question(parsed, record, query_id)
        passage_id = _passage(parsed, odd, record, query_id, runs)
        at = record.at("grade")
        grade = whole_number(at, record.get("grade"), "grade", 0, HIGHEST)
        reason = record.text("reasoning")
        text = parsed.passages.get(passage_id, passage_id)
        key = (name, (question.text or "").strip(), text)
        if key not in first:
            grades.append(query_id, question.question_id, passage_id, reason, grade)
        odd.count("otherwise", first.setdefault(key, (grade, reason))[0] != grade)
        same = ("grade", "reasoning") if first[key] == (grade, reason) else ()
        homes = [name for name in ("question", "passage", *same) if name in record]
        kept = record | dict.fromkeys(homes)
        line = {"at": [question.question_id, passage_id], "line": kept}
        stored = ordered_json(record, line)
        digest = hashlib.sha256(stored.encode()).hexdigest()[:16]
        place = f"{name}\t{lines.number}\t{digest}"
        parsed.extras[LINE, place, FORMAT] = stored
    parsed.grades += graders.values()
    parsed.rankings += [
        Ranking(system, query_id, (Slot(passage_id, 1.0),))
        for (query_id, system), passage_id in runs.items()
    ]
    parsed.notices += odd.notices()
    return parsed


def judge(name: str) -> GraderSpec:
    """The grader that a file's grades are of."""
    reading = Reading("rated", "question", AS_GIVEN)
    return GraderSpec(name, Responder(name, "", ASKED), reading)


def _question(parsed: ParsedImport, record: Record, query_id: str) -> Question:
    """The line's question. Its id is that of its bank, if one of these has it, too."""
    text = record.words("question")
    if text is None:
        raise record.at("question").error(
            "a grade without a question; expected a text."
        )
    if record.get("nugget_id") == text:  # what the judges write where there is none
        question_id = new_question_id(query_id, None, text)
    else:
        question_id = our_id(record, "nugget_id", query_id, text)
    parsed.queries.setdefault(query_id, Query(query_id))
    return add_question(parsed, record, Question(question_id, query_id, text))


def _passage(
    parsed: ParsedImport,
    odd: Oddities,
    record: Record,
    query_id: str,
    runs: dict[tuple[str, str], str],
) -> str:
    """The id of the passage that is graded: a document's, a part of one, a response."""
    text = record.words("passage")
    document = record.identifier_or_none("doc_id")
    if document is None:
        run = name_of(record.at("run_id"), record.get("run_id"), "run_id")
        if text is None:
            raise record.at("passage").error(
                f"a grade of run {described(run)} without a text; expected it as "
                '"passage", or a "doc_id".'
            )
        passage_id = response_id(query_id, text)
        if runs.setdefault((query_id, run), passage_id) != passage_id:
            raise record.at("passage").error(
                f"run {described(run)} has two responses for topic '{query_id}'; "
                "keep one of them."
            )
    else:
        part = record.identifier_or_none("paragraph_idx")
        passage_id = document if part is None else f"{document}/{part}"
        odd.name("documents", passage_id)
    if text is not None and parsed.passages.setdefault(passage_id, text) != text:
        raise record.at("passage").error(
            f"passage '{passage_id}' has two texts; one id means one text."
        )
    parsed.pooled[query_id, passage_id] = None
    return passage_id


def response_id(query_id: str, text: str) -> str:
    """The id of a whole response, as ``--reports`` gives it to one of one passage."""
    encoded = json.dumps([text], ensure_ascii=False).encode()
    return f"{passage_stem(query_id, hashlib.sha256(encoded).hexdigest())}/1"


def _write(contents: codec.Contents, target: Path) -> codec.WriteResult:
    """The grades of kept questions, of every grader that rates them.

    New ones query by query, once for each run, then those that were imported, in their
    order.
    """
    imported: dict[tuple[str, str, str], list[tuple[int, dict[str, Any]]]] = {}
    for (entity, key, form), text in contents.extras().items():
        if (entity, form) == (LINE, FORMAT):
            grader, number, _ = key.rsplit("\t", 2)
            kept = json.loads(text)
            place = (grader, *kept["at"])
            imported.setdefault(place, []).append((int(number), kept["line"]))
    questions = {question.question_id: question for question in contents.bank}
    others: set[str] = set()
    written = unread = shares = 0
    lines: list[tuple[int, str, dict[str, Any]]] = []
    with output_file(target) as stream:
        graded = (
            (passage, columns)
            for query in contents.graded_queries()
            for passage in query.passages
            for columns in passage.grades
        )
        for passage, columns in graded:
            name, reading = columns.grader.name, columns.grader.reading
            if (reading.kind, reading.item_kind) != ("rated", "question"):
                others.add(name)
                continue
            for item_id, (raw, rating) in columns.graded.items():
                question = questions[item_id]
                grade = int(ratings_of(np.array([rating]))[0])
                if grade < 0 or not words(question.text):
                    unread += 1
                    continue
                shares += isinstance(rating, float)
                written += 1
                facts: dict[str, Any] = {"question": question.text}
                facts |= {"passage": passage.text, "grade": grade, "reasoning": raw}
                place = (name, item_id, passage.passage_id)
                if place not in imported:
                    for line in _new_lines(question, passage, facts, name):
                        stream.write(json_line(line))
                for position, line in imported.get(place, ()):
                    stated = filled(line, {k: v for k, v in facts.items() if k in line})
                    stated.setdefault(GRADER, name)
                    lines.append((position, name, stated))
        for *_, line in sorted(lines, key=lambda entry: entry[:2]):
            stream.write(json_line(line))
    lost = {
        f"{counted(len(others), 'grader')} without questions": others,
        f"probabilities behind {counted(shares, 'grade')}": shares,
        f"{counted(unread, 'grade')} that cannot be read": unread,
    }
    dropped = [item for item, number in lost.items() if number]
    return codec.WriteResult(written, "grades", dropped=dropped)


def _new_lines(
    question: Question, passage: GradedPassage, facts: dict[str, Any], grader: str
) -> Iterator[dict[str, Any]]:
    """A line for each run that retrieves the passage, one without a run for none."""
    query_id, text = question.query_id, passage.text or ""
    is_whole = passage.passage_id == response_id(query_id, text)
    for system in [system for system, *_ in passage.rankings] or [""]:
        line = {"run_id": system, "query_id": query_id, "nugget_id": their_id(question)}
        line |= {"question": facts["question"], "passage": text}
        if not is_whole or not system:
            line["doc_id"] = passage.passage_id
        yield {**line, **facts, "confidence": None, GRADER: grader}


CODECS = (
    codec.Codec(
        "grades",
        codec.Imports(
            option=codec.ImportOption("grades", "grades with reasons", r"grades"),
            read=read_nugget_grades,
            fits=lambda start: start.has({"query_id", "nugget_id", "grade"}),
            specific=10,  # a line of queries has a query_id, too
        ),
        codec.Exports(
            label="Grades with reasons",
            what="Every rating of a question, with the grader’s own words.",
            group=codec.GRADED,
            forms=(codec.JSONL_GZ, codec.JSONL),
            carries=codec.carried(  # of each a part
                *("kept questions", "item texts", "grades", "responses"),
                extras=("nugget_grades",),
            ),
            write=_write,
            large=True,
            tells_systems=True,
            of_one_grader=True,
        ),
    ),
)
