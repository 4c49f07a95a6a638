"""What people say beside the questions: votes, verdicts, checks, notes and the like.

None changes a question's words, so none makes anybody's draft stale. A mark is taken
back by whoever made it; who votes or judges again says something else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Importance = Literal["vital", "okay"]
Votes = tuple[tuple[str, Importance], ...]  # (judge, vote), by judge

StepKind = Literal[
    "near-duplicate",
    "only-non-relevant",
    "no-answer",
    "every-system",
    "uncovered-passage",
    "empty-subtopic",
    "empty-query",
    "unanswerable",
    "compound",
    "flagged",
    "disagreement",
    "proposal",
    "check",
    "done",
]

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
class Check:
    """A person's answer to one pair: does this passage answer this question?

    It is about words: ``item`` is the text of the question or nugget as the judge read
    it, None where the passage as a whole was asked about. ``answer`` is yes, no or
    unsure; of a passage a grade from "0" on the scale of the judgments, or unsure.
    ``probability`` is that with which the pair was drawn, together with all ``drawn``
    pairs; None and 0 where somebody chose it. ``seconds`` is how long the judge
    looked, ``at`` when the judge first answered (ISO 8601, UTC); a correction keeps
    the place in the order of time that the pair was drawn in.
    """

    item: str | None
    passage_id: str
    judge: str
    answer: str
    probability: float | None
    drawn: int
    seconds: float | None
    at: str

    def in_order(self) -> tuple[str, str, str, str]:
        """What checks are sorted by: time, then question, passage and judge."""
        return (self.at, self.item or "", self.passage_id, self.judge)


@dataclass(frozen=True, slots=True)
class Ideal:
    """A passage, or a span of its text, that somebody marked as an ideal answer.

    ``start`` and ``end`` count characters, end exclusive; (0, None) is all of it.
    ``judge`` is the annotator whose own highlight it is, "" for a mark of the bank;
    ``grade`` says how good an answer it is, 1 or more, None where nobody graded it.
    """

    passage_id: str
    start: int = 0
    end: int | None = None
    judge: str = ""
    grade: int | None = None

    def of(self, text: str) -> str:
        """The words that are marked."""
        return text[self.start : self.end]

    @property
    def place(self) -> str:
        """``d01 [12:40]``, or the passage alone where all of it is marked."""
        if self.end is None:
            return self.passage_id
        return f"{self.passage_id} [{self.start}:{self.end}]"

    def overlaps(self, other: Ideal) -> bool:
        """Return True if both hold a character of the same passage."""
        return (
            self.passage_id == other.passage_id
            and (other.end is None or self.start < other.end)
            and (self.end is None or other.start < self.end)
        )

    def in_order(self) -> tuple[str, int, int, str, int]:
        """Sort key: passage, place in it, then annotator."""
        end = -1 if self.end is None else self.end
        return (self.passage_id, self.start, end, self.judge, self.grade or 0)


@dataclass(frozen=True, slots=True)
class Dismissal:
    """A next step that somebody left alone, why, and in which state it was then."""

    key: str
    state: str
    reason: str
    judge: str


@dataclass(frozen=True, slots=True)
class Decision:
    """What somebody decided where judges differ, and in which state it was then.

    ``reason`` is "" where none was given.
    """

    key: str
    value: str
    state: str
    reason: str
    judge: str


@dataclass(frozen=True, slots=True)
class Note:
    """A judge's own words on a question, "" for a flag alone; one each."""

    question_id: str
    judge: str
    text: str
    flagged: bool = False

    def in_order(self) -> tuple[str, str]:
        """What notes are sorted by: question, then judge."""
        return (self.question_id, self.judge)


def with_vote(votes: Votes, judge: str, vote: Importance | None) -> Votes:
    """The votes with this judge's replaced, or taken away."""
    others = [one for one in votes if one[0] != judge]
    return tuple(sorted([*others, (judge, vote)] if vote else others))
