"""One query's grades under one grader, as the matrix every number is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from curator.collection.pools import Pool
from curator.evaluation.settings import ReadingKind


@dataclass(frozen=True, eq=False)
class GradedQuery:
    """Ratings of a query's active items on its pool.

    ``ratings`` is (items, passages): 0-5 (official judgments are int16 for their
    range), or 1/0 for graders that only say correct or not; negative where the grade
    is unknown, either never asked or unreadable. Unknown is not 0.
    """

    pool: Pool
    item_ids: tuple[str, ...]
    ratings: NDArray[np.int8] | NDArray[np.int16]
    reading: ReadingKind

    @property
    def query_id(self) -> str:
        """The id of the query graded."""
        return self.pool.query_id

    @property
    def needed(self) -> int:
        """The number of (active item, passage) pairs."""
        return int(self.ratings.size)

    @property
    def known(self) -> int:
        """How many of the pairs have a grade."""
        return int((self.ratings >= 0).sum())

    def correct(self, threshold: int) -> NDArray[np.bool_]:
        """(items, passages): which pairs are known to be correct."""
        return self.ratings >= threshold

    def possibly_correct(self, threshold: int) -> NDArray[np.bool_]:
        """(items, passages): which pairs are correct if every unknown one is."""
        return (self.ratings >= threshold) | (self.ratings < 0)


Number = TypeVar("Number", np.bool_, np.float64)


def at_ranks(values: NDArray[Number], top: NDArray[np.int32]) -> NDArray[Number]:
    """``values`` (…, passages) read at every rank of ``top`` (systems, k).

    Gives (…, systems, k), with False or 0 where nothing stands.
    """
    pad = np.zeros((*values.shape[:-1], 1), dtype=values.dtype)
    # GAP is −1, so it reads the padding.
    return np.concatenate([values, pad], axis=-1)[..., top]
