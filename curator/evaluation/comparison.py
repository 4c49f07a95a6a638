"""Comparison of measures and of two systems, on scores of queries by systems.

Intervals of correlations are percentile bootstraps over queries, of which a resample
draws the same for both measures (Efron & Tibshirani 1993, section 13.3). A measure's
board is the mean of its queries' rows, up to a factor that all systems share (that of
n-EXAM), so a resample is ordered by its mean rows; other boards, such as official
ranks, are the same in all resamples.
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
from curator.evaluation.correlation import Interval, correlate, seeded
from curator.evaluation.leaderboard import Leaderboard
from curator.evaluation.measures.measure import Row
from curator.evaluation.ranks import TIE_TOLERANCE

RESAMPLES = 1000
COVERAGE = 0.95
DEFINED = 0.5  # least share of resamples in which the coefficient is defined


@dataclass(frozen=True, eq=False)
class ScoreMatrix:
    """Matrix of scores, (queries, systems), in the order of the two tuples."""

    query_ids: tuple[str, ...]
    systems: tuple[str, ...]
    scores: NDArray[np.float64]

    def select_queries(self, query_ids: Sequence[str]) -> ScoreMatrix:
        at = {query_id: i for i, query_id in enumerate(self.query_ids)}
        chosen = [at[query_id] for query_id in query_ids]
        return ScoreMatrix(tuple(query_ids), self.systems, self.scores[chosen])

    def means(self, query_ids: Sequence[str]) -> dict[str, float]:
        """Mean score by system over these queries; empty without queries."""
        if not query_ids:
            return {}
        means = self.select_queries(query_ids).scores.mean(axis=0).tolist()
        return dict(zip(self.systems, means, strict=True))

    def position(self, system: str) -> int:
        """Return the system's column. Raises UnknownNameError for an unknown system."""
        require_system(system, self.systems)
        return self.systems.index(system)


def score_matrix(rows: Mapping[str, Row], systems: Sequence[str]) -> ScoreMatrix:
    """Stack the scores of these rows into a matrix, without their bounds."""
    scores = np.zeros((0, len(systems)))
    if rows:
        scores = np.stack([row.score for row in rows.values()])
    return ScoreMatrix(tuple(rows), tuple(systems), scores)


def require_system(system: str, systems: Sequence[str]) -> None:
    """Raise UnknownNameError with a hint if ``system`` is none of ``systems``."""
    if system in systems:
        return
    if not systems:
        raise UnknownNameError(
            f"No system '{system}': no runs are imported yet. Import them with "
            "`curator import WORKSPACE --runs FOLDER`."
        )
    near = get_close_matches(system, systems, n=3, cutoff=0.5)
    hint = f" Did you mean {' or '.join(near)}?" if near else ""
    listed = ", ".join(systems[:8]) + (", …" if len(systems) > 8 else "")
    raise UnknownNameError(
        f"No system '{system}' in this workspace.{hint} Available: {listed}."
    )


@dataclass(frozen=True, eq=False)
class ResampledOrders:
    """Orders of the systems under one measure over resampled queries.

    ``signs`` is (pairs, resamples), 1 where the first of two systems is above the
    second, 0 where they tie; ``places`` (systems, resamples) grows with the score:
    twice the average rank from the middle.
    """

    signs: NDArray[np.float32]
    places: NDArray[np.float32]


def query_weights(
    queries: int, *, resamples: int = RESAMPLES, seed: int = 0
) -> NDArray[np.float64]:
    """(resamples, queries): the share of each query among the draws of a resample."""
    drawn = drawn_queries(queries, samples=resamples, seed=seed)
    return np.asarray(drawn / max(queries, 1))


def drawn_queries(queries: int, *, samples: int, seed: int = 0) -> NDArray[np.float64]:
    """(samples, queries): the count of each query in each random sample."""
    if not queries:
        return np.zeros((samples, 0))
    even = np.full(queries, 1 / queries)
    drawn = seeded(seed).multinomial(queries, even, size=samples)
    return drawn.astype(np.float64)


def resampled_orders(
    scores: NDArray[np.float64], weights: NDArray[np.float64]
) -> ResampledOrders:
    """Order the systems in every resample of (queries, systems) scores."""
    means = (weights @ scores).T
    first, second = np.triu_indices(len(means), 1)
    gaps = means[first] - means[second]
    signs = (gaps > TIE_TOLERANCE).astype(np.float32) - (gaps < -TIE_TOLERANCE)
    # The number of systems below a system minus the number above it.
    sides = np.zeros((len(means), len(first)), dtype=np.float32)
    sides[first, np.arange(len(first))] = 1
    sides[second, np.arange(len(first))] = -1
    return ResampledOrders(signs, sides @ signs)


def interval(ours: NDArray[np.float32], theirs: NDArray[np.float32]) -> Interval | None:
    """Return the interval of tau_b from ``signs``, or of rho from ``places``.

    None where too few resamples have an order.
    """
    products, *squares = (
        np.einsum("pr,pr->r", first, second).astype(np.float64)
        for first, second in ((ours, theirs), (ours, ours), (theirs, theirs))
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
    """Bootstrap the interval of Kendall's tau_b of these systems over queries.

    The same queries are drawn for both, of those that both score. ``theirs`` may be
    fixed scores, the higher the better. None with fewer than two queries, and if all
    systems tie in most resamples.
    """
    queries: Collection[str] = ours.query_ids
    if isinstance(theirs, ScoreMatrix):
        queries = set(queries) & set(theirs.query_ids)
    drawn = sorted(queries)  # so that all pairs over these queries draw the same
    if len(drawn) < 2 or len(systems) < 2:
        return None
    weights = query_weights(len(drawn), resamples=resamples, seed=seed)

    def signs(side: ScoreMatrix | Mapping[str, float]) -> NDArray[np.float32]:
        if not isinstance(side, ScoreMatrix):
            fixed = np.array([[side[system] for system in systems]])
            once = resampled_orders(fixed, np.ones((1, 1))).signs
            return np.broadcast_to(once, (len(once), resamples))
        columns = [side.position(system) for system in systems]
        scores = side.select_queries(drawn).scores[:, columns]
        return resampled_orders(scores, weights).signs

    return interval(signs(ours), signs(theirs))


@dataclass(frozen=True, slots=True)
class MeasurePair:
    """Correlation of two boards, ``first`` and ``second`` by place in the list.

    Coefficients and intervals are over the ``queries`` that both measures score; None
    if undefined, with the reason in ``note``, which also names other queries of the
    boards.
    """

    first: int
    second: int
    systems: int
    queries: int
    kendall: float | None
    kendall_interval: Interval | None
    spearman: float | None
    spearman_interval: Interval | None
    note: str = ""


@dataclass(frozen=True, slots=True)
class QueryDifference:
    """Scores of two systems on one query; ``difference`` is first minus second."""

    query_id: str
    first: float
    second: float
    difference: float


def measure_pairs(
    boards: Sequence[Leaderboard], matrices: Sequence[ScoreMatrix], *, seed: int = 0
) -> tuple[MeasurePair, ...]:
    """Correlate every two boards, with intervals over 1,000 seeded resamples.

    ``matrices`` hold the scores that the boards are means of, in the same order.
    """

    @cache
    def orders(measure: int, queries: tuple[str, ...]) -> ResampledOrders:
        weights = query_weights(len(queries), seed=seed)
        return resampled_orders(
            matrices[measure].select_queries(queries).scores, weights
        )

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
    counts = [len(matrix.query_ids) for matrix in (ours, theirs)]
    ranked = any(boards[n].standings and not boards[n].queries for n in two)
    scores = []
    for n, count in zip(two, counts, strict=True):
        use_board = ranked or count == len(shared)
        scores.append(boards[n].scores() if use_board else matrices[n].means(shared))
    correlation = correlate(*scores, reference_is="scores")
    kendall = spearman = None
    notes = [correlation.note] if correlation.note else []
    if correlation.kendall is not None:
        if len(shared) > 1 and not ranked:
            # Sorted so that all pairs over these queries draw the same.
            first, second = (orders(n, tuple(sorted(shared))) for n in two)
            kendall = interval(first.signs, second.signs)
            spearman = interval(first.places, second.places)
        if kendall is None:
            notes.append(
                "There is no interval: it needs two queries with scores of both, and "
                "an order of the systems in most resamples."
            )
    if shared and max(counts) > len(shared):
        notes.append(
            f"The boards are over {counts[0]} and {counts[1]} queries, their "
            f"correlation over the {len(shared)} with scores of both."
        )
    both = " and ".join(boards[n].settings.measure for n in two)
    return MeasurePair(
        *two,
        correlation.systems,
        len(shared),
        correlation.kendall,
        kendall,
        correlation.spearman,
        spearman,
        f"{both}: {' '.join(notes)}" if notes else "",
    )


def query_differences(
    matrix: ScoreMatrix, first: str, second: str
) -> tuple[QueryDifference, ...]:
    """List the queries by the difference of two systems, largest first.

    Raises UnknownNameError for an unknown system.
    """
    ours, theirs = (matrix.scores[:, matrix.position(s)] for s in (first, second))
    gaps = ours - theirs
    # Differences that are equal but for rounding keep the order of the queries.
    order = np.argsort(-np.round(np.abs(gaps), 9), kind="stable").tolist()
    return tuple(
        QueryDifference(
            matrix.query_ids[i], float(ours[i]), float(theirs[i]), float(gaps[i])
        )
        for i in order
    )
