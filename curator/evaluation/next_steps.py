"""How much hangs on what a judge could do next.

A step's weight is what the board would move if it was done, times how often a step of
its kind is one to do. docs/next.md says what each kind is, and on what it rests.
"""

from __future__ import annotations

from typing import Literal

Kind = Literal[
    "near-duplicate",
    "only-non-relevant",
    "no-answer",
    "every-system",
    "proposal",
]

TRUST: dict[Kind, float] = {
    "near-duplicate": 0.9,
    "only-non-relevant": 0.8,
    "no-answer": 0.6,
    "every-system": 0.2,
    "proposal": 0.5,
}
"""The share of a kind's steps that are to be done."""


def weight(kind: Kind, moves: float | None) -> float:
    """How much hangs on a step: 0 or more; 0 where nobody knows what it ``moves``.

    ``moves`` is the mean over systems of |change of the measure in the query|.
    """
    return TRUST[kind] * (moves or 0.0)
