"""Graders whose grades are computed, in a moment: no model is asked about a pair.

What they have in common: a passage's value for an item is ``WHOLE`` of the passage's
and ``SENTENCE`` of its best sentence's, and ``scaled`` makes a probability of it. The
weights and scales were chosen on TREC DL 2019 and REALSumm; docs/validity.md says how.
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

WHOLE, SENTENCE = 0.8, 0.2

Scale = tuple[tuple[float, ...], tuple[float, ...]]
"""Values and the probabilities that they are, in rising order; straight between."""

COSINES: Scale = ((0.0, 0.65, 1.0), (0.0, 0.8, 1.0))  # .65 is a rating of 4
WORDS: Scale = ((0.0, 0.875), (0.0, 1.0))  # .7 is a rating of 4

Grades = Ratings | Probabilities

AnswerKeys = Sequence[tuple[str, ...]]
"""The answer key of each item, () for one without."""


class Encoder(Protocol):
    """Turns texts into vectors: a model in this process, or the worker."""

    def encode(self, texts: Sequence[str]) -> list[Vectors]:
        """Vectors of each text, in order."""
        ...


class OwnEncoder(ABC):
    """The very model that a grader's vectors come from, in processes of its own.

    ``width`` is how many these are: so many times as much is given to them at once.
    """

    @property
    @abstractmethod
    def width(self) -> int: ...

    @abstractmethod
    def encode(self, texts: Sequence[str]) -> list[Vectors]:
        """Vectors of each text, in order."""


def mixed(
    wholes: npt.NDArray[np.float64], parts: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """The value of passages from theirs as wholes and their best sentences', rounded.

    Rounded, so that the order in which something was summed decides nothing.
    """
    value: npt.NDArray[np.float64] = WHOLE * wholes + SENTENCE * parts
    return value.round(DECIMALS)


def scaled(values: npt.NDArray[np.float64], scale: Scale) -> Probabilities:
    """The probabilities of values; ``UNREADABLE`` where one is NaN."""
    found = np.interp(values, *scale)
    return np.where(np.isnan(values), UNREADABLE, found).astype(np.float32)


# Every question that a query gets meets the same passages.
@lru_cache(maxsize=1 << 15)
def pieces(passage: str, version: str = LATEST) -> tuple[str, ...]:
    """The passage's first sentences, at least one: without any, the passage itself."""
    spans = compared_sentences(passage, version)
    return tuple(passage[a:b] for a, b in spans) or (passage,)


def unknown_reading(spec: GraderSpec) -> InvalidSpecError:
    """The error for a stored grader whose reading this program does not compute."""
    return InvalidSpecError(
        f"{spec.name} reads by {spec.reading.parser}, which is not known here like "
        "that; use a newer version of this program, or grade again"
    )


class ComputedGrader(ABC):
    """A grader that computes: ``spec`` says who it is, ``grade`` what it finds."""

    spec: GraderSpec

    @abstractmethod
    def grade(
        self,
        items: Sequence[Item],
        passages: Sequence[str],
        answers: AnswerKeys | None = None,
    ) -> Grades:
        """Grade of every passage for every item; no ``answers``: none has a key."""

    def read(self, items: Sequence[Item], passages: Sequence[str]) -> list[bool]:
        """Which items, then which passages, have all vectors that their grades need."""
        return [True] * (len(items) + len(passages))
