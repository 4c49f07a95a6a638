"""TREC qrels in and out: ``query_id 0 passage_id grade``.

What people judged is read as judgments, what a model judged as the grades of a direct
grader.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TextIO, TypeVar

from curator.errors import InputFileError
from curator.formats import codec
from curator.formats.parsed_import import ImportedGrades, ParsedImport, Progress
from curator.formats.recognition import (
    can_read,
    file_reader,
    is_number,
    wrong_file_hint,
)
from curator.formats.text.json_text import json_text
from curator.formats.text.lines import TextLines
from curator.formats.text.notices import counted
from curator.formats.text.output_files import output_file
from curator.formats.text.records import (
    MAX_GRADE,
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
EXPECTED = "lines of TREC qrels: query_id 0 passage_id grade"
LABELS = "labels"
"""The prompt of a model whose qrels do not say how it was asked."""

Grade = TypeVar("Grade", int, float)


@file_reader("judgments", EXPECTED)
def read_qrels(lines: TextLines) -> ParsedImport:
    """The judgments of a qrels file; the second column is passed over, as usual.

    The query id is kept as it stands, ``query_id/subtopic_id`` included. Raises
    InputFileError, also for a passage judged twice and differently.
    """
    parsed = ParsedImport(lines.path.name, "TREC qrels")
    parsed.judgments, parsed.notices = _by_pair(
        lines, lambda text: _judgment(lines, text)
    )
    return parsed


def _judgment(lines: TextLines, text: str) -> int:
    try:
        return whole_number_in(lines, text, "grade", -MAX_GRADE, MAX_GRADE)
    except InputFileError as error:
        as_labels = partial(read_labels, name=LABELS)
        if not is_number(text) or not can_read(as_labels, lines.path):
            raise
        raise InputFileError(
            f"{error} Fractions are the labels of a model: use --labels NAME="
            f"{lines.path.name}, or 'labels by a model' in the browser."
        ) from None


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
        found, notices = _by_pair(lines, lambda text: _label(lines, text))
    sure = any(not float(grade).is_integer() for grade in found.values())
    info = {"prompt_class": LABELS, "is_self_rated": True}
    # As its grades come back from Autograder's form.
    decoding = (
        ("prompt_info", json_text(lines, info)),
        ("prompt_type", json_text(lines, "direct_grading")),
    )
    reading = Reading("direct", "query", PROBABILITY_AS_GIVEN if sure else AS_GIVEN)
    grader = GraderSpec(name, Responder(name, "", LABELS, decoding), reading)
    grades = ImportedGrades(grader, pooled=False)
    for (query_id, passage_id), grade in found.items():
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


def _label(lines: TextLines, text: str) -> float:
    grade = number_in(lines, text, "grade")
    if grade > (HIGHEST if grade.is_integer() else 1):
        raise lines.error(
            f"grade is {text}; expected a whole number, 0 to {HIGHEST}, or a "
            "probability, 0 to 1."
        )
    return grade


def _by_pair(
    lines: TextLines, grade_in: Callable[[str], Grade]
) -> tuple[dict[tuple[str, str], Grade], list[str]]:
    """The grade by (query id, passage id), and what was odd about the lines."""
    found: dict[tuple[str, str], Grade] = {}
    repeated, seconds = 0, set[str]()
    for text in lines:
        columns = text.split()
        if len(columns) != 4:
            raise lines.error(
                f"{counted(len(columns), 'column')}; qrels have 4: query_id 0 "
                "passage_id grade."
            )
        seconds.add(columns[1])
        query_id = identifier(lines, columns[0], "query id")
        passage_id = identifier(lines, columns[2], "passage id")
        grade = grade_in(columns[3])
        pair = (query_id, passage_id)
        repeated += pair in found
        if found.setdefault(pair, grade) != grade:
            _refuse_swapped(lines, found, seconds, repeated)
            raise lines.error(
                f"passage '{passage_id}' of query '{query_id}' is judged {grade:g} "
                f"here and {found[pair]:g} above; keep one of the lines."
            )
    _refuse_swapped(lines, found, seconds, repeated)
    said = f"{counted(repeated, 'line')} repeat a judgment, counted once."
    return found, [said] if repeated else []


def _refuse_swapped(
    lines: TextLines,
    found: Collection[tuple[str, str]],
    seconds: set[str],
    repeated: int,
) -> None:
    """Raise InputFileError where the passages are in the second column so far.

    There may be any number, an iteration; but where all passages are "0", not several
    numbers and several lines for one query.
    """
    if any(passage_id not in CONSTANTS for _, passage_id in found):
        return
    named = any(not second.isdecimal() for second in seconds - CONSTANTS)
    if named or (repeated and len(seconds) > 1):
        constants = {passage_id for _, passage_id in found}
        raise lines.error(
            f"the third column, of passage ids, says {' or '.join(sorted(constants))} "
            "here and on every line above, and the second does not: they look swapped; "
            "qrels have query_id 0 passage_id grade."
        )


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
    found = contents.judgments()
    with output_file(target) as stream:
        write_qrels(stream, found)
    return codec.WriteResult(len(found), "judgments")


def _fits(start: codec.FileStart) -> bool:
    match start.line.split():
        case [_, _, _, grade]:
            return is_number(grade)
    return False


JUDGMENTS_OPTION = codec.ImportOption(
    name="judgments",
    what="TREC qrels",
    label="judgments (qrels)",
    sign=r"qrel|judg",
)

CODECS = (
    codec.Codec(
        "judgments",
        codec.Imports(
            option=JUDGMENTS_OPTION,
            called="TREC qrels",
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
