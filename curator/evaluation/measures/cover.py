"""EXAM Cover: how much of a query's exam a ranking answers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from curator.evaluation.grades import GradedQuery, values_at_ranks
from curator.evaluation.measures.flips import coverage_flips, listed_ranks
from curator.evaluation.measures.measure import (
    CutOff,
    Measure,
    Name,
    Row,
    fraction_row,
    require_items,
)


class Cover(Measure):
    """Share of the active items that any of a system's first ``k`` passages answers.

    Cover(S) = |{item : some passage in S's top k is correct for it}| / |items|, in
    [0, 1]. An item counts once, however many passages answer it. The denominator is
    the bank, not the grades that happen to exist.

    Source: Farzi & Dietz 2024, equation 1 (Sander & Dietz 2021 for the mean over
    queries).
    """

    place = 0
    names: ClassVar[tuple[Name, ...]] = tuple(
        Name(
            family,
            "the share of a query’s kept questions that are answered in {first} of a "
            "system",
            title,
        )
        for family, title in (("cover", "Cover"), ("exam", "EXAM"))  # EXAM in 2021
    )
    offered = compared = ("cover",)
    cut_off = "settings"
    source = "Farzi & Dietz 2024, eq. 1"

    def covered(
        self, graded: GradedQuery, *, possibly: bool = False
    ) -> NDArray[np.bool_]:
        """(items, systems): the items that count as answered, or might."""
        return graded.covered(self.threshold, self.depth, possibly=possibly)

    def row(self, graded: GradedQuery) -> Row:
        require_items(graded, self.name)
        covered = self.covered(graded).sum(axis=0)
        possible = self.covered(graded, possibly=True).sum(axis=0)
        return fraction_row(covered, possible, len(graded.item_ids))

    def scores_without_each(self, graded: GradedQuery) -> NDArray[np.float64]:
        require_items(graded, self.name)
        covered = self.covered(graded)
        others = len(graded.item_ids) - 1
        return np.asarray((covered.sum(axis=0) - covered) / others)

    def scores_of_draws(
        self, graded: GradedQuery, drawn: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        require_items(graded, self.name)
        covered = self.covered(graded)
        return np.asarray(covered[drawn].mean(axis=1))

    def flips(self, graded: GradedQuery) -> NDArray[np.float64] | None:
        require_items(graded, self.name)
        correct = graded.correct(self.threshold)
        listed = listed_ranks(graded.pool, self.depth)
        return coverage_flips(correct, listed) / len(graded.item_ids)

    def overall(self, graded: GradedQuery) -> float | None:
        require_items(graded, self.name)
        return float(graded.correct(self.threshold).any(axis=1).mean())


class PoolCover(Measure):
    """Share of the answerable items that a system's first ``k`` passages answer.

    |{item : some passage in S's top k is correct for it}| / |{item : some passage of
    the pool is}|, in [0, 1]; 0 in a query of which the pool answers nothing. Passages
    of a gold article alone are no part of the pool.

    Source: the RUBRIC workbench's normalised EXAM cover score, which it calls n-exam
    (n-EXAM of Sander & Dietz 2021 is set in relation to gold articles instead).
    """

    place = 55  # after P@k, which a first letter chooses in a list
    names = (
        Name(
            "pool-cover",
            "the share of a query’s kept questions that any pooled passage answers "
            "that are answered in {first} of a system",
            "Pool-normalised Cover",
        ),
    )
    offered = ("pool-cover",)
    cut_off: ClassVar[CutOff] = "settings"
    source = "RUBRIC workbench, its n-exam"

    def row(self, graded: GradedQuery) -> Row:
        require_items(graded, self.name)
        covered = graded.covered(self.threshold, self.depth)
        if graded.known == graded.needed:
            answerable = max(int(graded.correct(self.threshold).any(axis=1).sum()), 1)
            return fraction_row(covered.sum(axis=0), covered.sum(axis=0), answerable)
        possible = graded.covered(self.threshold, self.depth, possibly=True)
        worth = np.ones(graded.pool.top_k(self.depth).shape[1])
        row = mean_row(graded, self.threshold, self.depth, covered, possible, worth)
        return replace(row, rounded=True)

    def scores_without_each(self, graded: GradedQuery) -> NDArray[np.float64]:
        require_items(graded, self.name)
        covered = graded.covered(self.threshold, self.depth)
        return means_without_each(covered, graded.correct(self.threshold))


class SubtopicRecall(PoolCover):
    """Pool-normalised Cover by the name of ``ir-measures``, and with its cut-off.

    Cover at that cut-off, where the pool answers every item.
    """

    place = 63
    names = (Name("StRecall", PoolCover.names[0].means),)
    offered = ("StRecall@20",)
    cut_off = "name"
    source = "Zhai, Cohen & Lafferty 2003; ndeval"


def mean_row(
    graded: GradedQuery,
    threshold: int,
    depth: int | None,
    certain: NDArray[Any],
    possible: NDArray[Any],
    worth: NDArray[np.float64],
) -> Row:
    """Mean worth of a ranking over the items that the pool answers.

    ``certain`` (items, systems) is the worth by known grades, ``possible`` with every
    unknown one correct; ``worth`` (ranks,) that of a single answer at each rank. The
    bounds are tight: unknown grades may or may not make items answerable.
    """
    answerable = np.asarray(graded.correct(threshold).any(axis=1))
    score, highest = (
        values[answerable].sum(axis=0, keepdims=True) for values in (certain, possible)
    )
    items = int(answerable.sum())
    if graded.known == graded.needed:
        (score,) = score / max(items, 1)
        return Row(score, score, score)
    # An item without an answer so far is worth least if its answer is below the
    # ranking, else at the last of the possible ranks.
    maybe_correct = graded.possibly_correct(threshold)[~answerable]
    maybe_correct[:, list(graded.pool.uncounted)] = False
    top = graded.pool.top_k(depth)
    below = np.ones((len(top), graded.pool.size), dtype=np.bool_)
    systems, ranks = np.nonzero(top >= 0)
    below[systems, top[systems, ranks]] = False
    elsewhere = maybe_correct.astype(np.int64) @ below.T > 0
    last_ranks = values_at_ranks(maybe_correct, top) * np.arange(1, top.shape[1] + 1)
    last = np.concatenate([[np.inf], worth])[last_ranks.max(axis=-1, initial=0)]
    lowest_open = np.sort(np.where(elsewhere, 0.0, last), axis=0)
    highest_open = -np.sort(-possible[~answerable].astype(np.float64), axis=0)
    divisors = np.maximum(np.arange(items, items + len(lowest_open) + 1), 1)[:, None]
    lowest, best = (
        np.cumsum(np.concatenate([start, others]), axis=0) / divisors
        for start, others in ((score, lowest_open), (highest, highest_open))
    )
    return Row(score[0] / max(items, 1), lowest.min(axis=0), best.max(axis=0))


def means_without_each(
    worth: NDArray[Any], correct: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """(items, systems): the means of ``worth`` (items, systems) without each item."""
    answerable = correct.any(axis=1)
    counts = np.maximum(answerable.sum() - answerable, 1)
    return np.asarray((worth.sum(axis=0) - worth) / counts[:, None])
