"""Qrels: TREC's in and out, BEIR's with a heading and ranx's JSON in.

What people judged is read as judgments, what a model judged as the grades of a direct
grader.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import TextIO, TypeVar

from curator.formats import codec
from curator.formats.parsed_import import ImportedGrades, ParsedImport, Progress
from curator.formats.recognition import (
    file_reader,
    is_json,
    is_number,
    wrong_file_hint,
)
from curator.formats.text.json_text import json_records, json_text
from curator.formats.text.lines import TextLines
from curator.formats.text.notices import counted
from curator.formats.text.output_files import output_file
from curator.formats.text.records import (
    MAX_GRADE,
    FileLocation,
    columns_in,
    error_at,
    identifier,
    name_of,
    number_in,
    whole_number_in,
)
from grading.ratings import HIGHEST, UNREADABLE
from grading.responders import (
    AS_GIVEN,
    PROBABILITY_AS_GIVEN,
    GraderSpec,
    Reading,
    Responder,
)

CONSTANTS = {"0", "Q0"}
"""What mostly is in the second column, of qrels and of runs."""
COLUMNS = "query_id 0 passage_id grade"
BEIR = "query-id corpus-id score"
"""The columns of TREC's qrels, which have no heading, and the heading of BEIR's."""
EXPECTED = f"lines of TREC qrels: {COLUMNS}"
LABELS = "labels"
"""The prompt of a model whose qrels do not say how it was asked."""

Grade = TypeVar("Grade", int, float)


@file_reader("judgments", EXPECTED)
def read_qrels(lines: TextLines) -> ParsedImport:
    """The judgments of qrels by TREC, by BEIR, or in ranx's JSON.

    TREC's second column is passed over, as usual. The query id is not changed,
    ``query_id/subtopic_id`` included. Raises InputFileError, also for a passage judged
    twice and differently.
    """
    first = lines.peek()
    taken_for = "qrels in ranx's JSON" if is_json(first) else "TREC qrels"
    if first.split() == BEIR.split():
        taken_for = "BEIR's qrels"
    parsed = ParsedImport(lines.path.name, taken_for)
    parsed.judgments, parsed.notices = _by_pair(lines, _judgment)
    return parsed


def _judgment(place: FileLocation, value: object) -> int:
    if is_number(str(value)) and 0 < float(str(value)) < 1:
        raise place.error(
            f"grade is {value}; fractions are the labels of a model: use --labels "
            "NAME=FILE, or 'labels by a model' in the browser."
        )
    return whole_number_in(place, value, "grade", -MAX_GRADE, MAX_GRADE)


def read_labels(
    path: Path, name: str, *, progress: Progress | None = None
) -> ParsedImport:
    """The grades of a model's qrels, as those of the direct grader ``name``.

    Whole numbers 0-5, or where one is a fraction probabilities in [0, 1]. One below 0
    is no grade: the model gave none. Raises InputFileError.
    """
    lines = TextLines(path, expected=EXPECTED, progress=progress)
    name = name_of(lines, name, "the name of a grader")
    with wrong_file_hint(path, "judgments"):
        labels, notices = _by_pair(lines, _label)
    sure = any(not float(grade).is_integer() for grade in labels.values())
    info = {"prompt_class": LABELS, "is_self_rated": True}
    # As its grades come back from Autograder's form.
    decoding = (
        ("prompt_info", json_text(lines, info)),
        ("prompt_type", json_text(lines, "direct_grading")),
    )
    reading = Reading("direct", "query", PROBABILITY_AS_GIVEN if sure else AS_GIVEN)
    grader = GraderSpec(name, Responder(name, "", LABELS, decoding), reading)
    grades = ImportedGrades(grader, pooled=False)
    for (query_id, passage_id), grade in labels.items():
        if sure and grade > 1:
            raise error_at(
                path,
                None,
                f"passage '{passage_id}' of query '{query_id}' is graded {grade:g}, "
                "and others by a fraction; probabilities are from 0 to 1.",
            )
        rating = UNREADABLE if grade < 0 else grade if sure else int(grade)
        grades.append(query_id, query_id, passage_id, None, rating)
    if unrated := grades.ratings.count(UNREADABLE):
        notices.append(
            f"{counted(unrated, 'grade')} below 0, taken as unknown and not as 0."
        )
    return ParsedImport(
        path.name, f"labels of {name}", grades=[grades], notices=notices
    )


def _label(place: FileLocation, value: object) -> float:
    grade = number_in(place, str(value), "grade")
    if grade > (HIGHEST if grade.is_integer() else 1):
        raise place.error(
            f"grade is {value}; expected a whole number, 0 to {HIGHEST}, or a "
            "probability, 0 to 1."
        )
    return grade


def _by_pair(
    lines: TextLines, grade_of: Callable[[FileLocation, object], Grade]
) -> tuple[dict[tuple[str, str], Grade], list[str]]:
    """The grade by (query id, passage id), and a notice of repeated lines."""
    grades: dict[tuple[str, str], Grade] = {}
    repeated = 0
    for place, query, passage, value in _judged(lines):
        pair = identifier(place, query, "query id"), passage
        identifier(place, passage, "passage id")
        grade = grade_of(place, value)
        if pair not in grades:
            grades[pair] = grade
            continue
        repeated += 1
        if grades[pair] != grade:
            raise place.error(
                f"passage '{passage}' of query '{query}' is judged {grade:g} here and "
                f"{grades[pair]:g} above; keep one of the lines: {COLUMNS}."
            )
    notice = f"{counted(repeated, 'line')} repeat a judgment, counted once."
    return grades, [notice] if repeated else []


def _judged(lines: TextLines) -> Iterator[tuple[FileLocation, str, str, object]]:
    """Place, query id, passage id and grade of every judgment."""
    first = lines.peek()
    if is_json(first):
        yield from object_pairs(lines)
        return
    is_beir = first.split() == BEIR.split()
    names = BEIR if is_beir else COLUMNS
    for text in islice(lines, int(is_beir), None):
        query_id, *_, passage_id, grade = columns_in(lines, text, names)
        yield lines, query_id, passage_id, grade


def object_pairs(
    lines: TextLines,
) -> Iterator[tuple[FileLocation, str, str, object]]:
    """Place, query id, passage id and value in ranx's JSON, an object by both ids."""
    for record in json_records(lines):
        for query_id in record:
            for passage_id, value in record.inner(query_id).items():
                yield record.at(query_id, passage_id), query_id, passage_id, value


def has_object_pairs(start: codec.FileStart, *, integers: bool) -> bool:
    """Return True for ranx's JSON, with only whole numbers in it or with others."""
    first = next(iter(start.record.values()), None)
    numbers = [*first.values()] if isinstance(first, dict) else []
    types = {type(number) for number in numbers}

    return bool(types) and types <= {int, float} and (types == {int}) == integers


def write_qrels(stream: TextIO, labels: Mapping[tuple[str, str], int]) -> None:
    """Write labels by (query id, passage id) with single blanks, sorted.

    For subtopic qrels the query id is ``query_id/subtopic_id``.
    """
    for (query_id, passage_id), label in sorted(labels.items()):
        stream.write(f"{query_id} 0 {passage_id} {label}\n")


def write_question_qrels(
    stream: TextIO, levels: Iterable[tuple[str, str, str, int]]
) -> int:
    """Write (query id, question id, passage id, level) as TREC's diversity qrels do.

    Questions are the subtopics, in the second column. How many lines there were.
    """
    lines = 0
    for query_id, question_id, passage_id, level in levels:
        stream.write(f"{query_id} {question_id} {passage_id} {level}\n")
        lines += 1
    return lines


def _write(contents: codec.Contents, target: Path) -> codec.WriteResult:
    """The official judgments, also those of passages without a text."""
    judgments = contents.judgments()
    with output_file(target) as stream:
        write_qrels(stream, judgments)
    return codec.WriteResult(len(judgments), "judgments")


def _fits(start: codec.FileStart) -> bool:
    match start.line.split():
        case [_, _, _, grade]:
            return is_number(grade)
        case columns:
            is_beir = columns == BEIR.split()
            return is_beir or has_object_pairs(start, integers=True)


CODECS = (
    codec.Codec(
        "judgments",
        codec.Imports(
            option=codec.ImportOption("judgments", "judgments (qrels)", r"qrel|judg"),
            called="TREC's, BEIR's or ranx's",
            read=read_qrels,
            fits=_fits,
        ),
        codec.Exports(
            label="Judgments",
            what="The official judgments as qrels.",
            group=codec.COLLECTION,
            forms=(("qrels", ".qrels"),),
            carries=codec.carried("judgments"),
            write=_write,
            tells_systems=True,
        ),
    ),
    codec.Codec(
        "qrels",
        exports=codec.Exports(
            label="Qrels",
            what="Every passage’s label, for trec_eval and ir_measures.",
            group=codec.NUMBERS,
            forms=(("qrels", ".qrels"),),
            under_settings=True,
            of_numbers=True,
            of_a_release=True,
        ),
    ),
    codec.Codec(
        "question_qrels",
        exports=codec.Exports(
            label="Qrels of questions",
            what="Which passage answers which question, the questions as subtopics, "
            "for ndeval’s measures in ir_measures.",
            group=codec.NUMBERS,
            forms=(("qrels", ".qrels"),),
            large=True,
            under_settings=True,
            of_numbers=True,
            of_a_release=True,
        ),
    ),
)
