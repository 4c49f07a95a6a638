"""Grades of one query by one grader, as a matrix.

All scores are computed from it. A passage's relevance label combines its grades.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
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


@dataclass(frozen=True, eq=False)
class VoteTally:
    """The votes of ``judges``, by name, on items: two (judges, items) arrays.

    ``voted`` is True where the judge voted on the item, ``vital`` where they called it
    vital; where they called it okay, only the first is.
    """

    judges: tuple[str, ...]
    voted: NDArray[np.bool_]
    vital: NDArray[np.bool_]

    def vital_votes(self, judges: Iterable[str]) -> NDArray[np.bool_]:
        """(judges, items): True for votes of vital; False for unknown judges."""
        no_votes = np.zeros((1, self.vital.shape[1]), dtype=np.bool_)
        row = {judge: i for i, judge in enumerate(self.judges)}
        rows = [row.get(judge, -1) for judge in judges]  # −1 reads no_votes
        return np.concatenate([self.vital, no_votes])[rows]

    def without(self, judges: Collection[str]) -> VoteTally:
        """Return the tally without these judges; itself if none of them voted."""
        rows = [i for i, judge in enumerate(self.judges) if judge not in judges]
        if len(rows) == len(self.judges):
            return self
        names = tuple(self.judges[row] for row in rows)
        return VoteTally(names, self.voted[rows], self.vital[rows])


def vote_tally(votes: Sequence[Votes], items: int | None = None) -> VoteTally:
    """Convert votes to arrays; items after the last with votes have none."""
    names = sorted({judge for item_votes in votes for judge, _ in item_votes})
    row = {judge: i for i, judge in enumerate(names)}
    size = (len(names), len(votes) if items is None else items)
    voted = np.zeros(size, dtype=np.bool_)
    vital = np.zeros(size, dtype=np.bool_)
    for column, item_votes in enumerate(votes):
        for judge, vote in item_votes:
            voted[row[judge], column] = True
            vital[row[judge], column] = vote == "vital"
    return VoteTally(tuple(names), voted, vital)


NO_LABEL = -1

Labels = NDArray[np.int8] | NDArray[np.int16] | NDArray[np.float64]
"""Whole numbers, but of a rule that makes a mean; NO_LABEL where there is none."""

T = TypeVar("T")
Number = TypeVar("Number", np.bool_, np.float64)


@dataclass(frozen=True, eq=False)
class GradedQuery:
    """Ratings of a query's active items on its pool of passages.

    ``ratings`` is (items, passages): 0-5 (official judgments are int16 for their
    range), or 1/0 for graders that only say correct or not; negative where the grade
    is unknown, not requested or unreadable. Unknown is not 0.

    ``votes`` are the judges' votes on each item, () for items that are not voted on;
    ``decided`` is the importance decided where votes differ. ``letters`` is int32
    (passages,), the number of characters of each text that are not white space, only
    present where there are votes. ``gold`` is (items, gold passages), the ratings of
    the query's gold article, None without one; ``cited`` (items, cited-only passages)
    those of passages that reports cite and that are neither ranked nor judged.
    ``counted``: the ratings come from ``merge_segments``, so those of uncounted
    passages are 0. ``probabilities`` are (items, passages) in [0, 1] where the grader
    gives them, and the ratings follow from them; negative where unknown.
    ``expected``: a direct grade is an expected value, so labels by every rule keep its
    fraction.
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
        """Return the result of ``compute`` for these grades, cached under this key."""
        if key not in self._cached:
            self._cached[key] = compute()
        value: T = self._cached[key]
        return value

    @property
    def query_id(self) -> str:
        return self.pool.query_id

    @property
    def uncounted(self) -> int:
        """Number of passages of the pool that count for nothing by themselves."""
        return len(self.pool.uncounted) if self.counted else 0

    @property
    def needed(self) -> int:
        """Number of (active item, passage) pairs, without uncounted passages."""
        return int(self.ratings.size) - len(self.item_ids) * self.uncounted

    @cached_property
    def known(self) -> int:
        """Number of these pairs with a grade."""
        graded_pairs = int((self.ratings >= 0).sum())
        return graded_pairs - len(self.item_ids) * self.uncounted

    @cached_property
    def complete_items(self) -> int:
        """Number of items with a grade of every passage."""
        return int((self.ratings >= 0).all(axis=1).sum())

    @cached_property
    def gains(self) -> NDArray[np.float64]:
        """(items, passages) in [0, 1]: the degree to which each pair is answered.

        The probability where the grader gives it, else the rating over the highest; 0
        where unknown.
        """
        if self.probabilities is not None:
            return np.maximum(self.probabilities.astype(np.float64), 0.0)
        share = self.ratings / float(HIGHEST_LABEL[self.reading])
        return np.clip(share, 0.0, 1.0)

    @cached_property
    def tally(self) -> VoteTally:
        return vote_tally(self.votes, len(self.item_ids))

    @cached_property
    def counted_tally(self) -> VoteTally:
        """The tally with decided importances in place of all votes on an item."""
        if not any(self.decided):
            return self.tally
        votes = [
            tuple((judge, importance or vote) for judge, vote in item_votes)
            for item_votes, importance in zip(self.votes, self.decided, strict=True)
        ]
        return vote_tally(votes, len(self.item_ids))

    def correct(self, threshold: int) -> NDArray[np.bool_]:
        """(items, passages): True for pairs known to be correct."""
        return self.ratings >= threshold

    def possibly_correct(self, threshold: int) -> NDArray[np.bool_]:
        """(items, passages): True for pairs that are correct or unknown."""
        return (self.ratings >= threshold) | (self.ratings < 0)

    def answered_by_gold(self, threshold: int) -> dict[str, bool]:
        """Map each item with a known result to whether the gold article answers it.

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
        """(items, systems): True if one of the first ``depth`` passages answers it.

        ``possibly``: counting unknown grades as correct.
        """
        correct = self.possibly_correct if possibly else self.correct
        correct_at_ranks = values_at_ranks(correct(threshold), self.pool.top_k(depth))
        return np.asarray(correct_at_ranks.any(axis=-1))

    def with_item(
        self,
        other: GradedQuery,
        item: int,
        votes: Votes = (),
        decided: Importance | None = None,
    ) -> GradedQuery:
        """Add an item of other grades of this pool; gold ratings stay as they are."""
        cited, shares, added = self.cited, self.probabilities, other.probabilities
        if cited is not None:
            unknown = np.full((1, cited.shape[1]), -1, dtype=np.int8)
            row = unknown if other.cited is None else other.cited[item, None]
            cited = np.concatenate([cited, row])
        if shares is None and not self.item_ids:
            shares = np.empty((0, self.pool.size), dtype=np.float32)
        if shares is not None:
            shares = (
                None if added is None else np.concatenate([shares, added[item, None]])
            )
        return replace(
            self,
            item_ids=(*self.item_ids, other.item_ids[item]),
            ratings=np.concatenate([self.ratings, other.ratings[item, None]]),
            votes=(*self.votes, votes),
            decided=(*self.decided, decided),
            cited=cited,
            probabilities=shares,
        )

    def without(self, item: int) -> GradedQuery:
        return self.select_items(np.delete(np.arange(len(self.item_ids)), item))

    def select_items(self, items: NDArray[np.intp]) -> GradedQuery:
        """Restrict the grades to these items; an item may occur twice."""
        indices, shares, gold = items.tolist(), self.probabilities, self.gold
        cited = self.cited
        return replace(
            self,
            item_ids=tuple(self.item_ids[i] for i in indices),
            ratings=self.ratings[items],
            probabilities=None if shares is None else shares[items],
            votes=tuple(self.votes[i] for i in indices) if self.votes else (),
            decided=tuple(self.decided[i] for i in indices) if self.decided else (),
            gold=None if gold is None else gold[items],
            cited=None if cited is None else cited[items],
        )


def merge_segments(graded: GradedQuery) -> GradedQuery:
    """Return the grades as measures count them; the argument itself if equal.

    A document has the best rating of its segments; the ratings of the gold article and
    of passages that are only cited move to fields of their own.
    """
    pool, ratings, shares = graded.pool, graded.ratings, graded.probabilities
    if not (pool.gold or pool.segments or pool.cited_only):
        return graded
    if pool.segments:
        certain = None if shares is None else shares >= 1
        ratings = best_of_segments(ratings, pool.segments, graded.reading, certain)
        if shares is not None:
            shares = best_of_segments(shares, pool.segments, graded.reading, certain)
    gold = ratings[:, list(pool.gold)].astype(np.int8) if pool.gold else None
    alone = list(pool.cited_only)
    cited = ratings[:, alone].astype(np.int8) if alone else None
    uncounted = list(pool.uncounted)
    ratings = ratings.copy()
    ratings[:, uncounted] = 0
    if shares is not None:
        shares = shares.copy()
        shares[:, uncounted] = 0
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
    certain: NDArray[np.bool_] | None = None,
) -> NDArray[Any]:
    """(items, passages): the ratings with the best segment's rating for documents.

    A document's rating is known if all its segments are rated, or one has the highest
    rating. Otherwise the document has its own imported rating, or is unknown like its
    segments: not requested or unreadable. ``certain`` (items,
    passages) replaces the reading as the test for the highest rating.
    """
    documents = list(segments)
    flat = np.concatenate([np.asarray(indices) for indices in segments.values()])
    starts = np.cumsum([0, *map(len, segments.values())])[:-1]
    parts, own_ratings = ratings[:, flat], ratings[:, documents]
    best = np.maximum.reduceat(parts, starts, axis=1)
    unknown = np.minimum.reduceat(parts, starts, axis=1) < 0
    if certain is not None:
        decided = np.logical_or.reduceat(certain[:, flat], starts, axis=1)
    elif reading == "direct":  # of no one scale, so nothing is the highest
        decided = np.zeros_like(unknown)
    else:
        decided = best >= HIGHEST_LABEL[reading]
    unknown &= ~decided
    # Not requested (-1) is above unreadable (-2), so one such segment decides.
    least = parts.dtype.type(-2)
    reason = np.maximum.reduceat(np.where(parts < 0, parts, least), starts, axis=1)
    result = ratings.copy()
    result[:, documents] = np.where(
        unknown, np.where(own_ratings >= 0, own_ratings, reason), best
    )
    return result


def values_at_ranks(values: NDArray[Number], top: NDArray[np.int32]) -> NDArray[Number]:
    """Read ``values`` (…, passages) at every rank of ``top`` (systems, k).

    Returns (…, systems, k), with False or 0 at empty ranks.
    """
    pad = np.zeros((*values.shape[:-1], 1), dtype=values.dtype)
    # GAP is −1, so it reads the padding.
    return np.concatenate([values, pad], axis=-1)[..., top]


def graded_labels(graded: GradedQuery, rule: LabelRule = BEST_RATING) -> Labels:
    """(passages,): the label of each passage by the rule, NO_LABEL if unknown.

    Under ``max`` the highest known rating; of a place ``min_answered`` from the top, a
    label of 4 or more takes so many items rated 4 or more, and is 0 where fewer are
    known. Under a direct relevance grader the query is the only item, so the label is
    its grade; under one that only says correct or not, the highest label is 1.

    Uncounted passages have no label.

    Source: Farzi & Dietz 2024, equations 2 and 3.
    """
    if not len(graded.ratings):
        return np.full(graded.pool.size, NO_LABEL, dtype=np.int8)
    fractional = rule.fractional or graded.expected
    shares = graded.probabilities if fractional else None
    labels = labels_of(graded.ratings, rule, graded.reading, shares)
    labels[list(graded.pool.uncounted)] = NO_LABEL
    return labels


def labels_of_draws(
    graded: GradedQuery, rule: LabelRule, drawn: NDArray[np.intp]
) -> Labels:
    """(draws, passages): the graded labels of banks drawn from the items.

    ``drawn`` is (draws, items of each), at least one; an item may occur twice.
    """
    draws, items = drawn.shape
    shape = items, draws * graded.pool.size
    fractional = rule.fractional or graded.expected
    shares = graded.probabilities if fractional else None
    if rule.label == "mean" and graded.reading != "direct":
        times = np.zeros((draws, len(graded.item_ids)))
        np.add.at(times, (np.arange(draws)[:, None], drawn), 1)
        means = times @ label_values(graded.ratings, graded.reading, shares) / items
        has_label = times @ (graded.ratings >= 0) > 0
        has_label[:, list(graded.pool.uncounted)] = False
        return np.where(has_label, means, NO_LABEL)
    if shares is not None:
        shares = shares[drawn.T].reshape(shape)
    ratings = graded.ratings[drawn.T].reshape(shape)
    labels = labels_of(ratings, rule, graded.reading, shares)
    labels = labels.reshape(draws, graded.pool.size)
    labels[:, list(graded.pool.uncounted)] = NO_LABEL
    return labels


def labels_of(
    ratings: NDArray[Any],
    rule: LabelRule = BEST_RATING,
    reading: ReadingKind = "rated",
    probabilities: NDArray[np.float32] | None = None,
) -> Labels:
    """(passages,) labels from (items, passages) ratings."""
    highest = np.asarray(np.maximum(ratings.max(axis=0), np.int8(NO_LABEL)))
    if reading == "direct" and probabilities is not None:  # the expected grade
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
    """(items, passages): the values of which means are computed, on the rating scale.

    The probability times the highest rating where the grader gives it, else the rating
    itself, so that sums of ratings are exact; 0 where unknown.
    """
    if probabilities is None:
        return np.asarray(np.maximum(ratings, 0))
    # The rating is the integer part of this product.
    scale = HIGHEST_LABEL["rated" if reading == "direct" else reading]
    return np.asarray(scale * np.maximum(probabilities.astype(np.float64), 0.0))


def best_case(graded: GradedQuery) -> GradedQuery:
    """Return the grades with the highest grade wherever one is missing."""
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
    """(passages,): True where the missing grades could still change the label."""
    if graded.known == graded.needed:
        return np.zeros(graded.pool.size, dtype=np.bool_)
    best = graded_labels(best_case(graded), rule)
    return np.asarray(best > graded_labels(graded, rule) + SAME_LABEL)


def labels_without_each(graded: GradedQuery, rule: LabelRule = BEST_RATING) -> Labels:
    """(items, passages): the graded labels without each item in turn."""
    ratings, items = graded.ratings, len(graded.ratings)
    if items < 2:
        return np.full(ratings.shape, NO_LABEL, dtype=np.int8)
    rated = ratings >= 0
    labelled = rated.sum(axis=0) > rated  # by another item
    labelled[:, list(graded.pool.uncounted)] = False
    labels: Labels
    if rule.label == "answered":
        correct = graded.correct(correct_from(graded.reading, rule.min_rating))
        labels = correct.sum(axis=0, dtype=np.int16) - correct
    elif rule.label == "max":
        # Without one of the n highest, the next one takes the place of the n-th.
        at = items - rule.min_answered
        labels = np.zeros_like(ratings)  # where fewer items are left
        if at >= 1:
            nth = np.partition(ratings, (at - 1, at), axis=0)[at - 1 : at + 1]
            labels = np.maximum(np.where(ratings >= nth[1], nth[0], nth[1]), 0)
    else:
        values = label_values(ratings, graded.reading, graded.probabilities)
        values = values.astype(np.float64)
        if rule.label == "mean" or items <= 3:
            labels = (values.sum(axis=0) - values) / (items - 1)
        else:
            four = np.partition(values, (items - 4, items - 3), axis=0)[items - 4 :]
            in_three = np.where(values >= four[1], values, four[0])
            labels = (four.sum(axis=0) - in_three) / 3
    return np.where(labelled, labels, labels.dtype.type(NO_LABEL))
