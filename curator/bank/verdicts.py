"""What people's verdicts on answers come to: a judge's own, and what most say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from curator.bank.marks import Correctness, Verdict
from curator.bank.questions import Bank, Question


def verdicts_on(bank: Bank, question: Question) -> tuple[Verdict, ...]:
    """Every judge's verdicts on answers to the question in its present words.

    None for a question whose text was never published.
    """
    return tuple(
        one
        for one in bank.verdicts_of(question.query_id)
        if one.question == question.text
    )


def standing_verdict(
    bank: Bank, question: Question, answer: str, judge: str
) -> Verdict | None:
    """This judge's verdict on an answer to the question's words, None without one."""
    for one in verdicts_on(bank, question):
        if one.answer == answer.strip() and one.judge == judge:
            return one
    return None


def verdict_by(
    bank: Bank, question: Question, answer: str, judge: str
) -> Correctness | None:
    """What this judge says of an answer to the question, None without a verdict."""
    found = standing_verdict(bank, question, answer, judge)
    return found.value if found else None


def majority(verdicts: Iterable[Verdict]) -> dict[tuple[str, str], Correctness]:
    """What most judges say, by (question's text, answer); a tie is no verdict."""
    counts: dict[tuple[str, str], Counter[Correctness]] = {}
    for one in verdicts:
        counts.setdefault((one.question, one.answer), Counter())[one.value] += 1
    return {
        words: "right" if said["right"] > said["wrong"] else "wrong"
        for words, said in counts.items()
        if said["right"] != said["wrong"]
    }
