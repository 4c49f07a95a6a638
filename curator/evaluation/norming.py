"""Norming rounds: the same items for every judge, and how far their answers agree.

A round keeps its texts as they were when it was opened, and every answer ever given. An
answer is blind that was given before the round was revealed: by whoever gave it, none
of the others' was seen.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from curator.bank.edits.check import ANSWERS, UNSURE

Of = Literal["pairs", "passages", "votes"]
"""What is asked of an item: does the passage answer the question, how relevant is the
passage, how important is the question."""

VOTES = ("vital", "okay")


@dataclass(frozen=True, slots=True)
class Item:
    """What everybody answers, at its ``place`` from 0 on, in the words it had then.

    A passage as a whole has no question, a vote no passage.
    """

    place: int
    query_id: str
    question_id: str | None
    passage_id: str | None
    query: str
    question: str | None
    passage: str | None

    @property
    def on(self) -> tuple[str, str | None, str | None]:
        """What it is about: query, the question's words, passage."""
        return self.query_id, self.question, self.passage_id


@dataclass(frozen=True, slots=True)
class Given:
    """An answer to an item as it was given; None takes the one before back."""

    place: int
    judge: str
    answer: str | None
    blind: bool
    at: str  # ISO 8601, UTC


@dataclass(frozen=True, slots=True)
class Comment:
    """What somebody said of an item."""

    place: int
    judge: str
    text: str
    at: str


@dataclass(frozen=True, slots=True)
class Stamp:
    """When something was done, and by whom."""

    at: str
    by: str


@dataclass(frozen=True)
class Round:
    """A norming round, with all that was answered in it or with what may be seen of it.

    ``highest`` is the highest grade of a passage, ``seed`` what it was drawn by, None
    where the items were given. ``answered`` counts each judge's answered items, whoever
    may see the answers.
    """

    round_id: int
    of: Of
    highest: int
    seed: int | None
    opened: Stamp
    revealed: Stamp | None
    closed: Stamp | None
    items: tuple[Item, ...]
    given: tuple[Given, ...]
    comments: tuple[Comment, ...]
    answered: tuple[tuple[str, int], ...]

    @property
    def status(self) -> str:
        """``open``, ``revealed``, ``closed``, or ``closed, not revealed``."""
        if self.closed:
            return "closed" if self.revealed else "closed, not revealed"
        return "revealed" if self.revealed else "open"

    @property
    def choices(self) -> tuple[str, ...]:
        """What can be answered."""
        if self.of == "votes":
            return VOTES
        if self.of == "pairs":
            return ANSWERS
        return (*map(str, range(self.highest + 1)), UNSURE)

    @property
    def finished(self) -> int:
        """How many judges have answered every item."""
        return sum(count == len(self.items) for _, count in self.answered)

    def latest(self, *, blind: bool = False) -> dict[tuple[int, str], str]:
        """What each judge said last, by place and judge; with ``blind`` blindly."""
        found: dict[tuple[int, str], str | None] = {}
        for one in self.given:
            if one.blind or not blind:
                found[one.place, one.judge] = one.answer
        return {key: answer for key, answer in found.items() if answer is not None}

    def first(self) -> dict[tuple[int, str], str]:
        """The blind answers; of who has none at a place, what they said first."""
        found: dict[tuple[int, str], str] = {}
        for one in self.given:
            if not one.blind and one.answer is not None:
                found.setdefault((one.place, one.judge), one.answer)
        return found | self.latest(blind=True)


@dataclass(frozen=True, slots=True)
class RoundAgreement:
    """How far judges agree over the items that two or more have answered.

    ``same`` of ``items`` have answers that are all alike; *unsure* is no answer here.
    ``alpha`` is Krippendorff's, at most 1, 0 for agreement by chance; None where it is
    undefined, and ``note`` says why.
    """

    when: str
    alpha: float | None
    judges: int
    items: int
    same: int
    answers: int
    note: str = ""


BEFORE, AFTER = "before", "after"
AFTER_OF_BLIND = "after, those of before"


def agreements(found: Round) -> tuple[RoundAgreement, ...]:
    """Before the reveal, by blind answers; and after it, by what each says now.

    Where somebody answered after the reveal alone there is a third, as after, of the
    answers alone that there was a blind one before: what discussion has changed.
    """
    before, after = found.latest(blind=True), found.latest()
    both = [(BEFORE, before), (AFTER, after)]
    if after.keys() - before.keys():
        both.append((AFTER_OF_BLIND, {k: after[k] for k in before.keys() & after}))
    return tuple(agreement(when, found.of, said) for when, said in both)


def agreement(when: str, of: Of, said: Mapping[tuple[int, str], str]) -> RoundAgreement:
    """Of what is said by place and judge: nominal alpha, of grades ordinal.

    Source: Krippendorff 2004, chapter 11; answers may be missing.
    """
    by_place: defaultdict[int, dict[str, str]] = defaultdict(dict)
    for (place, judge), answer in said.items():
        if answer != UNSURE:
            by_place[place][judge] = answer
    items = [one for one in by_place.values() if len(one) > 1]
    judges = sorted({judge for one in items for judge in one})
    values = sorted({answer for one in items for answer in one.values()})
    same = sum(len(set(one.values())) == 1 for one in items)
    alpha, note = None, ""
    if not items:
        note = "No item has answers of two judges."
    elif len(values) == 1:
        note = f"Every answer is {values[0]}: there is nothing to expect by chance."
    else:
        alpha = _alpha(of, judges, values, items)
    answers = sum(map(len, items))
    return RoundAgreement(when, alpha, len(judges), len(items), same, answers, note)


def _alpha(
    of: Of,
    judges: Sequence[str],
    values: Sequence[str],
    items: Sequence[Mapping[str, str]],
) -> float:
    import krippendorff

    graded = of == "passages"
    number = {one: float(one if graded else n) for n, one in enumerate(values)}
    rows = [
        [number[one[judge]] if judge in one else np.nan for one in items]
        for judge in judges
    ]
    level: Literal["ordinal", "nominal"] = "ordinal" if graded else "nominal"
    return float(
        krippendorff.alpha(reliability_data=np.array(rows), level_of_measurement=level)
    )


def disagreement(answers: Iterable[str]) -> float:
    """How far answers to one item are apart: the mean over all pairs of them.

    Of two that differ 1, of two grades how far they are apart; 0 without a pair.
    """
    apart = [_apart(*two) for two in combinations(answers, 2)]
    return sum(apart) / len(apart) if apart else 0.0


def _apart(one: str, other: str) -> int:
    if one.isdecimal() and other.isdecimal():
        return abs(int(one) - int(other))
    return int(one != other)
