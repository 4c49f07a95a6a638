"""One query's grades under one grader, as the matrix every number is made of.

A passage's relevance label is what its grades say together.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from curator.bank.marks import Votes
from curator.collection.pools import Pool
from curator.evaluation.settings import HIGHEST_LABEL, ReadingKind
from curator.evaluation.votes import VoteTally, vote_tally

NO_LABEL = -1

T = TypeVar("T")
Number = TypeVar("Number", np.bool_, np.float64)


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
    _cached: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False)

    def cached(self, key: Hashable, compute: Callable[[], T]) -> T:
        """What ``compute`` gives for these grades, computed once under this key."""
        if key not in self._cached:
            self._cached[key] = compute()
        known: T = self._cached[key]
        return known

    @property
    def query_id(self) -> str:
        """The id of the query graded."""
        return self.pool.query_id

    @property
    def gold_only(self) -> int:
        """How many of the pool's passages only the gold article brought."""
        return 0 if self.gold is None else len(self.pool.gold_only)

    @property
    def needed(self) -> int:
        """The number of (active item, passage) pairs, those of gold only left out."""
        return int(self.ratings.size) - len(self.item_ids) * self.gold_only

    @cached_property
    def known(self) -> int:
        """How many of these pairs have a grade."""
        known = int((self.ratings >= 0).sum())
        return known - len(self.item_ids) * self.gold_only

    @cached_property
    def whole_items(self) -> int:
        """How many items have a grade of every passage."""
        return int((self.ratings >= 0).all(axis=1).sum())

    @cached_property
    def tally(self) -> VoteTally:
        """The votes on the items as arrays, made once."""
        return vote_tally(self.votes, len(self.item_ids))

    def correct(self, threshold: int) -> NDArray[np.bool_]:
        """(items, passages): which pairs are known to be correct."""
        return self.ratings >= threshold

    def possibly_correct(self, threshold: int) -> NDArray[np.bool_]:
        """(items, passages): which pairs are correct if every unknown one is."""
        return (self.ratings >= threshold) | (self.ratings < 0)

    def covered(
        self, threshold: int, depth: int | None, *, possibly: bool = False
    ) -> NDArray[np.bool_]:
        """(items, systems): whether any of the first ``depth`` passages answers it.

        ``possibly``: if every unknown grade says so.
        """
        correct = self.possibly_correct if possibly else self.correct
        found = at_ranks(correct(threshold), self.pool.top_k(depth))
        return np.asarray(found.any(axis=-1))

    def with_item(
        self, item_id: str, ratings: NDArray[np.int8], votes: Votes = ()
    ) -> GradedQuery:
        """The grades as if one more item were in the bank; gold's stay as they are."""
        return replace(
            self,
            item_ids=(*self.item_ids, item_id),
            ratings=np.concatenate([self.ratings, ratings[None]]),
            votes=(*self.votes, votes),
        )

    def without(self, item: int) -> GradedQuery:
        """The grades as if that item were not in the bank."""
        return replace(
            self,
            item_ids=self.item_ids[:item] + self.item_ids[item + 1 :],
            ratings=np.delete(self.ratings, item, axis=0),
            votes=self.votes[:item] + self.votes[item + 1 :],
            gold=None if self.gold is None else np.delete(self.gold, item, axis=0),
        )


def gold_apart(graded: GradedQuery) -> GradedQuery:
    """The grades with those of the gold article beside them; itself without one."""
    pool = graded.pool
    if not pool.gold:
        return graded
    ratings = graded.ratings.copy()
    ratings[:, list(pool.gold_only)] = 0
    gold = np.asarray(graded.ratings[:, list(pool.gold)], dtype=np.int8)
    return replace(graded, ratings=ratings, gold=gold)


def at_ranks(values: NDArray[Number], top: NDArray[np.int32]) -> NDArray[Number]:
    """``values`` (…, passages) read at every rank of ``top`` (systems, k).

    Gives (…, systems, k), with False or 0 where nothing stands.
    """
    pad = np.zeros((*values.shape[:-1], 1), dtype=values.dtype)
    # GAP is −1, so it reads the padding.
    return np.concatenate([values, pad], axis=-1)[..., top]


def graded_labels(graded: GradedQuery) -> NDArray[np.int8]:
    """(passages,): the highest known rating on any active item, NO_LABEL without one.

    Under a direct relevance grader the query is the only item, so the label is its
    grade; under one that only says correct or not, the label is 1 or 0.

    Passages of a gold article that nobody ranked or judged have none.

    Source: Farzi & Dietz 2024, equations 2 and 3.
    """
    if not len(graded.ratings):
        return np.full(graded.pool.size, NO_LABEL, dtype=np.int8)
    labels = np.maximum(graded.ratings.max(axis=0), np.int8(NO_LABEL))
    labels[list(graded.pool.gold_only)] = NO_LABEL
    return np.asarray(labels)


def open_labels(graded: GradedQuery) -> NDArray[np.bool_]:
    """(passages,): whether the missing grades could still change the label."""
    if graded.known == graded.needed:
        return np.zeros(graded.pool.size, dtype=np.bool_)
    highest = graded.ratings.dtype.type(HIGHEST_LABEL[graded.reading])
    filled = np.where(graded.ratings < 0, highest, graded.ratings)
    best = graded_labels(replace(graded, ratings=filled))
    return np.asarray(best != graded_labels(graded))


def labels_without_each(graded: GradedQuery) -> NDArray[np.int8]:
    """(items, passages): the graded labels if that item were not in the bank."""
    known = np.maximum(graded.ratings, np.int8(NO_LABEL))
    known[:, list(graded.pool.gold_only)] = NO_LABEL
    items = len(known)
    if items < 2:
        return np.full(known.shape, NO_LABEL, dtype=np.int8)
    best = known.argmax(axis=0)
    highest = known[best, np.arange(known.shape[1])]
    second = np.partition(known, items - 2, axis=0)[items - 2]
    is_best = np.arange(items)[:, None] == best
    return np.asarray(np.where(is_best, second, highest), dtype=np.int8)
