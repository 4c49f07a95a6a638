"""Cosines between texts, each given as one or more unit vectors.

A text longer than a model's window has a vector per window; the similarity of two texts
is that of their closest windows. Vectors are stored as float16 and compared as float64,
and cosines are rounded to ``DECIMALS``, so that ratings do not depend on how a matrix
product is split.

A cache of vectors belongs to one responder, so its keys are those of texts only. The
persistent cache is in ``curator``, on SQLite.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float16]
"""Vectors of one text: (windows, dimensions), L2-normalised, at least one window."""

DECIMALS = 6


class PoolVectors:
    """The vectors of a pool's passages as one matrix, to compare with many items.

    Build it once per pool: the comparison of an item is then a single matrix product.
    Memory is 8 bytes per number: 2 MB for 651 passages of one window.

    Raises ValueError for a passage without a window.
    """

    def __init__(self, passages: Sequence[Vectors]) -> None:
        self._rows, self._starts = _flatten(passages)

    def __len__(self) -> int:
        return len(self._starts)

    def cosines(self, items: Sequence[Vectors]) -> npt.NDArray[np.float64]:
        """Return the rounded cosine of every item and passage, [items, passages]."""
        rows, starts = _flatten(items)
        if not len(starts) or not len(self):
            return np.zeros((len(starts), len(self)))
        by_window = rows @ self._rows.T
        by_item = np.maximum.reduceat(by_window, starts, axis=0)
        best: npt.NDArray[np.float64] = np.maximum.reduceat(
            by_item, self._starts, axis=1
        )
        return best.round(DECIMALS)


def cosines(
    items: Sequence[Vectors], passages: Sequence[Vectors]
) -> npt.NDArray[np.float64]:
    """Return the rounded cosine of every item and passage, [items, passages].

    It is the maximum over the windows of both.
    """
    return PoolVectors(passages).cosines(items)


def _flatten(
    texts: Sequence[Vectors],
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.intp]]:
    """Stack all windows as unit vectors; also return the first row of each text."""
    counts = [len(vectors) for vectors in texts]
    if 0 in counts:
        raise ValueError(f"text {counts.index(0)} of {len(texts)} has no vector")
    if not texts:
        return np.zeros((0, 0)), np.zeros(0, dtype=np.intp)
    stacked = np.concatenate(texts).astype(np.float64)
    lengths = np.linalg.norm(stacked, axis=1, keepdims=True)
    # A zero vector stays zero instead of NaN.
    rows: npt.NDArray[np.float64] = stacked / np.where(lengths == 0, 1.0, lengths)
    return rows, np.cumsum([0, *counts[:-1]], dtype=np.intp)


class Cache(Protocol):
    """Vectors of one responder by content key."""

    def cached_keys(self, keys: Sequence[str]) -> set[str]:
        """Return those of ``keys`` that have vectors."""
        ...

    def get_many(self, keys: Sequence[str]) -> dict[str, Vectors]:
        """Return the vectors of those ``keys`` that have any."""
        ...

    def put_many(self, values: Mapping[str, Vectors]) -> None:
        """Store ``values``; after an error none of them."""
        ...

    def sentence_cache(self, version: str) -> Cache:
        """Return the cache of vectors of texts' sentences, a row per sentence.

        ``version`` is that of sentence splitting (``grading.highlight``).
        """
        ...


class MemoryCache(Cache):
    """A cache in memory."""

    def __init__(self) -> None:
        self._values: dict[str, Vectors] = {}
        self._sentences: dict[str, MemoryCache] = {}

    def __len__(self) -> int:
        return len(self._values)

    def cached_keys(self, keys: Iterable[str]) -> set[str]:
        return self._values.keys() & set(keys)

    def get_many(self, keys: Iterable[str]) -> dict[str, Vectors]:
        return {key: self._values[key] for key in keys if key in self._values}

    def put_many(self, values: Mapping[str, Vectors]) -> None:
        self._values.update(values)

    def sentence_cache(self, version: str) -> MemoryCache:
        return self._sentences.setdefault(version, MemoryCache())
