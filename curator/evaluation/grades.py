"""One query's grades under one grader, as the matrix every number is made of."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from curator.bank.marks import Votes
from curator.collection.pools import Pool
from curator.evaluation.settings import ReadingKind
from curator.evaluation.vote_tally import VoteTally, vote_tally


@dataclass(frozen=True, eq=False)
class GradedQuery:
    """Ratings of a query's active items on its pool.

    ``ratings`` is (items, passages): 0-5 (official judgments are int16 for their
    range), or 1/0 for graders that only say correct or not; negative where the grade
    is unknown, either never asked or unreadable. Unknown is not 0.

    ``votes`` are the judges' votes on each item, () where the items are none that
    people vote on. ``gold`` is (items, gold passages), the ratings of the query's gold
    article, None where it has none; in ``ratings`` passages of it that nobody ranked
    or judged are 0, so that they count for nothing there.
    """

    pool: Pool
    item_ids: tuple[str, ...]
    ratings: NDArray[np.int8] | NDArray[np.int16]
    reading: ReadingKind
    votes: tuple[Votes, ...] = ()
    gold: NDArray[np.int8] | None = None

    @property
    def query_id(self) -> str:
        """The id of the query graded."""
        return self.pool.query_id

    @property
    def needed(self) -> int:
        """The number of (active item, passage) pairs, those of gold only left out."""
        return int(self.ratings.size) - self._gold_only

    @property
    def known(self) -> int:
        """How many of these pairs have a grade."""
        return int((self.ratings >= 0).sum()) - self._gold_only

    @cached_property
    def tally(self) -> VoteTally:
        """The votes on the items as arrays, made once."""
        return vote_tally(self.votes, len(self.item_ids))

    @property
    def _gold_only(self) -> int:
        return 0 if self.gold is None else len(self.item_ids) * len(self.pool.gold_only)

    def correct(self, threshold: int) -> NDArray[np.bool_]:
        """(items, passages): which pairs are known to be correct."""
        return self.ratings >= threshold

    def possibly_correct(self, threshold: int) -> NDArray[np.bool_]:
        """(items, passages): which pairs are correct if every unknown one is."""
        return (self.ratings >= threshold) | (self.ratings < 0)


def gold_apart(graded: GradedQuery) -> GradedQuery:
    """The grades with those of the gold article beside them; itself without one."""
    pool = graded.pool
    if not pool.gold:
        return graded
    ratings = graded.ratings.copy()
    ratings[:, list(pool.gold_only)] = 0
    gold = np.asarray(graded.ratings[:, list(pool.gold)], dtype=np.int8)
    return replace(graded, ratings=ratings, gold=gold)


Number = TypeVar("Number", np.bool_, np.float64)


def at_ranks(values: NDArray[Number], top: NDArray[np.int32]) -> NDArray[Number]:
    """``values`` (…, passages) read at every rank of ``top`` (systems, k).

    Gives (…, systems, k), with False or 0 where nothing stands.
    """
    pad = np.zeros((*values.shape[:-1], 1), dtype=values.dtype)
    # GAP is −1, so it reads the padding.
    return np.concatenate([values, pad], axis=-1)[..., top]
