"""Leaderboards: each system's mean over queries, its error and its rank.

Also boards of the official judgments, for comparison with derived boards.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import combinations
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from curator.collection.pools import UNJUDGED, Collection, Pool
from curator.errors import EvaluationError
from curator.evaluation.grades import GradedQuery
from curator.evaluation.measures import measure_type
from curator.evaluation.measures.labels import NormalizedDiscountedGain
from curator.evaluation.measures.measure import (
    NO_GRADES,
    Counts,
    Grades,
    Measure,
    Row,
    Scores,
)
from curator.evaluation.ranks import TIE_TOLERANCE, competition_ranks, rank_ranges
from curator.evaluation.settings import By, Settings
from curator.results import FILE, Result, column

T = TypeVar("T")
Number = TypeVar("Number", np.float64, np.int64)

ROWS_PER_ARRAY = 32  # rows that are cached as one array


@dataclass(frozen=True, slots=True)
class BoardRow:
    """A system's line on a board.

    ``stderr`` is the sample SD over queries / sqrt(n), None for a single query.
    ``lower`` and ``upper`` bound the score over all values of missing grades, None if
    grades are missing and the measure has no bounds; ``rank`` then follows from the
    known grades, and ``Leaderboard.rank_ranges`` gives its range. ``known_at_k`` is the
    share of the measure's ranks that have a passage with text. ``star``: under n-EXAM,
    comparable to the gold articles.
    """

    system: str
    rank: int
    score: float
    stderr: float | None = field(metadata=column("±", digits=4, only=FILE))
    lower: float | None = field(metadata=column(only=FILE))
    upper: float | None = field(metadata=column(only=FILE))
    known_at_k: float = field(metadata=column("known@k", only=FILE))
    star: bool = field(
        default=False,
        metadata=column("⋆", show=lambda star: "⋆" * star, only=FILE),
    )


@dataclass(frozen=True)
class Leaderboard(Result[BoardRow], table="leaderboard.leaderboard_table"):
    """Systems in order of a measure, with counts of the grades used.

    ``questions`` counts the active items (0 under a grader of passages), and
    ``questions_graded`` those of which every grade is known. ``gold_exam`` is the mean
    EXAM of the gold articles under n-EXAM, as far as they are graded.
    """

    settings: Settings
    queries: int
    needed: int
    known: int
    standings: tuple[BoardRow, ...]
    notes: tuple[str, ...] = ()
    overall: float | None = None
    questions: int = 0
    questions_graded: int = 0
    gold_exam: float | None = None

    @property
    def complete(self) -> bool:
        """True if every grade that the board needs is known."""
        return self.known == self.needed

    def scores(self) -> dict[str, float]:
        return {s.system: s.score for s in self.standings}

    def ranks(self) -> dict[str, int]:
        return {s.system: s.rank for s in self.standings}

    def overlapping_pairs(self) -> int | None:
        """Count the pairs of systems whose bars, score ± standard error, overlap.

        None without standard errors. Source: Farzi & Dietz 2024, section 4.1.
        """
        bars = [
            (row.score - row.stderr, row.score + row.stderr)
            for row in self.standings
            if row.stderr is not None
        ]
        if len(bars) < max(len(self.standings), 1):
            return None
        return sum(
            max(first[0], second[0]) <= min(first[1], second[1]) + TIE_TOLERANCE
            for first, second in combinations(bars, 2)
        )

    def rank_ranges(self) -> dict[str, tuple[int, int]] | None:
        """Return best and worst rank by system, over all values of missing grades.

        Best: one more than the systems whose lowest score is above its highest.
        Worst: one more than those whose highest is above its lowest. Each system's
        bounds are reached by other grades, so not every rank between need be
        possible. None where grades are missing and the measure has no bounds.
        """
        if self.complete:
            return {system: (rank, rank) for system, rank in self.ranks().items()}
        lower = [s.lower for s in self.standings if s.lower is not None]
        upper = [s.upper for s in self.standings if s.upper is not None]
        if not len(lower) == len(upper) == len(self.standings):
            return None
        ranges = rank_ranges(np.array(lower), np.array(upper))
        return dict(zip(self.ranks(), ranges, strict=True))


@dataclass(frozen=True, eq=False)
class MeanScores:
    """Mean scores over queries and their standard errors, (systems,) arrays."""

    score: NDArray[np.float64]
    lower: NDArray[np.float64] | None
    upper: NDArray[np.float64] | None
    stderr: NDArray[np.float64] | None
    ranks: NDArray[np.int64] = field(repr=False)


@dataclass(frozen=True, eq=False)
class RowArrays:
    """Rows as (rows, systems) arrays; None if one of the rows has none.

    ``lower`` and ``upper`` are ``score`` itself where each row's are.
    """

    score: Scores
    lower: Scores | None
    upper: Scores | None
    numerator: Counts | None
    upper_numerator: Counts | None
    denominators: tuple[int, ...]
    rounded: bool


@lru_cache(maxsize=256)
def stack_arrays(rows: tuple[Row, ...]) -> RowArrays:
    """Stack these rows, cached because an edit changes one row of thousands."""
    scores = [row.score for row in rows]
    # Three times as fast as ``np.stack`` for short rows.
    score = np.concatenate(scores).reshape(len(rows), len(scores[0]))

    def stack(values: Sequence[NDArray[Number] | None]) -> NDArray[Number] | None:
        flat = concatenate(values)
        return None if flat is None else flat.reshape(score.shape)

    def bound(values: Sequence[Scores | None]) -> Scores | None:
        return score if all(map(operator.is_, values, scores)) else stack(values)

    return RowArrays(
        score,
        bound([row.lower for row in rows]),
        bound([row.upper for row in rows]),
        stack([row.numerator for row in rows]),
        stack([row.upper_numerator for row in rows]),
        tuple(row.denominator for row in rows),
        any(row.rounded for row in rows),
    )


def mean_scores(rows: Sequence[Row]) -> MeanScores:
    """Compute the mean of these rows; every query counts alike.

    Fractions are summed as whole numbers over their common denominator, so equal
    fractions give equal floats in any order of the queries.
    """
    starts = range(0, len(rows), ROWS_PER_ARRAY)
    parts = [
        stack_arrays(tuple(rows[start : start + ROWS_PER_ARRAY])) for start in starts
    ]
    scores, first = np.concatenate([part.score for part in parts]), rows[0]
    numerators = concatenate([part.numerator for part in parts])
    denominators = [denominator for part in parts for denominator in part.denominators]
    score = exact_mean(scores, numerators, denominators, first.factor)

    def bound(
        bounds: Sequence[Scores | None],
        numerators: Counts | None,
        factor: float,
        outward: int,
    ) -> Scores | None:
        if all(limit is part.score for limit, part in zip(bounds, parts, strict=True)):
            return score
        values = concatenate(bounds)
        if values is None:
            return None
        mean = exact_mean(values, numerators, denominators, factor)
        if not any(part.rounded for part in parts):
            return mean
        # With every grade the score is summed exactly, a last bit a query away.
        wider = mean + outward * len(rows) * np.spacing(mean)
        return np.asarray(np.clip(wider, values.min(axis=0), values.max(axis=0)))

    lowers, uppers = [part.lower for part in parts], [part.upper for part in parts]
    above = concatenate([part.upper_numerator for part in parts])
    return MeanScores(
        score=score,
        lower=bound(lowers, numerators, first.lower_factor, -1),
        upper=bound(uppers, above, first.factor, 1),
        stderr=standard_errors(scores),
        ranks=competition_ranks(score),
    )


def concatenate(parts: Sequence[NDArray[Number] | None]) -> NDArray[Number] | None:
    """Concatenate these arrays; None if one is None."""
    arrays = [part for part in parts if part is not None]
    return np.concatenate(arrays) if len(arrays) == len(parts) else None


def exact_mean(
    values: Scores,
    numerators: Counts | None,
    denominators: Sequence[int],
    factor: float = 1.0,
) -> Scores:
    """(systems,): the mean over queries, correctly rounded if all are fractions.

    ``values`` (queries, systems) are ``factor`` times the fractions, and so is the
    mean.
    """
    if numerators is None:
        return np.asarray(values.mean(axis=0))
    common = math.lcm(*denominators)
    factors = [common // denominator for denominator in denominators]
    fits = common * len(values) < 2**53
    # Python's whole numbers where a common denominator outgrows a float.
    dtype = np.dtype(np.int64 if fits else object)
    totals = np.array(factors, dtype=dtype) @ numerators.astype(dtype)
    return np.asarray(totals / (common * len(values)), dtype=np.float64) * factor


def standard_errors(scores: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """(systems,): sample SD (n − 1) over queries / sqrt(n); None for one query."""
    queries = len(scores)
    if queries < 2:
        return None
    errors: NDArray[np.float64] = scores.std(axis=0, ddof=1) / math.sqrt(queries)
    return errors


@lru_cache(maxsize=64)
def known_shares(pools: tuple[Pool, ...], depth: int | None) -> NDArray[np.float64]:
    """(systems,): share of the first ``depth`` ranks with a passage that has a text.

    Without a depth, of the ranks up to the deepest stored in each query.
    """
    filled = sum((pool.top_k(depth) >= 0).sum(axis=1) for pool in pools)
    ranks = sum(pool.depth if depth is None else depth for pool in pools)
    return np.asarray(filled / max(ranks, 1))


@dataclass(frozen=True)
class ScoredQueries:
    """Rows of all queries or subtopics that count, with the grades they use.

    ``pools`` are those of rows of subtopics. ``notes`` are sentences on what was left
    out.
    """

    rows: Mapping[str, Row]
    grades: Grades = NO_GRADES
    overall: float | None = None
    notes: tuple[str, ...] = ()
    pools: Mapping[str, Pool] = field(default_factory=dict)


def leaderboard(
    settings: Settings,
    measure: Measure,
    systems: Sequence[str],
    pools: Mapping[str, Pool],
    scored: ScoredQueries,
) -> Leaderboard:
    """Build the board of the scored queries; best first, ties by system name.

    Where the scores are multiples of the gold articles', systems within their own
    standard error of 1, or above it, get a star.
    """
    standings: list[BoardRow] = []
    gold_exam = None

    def column(values: Scores | None) -> list[float] | list[None]:
        return [None] * len(systems) if values is None else values.tolist()

    if scored.rows and measure.starred:  # a row is EXAM as a multiple of gold's
        gold_exam = 1 / next(iter(scored.rows.values())).factor
    if scored.rows and systems:
        means = mean_scores(list(scored.rows.values()))
        pools_by_row = {**pools, **scored.pools}
        counted = tuple(map(pools_by_row.__getitem__, scored.rows))
        errors = 0.0 if means.stderr is None else means.stderr
        stars = (means.score + errors >= 1 - TIE_TOLERANCE) & measure.starred
        columns = (
            systems,
            means.ranks.tolist(),
            means.score.tolist(),
            column(means.stderr),
            column(means.lower),
            column(means.upper),
            known_shares(counted, measure.depth).tolist(),
            stars.tolist(),
        )
        standings = [BoardRow(*line) for line in zip(*columns, strict=True)]
        standings.sort(key=lambda s: (s.rank, s.system))
    return Leaderboard(
        settings,
        len(scored.rows),
        scored.grades.needed,
        scored.grades.known,
        tuple(standings),
        scored.notes,
        scored.overall,
        scored.grades.items,
        scored.grades.complete_items,
        gold_exam,
    )


def official_board(collection: Collection, settings: Settings) -> Leaderboard:
    """Build the official board of the present systems; a score is the negated rank.

    Raises EvaluationError where none of them has an official rank.
    """
    board = collection.official_board(settings.measure)
    ranks_by_system = {} if board is None else board.ranks
    scores = {
        system: -ranks_by_system[system]
        for system in collection.systems
        if system in ranks_by_system
    }
    if not scores:
        raise EvaluationError(
            "No official board in this workspace. Import one with `curator import "
            "WORKSPACE --official FILE.json`."
        )
    ranks = competition_ranks(np.array(list(scores.values())))
    standings = [
        BoardRow(system, rank, score, None, score, score, 1.0)
        for (system, score), rank in zip(scores.items(), ranks.tolist(), strict=True)
    ]
    standings.sort(key=lambda s: (s.rank, s.system))
    note = "Official ranks have no scores; each rank is shown as a negative number."
    return Leaderboard(settings, 0, 0, 0, tuple(standings), (note,))


def judged_queries(
    collection: Collection,
    measure: Measure,
    query_id: str | None = None,
    subtopic_id: str | None = None,
    *,
    by: By = "query",
) -> ScoredQueries:
    """Score every judged query, or one, by the judgments of pooled passages.

    Passages that are not judged count as not relevant, so nothing is missing. Negative
    judgments count as 0; nDCG's gains are the judgments themselves. Judged passages
    without a text are not in a pool and are ignored: the ideal order of nDCG is that of
    the pool. Queries without judgments are left out. By subtopic, every judged subtopic
    has a row, and every query without one; ``subtopic_id`` selects a single subtopic.

    Raises EvaluationError without judgments, or without runs, and for a measure of
    questions.
    """
    if measure.based_on != "labels":
        raise EvaluationError(
            f"'{measure.name}' cannot be computed from judgments. Use an ir-measures "
            "name, such as judgments:nDCG@10."
        )
    pools, named = judged_pools(collection, query_id, subtopic_id, by=by)
    rows = {}
    for topic, pool in (pools | named).items():
        judgments = np.maximum(pool.judgments, 0)
        ratings = np.where(pool.judgments != UNJUDGED, judgments, np.int16(-1))
        row = measure.row(GradedQuery(pool, (topic,), ratings[None, :], "rated"))
        rows[topic] = replace(
            row, lower=row.score, upper=row.score, upper_numerator=row.numerator
        )
    if not rows or not collection.systems:
        raise EvaluationError(
            "A board from judgments needs judgments and runs: `curator import "
            "WORKSPACE --judgments QRELS --runs FILE`."
        )
    return ScoredQueries(rows, pools=named)


def judged_pools(
    collection: Collection,
    query_id: str | None = None,
    subtopic_id: str | None = None,
    *,
    by: By,
) -> tuple[dict[str, Pool], dict[str, Pool]]:
    """Return the pools of judged queries, and by topic those of judged subtopics.

    By query there are no subtopics, unless ``subtopic_id`` selects them.
    """
    queries: dict[str, Pool] = {}
    subtopics: dict[tuple[str, str], Pool] = {}
    for query, pool in collection.pools.items():
        if query_id not in (None, query):
            continue
        judged = {
            (query, subtopic): topic_pool
            for subtopic, topic_pool in pool.subtopics.items()
            if is_judged(topic_pool) and subtopic_id in (None, subtopic)
        }
        if judged and (by == "subtopic" or subtopic_id is not None):
            subtopics |= judged
        elif is_judged(pool) and subtopic_id is None:
            queries[query] = pool
    return queries, by_topic(subtopics)


def is_judged(pool: Pool) -> bool:
    return bool((pool.judgments != UNJUDGED).any())


def by_topic(values: Mapping[tuple[str, str], T]) -> dict[str, T]:
    """Convert keys (query id, subtopic id) to topics, ``query_id/subtopic_id``.

    Raises EvaluationError for two of one name: "b/c" of query "a" and "c" of "a/b".
    """
    named = {
        f"{query}/{subtopic}": value for (query, subtopic), value in values.items()
    }
    if len(named) < len(values):
        raise EvaluationError(
            "Two subtopics have the same name as query/subtopic, so there are no "
            "scores by subtopic. Use ids of queries without a slash."
        )
    return named


def relevant_from(collection: Collection, measure: str) -> int:
    """Return the lowest judgment of a relevant passage; 1 for nDCG, which needs none.

    Raises EvaluationError if it is not set.
    """
    if collection.min_relevance is not None:
        return collection.min_relevance
    if measure_type(measure) is NormalizedDiscountedGain:
        return 1
    raise EvaluationError(
        "No minimum relevance is set. Set it with `curator import "
        "WORKSPACE --min-relevance N`."
    )
