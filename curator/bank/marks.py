"""What people say beside the questions: votes, verdicts on answers, ideal answers.

None changes a question's words, so none makes anybody's draft stale. A mark is taken
back by whoever made it; who votes or judges again says something else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Importance = Literal["vital", "okay"]
Votes = tuple[tuple[str, Importance], ...]  # (judge, vote), by judge

IMPORTANCES: tuple[Importance, ...] = ("vital", "okay")

Correctness = Literal["right", "wrong"]

CORRECTNESSES: tuple[Correctness, ...] = ("right", "wrong")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge says of an answer to a question: right or wrong.

    It is about words: ``question`` is the question's text as the judge read it, and
    ``answer`` the answer's, stripped. It says nothing of the question once reworded,
    and goes on saying what it said of the words before.
    """

    question_id: str
    question: str
    answer: str
    judge: str
    value: Correctness

    def in_order(self) -> tuple[str, str, str, str]:
        """What verdicts are sorted by: question, then answer, then judge."""
        return (self.question_id, self.answer, self.judge, self.question)


@dataclass(frozen=True, slots=True)
class Ideal:
    """A passage, or a span of its text, that somebody marked as an ideal answer.

    ``start`` and ``end`` count characters, end exclusive; (0, None) is all of it.
    """

    passage_id: str
    start: int = 0
    end: int | None = None

    def of(self, text: str) -> str:
        """The words that are marked."""
        return text[self.start : self.end]

    def in_order(self) -> tuple[str, int, int]:
        """What ideal answers are sorted by: passage, then where they begin and end."""
        return (self.passage_id, self.start, -1 if self.end is None else self.end)


def with_vote(votes: Votes, judge: str, vote: Importance | None) -> Votes:
    """The votes with this judge's replaced, or taken away."""
    others = [one for one in votes if one[0] != judge]
    return tuple(sorted([*others, (judge, vote)] if vote else others))
