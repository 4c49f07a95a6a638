"""Marks of judges: votes, verdicts, checks, notes and others.

A kind of mark is a module here, with its edit, its class (a ``Mark``) and the ``KINDS``
of its events. None changes a question's text, so none makes a draft stale. A mark is
removed by the judge who made it; a new vote or verdict replaces the old one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from curator.results import HIDDEN, column

Importance = Literal["vital", "okay"]
Votes = tuple[tuple[str, Importance], ...]  # (judge, vote), sorted by judge

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
    """A judge's verdict on an answer to a question: right or wrong.

    It refers to texts: ``question`` is the question's text as the judge read it, and
    ``answer`` the answer's, stripped. After a rewording it still applies to the old
    text, and not to the new one.
    """

    question_id: str
    question: str
    answer: str
    judge: str
    value: Correctness

    def sort_key(self) -> tuple[str, str, str, str]:
        """Sort key: question, answer, judge."""
        return (self.question_id, self.answer, self.judge, self.question)


@dataclass(frozen=True, slots=True)
class Check:
    """A judge's answer for one pair: does this passage answer this question?

    It refers to texts: ``item`` is the text of the question or nugget as the judge read
    it, None for the passage as a whole. ``answer`` is yes, no or unsure; for a passage
    a grade from "0" on the scale of the judgments, or unsure. ``probability`` is that
    with which the pair was drawn, together with all ``drawn`` pairs; None and 0 if it
    was chosen by hand. ``seconds`` is the judge's time, ``at`` the time of the first
    answer (ISO 8601, UTC); a correction keeps it, and with it the order of the draw.
    """

    item: str | None
    passage_id: str
    judge: str
    answer: str
    probability: float | None
    drawn: int
    seconds: float | None
    at: str

    def sort_key(self) -> tuple[str, str, str, str]:
        """Sort key: time, question, passage, judge."""
        return (self.at, self.item or "", self.passage_id, self.judge)


GOLD = "gold:"
"""Start of the name under which an organizer saves known answers, as ``gold:ann``."""


def is_gold(judge: str) -> bool:
    """Return True for the judge of known answers."""
    return judge.startswith(GOLD)


def without_gold(checks: Sequence[Check]) -> Sequence[Check]:
    """Leave out known answers of a query, and answers to their pairs not drawn by lot.

    The rest counts in certificates and agreement.
    """
    gold = {(c.item, c.passage_id) for c in checks if is_gold(c.judge)}
    if not gold:
        return checks
    return tuple(
        check
        for check in checks
        if not is_gold(check.judge)
        and (
            check.probability is not None or (check.item, check.passage_id) not in gold
        )
    )


@dataclass(frozen=True, slots=True)
class Ideal:
    """A passage, or a span of its text, marked as an ideal answer.

    ``start`` and ``end`` count characters, end exclusive; (0, None) is all of it.
    ``judge`` is the annotator of a personal highlight, "" for a mark of the bank;
    ``grade`` rates the answer, 1 or more, None without a grade.
    """

    passage_id: str
    start: int = 0
    end: int | None = None
    judge: str = ""
    grade: int | None = None

    def extract(self, text: str) -> str:
        return text[self.start : self.end]

    @property
    def place(self) -> str:
        """Passage and span, as ``d01 [12:40]``; the passage alone if all is marked."""
        if self.end is None:
            return self.passage_id
        return f"{self.passage_id} [{self.start}:{self.end}]"

    def overlaps(self, other: Ideal) -> bool:
        """Return True if both contain a character of the same passage."""
        return (
            self.passage_id == other.passage_id
            and (other.end is None or self.start < other.end)
            and (self.end is None or other.start < self.end)
        )

    def sort_key(self) -> tuple[str, int, int, str, int]:
        """Sort key: passage, position in it, annotator."""
        end = -1 if self.end is None else self.end
        return (self.passage_id, self.start, end, self.judge, self.grade or 0)


@dataclass(frozen=True, slots=True)
class Dismissal:
    """A dismissed next step, with the reason and the state for which it holds."""

    key: str
    state: str
    reason: str
    judge: str

    def sort_key(self) -> str:
        return self.key


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision where judges differ, with the state for which it holds.

    ``reason`` is "" if none was given.
    """

    key: str
    value: str
    state: str
    reason: str
    judge: str

    def sort_key(self) -> str:
        return self.key


@dataclass(frozen=True, slots=True)
class Note:
    """A judge's note on a question, one each; "" for a flag without text."""

    question_id: str
    judge: str
    text: str
    flagged: bool = False

    def sort_key(self) -> tuple[str, str]:
        """Sort key: question, judge."""
        return (self.question_id, self.judge)


@dataclass(frozen=True, slots=True)
class NormingAnswer:
    """A judge's answer to an item of a norming round, at its ``place`` from 0 on.

    ``first`` is the last one before the reveal if it is ``blind``, else the first
    after it.
    """

    round_id: int = field(metadata=HIDDEN)
    place: int = field(metadata=HIDDEN)
    judge: str
    answer: str = field(metadata=column(json="now"))
    first: str
    blind: bool

    def sort_key(self) -> tuple[int, int, str]:
        return (self.round_id, self.place, self.judge)


@dataclass(frozen=True, slots=True)
class Comment:
    """A judge's comment on an item of a norming round."""

    round_id: int = field(metadata=HIDDEN)
    place: int = field(metadata=HIDDEN)
    judge: str
    text: str
    at: str  # ISO 8601, UTC

    def sort_key(self) -> tuple[int, int, str, str]:
        return (self.round_id, self.place, self.at, self.judge)


@dataclass(frozen=True, slots=True)
class RoundRules:
    """Possible answers of a norming round, and the ``queries`` of its items, by place.

    ``closed_by`` is "" while it takes answers.
    """

    choices: tuple[str, ...]
    queries: tuple[str, ...]
    revealed: bool
    closed_by: str = ""


def with_vote(votes: Votes, judge: str, vote: Importance | None) -> Votes:
    """Return the votes with this judge's replaced or removed."""
    others = [vote_pair for vote_pair in votes if vote_pair[0] != judge]
    return tuple(sorted([*others, (judge, vote)] if vote else others))
