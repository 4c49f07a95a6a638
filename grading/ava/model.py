"""What an AVA model looks at, and what every such model can do."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from grading.ava.card import Card
from grading.errors import InvalidScoreError

Scores = npt.NDArray[np.float64]
"""A score in [0, 1] per triple: how sure the model is that the candidate is right."""


@dataclass(frozen=True, slots=True)
class Triple:
    """A question, a reference answer to it, and the candidate that is to be checked.

    ``short_answer`` is the annotated core of the reference (the paper's s), None
    where there is none. Source: Vu & Moschitti 2020, section 3.
    """

    question: str
    reference: str
    candidate: str
    short_answer: str | None = None


class Ava(Protocol):
    """A trained model. ``scores`` has the score of each triple, in order.

    The same triple has the same score, whatever stands beside it, up to rounding
    where the batch is another one. ``fingerprint`` is a content hash of all that
    decides a score: weights, configuration, tokens.
    """

    @property
    def card(self) -> Card: ...

    @property
    def fingerprint(self) -> str: ...

    def scores(self, triples: Sequence[Triple]) -> Scores: ...


def checked_scores(model: Ava, triples: Sequence[Triple]) -> Scores:
    """The model's scores of the triples, in order.

    Raises InvalidScoreError for one that is not a number from 0 to 1. What is not a
    number is above no threshold, and would pass for a wrong answer.
    """
    scores = np.asarray(model.scores(triples), dtype=np.float64)
    if not ((scores >= 0) & (scores <= 1)).all():  # NaN is neither
        raise InvalidScoreError(
            f"The model '{model.card.name}' gave a score that is not a number from 0 "
            "to 1; train it again"
        )
    return scores
