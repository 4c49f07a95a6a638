"""Verdicts on answers: whose words they are about, and what most judges say."""

from __future__ import annotations

from dataclasses import replace

import pytest

from curator.bank.edits import JudgeAnswer, Reword, apply_edits
from curator.bank.marks import Verdict
from curator.bank.marks.verdict import current_verdict, verdicts_on
from curator.bank.questions import Bank, Question
from curator.errors import (
    EditError,
    UnknownNameError,
)

WHY = Question("q/a", "q", "Why is it?")
BANK = Bank({"q": (WHY,)})


def judged(bank: Bank, *edits: JudgeAnswer | Reword, judge: str = "ann") -> Bank:
    return apply_edits(bank, edits, judge=judge)[0]


def test_a_verdict_is_about_the_words_of_question_and_answer() -> None:
    bank = judged(BANK, JudgeAnswer("q/a", "  because \n", "right"))
    assert bank.verdicts_of("q") == (
        Verdict("q/a", "Why is it?", "because", "ann", "right"),
    )
    verdict = current_verdict(bank, WHY, " because", "ann")
    assert verdict is not None
    assert verdict.value == "right"
    assert current_verdict(bank, WHY, "because", "bob") is None
    # Reworded, the question has no verdict; in its first words again it has it back.
    other = judged(bank, Reword("q/a", "How so?"))
    assert verdicts_on(other, other.question("q/a")) == ()
    again = judged(other, Reword("q/a", "Why is it?"))
    assert verdicts_on(again, again.question("q/a")) == bank.verdicts_of("q")


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        (JudgeAnswer("q/a", " \n", "right"), "The answer is empty"),
        (JudgeAnswer("q/a", "so", "maybe"), "right or wrong, not 'maybe'"),  # type: ignore[arg-type]
        (JudgeAnswer("q/b", "so", "right"), "text of question 'q/b' is not in the"),
        (JudgeAnswer("q/c", "so", "right"), "is proposed; keep it before"),
    ],
)
def test_what_nobody_can_judge_is_refused(edit: JudgeAnswer, says: str) -> None:
    unread = replace(WHY, question_id="q/b", text=None)
    waiting = replace(WHY, question_id="q/c", text="How?", state="proposed")
    with pytest.raises(EditError, match=says):
        judged(Bank({"q": (WHY, unread, waiting)}), edit)
    with pytest.raises(UnknownNameError, match="'q/d'"):
        judged(BANK, JudgeAnswer("q/d", "so", "right"))
