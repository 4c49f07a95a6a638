"""Measures of novelty in rankings: alpha-nDCG, ERR-IA and NRBP.

Each item is a subtopic, and a passage counts less for an item the more the passages
above it have answered. The binary measures are those of TREC's ``ndeval``, and so of
``ir-measures``, on the per-question qrels; graded-alpha-nDCG is ours.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from curator.collection.pools import Pool
from curator.evaluation.grades import GradedQuery, values_at_ranks
from curator.evaluation.measures.cover import mean_row, means_without_each
from curator.evaluation.measures.labels import discounts, ratio
from curator.evaluation.measures.measure import (
    Measure,
    Name,
    Row,
    require_items,
    unbounded_row,
)

Gains = NDArray[np.float64]  # (items, passages), in [0, 1]

ALPHA = 0.5  # share of an item's novelty that a full answer uses up
BETA = 0.5  # NRBP's patience
TIE = 1e-12  # fifths are not exact in binary
ONE_THREAD_LIMIT = 2**18
"""Largest matrix product, in multiplications, that OpenBLAS computes on one thread,
which is much faster on a busy machine."""


class AlphaGain(Measure):
    """DCG of newly answered items, over that of a greedy order of the pool.

    DCG = sum over ranks i and items of g · Π (1 − alpha · g of the passage above) /
    log2(i + 1), with gains g of 1 or 0. The order takes the passage worth most at each
    rank, of equals the one whose id comes last. Greedy is not always best, so that a
    system can pass 1. 0 where nothing is answered. No bounds: a missing grade can raise
    the ideal as well as the score.

    Source: Clarke et al. 2008, as ndeval computes it.
    """

    place = 61
    names = (
        Name(
            "alpha_nDCG",
            "the questions answered in {first}, each answer worth half of the one "
            "before and discounted by rank, over those of a greedy best order",
            "α-nDCG",
        ),
    )
    aliases = ("α_nDCG",)
    offered = ("alpha_nDCG@20",)
    bounded = False
    highest = None
    source = "Clarke et al. 2008; ndeval"

    def row(self, graded: GradedQuery) -> Row:
        gains = self.gains(graded)
        got = self._got(graded, gains).sum(axis=0)
        all_items = np.ones((1, len(gains)))
        (ideal,) = greedy_gains(offered(gains, graded.pool), all_items, self.depth)
        return unbounded_row(graded, ratio(got, ideal))

    def scores_without_each(self, graded: GradedQuery) -> NDArray[np.float64]:
        gains = self.gains(graded)
        got = self._got(graded, gains)
        others, ordered = 1.0 - np.eye(len(gains)), offered(gains, graded.pool)
        parts = np.array_split(
            others, len(gains) * ordered.size // ONE_THREAD_LIMIT + 1
        )
        part_gains = [greedy_gains(ordered, part, self.depth) for part in parts]
        return ratio(got.sum(axis=0) - got, np.concatenate(part_gains)[:, None])

    def gains(self, graded: GradedQuery) -> Gains:
        """(items, passages): how far each passage answers each item."""
        require_items(graded, self.name)
        return graded.correct(self.threshold).astype(np.float64)

    def _got(self, graded: GradedQuery, gains: Gains) -> NDArray[np.float64]:
        top = graded.pool.top_k(self.depth)
        return novel_gains(gains, top, discounts(top.shape[1]))


class GradedAlphaGain(AlphaGain):
    """Alpha-nDCG with the probability or the scaled rating as the gain.

    A gain is also the share of novelty that its passage uses up; *min-rating* is not
    used.
    """

    place = 62
    names = (
        Name(
            "graded-alpha-nDCG",
            "how far the questions are answered in {first}, what was answered before "
            "worth less and all discounted by rank, over a greedy best order",
            "graded α-nDCG",
        ),
    )
    aliases = ("graded-alpha-ndcg",)
    offered = ("graded-alpha-nDCG@20",)
    has_threshold = False
    source = "here"

    def gains(self, graded: GradedQuery) -> Gains:
        require_items(graded, self.name)
        return graded.gains


class IntentAware(Measure):
    """Mean worth of a ranking over the items that the pool answers.

    The worth is the sum over the ranks that answer an item of a discount · (1 − alpha)
    ** (answers above), over its maximum. Items that nothing in the pool answers leave
    the measure, as in ndeval; 0 if nothing is answered.
    """

    def worth(self, ranks: int) -> NDArray[np.float64]:
        """(ranks,): the worth of an item's first answer at each rank, in [0, 1]."""
        raise NotImplementedError

    def row(self, graded: GradedQuery) -> Row:
        certain = self._item_worth(graded, graded.correct(self.threshold))
        possible = certain
        if graded.known < graded.needed:
            possible = self._item_worth(graded, graded.possibly_correct(self.threshold))
        worth = self.worth(graded.pool.top_k(self.depth).shape[1])
        return mean_row(graded, self.threshold, self.depth, certain, possible, worth)

    def scores_without_each(self, graded: GradedQuery) -> NDArray[np.float64]:
        correct = graded.correct(self.threshold)
        return means_without_each(self._item_worth(graded, correct), correct)

    def _item_worth(
        self, graded: GradedQuery, correct: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """(items, systems): the worth of each ranking for each item, in [0, 1]."""
        require_items(graded, self.name)
        top = graded.pool.top_k(self.depth)
        return novel_gains(correct.astype(np.float64), top, self.worth(top.shape[1]))


class ReciprocalRankOfItems(IntentAware):
    """ERR-IA: discounted by rank, over the worth of answers at all ``depth`` ranks.

    ndeval leaves ERR-IA@1, which it does not print, without that division.

    Source: Chapelle et al. 2009, as ndeval computes it.
    """

    place = 64
    names = (
        Name(
            "ERR_IA",
            "the mean over the questions that any pooled passage answers of the "
            "answers in {first}, each worth half of the one before and divided by its "
            "rank",
        ),
    )
    offered = ("ERR_IA@20",)
    source = "Chapelle et al. 2009; ndeval"

    def worth(self, ranks: int) -> NDArray[np.float64]:
        index = np.arange(self.depth or ranks)
        highest = ((1 - ALPHA) ** index / (index + 1)).sum()
        return np.asarray(1 / (index[:ranks] + 1) / highest)


class RankBiasedNovelty(IntentAware):
    """NRBP: discounted by ``BETA`` a rank, of the whole ranking.

    Source: Clarke, Kolla & Vechtomova 2009, as ndeval computes it.
    """

    place = 65
    cut_off = "none"
    names = (
        Name(
            "NRBP",
            "the mean over the questions that any pooled passage answers of the "
            "answers in {first}, each worth half of the one before and of the rank "
            "above",
        ),
    )
    offered = ("NRBP",)
    source = "Clarke, Kolla & Vechtomova 2009; ndeval"

    def worth(self, ranks: int) -> NDArray[np.float64]:
        return np.asarray((1 - (1 - ALPHA) * BETA) * BETA ** np.arange(ranks))


def novel_gains(
    gains: Gains, top: NDArray[np.int32], discount: NDArray[np.float64]
) -> NDArray[np.float64]:
    """(items, systems): the gains at the ranks, times the novelty left there."""
    gains_at_ranks = values_at_ranks(gains, top)
    novelty = np.ones_like(gains_at_ranks)
    np.cumprod(1 - ALPHA * gains_at_ranks[..., :-1], axis=-1, out=novelty[..., 1:])
    return np.asarray((gains_at_ranks * novelty) @ discount)


def offered(gains: Gains, pool: Pool) -> Gains:
    """Select the gains of passages that an ideal order may contain, last id first."""
    ordered = gains[:, _last_id_first(pool)]
    return ordered[:, ordered.any(axis=0)]


def greedy_gains(
    gains: Gains, novelty: NDArray[np.float64], depth: int | None
) -> NDArray[np.float64]:
    """(orders,): DCG of the greedy order for each row of ``novelty`` (orders, items).

    ``novelty`` is the initial novelty of each item, 0 for one that is left out.
    """
    orders, passages = np.arange(len(novelty)), gains.shape[1]
    weights = discounts(passages if depth is None else min(depth, passages))
    totals = np.zeros(len(novelty))
    taken = np.empty((len(novelty), len(weights)), dtype=np.intp)
    for rank, discount in enumerate(weights.tolist()):
        worth = novelty @ gains
        worth[orders[:, None], taken[:, :rank]] = -1.0
        best = worth.max(axis=1, keepdims=True)
        chosen = (worth >= best - TIE).argmax(axis=1)
        totals += discount * worth[orders, chosen]
        novelty = novelty * (1 - ALPHA * gains[:, chosen].T)
        taken[:, rank] = chosen
    return totals


@lru_cache(maxsize=4096)
def _last_id_first(pool: Pool) -> NDArray[np.intp]:
    """Positions of the passages that count, in ndeval's order of equals."""
    ids, aside = pool.passage_ids, frozenset(pool.uncounted)
    counted = [position for position in range(pool.size) if position not in aside]
    return np.array(sorted(counted, key=ids.__getitem__, reverse=True), dtype=np.intp)
