"""Cosines between texts that are each one or more unit vectors.

A text longer than a model's window has a vector per window; two texts are as close as
their closest windows. Vectors are kept as float16, compared as float64, and cosines
rounded to ``DECIMALS``, so that how a matrix product was split never decides a
rating.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float16]
"""One text: (windows, dimensions), L2-normalised, at least one window."""

DECIMALS = 6


class PoolVectors:
    """The vectors of a pool's passages as one matrix, to compare many items with.

    Build it once per pool: the comparison of one item is then a single matrix
    product. Memory is 8 bytes a number: 2 MB for 651 passages of one window.

    Raises ValueError for a passage without a window.
    """

    def __init__(self, passages: Sequence[Vectors]) -> None:
        self._rows, self._starts = _flatten(passages)

    def __len__(self) -> int:
        return len(self._starts)

    def cosines(self, items: Sequence[Vectors]) -> npt.NDArray[np.float64]:
        """Rounded cosine of every item with every passage, [items, passages]."""
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
    """Rounded cosine of every item with every passage, [items, passages].

    The maximum over the windows of both.
    """
    return PoolVectors(passages).cosines(items)


def _flatten(
    texts: Sequence[Vectors],
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.intp]]:
    """All windows below each other as unit vectors, and where each text starts."""
    counts = [len(vectors) for vectors in texts]
    if 0 in counts:
        raise ValueError(f"text {counts.index(0)} of {len(texts)} has no vector")
    if not texts:
        return np.zeros((0, 0)), np.zeros(0, dtype=np.intp)
    stacked = np.concatenate(texts).astype(np.float64)
    lengths = np.linalg.norm(stacked, axis=1, keepdims=True)
    # A zero vector stays zero: it is like nothing, and not NaN.
    rows: npt.NDArray[np.float64] = stacked / np.where(lengths == 0, 1.0, lengths)
    return rows, np.cumsum([0, *counts[:-1]], dtype=np.intp)
