"""Measures held against each other, and two systems query by query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from curator.evaluation.bootstrap import (
    Interval,
    ResampledOrders,
    kendall_interval,
    query_weights,
    resampled_orders,
    spearman_interval,
)
from curator.evaluation.correlation import correlate
from curator.evaluation.leaderboard import Leaderboard
from curator.evaluation.ranks import TIE_TOLERANCE
from curator.evaluation.score_matrix import ScoreMatrix, common_queries


@dataclass(frozen=True, slots=True)
class MeasurePair:
    """How alike two boards are, ``first`` and ``second`` by their place in the list.

    Coefficients and intervals are over the ``queries`` that both measures score; None
    where they are undefined, and ``why`` then says why. ``apart`` says that the boards
    rest on other queries as well, and so are not what is correlated here.
    """

    first: int
    second: int
    systems: int
    queries: int
    kendall: float | None
    kendall_interval: Interval | None
    spearman: float | None
    spearman_interval: Interval | None
    why: str = ""
    apart: str = ""

    @property
    def note(self) -> str:
        """All there is to say about the pair; "" for nothing."""
        return " ".join(one for one in (self.why, self.apart) if one)


@dataclass(frozen=True, slots=True)
class QueryDifference:
    """One query's scores of two systems; ``difference`` is first minus second."""

    query_id: str
    first: float
    second: float
    difference: float


def measure_pairs(
    boards: Sequence[Leaderboard], matrices: Sequence[ScoreMatrix], *, seed: int = 0
) -> tuple[MeasurePair, ...]:
    """Every two of these boards, with intervals over 1,000 seeded resamples.

    ``matrices`` hold the scores that the boards are means of, in the same order.
    """
    orders = _Orders(matrices, seed)
    return tuple(
        _pair(boards, matrices, i, j, orders)
        for i in range(len(boards))
        for j in range(i + 1, len(boards))
    )


def query_differences(
    matrix: ScoreMatrix, first: str, second: str
) -> tuple[QueryDifference, ...]:
    """Every query by how much the two systems differ, the largest first.

    Raises UnknownNameError for a system there is not.
    """
    ours, theirs = matrix.of_system(first), matrix.of_system(second)
    gaps = ours - theirs
    # Equal differences keep the order of the queries, whatever their last bits are.
    order = np.argsort(-np.round(np.abs(gaps), 9), kind="stable").tolist()
    return tuple(
        QueryDifference(
            matrix.query_ids[i], float(ours[i]), float(theirs[i]), float(gaps[i])
        )
        for i in order
    )


class _Orders:
    """Each measure's resampled boards, made once for each set of queries."""

    def __init__(self, matrices: Sequence[ScoreMatrix], seed: int) -> None:
        self._matrices = matrices
        self._seed = seed
        self._made: dict[tuple[int, tuple[str, ...]], ResampledOrders] = {}

    def of(self, measure: int, query_ids: tuple[str, ...]) -> ResampledOrders:
        """The measure's boards over resamples of these queries."""
        # In one order, so that every pair over these queries draws the same.
        queries = tuple(sorted(query_ids))
        if (measure, queries) not in self._made:
            weights = query_weights(len(queries), seed=self._seed)
            scores = self._matrices[measure].of_queries(queries).scores
            self._made[measure, queries] = resampled_orders(scores, weights)
        return self._made[measure, queries]


def _pair(
    boards: Sequence[Leaderboard],
    matrices: Sequence[ScoreMatrix],
    i: int,
    j: int,
    orders: _Orders,
) -> MeasurePair:
    shared = common_queries([matrices[i], matrices[j]])
    counts = [len(matrices[n].query_ids) for n in (i, j)]
    names = [boards[n].settings.measure for n in (i, j)]
    both = " and ".join(names)
    scores = [
        boards[n].scores()
        if len(matrices[n].query_ids) == len(shared)
        else _means(matrices[n].of_queries(shared))
        for n in (i, j)
    ]
    found = correlate(scores[0], scores[1], reference_is="scores")
    kendall = spearman = None
    why = apart = ""
    if not all(boards[n].standings for n in (i, j)):
        why = _boardless([boards[n] for n in (i, j)])
    elif not shared:
        why = f"{both}: no query that both score, so nothing to correlate."
    elif found.kendall is None:
        why = _undefined(names, scores)
    elif len(shared) < 2:
        why = f"{both}: 1 query that both score, and an interval takes two."
    else:
        ours, theirs = orders.of(i, shared), orders.of(j, shared)
        kendall = kendall_interval(ours, theirs)
        spearman = spearman_interval(ours, theirs)
        if kendall is None:
            why = (
                f"{both}: in most resamples of the queries all systems tie, so there "
                "is no interval."
            )
    if shared and max(counts) > len(shared):
        apart = (
            f"{both} rest on {counts[0]} and {counts[1]} queries; their correlation is "
            f"over the {len(shared)} that both score."
        )
    return MeasurePair(
        first=i,
        second=j,
        systems=found.systems,
        queries=len(shared),
        kendall=found.kendall,
        kendall_interval=kendall,
        spearman=found.spearman,
        spearman_interval=spearman,
        why=why,
        apart=apart,
    )


def _means(matrix: ScoreMatrix) -> dict[str, float]:
    """The board over these queries; empty without any."""
    if not matrix.query_ids:
        return {}
    return dict(zip(matrix.systems, matrix.scores.mean(axis=0).tolist(), strict=True))


def _boardless(boards: Sequence[Leaderboard]) -> str:
    """Which of the two boards have no systems."""
    without = [one.settings.measure for one in boards if not one.standings]
    verb, it = ("has", "it") if len(without) == 1 else ("have", "them")
    said = " and ".join(without)
    return f"{said} {verb} no board, so nothing correlates with {it}."


def _undefined(names: Sequence[str], scores: Sequence[Mapping[str, float]]) -> str:
    """Why two boards have no correlation."""
    systems = len(scores[0])
    if systems < 2:
        return "A correlation takes two systems; there is one."
    tied = [
        name
        for name, of in zip(names, scores, strict=True)
        if max(of.values()) - min(of.values()) <= TIE_TOLERANCE
    ]
    return (
        f"All {systems} systems tie under {' and '.join(tied)}: there is no order to "
        "correlate."
    )
