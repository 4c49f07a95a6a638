"""Texts as numbered words, and the concepts (words and pairs of words) in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Concept = Literal["1", "2", "s4", "su4"]
Numbers = NDArray[np.int64]

# How far apart the words of a pair may stand: neighbours, or with up to 4 between.
REACH: dict[Concept, int] = {"1": 0, "2": 1, "s4": 5, "su4": 5}
ALONE: tuple[Concept, ...] = ("1", "su4")  # these count single words


@dataclass(frozen=True, eq=False)
class Words:
    """Several texts, one after the other, each a row of numbered words.

    ``numbers`` is (words,), equal for words of one stem, never negative; ``lengths``
    is (texts,), how many words each has.
    """

    numbers: NDArray[np.int32]
    lengths: Numbers

    @property
    def texts(self) -> int:
        """How many texts these are."""
        return len(self.lengths)

    def owners(self) -> Numbers:
        """(words,): the text that each word stands in."""
        return np.repeat(np.arange(self.texts), self.lengths)

    def of(self, rows: Numbers) -> Words:
        """These texts alone, in this order; a text may come more than once."""
        starts = np.cumsum(self.lengths) - self.lengths
        lengths = self.lengths[rows]
        begins = np.cumsum(lengths) - lengths
        within = np.arange(int(lengths.sum())) - np.repeat(begins, lengths)
        return Words(self.numbers[np.repeat(starts[rows], lengths) + within], lengths)

    def and_also(self, others: Words) -> Words:
        """These texts, then the others."""
        return Words(
            np.concatenate([self.numbers, others.numbers]),
            np.concatenate([self.lengths, others.lengths]),
        )

    def joined(self, groups: Numbers, count: int) -> Words:
        """``count`` texts: those of one group joined, in order; groups ascend."""
        lengths = np.bincount(groups, weights=self.lengths, minlength=count)
        return Words(self.numbers, lengths.astype(np.int64))


def concepts_each(lengths: Numbers, concept: Concept) -> Numbers:
    """(texts,): how many concepts texts of these lengths hold, repetitions counted."""
    alone = lengths if concept in ALONE else np.zeros_like(lengths)
    pairs = (np.maximum(lengths - d, 0) for d in range(1, REACH[concept] + 1))
    return np.asarray(alone + sum(pairs), dtype=np.int64)


def concepts_of(
    words: Words,
    concept: Concept,
    size: int,
    *,
    among: NDArray[np.bool_] | None = None,
) -> tuple[Numbers, Numbers]:
    """(owners, keys) of every concept; ``size`` is one more than the largest number.

    A pair's key is its first word's number * size + the second's, a word's own comes
    after those. A word whose number is negative is in none. With ``among`` (words,)
    only the concepts that hold one of those.
    """
    numbers, owners = words.numbers.astype(np.int64), words.owners()
    known = numbers >= 0
    wanted = known if among is None else among
    found = []
    if concept in ALONE:
        alone = known & wanted
        found.append((owners[alone], numbers[alone] + size * size))
    for apart in range(1, REACH[concept] + 1):
        left, right = slice(None, -apart), slice(apart, None)
        paired = (owners[left] == owners[right]) & known[left] & known[right]
        paired &= wanted[left] | wanted[right]
        keys = numbers[left][paired] * size + numbers[right][paired]
        found.append((owners[left][paired], keys))
    return (
        np.concatenate([owner for owner, _ in found]),
        np.concatenate([key for _, key in found]),
    )
