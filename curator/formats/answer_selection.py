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
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from curator.formats import codec
from curator.formats.text.lines import TextLines, collector_paused
from curator.formats.text.notices import counted, left_out
from curator.formats.text.output_files import output_file
from curator.formats.text.records import described, identifier
from grading.ava.examples import AnsweredQuestion

HEADINGS = (
    "QuestionID",
    "Question",
    "DocumentID",
    "DocumentTitle",
    "SentenceID",
    "Sentence",
    "Label",
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
            tuple(one.text for one in self.candidates if one.correct),
            tuple(one.text for one in self.candidates if not one.correct),
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
    gathered = _Gathered(lines)
    columns: _Columns | None = None
    with collector_paused():
        for text in lines:
            fields = text.split("\t")
            if columns is None:
                columns = _columns(lines, fields)
                if columns.headed:
                    continue
            if len(fields) != columns.count:
                raise lines.error(
                    f"{counted(len(fields), 'column')}; the first line has "
                    f"{columns.count}. Is there a tab too many or too few?"
                )
            gathered.add(columns, fields)
    if not (questions := gathered.questions()):
        raise lines.error("there is no line under the headings; expected candidates.")
    return questions


def write_answers(path: Path, questions: Iterable[SelectionQuestion]) -> None:
    """Write the questions in WikiQA's form; the columns of the document stay empty.

    Short answers have a column where there are any. Tabs and line breaks in a text
    become blanks. Raises CuratorError where nothing can be written.
    """
    written = list(questions)
    short = any(one.short_answer for one in written)
    with output_file(path) as stream:
        stream.write("\t".join(HEADINGS + (SHORT_ANSWER,) * short) + "\n")
        for one in written:
            core = (_BREAKS.sub(" ", one.short_answer or ""),) * short
            for candidate in one.candidates:
                row = (
                    one.question_id,
                    _BREAKS.sub(" ", one.text),
                    "",
                    "",
                    candidate.candidate_id,
                    _BREAKS.sub(" ", candidate.text),
                    str(int(candidate.correct)),
                    *core,
                )
                stream.write("\t".join(row) + "\n")


@dataclass(frozen=True, slots=True)
class _Columns:
    """Where the fields of a line stand; ids are None where the form has none."""

    count: int
    question: int
    sentence: int
    label: int
    question_id: int | None = None
    sentence_id: int | None = None
    short_answer: int | None = None
    headed: bool = False


def _columns(lines: TextLines, first: Sequence[str]) -> _Columns:
    """The columns by the first line: by its headings, or by where 0 or 1 is."""
    names = {name.strip().lower().replace("_", ""): i for i, name in enumerate(first)}
    if "question" in names and ("sentence" in names or "answer" in names):
        if "label" not in names:
            raise lines.error(
                f"the headings are {described(', '.join(first))}; expected one called "
                "Label among them."
            )
        sentence = names["sentence"] if "sentence" in names else names["answer"]
        return _Columns(
            len(first),
            names["question"],
            sentence,
            names["label"],
            names.get("questionid"),
            names.get("sentenceid"),
            names.get(SHORT_ANSWER.lower()),
            headed=True,
        )
    if len(first) == 3:
        # A question that is "0" or "1" is less likely than a sentence that is.
        if first[2].strip() in LABELS or first[0].strip() not in LABELS:
            return _Columns(3, 0, 1, 2)
        return _Columns(3, 1, 2, 0)
    raise lines.error(f"{counted(len(first), 'column')}; expected {EXPECTED}.")


@dataclass(slots=True)
class _OpenQuestion:
    """A question whose lines may not all have come; its candidates by their ids."""

    question_id: str
    text: str
    short_answer: str | None = None
    candidates: dict[str, Candidate] = field(default_factory=dict)


class _Gathered:
    """Questions so far, by id, or by text in a form without ids."""

    def __init__(self, lines: TextLines) -> None:
        self._lines = lines
        self._questions: dict[str, _OpenQuestion] = {}

    def add(self, columns: _Columns, fields: Sequence[str]) -> None:
        """Take one line."""
        text = self._text(fields[columns.question], "the question")
        sentence = self._text(fields[columns.sentence], "the sentence")
        correct = self._label(fields[columns.label])
        question = self._question(columns, fields, text)
        if columns.short_answer is not None:
            self._take_short_answer(question, fields[columns.short_answer].strip())
        if columns.sentence_id is None:
            number = len(question.candidates) + 1
            candidate_id = f"{question.question_id}-{number}"
        else:
            value = fields[columns.sentence_id].strip()
            candidate_id = identifier(self._lines, value, "SentenceID")
        candidate = Candidate(candidate_id, sentence, correct)
        known = question.candidates.setdefault(candidate_id, candidate)
        if known != candidate:
            differs = "text" if known.text != sentence else "label"
            raise self._lines.error(
                f"sentence '{candidate_id}' of question '{question.question_id}' has "
                f"another {differs} above; keep one of the lines."
            )

    def questions(self) -> tuple[SelectionQuestion, ...]:
        """All questions, in the order of their first lines."""
        return tuple(
            SelectionQuestion(
                one.question_id,
                one.text,
                tuple(one.candidates.values()),
                one.short_answer,
            )
            for one in self._questions.values()
        )

    def _question(
        self, columns: _Columns, fields: Sequence[str], text: str
    ) -> _OpenQuestion:
        if columns.question_id is None:
            if (known := self._questions.get(text)) is None:
                known = self._questions[text] = _OpenQuestion(
                    f"q{len(self._questions) + 1}", text
                )
            return known
        value = fields[columns.question_id].strip()
        question_id = identifier(self._lines, value, "QuestionID")
        known = self._questions.setdefault(
            question_id, _OpenQuestion(question_id, text)
        )
        if known.text != text:
            raise self._lines.error(
                f"question '{question_id}' is {described(text)} here and "
                f"{described(known.text)} above; give them different ids."
            )
        return known

    def _take_short_answer(self, question: _OpenQuestion, short_answer: str) -> None:
        if not short_answer:
            return
        known = question.short_answer = question.short_answer or short_answer
        if known != short_answer:
            raise self._lines.error(
                f"the short answer to question '{question.question_id}' is "
                f"{described(short_answer)} here and {described(known)} above; keep "
                "one of them."
            )

    def _text(self, value: str, what: str) -> str:
        if not (text := value.strip()):
            raise self._lines.error(f"{what} is empty; expected text.")
        return text

    def _label(self, value: str) -> bool:
        correct = LABELS.get(value.strip())
        if correct is None:
            graded = value.strip() in ("2", "3", "4")
            hint = " Of labels 1 to 4 (ASNQ), make 4 a 1, the others 0." * graded
            raise self._lines.error(
                f"the label is {described(value)}; expected 0 or 1.{hint}"
            )
        return correct


def _write(contents: codec.Contents, target: Path) -> codec.Written:
    """The answers known to be right or wrong, in WikiQA's form."""
    known = contents.known_answers()
    write_answers(target, known)
    kept = sum(question.state == "kept" for question in contents.bank)
    words = "kept item without a known answer", "kept items without a known answer"
    notices = [left_out(kept - len(known), *words)] if len(known) < kept else []
    answers = sum(len(one.candidates) for one in known)
    return codec.Written(answers, "known answers", notices)


CODECS = (
    codec.Codec(
        "answers",
        exports=codec.Exports(
            help="Answers known to be right or wrong, in WikiQA's form.",
            label="Known answers",
            what="Answers known to be right or wrong, in WikiQA’s form.",
            group=codec.BANK,
            forms=(("TSV", ".tsv"),),
            carries=codec.carried("answers"),
            write=_write,
        ),
    ),
)
