"""Norming rounds: the same items for every judge, and the agreement of answers.

A round keeps its texts as they were when it was opened. An answer is blind if it was
given before the round was revealed: its judge had seen no answers of others.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, ClassVar

from curator.bank.marks import Comment, NormingAnswer
from curator.bank.marks.check import UNSURE
from curator.bank.marks.norming import NormingTask, round_choices
from curator.evaluation.agreement import JudgeAgreement, Scale, judge_agreement
from curator.results import HIDDEN, column, computed


@dataclass(frozen=True, slots=True)
class NormingItem:
    """An item of a round, at its ``place`` from 0 on, with the texts of its time.

    A passage as a whole has no question, a vote no passage.
    """

    place: int = field(metadata=HIDDEN)
    query_id: str
    question_id: str | None
    passage_id: str | None
    query: str
    question: str | None
    passage: str | None

    @property
    @computed(json="item")
    def number(self) -> int:
        return self.place + 1

    @property
    def key(self) -> tuple[str, str | None, str | None]:
        """Key of the item: query id, text of the question, passage id."""
        return self.query_id, self.question, self.passage_id


@dataclass(frozen=True, slots=True)
class Stamp:
    """Time and author of an action."""

    at: str
    by: str


@dataclass(frozen=True)
class Round:
    """A norming round, with all answers or with those visible to the reader.

    ``highest`` is the highest grade of a passage, ``seed`` the seed of the draw, None
    if the items were listed. ``answered`` counts each judge's answered items, including
    answers that the reader may not see.
    """

    columns: ClassVar = (
        "round=round_id of status items judges=answered finished opened=opened.at "
        "by=opened.by"
    )

    round_id: int
    of: NormingTask
    highest: int
    seed: int | None
    opened: Stamp
    revealed: Stamp | None
    closed: Stamp | None
    items: tuple[NormingItem, ...] = field(metadata=column(show=len))
    answers: tuple[NormingAnswer, ...] = ()
    comments: tuple[Comment, ...] = ()
    answered: tuple[tuple[str, int], ...] = field(default=(), metadata=column(show=len))

    def to_json(self) -> dict[str, Any]:
        """Return the round as the list of rounds prints it."""
        return {
            "round": self.round_id,
            "of": self.of,
            "status": self.status,
            "items": len(self.items),
            "judges": len(self.answered),
            "finished": self.finished,
            "at": self.opened.at,
            "by": self.opened.by,
        }

    @property
    def status(self) -> str:
        """``open``, ``revealed``, ``closed``, or ``closed, not revealed``."""
        if self.closed:
            return "closed" if self.revealed else "closed, not revealed"
        return "revealed" if self.revealed else "open"

    @property
    def choices(self) -> tuple[str, ...]:
        return round_choices(self.of, self.highest)

    @property
    def finished(self) -> int:
        return sum(count == len(self.items) for _, count in self.answered)

    @property
    def is_blind(self) -> bool:
        """True while judges answer without seeing others' answers."""
        return self.revealed is None and self.closed is None


@dataclass(frozen=True, slots=True)
class RoundAgreement:
    """Agreement of judges by the answers ``when``: before the reveal, or after it."""

    when: str
    agreement: JudgeAgreement


BEFORE, AFTER = "before", "after"
AFTER_OF_BLIND = "after, those of before"


def agreements(round_: Round) -> tuple[RoundAgreement, ...]:
    """Compute agreement before the reveal, by blind answers, and after it.

    If a judge answered an item only after the reveal, a third entry covers the later
    answers to items with a blind answer: the effect of the discussion.
    """
    answers = round_.answers
    before = {(a.place, a.judge): a.first for a in answers if a.blind}
    after = {(a.place, a.judge): a.answer for a in answers}
    both = [(BEFORE, before), (AFTER, after)]
    if after.keys() - before.keys():
        both.append((AFTER_OF_BLIND, {k: after[k] for k in before.keys() & after}))
    return tuple(agreement(phase, round_.of, answers) for phase, answers in both)


def agreement(
    phase: str, of: NormingTask, answers_by_key: Mapping[tuple[int, str], str]
) -> RoundAgreement:
    """Compute alpha of answers by place and judge; *unsure* is no answer here."""
    by_place: defaultdict[int, dict[str, str]] = defaultdict(dict)
    for (place, judge), answer in answers_by_key.items():
        if answer != UNSURE:
            by_place[place][judge] = answer
    scale: Scale = "ordinal" if of == "passages" else "nominal"
    measured = judge_agreement(by_place.values(), scale, always_alpha=True)
    return RoundAgreement(phase, measured)


def disagreement(answers: Iterable[str]) -> float:
    """Mean difference of the answers to one item over all pairs of them.

    Different words differ by 1, grades by their distance; 0 without a pair.
    """
    apart = [_apart(*two) for two in combinations(answers, 2)]
    return sum(apart) / len(apart) if apart else 0.0


def _apart(first: str, second: str) -> int:
    if first.isdecimal() and second.isdecimal():
        return abs(int(first) - int(second))
    return int(first != second)
