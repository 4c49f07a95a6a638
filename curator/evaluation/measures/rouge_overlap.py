"""How many concepts, words and pairs of words, texts share with ideal answers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Part = Literal["p", "r", "f1"]
TABLE = 1 << 20  # keys up to which a table is quicker than a search
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


@dataclass(frozen=True, eq=False)
class Overlap:
    """``shared`` is (texts, ideals); ``of_text`` (texts,) and ``of_ideal`` (ideals,).

    Concepts, counted with repetitions or as sets. A concept that a text has three
    times and the ideal answer twice is shared twice.
    """

    shared: NDArray[np.float64]
    of_text: Numbers
    of_ideal: Numbers

    def scores(self, part: Part) -> NDArray[np.float64]:
        """(texts, ideals): precision, recall or F1; 0 where there are no concepts.

        Source: Keikha, Park & Croft 2014, section 3. F1 = 2PR / (P + R), which is
        twice what is shared over what both have.
        """
        text, ideal = self.of_text[:, None], self.of_ideal[None, :]
        wholes = {"p": text, "r": ideal, "f1": (text + ideal) / 2}
        whole = wholes[part]
        return np.asarray(self.shared / np.where(whole > 0, whole, 1))


def overlap(texts: Words, ideals: Words, concept: Concept, *, sets: bool) -> Overlap:
    """What every text shares with every ideal answer.

    With ``sets`` every concept counts once in a text, however often it stands there.
    """
    size, texts_here, ideals_here = _numbered_anew(texts, ideals)
    owners, keys = concepts_of(ideals_here, concept, size)
    known, places = np.unique(keys, return_inverse=True)
    in_ideals = np.zeros((ideals.texts, len(known)), dtype=np.int64)
    np.add.at(in_ideals, (owners, places), 1)
    text, place, times = _found_in(texts_here, concept, size, known)
    if sets:
        in_ideals = np.minimum(in_ideals, 1)
        times = np.minimum(times, 1)
    shared = np.empty((texts.texts, ideals.texts))
    for i, wanted in enumerate(in_ideals):
        both = np.minimum(times, wanted[place])
        shared[:, i] = np.bincount(text, weights=both, minlength=texts.texts)
    if sets:
        return Overlap(shared, _distinct(texts, concept), in_ideals.sum(axis=1))
    return Overlap(
        shared,
        concepts_each(texts.lengths, concept),
        concepts_each(ideals.lengths, concept),
    )


def _numbered_anew(texts: Words, ideals: Words) -> tuple[int, Words, Words]:
    """The words that ideal answers hold numbered from 0, all others -1."""
    kept = np.unique(ideals.numbers)
    largest = max(int(texts.numbers.max(initial=-1)), int(kept.max(initial=-1)))
    anew = np.full(largest + 2, -1, dtype=np.int32)
    anew[kept] = np.arange(len(kept), dtype=np.int32)
    return (
        len(kept),
        Words(anew[texts.numbers], texts.lengths),
        Words(anew[ideals.numbers], ideals.lengths),
    )


def _found_in(
    texts: Words, concept: Concept, size: int, known: Numbers
) -> tuple[Numbers, Numbers, Numbers]:
    """(text, place in ``known``, times) of each text's concepts that are known."""
    owners, keys = concepts_of(texts, concept, size)
    keys_there_are = size * size + size
    if not len(known):
        nothing = np.zeros(0, dtype=np.int64)
        return nothing, nothing, nothing
    if keys_there_are <= TABLE:
        table = np.full(keys_there_are, -1, dtype=np.int32)
        table[known] = np.arange(len(known), dtype=np.int32)
        places = table[keys].astype(np.int64)
    else:
        places = np.searchsorted(known, keys).clip(max=len(known) - 1)
        places = np.where(known[places] == keys, places, -1)
    held = places >= 0
    cells = owners[held] * len(known) + places[held]
    if texts.texts * len(known) <= 4 * TABLE:
        counted = np.bincount(cells, minlength=1)
        filled = np.flatnonzero(counted)
        times = counted[filled]
    else:
        filled, times = np.unique(cells, return_counts=True)
    return filled // len(known), filled % len(known), times.astype(np.int64)


@lru_cache(maxsize=1024)  # of every query's passages, for several kinds of concept
def _distinct(texts: Words, concept: Concept) -> Numbers:
    """(texts,): how many different concepts each text holds."""
    size = int(texts.numbers.max(initial=0)) + 1
    cells = texts.owners() * size + texts.numbers
    _, place, times = np.unique(cells, return_inverse=True, return_counts=True)
    # A concept can only come again where one of its words does, which is seldom.
    owners, keys = concepts_of(texts, concept, size, among=times[place] > 1)
    different = np.unique(owners * (size * size + size) + keys)
    of = different // (size * size + size)
    once = np.bincount(owners, minlength=texts.texts)
    left = np.bincount(of, minlength=texts.texts)
    return np.asarray(concepts_each(texts.lengths, concept) - once + left)
