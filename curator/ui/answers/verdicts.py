"""Verdicts on answers: their controls, and the answers quoted beneath a passage."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from curator.bank.edits.verdict import verdict_by, verdicts_on
from curator.bank.marks import CORRECTNESSES, Correctness, Verdict
from curator.bank.questions import Bank, Question
from curator.ui.shared import html, words
from curator.ui.shared.templates import macro

KEYS: dict[Correctness, str] = {"right": "y", "wrong": "w"}
TEMPLATE = "answers/answers.html"
NOT_COUNTED = "not counted as correct"


@dataclass(frozen=True, slots=True)
class QuotedAnswer:
    """An answer in a passage, quoted beneath it. One of them is ``meant`` by the keys.

    ``number`` is the question's, ``asked`` its text at ``revision``. ``remark`` says
    where the grader does not count the answer as correct. ``mine`` is my verdict,
    ``others`` what others say, "" as long as there is none of mine.
    """

    question_id: str
    revision: int
    number: int
    asked: str
    answer: str
    remark: str
    mine: Correctness | None
    others: str
    meant: bool


def quoted_answers(
    bank: Bank,
    query_id: str,
    answers: Mapping[str, str],
    correct: Collection[str],
    numbers: Mapping[str, int],
    *,
    judge: str,
    selected: str | None,
    undecided: Collection[str] = (),
) -> tuple[QuotedAnswer, ...]:
    """The answers to the query's kept questions in one passage, by their numbers.

    ``answers`` are the passage's by question id, ``correct`` the ids of those that the
    grader counts, ``undecided`` of those that it has not rated. Meant is the answer to
    the selected question, else the first.
    """
    asked = [
        question
        for question in bank.of_query(query_id)
        if question.state == "kept"
        and question.text is not None
        and answers.get(question.question_id, "").strip()
    ]
    asked.sort(key=lambda question: numbers.get(question.question_id, 0))
    ids = [question.question_id for question in asked]
    meant = selected if selected in ids else next(iter(ids), None)
    return tuple(
        _quoted(
            bank,
            question,
            answers[question.question_id].strip(),
            remark=""
            if question.question_id in (*correct, *undecided)
            else NOT_COUNTED,
            number=numbers.get(question.question_id, 0),
            judge=judge,
            meant=question.question_id == meant,
        )
        for question in asked
    )


def _quoted(
    bank: Bank,
    question: Question,
    answer: str,
    *,
    remark: str,
    number: int,
    judge: str,
    meant: bool,
) -> QuotedAnswer:
    mine = verdict_by(bank, question, answer, judge)
    others = [
        one
        for one in verdicts_on(bank, question)
        if one.answer == answer and one.judge != judge
    ]
    return QuotedAnswer(
        question.question_id,
        question.revision,
        number,
        question.title,
        answer,
        remark,
        mine,
        others_words(others) if mine else "",
        meant,
    )


def others_words(verdicts: Sequence[Verdict]) -> str:
    """``2 others say right, 1 says wrong``; "" of nobody else."""
    counts = [
        (sum(one.value == value for one in verdicts), value) for value in CORRECTNESSES
    ]
    parts = [
        f"{words.count(number, 'other')} {'says' if number == 1 else 'say'} {value}"
        for number, value in counts
        if number
    ]
    return ", ".join(parts)


def quoted_html(answers: Sequence[QuotedAnswer]) -> str:
    """A line for each answer with its controls; nothing without any."""
    return macro(TEMPLATE, "quoted")(
        [
            {
                "meant": one.meant,
                "question_id": one.question_id,
                "revision": one.revision,
                "encoded": html.encoded(one.answer),
                "mine": one.mine or "",
                "asked": one.asked,
                "number": one.number,
                "answer": one.answer,
                "notes": " · ".join(filter(None, (one.remark, one.others))),
                "controls": controls(
                    f"Call the answer to {one.number} {{}}; again to take that back",
                    one.mine,
                    with_keys=one.meant,
                ),
            }
            for one in answers
        ]
    )


def controls(
    title: str, mine: Correctness | None, *, with_keys: bool, tell_keys: bool = False
) -> list[tuple[str, str, str, bool]]:
    """Of each verdict: itself, its key, what a press does, whether it is mine."""
    return [
        (
            value,
            KEYS[value] if with_keys else "",
            title.format(value)
            + (f" ({KEYS[value]})" if with_keys or tell_keys else ""),
            mine == value,
        )
        for value in CORRECTNESSES
    ]
