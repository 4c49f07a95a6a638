"""Answer-sentence-selection data in and out: questions and their judged candidates.

Three published forms of one line per candidate, with tabs between the columns:

- WikiQA's, with a line of headings: QuestionID, Question, DocumentID, DocumentTitle,
  SentenceID, Sentence, Label (Yang et al. 2015). Columns go by their headings.
- TREC-QA's, without headings: question, sentence, label; or label, question, sentence.

Under headings there may be a column ShortAnswer, which is ours: the short answer to the
question, on any of its lines.

Quotation marks are characters like any other; there is no quoting of fields.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from curator.formats import codec
from curator.formats.text.lines import TextLines, collector_paused
from curator.formats.text.notices import counted, left_out
from curator.formats.text.output_files import output_file
from curator.formats.text.records import described, identifier
from grading.ava.examples import AnsweredQuestion

HEADINGS = (
    *("QuestionID", "Question", "DocumentID", "DocumentTitle", "SentenceID"),
    *("Sentence", "Label"),
)
SHORT_ANSWER = "ShortAnswer"
EXPECTED = (
    "a heading with QuestionID, Question, SentenceID, Sentence and Label, or lines of "
    "question, sentence and label; with tabs between"
)
LABELS = {"0": False, "1": True}

_BREAKS = re.compile(r"[\t\r\n\0]+")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence that may answer the question, and whether it does."""

    candidate_id: str
    text: str
    correct: bool


@dataclass(frozen=True, slots=True)
class SelectionQuestion:
    """A question and its candidates, in the file's order.

    ``short_answer`` is the core of its correct answers, None where none is given.
    """

    question_id: str
    text: str
    candidates: tuple[Candidate, ...]
    short_answer: str | None = None

    def answered(self) -> AnsweredQuestion:
        """The question with its correct and incorrect answers as texts."""
        return AnsweredQuestion(
            self.text,
            tuple(item.text for item in self.candidates if item.correct),
            tuple(item.text for item in self.candidates if not item.correct),
            self.short_answer,
        )


def read_answers(path: Path) -> tuple[SelectionQuestion, ...]:
    """The questions of a file in one of the published forms, plain or gzipped.

    Lines of one question come together, in the order in which it first appeared. A
    form without ids gets them from that order: the first question is ``q1``, its
    candidates are ``q1-1``, ``q1-2`` and so on; lines with the same text are then one
    question. A line without ids is a candidate of its own even if its text stands
    there before; one with ids that repeats another in full counts once.

    Raises InputFileError, also for an id with two texts or two labels, and for a
    question with two short answers.
    """
    lines = TextLines(path, expected=EXPECTED)
    questions: dict[str, SelectionQuestion] = {}  # by id, or by text without ids
    candidates: defaultdict[str, dict[str, Candidate]] = defaultdict(dict)
    columns, headed = _columns(lines, lines.peek().split("\t"))
    with collector_paused():
        for line in islice(lines, int(headed), None):
            fields = [field.strip() for field in line.split("\t")]
            if len(fields) != len(columns):
                raise lines.error(
                    f"{counted(len(fields), 'column')}; the first line has "
                    f"{len(columns)}. Is there a tab too many or too few?"
                )
            row = dict(zip(columns, fields, strict=True))
            for name in ("question", "sentence"):
                if not row[name]:
                    raise lines.error(f"the {name} is empty; expected text.")
            question_id = _question(lines, row, questions)
            of_question = candidates[question_id]
            candidate = _candidate(lines, row, f"{question_id}-{len(of_question) + 1}")
            first = of_question.setdefault(candidate.candidate_id, candidate)
            what = f"sentence '{candidate.candidate_id}' of question '{question_id}'"
            for name in ("text", "correct"):
                values = getattr(first, name), getattr(candidate, name)
                _require_same(lines, f"{name} of {what}", *values)
    if not questions:
        raise lines.error("no lines follow the headings; expected candidates.")
    return tuple(
        replace(item, candidates=tuple(candidates[item.question_id].values()))
        for item in questions.values()
    )


def _require_same(lines: TextLines, what: str, first: object, value: object) -> None:
    if first != value:
        raise lines.error(
            f"{what} is {described(value)} here and {described(first)} above; keep one "
            "of the lines, or give them different ids."
        )


def write_answers(path: Path, questions: Iterable[SelectionQuestion]) -> None:
    """Write the questions in WikiQA's form; the columns of the document stay empty.

    Short answers have a column where there are any. Tabs and line breaks in a text
    become blanks. Raises CuratorError where nothing can be written.
    """
    written = list(questions)
    short = any(item.short_answer for item in written)
    with output_file(path) as stream:
        stream.write("\t".join(HEADINGS + (SHORT_ANSWER,) * short) + "\n")
        for item in written:
            for candidate in item.candidates:
                row = [item.question_id, item.text, "", "", candidate.candidate_id]
                row += [candidate.text, str(int(candidate.correct))]
                row += [item.short_answer or ""] * short
                stream.write("\t".join(_BREAKS.sub(" ", cell) for cell in row) + "\n")


def _columns(lines: TextLines, first: Sequence[str]) -> tuple[list[str], bool]:
    """The columns by the first line, by its headings or by where 0 or 1 is.

    And whether there are headings.
    """
    names = [name.strip().lower().replace("_", "") for name in first]
    if "sentence" not in names and "answer" in names:
        names[names.index("answer")] = "sentence"
    if {"question", "sentence", "label"} <= {*names}:
        return names, True
    if len(first) == 3:
        # A question that is "0" or "1" is less likely than a sentence that is.
        if first[2].strip() in LABELS or first[0].strip() not in LABELS:
            return ["question", "sentence", "label"], False
        return ["label", "question", "sentence"], False
    raise lines.error(f"{counted(len(first), 'column')}; expected {EXPECTED}.")


def _question(
    lines: TextLines, row: dict[str, str], questions: dict[str, SelectionQuestion]
) -> str:
    """The id of the row's question, which is added where it is new."""
    text = row["question"]
    key, question_id = text, f"q{len(questions) + 1}"
    if "questionid" in row:
        key = question_id = identifier(lines, row["questionid"], "QuestionID")
    first = questions.setdefault(key, SelectionQuestion(question_id, text, ()))
    what = f"question '{first.question_id}'"
    _require_same(lines, what, first.text, text)
    if short_answer := row.get(SHORT_ANSWER.lower()):
        above = first.short_answer or short_answer
        _require_same(lines, f"the short answer to {what}", above, short_answer)
        questions[key] = replace(first, short_answer=short_answer)
    return first.question_id


def _candidate(lines: TextLines, row: dict[str, str], next_id: str) -> Candidate:
    if row["label"] not in LABELS:
        graded = row["label"] in ("2", "3", "4")
        hint = " Of labels 1 to 4 (ASNQ), make 4 a 1, the others 0." if graded else ""
        raise lines.error(
            f"the label is {described(row['label'])}; expected 0 or 1.{hint}"
        )
    if "sentenceid" in row:
        next_id = identifier(lines, row["sentenceid"], "SentenceID")
    return Candidate(next_id, row["sentence"], LABELS[row["label"]])


def _write(contents: codec.Contents, target: Path) -> codec.WriteResult:
    """The answers known to be right or wrong, in WikiQA's form."""
    judged = contents.known_answers()
    write_answers(target, judged)
    kept = sum(question.state == "kept" for question in contents.bank)
    words = "kept item without a known answer", "kept items without a known answer"
    notices = [left_out(kept - len(judged), *words)] if len(judged) < kept else []
    answers = sum(len(item.candidates) for item in judged)
    return codec.WriteResult(answers, "known answers", notices)


CODECS = (
    codec.Codec(
        "answers",
        exports=codec.Exports(
            label="Known answers",
            what="Answers known to be right or wrong, in WikiQA’s form.",
            group=codec.BANK,
            forms=(("TSV", ".tsv"),),
            carries=codec.carried("answers"),
            write=_write,
        ),
    ),
)
