"""Scores of queries by systems: measures held against each other, and two systems.

How sure a correlation of two measures is: both boards over resampled queries. A
resample draws as many queries as there are, with replacement, and the same ones for
both measures. Its two boards are correlated like the real ones. The interval runs from
the 2.5th to the 97.5th percentile of what came out. A board that is no mean over
queries, such as official ranks, stays as it is.

Every measure's board is the mean of its queries' rows, up to a factor that all systems
share (n-EXAM's, the gold articles' mean), so the order of a resample is that of the
resampled means. Queries that leave a measure are not drawn.

Source: the percentile bootstrap of Efron & Tibshirani 1993, section 13.3, with
queries as the sampling unit.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from curator.errors import UnknownNameError
from curator.evaluation.correlation import Interval, correlate
from curator.evaluation.leaderboard import Leaderboard
from curator.evaluation.measures.measure import Row
from curator.evaluation.ranks import TIE_TOLERANCE

RESAMPLES = 1000
COVERAGE = 0.95
DEFINED = 0.5  # the share of the resamples that have to have an order of the systems


@dataclass(frozen=True, eq=False)
class ScoreMatrix:
    """``scores`` is (queries, systems), in the order of the two tuples of names."""

    query_ids: tuple[str, ...]
    systems: tuple[str, ...]
    scores: NDArray[np.float64]

    def of_queries(self, query_ids: Sequence[str]) -> ScoreMatrix:
        """The rows of these queries, in this order."""
        at = {query_id: i for i, query_id in enumerate(self.query_ids)}
        chosen = [at[query_id] for query_id in query_ids]
        return ScoreMatrix(tuple(query_ids), self.systems, self.scores[chosen])

    def means(self, query_ids: Sequence[str]) -> dict[str, float]:
        """The board over these queries; empty without any."""
        if not query_ids:
            return {}
        means = self.of_queries(query_ids).scores.mean(axis=0).tolist()
        return dict(zip(self.systems, means, strict=True))

    def position(self, system: str) -> int:
        """The system's column. Raises UnknownNameError with the systems there are."""
        require_system(system, self.systems)
        return self.systems.index(system)


def score_matrix(rows: Mapping[str, Row], systems: Sequence[str]) -> ScoreMatrix:
    """The scores of these queries' rows, without what missing grades leave open."""
    scores = (
        np.stack([row.score for row in rows.values()])
        if rows
        else np.zeros((0, len(systems)))
    )
    return ScoreMatrix(tuple(rows), tuple(systems), scores)


def require_system(system: str, systems: Sequence[str]) -> None:
    """Raise UnknownNameError with the systems there are, or how to get some."""
    if system in systems:
        return
    if not systems:
        raise UnknownNameError(
            f"No system '{system}': no runs are imported yet. "
            "`curator import WORKSPACE --runs FOLDER` brings them."
        )
    near = get_close_matches(system, systems, n=3, cutoff=0.5)
    hint = f" Did you mean {' or '.join(near)}?" if near else ""
    listed = ", ".join(systems[:8]) + (", …" if len(systems) > 8 else "")
    raise UnknownNameError(
        f"No system '{system}' in this workspace.{hint} There are: {listed}."
    )


@dataclass(frozen=True, eq=False)
class ResampledOrders:
    """One measure's boards over resampled queries, as the order of their systems.

    ``signs`` is (pairs, resamples), 1 where the first of two systems is above the
    second, 0 where they tie; ``places`` (systems, resamples) grows with the score:
    twice the average rank from the middle.
    """

    signs: NDArray[np.float32]
    places: NDArray[np.float32]


def query_weights(
    queries: int, *, resamples: int = RESAMPLES, seed: int = 0
) -> NDArray[np.float64]:
    """(resamples, queries): how often each query was drawn, over their number."""
    generator = np.random.default_rng(seed)
    even = np.full(queries, 1 / max(queries, 1))
    drawn = generator.multinomial(queries, even, size=resamples)
    return np.asarray(drawn / max(queries, 1))


def resampled_orders(
    scores: NDArray[np.float64], weights: NDArray[np.float64]
) -> ResampledOrders:
    """The order of the systems in every resample of (queries, systems) scores."""
    means = (weights @ scores).T
    systems = len(means)
    first, second = np.triu_indices(systems, 1)
    signs = np.empty((len(first), len(weights)), dtype=np.float32)
    at = 0
    for system in range(systems - 1):
        gaps = means[system] - means[system + 1 :]
        above = (gaps > TIE_TOLERANCE).view(np.int8)
        signs[at : at + len(gaps)] = above - (gaps < -TIE_TOLERANCE).view(np.int8)
        at += len(gaps)
    # A system's place is how many it is above less how many are above it.
    beside = np.zeros((systems, len(first)), dtype=np.float32)
    beside[first, np.arange(len(first))] = 1
    beside[second, np.arange(len(first))] = -1
    return ResampledOrders(signs, beside @ signs)


def interval(ours: NDArray[np.float32], theirs: NDArray[np.float32]) -> Interval | None:
    """The interval of tau_b from ``signs``, of rho from ``places``.

    None where too few resamples have an order.
    """
    products, *squares = (
        np.einsum("pr,pr->r", one, other).astype(np.float64)
        for one, other in ((ours, theirs), (ours, ours), (theirs, theirs))
    )
    lengths = np.sqrt(squares[0] * squares[1])
    defined = products[lengths > 0] / lengths[lengths > 0]
    if len(defined) == 0 or len(defined) < DEFINED * len(products):
        return None
    tail = 100 * (1 - COVERAGE) / 2
    low, high = np.percentile(defined, [tail, 100 - tail])
    return Interval(float(low), float(high))


def tau_interval(
    ours: ScoreMatrix,
    theirs: ScoreMatrix | Mapping[str, float],
    systems: Sequence[str],
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Interval | None:
    """Where Kendall's tau_b of these systems lies over resampled queries.

    The same queries are drawn for both, of those that both score. ``theirs`` may be
    scores that stay as they are, the higher the better. None with fewer than two
    queries, and where in most resamples all systems tie.
    """
    queries: Collection[str] = ours.query_ids
    if isinstance(theirs, ScoreMatrix):
        queries = set(queries) & set(theirs.query_ids)
    drawn = sorted(queries)  # in one order, so that every pair over these draws alike
    if len(drawn) < 2 or len(systems) < 2:
        return None
    weights = query_weights(len(drawn), resamples=resamples, seed=seed)

    def signs(side: ScoreMatrix | Mapping[str, float]) -> NDArray[np.float32]:
        if not isinstance(side, ScoreMatrix):
            fixed = np.array([[side[one] for one in systems]])
            once = resampled_orders(fixed, np.ones((1, 1))).signs
            return np.broadcast_to(once, (len(once), resamples))
        columns = [side.position(one) for one in systems]
        scores = side.of_queries(drawn).scores[:, columns]
        return resampled_orders(scores, weights).signs

    return interval(signs(ours), signs(theirs))


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

    @cache
    def orders(measure: int, queries: tuple[str, ...]) -> ResampledOrders:
        weights = query_weights(len(queries), seed=seed)
        return resampled_orders(matrices[measure].of_queries(queries).scores, weights)

    return tuple(
        _pair(boards, matrices, two, orders)
        for two in combinations(range(len(boards)), 2)
    )


def _pair(
    boards: Sequence[Leaderboard],
    matrices: Sequence[ScoreMatrix],
    two: tuple[int, int],
    orders: Callable[[int, tuple[str, ...]], ResampledOrders],
) -> MeasurePair:
    ours, theirs = (matrices[n] for n in two)
    shared = tuple(q for q in ours.query_ids if q in set(theirs.query_ids))
    counts = [len(one.query_ids) for one in (ours, theirs)]
    names = [boards[n].settings.measure for n in two]
    both = " and ".join(names)
    ranked = [n for n in two if boards[n].standings and not boards[n].queries]
    scores = [
        boards[n].scores()
        if ranked or count == len(shared)
        else matrices[n].means(shared)
        for n, count in zip(two, counts, strict=True)
    ]
    found = correlate(*scores, reference_is="scores")
    kendall = spearman = None
    why = apart = ""
    without = [boards[n].settings.measure for n in two if not boards[n].standings]
    if without:
        verb, it = ("has", "it") if len(without) == 1 else ("have", "them")
        missing = " and ".join(without)
        why = f"{missing} {verb} no board, so nothing correlates with {it}."
    elif ranked:
        why = f"{both}: one has no scores by query, so there is no interval."
    elif not shared:
        why = f"{both}: no query that both score, so nothing to correlate."
    elif found.kendall is None:
        why = _undefined(names, scores)
    elif len(shared) < 2:
        why = f"{both}: 1 query that both score, and an interval takes two."
    else:
        # In one order, so that every pair over these queries draws the same.
        first, second = (orders(n, tuple(sorted(shared))) for n in two)
        kendall = interval(first.signs, second.signs)
        spearman = interval(first.places, second.places)
        if kendall is None:
            why = (
                f"{both}: in most resamples of the queries all systems tie, so there "
                "is no interval."
            )
    if shared and max(counts) > len(shared):
        by_query = all(boards[n].settings.by == "query" for n in two)
        what = "queries" if by_query else "topics"
        apart = (
            f"{both} rest on {counts[0]} and {counts[1]} {what}; their correlation is "
            f"over the {len(shared)} that both score."
        )
    return MeasurePair(
        *two,
        found.systems,
        len(shared),
        found.kendall,
        kendall,
        found.spearman,
        spearman,
        why,
        apart,
    )


def query_differences(
    matrix: ScoreMatrix, first: str, second: str
) -> tuple[QueryDifference, ...]:
    """Every query by how much the two systems differ, the largest first.

    Raises UnknownNameError for a system there is not.
    """
    ours, theirs = (matrix.scores[:, matrix.position(s)] for s in (first, second))
    gaps = ours - theirs
    # Equal differences keep the order of the queries, whatever their last bits are.
    order = np.argsort(-np.round(np.abs(gaps), 9), kind="stable").tolist()
    return tuple(
        QueryDifference(
            matrix.query_ids[i], float(ours[i]), float(theirs[i]), float(gaps[i])
        )
        for i in order
    )


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
