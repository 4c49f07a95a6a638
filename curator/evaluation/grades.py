"""One query's grades under one grader, as the matrix every number is made of.

A passage's relevance label is what its grades say together.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from curator.bank.marks import Importance, Votes
from curator.collection.pools import Pool
from curator.evaluation.settings import (
    BEST_RATING,
    HIGHEST_LABEL,
    SAME_LABEL,
    LabelRule,
    ReadingKind,
    correct_from,
)
from curator.evaluation.votes import VoteTally, vote_tally

NO_LABEL = -1

Labels = NDArray[np.int8] | NDArray[np.int16] | NDArray[np.float64]
"""Whole numbers, but of a rule that makes a mean; NO_LABEL where there is none."""

T = TypeVar("T")
Number = TypeVar("Number", np.bool_, np.float64)


@dataclass(frozen=True, eq=False)
class GradedQuery:
    """Ratings of a query's active items on its pool.

    ``ratings`` is (items, passages): 0-5 (official judgments are int16 for their
    range), or 1/0 for graders that only say correct or not; negative where the grade
    is unknown, either never asked or unreadable. Unknown is not 0.

    ``votes`` are the judges' votes on each item, () where the items are none that
    people vote on; ``decided`` what holds of an item's importance where they differ.
    ``letters`` is int32 (passages,), how many characters of each text are not white
    space, where anybody has voted: nothing else asks.
    ``gold`` is (items, gold passages), the ratings of the query's gold article, None
    where it has none, ``cited`` (items, passages cited alone) those of what reports
    cite and nobody ranked or judged. ``counted``: the ratings are as ``as_counted``
    gives them, so those of passages aside are 0 and count for nothing.
    ``probabilities`` are (items, passages) in [0, 1] where the grader gives them, from
    which its ratings follow; negative where unknown. ``expected``: a direct grade is
    one that is expected, so that labels by every rule keep its fraction.
    """

    pool: Pool
    item_ids: tuple[str, ...]
    ratings: NDArray[np.int8] | NDArray[np.int16]
    reading: ReadingKind
    votes: tuple[Votes, ...] = ()
    decided: tuple[Importance | None, ...] = ()
    letters: NDArray[np.int32] | None = None
    gold: NDArray[np.int8] | None = None
    cited: NDArray[np.int8] | None = None
    counted: bool = False
    probabilities: NDArray[np.float32] | None = None
    expected: bool = False
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
    def aside(self) -> int:
        """How many of the pool's passages count for nothing by themselves."""
        return len(self.pool.aside) if self.counted else 0

    @property
    def needed(self) -> int:
        """The number of (active item, passage) pairs, those aside left out."""
        return int(self.ratings.size) - len(self.item_ids) * self.aside

    @cached_property
    def known(self) -> int:
        """How many of these pairs have a grade."""
        known = int((self.ratings >= 0).sum())
        return known - len(self.item_ids) * self.aside

    @cached_property
    def whole_items(self) -> int:
        """How many items have a grade of every passage."""
        return int((self.ratings >= 0).all(axis=1).sum())

    @cached_property
    def gains(self) -> NDArray[np.float64]:
        """(items, passages) in [0, 1]: how far each pair is answered, unknown ones 0.

        The probability where the grader gives it, else the rating over the highest.
        """
        if self.probabilities is not None:
            return np.maximum(self.probabilities.astype(np.float64), 0.0)
        share = self.ratings / float(HIGHEST_LABEL[self.reading])
        return np.clip(share, 0.0, 1.0)

    @cached_property
    def possible_gains(self) -> NDArray[np.float64]:
        """(items, passages): the same if every unknown pair is answered in full."""
        return np.where(self.ratings < 0, 1.0, self.gains)

    @cached_property
    def tally(self) -> VoteTally:
        """The votes on the items as arrays, made once."""
        return vote_tally(self.votes, len(self.item_ids))

    @cached_property
    def counted_tally(self) -> VoteTally:
        """The same, everybody who voted on an item having voted as was decided."""
        if not any(self.decided):
            return self.tally
        votes = [
            tuple((judge, held or vote) for judge, vote in given)
            for given, held in zip(self.votes, self.decided, strict=True)
        ]
        return vote_tally(votes, len(self.item_ids))

    def correct(self, threshold: int) -> NDArray[np.bool_]:
        """(items, passages): which pairs are known to be correct."""
        return self.ratings >= threshold

    def possibly_correct(self, threshold: int) -> NDArray[np.bool_]:
        """(items, passages): which pairs are correct if every unknown one is."""
        return (self.ratings >= threshold) | (self.ratings < 0)

    def answered_by_gold(self, threshold: int) -> dict[str, bool]:
        """Map items to whether the gold article answers them, as far as is known.

        Empty without a gold article.
        """
        if self.gold is None:
            return {}
        return {
            item_id: bool((ratings >= threshold).any())
            for item_id, ratings in zip(self.item_ids, self.gold, strict=True)
            if (ratings >= threshold).any() or (ratings >= 0).all()
        }

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
        self,
        item_id: str,
        ratings: NDArray[np.int8],
        votes: Votes = (),
        probabilities: NDArray[np.float32] | None = None,
        decided: Importance | None = None,
        cited: NDArray[np.int8] | None = None,
    ) -> GradedQuery:
        """The grades as if one more item were in the bank; gold's stay as they are."""
        known, of_cited = self.probabilities, self.cited
        if of_cited is not None:
            unknown = np.full(of_cited.shape[1], -1, dtype=np.int8)
            row = unknown if cited is None else cited
            of_cited = np.concatenate([of_cited, row[None]])
        if known is None and probabilities is not None and not self.item_ids:
            known = np.empty((0, self.pool.size), dtype=np.float32)
        return replace(
            self,
            item_ids=(*self.item_ids, item_id),
            ratings=np.concatenate([self.ratings, ratings[None]]),
            votes=(*self.votes, votes),
            decided=(*self.decided, decided),
            cited=of_cited,
            probabilities=None
            if known is None or probabilities is None
            else np.concatenate([known, probabilities[None]]),
        )

    def without(self, item: int) -> GradedQuery:
        """The grades as if that item were not in the bank."""
        return self.of_items(np.delete(np.arange(len(self.item_ids)), item))

    def of_items(self, items: NDArray[np.intp]) -> GradedQuery:
        """The grades as if the bank were these of its items; one may come twice."""
        at, shares, gold = items.tolist(), self.probabilities, self.gold
        cited = self.cited
        return replace(
            self,
            item_ids=tuple(self.item_ids[i] for i in at),
            ratings=self.ratings[items],
            probabilities=None if shares is None else shares[items],
            votes=tuple(self.votes[i] for i in at) if self.votes else (),
            decided=tuple(self.decided[i] for i in at) if self.decided else (),
            gold=None if gold is None else gold[items],
            cited=None if cited is None else cited[items],
        )


def as_counted(graded: GradedQuery) -> GradedQuery:
    """The grades as measures count them; itself where they count as they are.

    A document has the best rating of its segments, and the ratings of the gold article
    and of what is cited alone stand beside the others.
    """
    pool, ratings, shares = graded.pool, graded.ratings, graded.probabilities
    if not (pool.gold or pool.segments or pool.cited_only):
        return graded
    if pool.segments:
        settled = None if shares is None else shares >= 1
        ratings = best_of_segments(ratings, pool.segments, graded.reading, settled)
        if shares is not None:
            shares = best_of_segments(shares, pool.segments, graded.reading, settled)
    gold = ratings[:, list(pool.gold)].astype(np.int8) if pool.gold else None
    alone = list(pool.cited_only)
    cited = ratings[:, alone].astype(np.int8) if alone else None
    aside = list(pool.aside)
    ratings = ratings.copy()
    ratings[:, aside] = 0
    if shares is not None:
        shares = shares.copy()
        shares[:, aside] = 0
    return replace(
        graded,
        ratings=ratings,
        probabilities=shares,
        gold=gold,
        cited=cited,
        counted=True,
    )


def best_of_segments(
    ratings: NDArray[Any],
    segments: Mapping[int, Sequence[int]],
    reading: ReadingKind,
    settled: NDArray[np.bool_] | None = None,
) -> NDArray[Any]:
    """(items, passages): the same, where documents have the best of their segments.

    A document is known once all its segments are, or one is rated as high as can be:
    nothing is higher. Else it has the rating of its own that it may have come with,
    and without one it is unknown, as are its segments: asked or not. ``settled``
    (items, passages) says in place of the reading what is as high as can be.
    """
    documents = list(segments)
    flat = np.concatenate([np.asarray(one) for one in segments.values()])
    starts = np.cumsum([0, *map(len, segments.values())])[:-1]
    parts, own = ratings[:, flat], ratings[:, documents]
    best = np.maximum.reduceat(parts, starts, axis=1)
    unknown = np.minimum.reduceat(parts, starts, axis=1) < 0
    if settled is not None:
        decided = np.logical_or.reduceat(settled[:, flat], starts, axis=1)
    elif reading == "direct":  # of no one scale, so nothing is the highest
        decided = np.zeros_like(unknown)
    else:
        decided = best >= HIGHEST_LABEL[reading]
    unknown &= ~decided
    # Not asked (-1) is more than unreadable (-2): whichever segment was not, decides.
    least = parts.dtype.type(-2)
    why = np.maximum.reduceat(np.where(parts < 0, parts, least), starts, axis=1)
    found = ratings.copy()
    found[:, documents] = np.where(unknown, np.where(own >= 0, own, why), best)
    return found


def at_ranks(values: NDArray[Number], top: NDArray[np.int32]) -> NDArray[Number]:
    """``values`` (…, passages) read at every rank of ``top`` (systems, k).

    Gives (…, systems, k), with False or 0 where nothing stands.
    """
    pad = np.zeros((*values.shape[:-1], 1), dtype=values.dtype)
    # GAP is −1, so it reads the padding.
    return np.concatenate([values, pad], axis=-1)[..., top]


def graded_labels(graded: GradedQuery, rule: LabelRule = BEST_RATING) -> Labels:
    """(passages,): what the ratings on the active items make, NO_LABEL without any.

    Under ``max`` the highest known rating; of a place ``min_answered`` from the top, a
    label of 4 or more takes so many items rated 4 or more, and is 0 where fewer are
    known. Under a direct relevance grader the query is the only item, so the label is
    its grade; under one that only says correct or not, the highest label is 1.

    Passages aside have none.

    Source: Farzi & Dietz 2024, equations 2 and 3.
    """
    if not len(graded.ratings):
        return np.full(graded.pool.size, NO_LABEL, dtype=np.int8)
    fractional = rule.fractional or graded.expected
    shares = graded.probabilities if fractional else None
    labels = labels_of(graded.ratings, rule, graded.reading, shares)
    labels[list(graded.pool.aside)] = NO_LABEL
    return labels


def labels_of_each(
    graded: GradedQuery, rule: LabelRule, drawn: NDArray[np.intp]
) -> Labels:
    """(draws, passages): the graded labels if the bank were each of these draws.

    ``drawn`` is (draws, items of each), at least one; an item may come twice.
    """
    draws, items = drawn.shape
    shape = items, draws * graded.pool.size
    fractional = rule.fractional or graded.expected
    shares = graded.probabilities if fractional else None
    if rule.label == "mean" and graded.reading != "direct":
        times = np.zeros((draws, len(graded.item_ids)))
        np.add.at(times, (np.arange(draws)[:, None], drawn), 1)
        means = times @ label_values(graded.ratings, graded.reading, shares) / items
        known = times @ (graded.ratings >= 0) > 0
        known[:, list(graded.pool.aside)] = False
        return np.where(known, means, NO_LABEL)
    if shares is not None:
        shares = shares[drawn.T].reshape(shape)
    ratings = graded.ratings[drawn.T].reshape(shape)
    labels = labels_of(ratings, rule, graded.reading, shares)
    labels = labels.reshape(draws, graded.pool.size)
    labels[:, list(graded.pool.aside)] = NO_LABEL
    return labels


def labels_of(
    ratings: NDArray[Any],
    rule: LabelRule = BEST_RATING,
    reading: ReadingKind = "rated",
    probabilities: NDArray[np.float32] | None = None,
) -> Labels:
    """(passages,) from (items, passages): where ratings become a label."""
    highest = np.asarray(np.maximum(ratings.max(axis=0), np.int8(NO_LABEL)))
    if reading == "direct" and probabilities is not None:  # the grade that is expected
        values = label_values(ratings, reading, probabilities).max(axis=0)
        return np.where(highest >= 0, values, float(NO_LABEL))
    if rule == BEST_RATING:
        return highest
    items, labels = len(ratings), highest
    if rule.label == "max":
        labels = np.zeros_like(highest)
        if rule.min_answered <= items:
            at = items - rule.min_answered
            labels = np.maximum(np.partition(ratings, at, axis=0)[at], 0)
    elif rule.label == "answered":
        correct = ratings >= correct_from(reading, rule.min_rating)
        labels = correct.sum(axis=0, dtype=np.int16)
    else:
        values = label_values(ratings, reading, probabilities)
        if rule.label == "top3" and items > 3:
            values = np.partition(values, items - 3, axis=0)[items - 3 :]
        labels = values.sum(axis=0, dtype=np.float64) / len(values)
    return np.where(highest >= 0, labels, labels.dtype.type(NO_LABEL))


def label_values(
    ratings: NDArray[Any],
    reading: ReadingKind,
    probabilities: NDArray[np.float32] | None = None,
) -> NDArray[Any]:
    """(items, passages): what means are made of, on the scale of the ratings.

    The probability times the highest rating where a grader gives it, else the rating,
    as it is, so that sums of ratings are exact; 0 where unknown.
    """
    if probabilities is None:
        return np.asarray(np.maximum(ratings, 0))
    # The rating is the whole part of what the probability makes here.
    scale = HIGHEST_LABEL["rated" if reading == "direct" else reading]
    return np.asarray(scale * np.maximum(probabilities.astype(np.float64), 0.0))


def best_case(graded: GradedQuery) -> GradedQuery:
    """The same with the highest grade wherever one is missing."""
    unknown = graded.ratings < 0
    highest = HIGHEST_LABEL[graded.reading]
    if graded.reading == "direct":  # of no one scale
        highest = int(np.iinfo(graded.ratings.dtype).max)
    filled = np.where(unknown, graded.ratings.dtype.type(highest), graded.ratings)
    possible = graded.probabilities
    if possible is not None:
        possible = np.where(unknown, np.float32(1), possible)
    return replace(graded, ratings=filled, probabilities=possible)


def open_labels(
    graded: GradedQuery, rule: LabelRule = BEST_RATING
) -> NDArray[np.bool_]:
    """(passages,): whether the missing grades could still change the label."""
    if graded.known == graded.needed:
        return np.zeros(graded.pool.size, dtype=np.bool_)
    best = graded_labels(best_case(graded), rule)
    return np.asarray(best > graded_labels(graded, rule) + SAME_LABEL)


def labels_without_each(graded: GradedQuery, rule: LabelRule = BEST_RATING) -> Labels:
    """(items, passages): the graded labels if that item were not in the bank."""
    ratings, items = graded.ratings, len(graded.ratings)
    if items < 2:
        return np.full(ratings.shape, NO_LABEL, dtype=np.int8)
    known = ratings >= 0
    labelled = known.sum(axis=0) > known  # by another item
    labelled[:, list(graded.pool.aside)] = False
    left: Labels
    if rule.label == "answered":
        correct = graded.correct(correct_from(graded.reading, rule.min_rating))
        left = correct.sum(axis=0, dtype=np.int16) - correct
    elif rule.label == "max":
        # Without one of the n highest, the next one takes the place of the n-th.
        at = items - rule.min_answered
        left = np.zeros_like(ratings)  # where fewer items are left
        if at >= 1:
            nth = np.partition(ratings, (at - 1, at), axis=0)[at - 1 : at + 1]
            left = np.maximum(np.where(ratings >= nth[1], nth[0], nth[1]), 0)
    else:
        values = label_values(ratings, graded.reading, graded.probabilities)
        values = values.astype(np.float64)
        if rule.label == "mean" or items <= 3:
            left = (values.sum(axis=0) - values) / (items - 1)
        else:
            four = np.partition(values, (items - 4, items - 3), axis=0)[items - 4 :]
            in_three = np.where(values >= four[1], values, four[0])
            left = (four.sum(axis=0) - in_three) / 3
    return np.where(labelled, left, left.dtype.type(NO_LABEL))
