"""Input and interface of AVA models."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from grading.ava.card import Card
from grading.errors import InvalidScoreError

Scores = npt.NDArray[np.float64]
"""A score in [0, 1] per triple: the model's confidence that the candidate is right."""


@dataclass(frozen=True, slots=True)
class Triple:
    """A question, a reference answer to it, and the candidate to check.

    ``short_answer`` is the annotated core of the reference (the paper's s), or None.
    Source: Vu & Moschitti 2020, section 3.
    """

    question: str
    reference: str
    candidate: str
    short_answer: str | None = None


class Ava(Protocol):
    """A trained model. ``scores`` returns the score of each triple, in order.

    The score of a triple is independent of the others in its batch, up to rounding.
    ``fingerprint`` is a content hash of everything that affects scores: weights,
    configuration, tokens.
    """

    @property
    def card(self) -> Card: ...

    @property
    def fingerprint(self) -> str: ...

    def scores(self, triples: Sequence[Triple]) -> Scores: ...


def checked_scores(model: Ava, triples: Sequence[Triple]) -> Scores:
    """Return the model's scores of the triples, in order.

    Raises InvalidScoreError for one that is not a number from 0 to 1. NaN is above no
    threshold, and would pass as a wrong answer.
    """
    scores = np.asarray(model.scores(triples), dtype=np.float64)
    if not ((scores >= 0) & (scores <= 1)).all():  # False for NaN
        raise InvalidScoreError(
            f"The model '{model.card.name}' gave a score that is not a number from 0 "
            "to 1; train it again"
        )
    return scores
