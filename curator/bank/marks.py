"""What people say beside the questions: votes, verdicts on answers, ideal answers.

None changes a question's words, so none makes anybody's draft stale. A mark is taken
back by whoever made it; who votes or judges again says something else.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

Importance = Literal["vital", "okay"]
Votes = tuple[tuple[str, Importance], ...]  # (judge, vote), by judge

IMPORTANCES: tuple[Importance, ...] = ("vital", "okay")

Correctness = Literal["right", "wrong"]

CORRECTNESSES: tuple[Correctness, ...] = ("right", "wrong")


@dataclass(frozen=True, slots=True)
class Voted:
    """A judge's vote on a question, before and after; None is no vote."""

    question_id: str
    before: Importance | None
    after: Importance | None

    def inverted(self) -> Voted:
        """The mark that puts back what was there."""
        return replace(self, before=self.after, after=self.before)


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


@dataclass(frozen=True, slots=True)
class Judged:
    """A judge's verdict on an answer, before and after; None is no verdict.

    ``question`` and ``answer`` are words, as in :class:`Verdict`.
    """

    question_id: str
    question: str
    answer: str
    before: Correctness | None
    after: Correctness | None

    def inverted(self) -> Judged:
        """The mark that puts back what was there."""
        return replace(self, before=self.after, after=self.before)


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


@dataclass(frozen=True, slots=True)
class Marked:
    """An ideal answer of a query, marked or not, before and after."""

    ideal: Ideal
    before: bool
    after: bool

    def inverted(self) -> Marked:
        """The mark that puts back what was there."""
        return replace(self, before=self.after, after=self.before)


Mark = Voted | Judged | Marked


def with_vote(votes: Votes, judge: str, vote: Importance | None) -> Votes:
    """The votes with this judge's replaced, or taken away."""
    others = [one for one in votes if one[0] != judge]
    return tuple(sorted([*others, (judge, vote)] if vote else others))
