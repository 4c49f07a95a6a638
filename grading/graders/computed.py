"""Graders that compute grades from vectors or words, without prompting a model.

The value of a passage for an item is a weighted mean of the whole passage's value
(``PASSAGE_WEIGHT``) and its best sentence's (``SENTENCE_WEIGHT``), which
``to_probabilities`` maps to a probability. The weights and scales were chosen on TREC
DL 2019 and REALSumm (docs/validity.md).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import lru_cache
from typing import Protocol

import numpy as np
import numpy.typing as npt

from grading.errors import InvalidSpecError
from grading.graders.client import Probabilities, Ratings
from grading.highlight import LATEST, compared_sentences
from grading.items import Item
from grading.ratings import UNREADABLE
from grading.responders import GraderSpec
from grading.similarity import DECIMALS, Vectors

PASSAGE_WEIGHT, SENTENCE_WEIGHT = 0.8, 0.2

ScalePoints = tuple[tuple[float, ...], tuple[float, ...]]
"""Values and their probabilities, both rising; linear in between."""

COSINE_SCALE: ScalePoints = ((0.0, 0.65, 1.0), (0.0, 0.8, 1.0))  # .65 is a rating of 4
WORD_SCALE: ScalePoints = ((0.0, 0.875), (0.0, 1.0))  # .7 is a rating of 4

Grades = Ratings | Probabilities

AnswerKeys = Sequence[tuple[str, ...]]
"""The answer key of each item, () for an item without one."""


class Encoder(Protocol):
    """Encodes texts as vectors, in this process or in a worker."""

    def encode(self, texts: Sequence[str]) -> list[Vectors]:
        """Encode texts, in order."""
        ...


class GraderEncoder(ABC):
    """Encoder with the model of one particular grader, in separate processes.

    ``worker_count`` is the number of processes; batches are larger by this factor.
    """

    @property
    @abstractmethod
    def worker_count(self) -> int: ...

    @abstractmethod
    def encode(self, texts: Sequence[str]) -> list[Vectors]:
        """Encode texts, in order."""


def weighted_mean(
    of_passages: npt.NDArray[np.float64], of_sentences: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Combine values of whole passages with those of their best sentences.

    Rounded, so that results do not depend on the order of summation.
    """
    value: npt.NDArray[np.float64] = (
        PASSAGE_WEIGHT * of_passages + SENTENCE_WEIGHT * of_sentences
    )
    return value.round(DECIMALS)


def to_probabilities(
    values: npt.NDArray[np.float64], scale: ScalePoints
) -> Probabilities:
    """Map values to probabilities by linear interpolation; NaN to ``UNREADABLE``."""
    probabilities = np.interp(values, *scale)
    return np.where(np.isnan(values), UNREADABLE, probabilities).astype(np.float32)


# All questions of a query are compared with the same passages.
@lru_cache(maxsize=1 << 15)
def passage_sentences(passage: str, version: str = LATEST) -> tuple[str, ...]:
    """Split a passage into its first sentences; one without any is its own sentence."""
    spans = compared_sentences(passage, version)
    return tuple(passage[a:b] for a, b in spans) or (passage,)


def unknown_reading(spec: GraderSpec) -> InvalidSpecError:
    """Return the error for a stored grader with a reading that cannot be computed."""
    return InvalidSpecError(
        f"{spec.name} was stored with {spec.reading.parser}, which this version does "
        "not support; use a newer version of this program, or grade again"
    )


class ComputedGrader(ABC):
    """Base class of graders that compute grades."""

    spec: GraderSpec

    @abstractmethod
    def grade(
        self,
        items: Sequence[Item],
        passages: Sequence[str],
        answers: AnswerKeys | None = None,
    ) -> Grades:
        """Grade every passage for every item; without ``answers`` no item has a key."""

    def has_vectors(self, items: Sequence[Item], passages: Sequence[str]) -> list[bool]:
        """Return for each item, then each passage, whether its vectors are cached."""
        return [True] * (len(items) + len(passages))
