"""Verdicts on answers: the answers in a passage, quoted beneath it with controls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from curator.bank.marks import CORRECTNESSES, Correctness, Verdict
from curator.bank.marks.verdict import verdict_by, verdicts_on
from curator.bank.questions import Bank, Question
from curator.formats.templates import macro
from curator.web.components import html, words

KEYS: dict[Correctness, str] = {"right": "y", "wrong": "w"}
Control = tuple[str, str, str, bool]
TEMPLATE = "judge/passages/verdicts.html"
NOT_COUNTED = "not counted as correct"


@dataclass(frozen=True, slots=True)
class QuotedAnswer:
    """An answer in a passage, quoted beneath it. One of them is ``meant`` by the keys.

    ``number`` is the question's. ``remark`` says where the grader does not count the
    answer as correct. ``mine`` is my verdict, ``others`` what others say, "" as long
    as there is none of mine.
    """

    question: Question
    number: int
    answer: str
    remark: str
    mine: Correctness | None
    others: str
    meant: bool

    @property
    def encoded(self) -> str:
        """The answer as an attribute carries it."""
        return html.encoded(self.answer)

    @property
    def notes(self) -> str:
        """What is said of it."""
        return " · ".join(filter(None, (self.remark, self.others)))

    @property
    def controls(self) -> list[Control]:
        """Its two controls; the keys press those of the one that is meant."""
        title = f"Call the answer to {self.number} {{}}; again to take that back"
        return [
            (
                value,
                key if self.meant else "",
                title.format(value) + (f" ({key})" if self.meant else ""),
                self.mine == value,
            )
            for value, key in KEYS.items()
        ]


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
    asked = {
        question.question_id: question
        for question in bank.questions_of(query_id)
        if question.state == "kept"
        and question.text is not None
        and answers.get(question.question_id, "").strip()
    }
    ids = sorted(asked, key=lambda one: numbers.get(one, 0))
    meant = selected if selected in asked else next(iter(ids), None)
    quoted = []
    for one in ids:
        question, answer = asked[one], answers[one].strip()
        mine = verdict_by(bank, question, answer, judge)
        others = [
            verdict
            for verdict in verdicts_on(bank, question)
            if verdict.answer == answer and verdict.judge != judge
        ]
        quoted.append(
            QuotedAnswer(
                question=question,
                number=numbers.get(one, 0),
                answer=answer,
                remark="" if one in correct or one in undecided else NOT_COUNTED,
                mine=mine,
                others=others_words(others) if mine else "",
                meant=one == meant,
            )
        )
    return tuple(quoted)


def others_words(verdicts: Sequence[Verdict]) -> str:
    """``2 others say right, 1 says wrong``; "" of nobody else."""
    counts = Counter(one.value for one in verdicts)
    return ", ".join(
        f"{words.count(number, 'other')} {'says' if number == 1 else 'say'} {value}"
        for value in CORRECTNESSES
        if (number := counts[value])
    )


def quoted_html(answers: Sequence[QuotedAnswer]) -> Markup:
    """A line for each answer with its controls; nothing without any."""
    return macro(TEMPLATE, "quoted")(answers)
