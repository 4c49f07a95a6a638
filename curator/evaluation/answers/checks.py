"""Ways to check answers, held against each other and against people. Counts only.

A *check* says of every answer that it is right or wrong, or has not said yet: one
``Decisions`` array, in the order of the answers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from curator.evaluation.agreement import Table, cohens_kappa, confusion
from curator.evaluation.answers.pointwise import Confusion

Decisions = NDArray[np.int8]
"""RIGHT, WRONG or UNKNOWN for each answer."""

UNKNOWN, WRONG, RIGHT = -1, 0, 1

NO_ANSWER = -1  # in a passage that is known to give none
NOT_ASKED = -2  # whether it gives one is not known


@dataclass(frozen=True, slots=True)
class TwoChecks:
    """Two checks over the answers on which both have decided.

    ``table`` counts ((ww, wr), (rw, rr)): w for wrong, r for right, the first check's
    decision first.
    """

    table: Table

    @property
    def answers(self) -> int:
        """How many answers both have decided on."""
        return sum(map(sum, self.table))

    @property
    def both(self) -> int:
        """Right to both."""
        return self.table[1][1]

    @property
    def only_first(self) -> int:
        """Right to the first alone."""
        return self.table[1][0]

    @property
    def only_second(self) -> int:
        """Right to the second alone."""
        return self.table[0][1]

    @property
    def neither(self) -> int:
        """Wrong to both."""
        return self.table[0][0]

    @property
    def agreement(self) -> float | None:
        """Share of the answers on which they say the same; None without any."""
        alike = self.both + self.neither
        return alike / self.answers if self.answers else None

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa; None where it is 0/0."""
        return cohens_kappa(self.table)

    @property
    def found(self) -> Confusion:
        """The first as the finder of what is right to the second."""
        return Confusion(self.both, self.only_first, self.only_second, self.neither)


def two_checks(first: Decisions, second: Decisions) -> TwoChecks:
    """The two over the answers on which neither is UNKNOWN."""
    both = (first != UNKNOWN) & (second != UNKNOWN)
    return TwoChecks(confusion(first[both] == RIGHT, second[both] == RIGHT))


def accuracies(
    decisions: Decisions, firsts: NDArray[np.int32]
) -> tuple[float | None, ...]:
    """Share of the questions that each system's first passage answers right.

    ``firsts`` is (systems, questions): the number of the answer there, NO_ANSWER, which
    is wrong, or NOT_ASKED, which does not count. None for a system of which one answer
    is UNKNOWN to the check, and for one without a question that counts.
    """
    # Counted from behind: NO_ANSWER is the last, NOT_ASKED the one before.
    more = np.array([UNKNOWN, WRONG], dtype=np.int8)
    decided = np.append(decisions, more)[firsts]
    counts = firsts != NOT_ASKED
    open_ones = ((decided == UNKNOWN) & counts).sum(axis=1).tolist()
    right = (decided == RIGHT).sum(axis=1).tolist()
    return tuple(
        None if unknown or not asked else found / asked
        for found, unknown, asked in zip(
            right, open_ones, counts.sum(axis=1).tolist(), strict=True
        )
    )
