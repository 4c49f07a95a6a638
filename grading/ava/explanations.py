"""How a linear model's score comes about, number by number."""

from dataclasses import dataclass

import numpy as np

from grading.ava.triples import Scores


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one feature adds to a decision: its value times its weight."""

    feature: str
    value: float
    weight: float

    @property
    def contribution(self) -> float:
        """value x weight; 0, never -0, for a value of 0."""
        return self.value * self.weight + 0.0


@dataclass(frozen=True, slots=True)
class Explanation:
    """A score as the sum it comes from, to be checked with a calculator.

    ``decision`` is the sum of the contributions and the bias; the score is
    1 / (1 + e^(A x decision + B)), with Platt's A and B.
    """

    contributions: tuple[Contribution, ...]
    bias: float
    platt_a: float
    platt_b: float

    @property
    def decision(self) -> float:
        """The distance from the SVM's plane, positive on the side of right answers."""
        return sum(one.contribution for one in self.contributions) + self.bias

    @property
    def score(self) -> float:
        """How sure the model is that the candidate is right, in [0, 1]."""
        return float(platt(np.array(self.decision), self.platt_a, self.platt_b))


def platt(decisions: Scores, a: float, b: float) -> Scores:
    """1 / (1 + e^(A x decision + B)) of each decision value, in [0, 1]."""
    # 1 / (1 + e^z) without an overflow where e^z is one. Where z itself is one, it has
    # the right sign; where it is not a number, that is told by who reads the score.
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        scores: Scores = np.exp(-np.logaddexp(0.0, a * decisions + b))
    return scores
