"""Effect of another judge: pyramids built from the votes of 1, 2, … judges.

A pyramid needs two counts per query: the items that each judge called vital, and those
of them that each system matched; the counts of several judges are sums of these. So a
pyramid of any judges is a sum and a division, for a bank of any size.

Differences are tested by a bootstrap of queries, described in docs/pyramids.md; judges
are fixed.

Sources: Lin & Demner-Fushman 2006, section 6, figures 2 and 3; Efron & Tibshirani 1993,
chapters 13 and 15.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from curator.evaluation.grades import GradedQuery
from curator.evaluation.measures.measure import Scores, require_items
from curator.evaluation.measures.pyramid import (
    f_score,
    length_precision,
    letters_retrieved,
)
from curator.evaluation.ranks import TIE_TOLERANCE

MOST_SUBSETS = 200
SEED = 0

INTERVAL = (0.025, 0.975)
# Products this small run faster on one BLAS thread.
ONE_THREAD_LIMIT = 250_000

Subsets = Sequence[Sequence[int]]  # of judges, by their rows in the matrix
Drawn = NDArray[np.float64]  # (samples, queries): how often each query was drawn


@dataclass(frozen=True, eq=False)
class VoteMatrix:
    """Counts of votes and matches for the items of queries that have votes.

    ``voted`` (judges, queries) is True where the judge voted on an item of the query,
    ``vital`` (judges, queries) counts the items that the judge called vital,
    ``matched`` (judges, queries, systems) those of them that the system has, and
    ``precision`` (queries, systems) is that of the length allowance.
    """

    judges: tuple[str, ...]
    query_ids: tuple[str, ...]
    voted: NDArray[np.bool_]
    vital: NDArray[np.int64]
    matched: NDArray[np.int64]
    precision: NDArray[np.float64]

    def scores(self, subsets: Sequence[Sequence[int]], beta: float) -> Scores:
        """(subsets, queries, systems): F_β under the pyramid of each set of judges.

        0 in a query without a vital vote of theirs. Of one judge it is the classic
        F_β, since all weights are then 1 or 0.
        """
        chosen = self._chosen(subsets)
        total = (chosen @ self.vital)[:, :, None]
        matched = np.tensordot(chosen, self.matched, axes=1)
        recall = np.divide(matched, total, out=np.zeros(matched.shape), where=total > 0)
        return f_score(self.precision, recall, beta)

    def counted(self, subsets: Sequence[Sequence[int]]) -> NDArray[np.bool_]:
        """(subsets, queries): True where any of these judges called any item vital."""
        return np.asarray(self._chosen(subsets) @ self.vital > 0)

    def _chosen(self, subsets: Sequence[Sequence[int]]) -> NDArray[np.float64]:
        """(subsets, judges): 1 for each judge of each set."""
        chosen = np.zeros((len(subsets), len(self.judges)))
        for row, subset in zip(chosen, subsets, strict=True):
            row[list(subset)] = 1
        return chosen


@dataclass(frozen=True, slots=True)
class PyramidSize:
    """Pyramids of ``judges`` judges each, averaged over ``subsets`` of them.

    ``tau`` is the mean Kendall's τ_b between such a pyramid's board and the classic
    board of every single judge, None if no pair of boards has an order to compare.
    ``zero_medians`` is the share of the queries with votes in which the median score of
    all systems is 0, in [0, 1]; a query that the pyramid leaves out counts as one.
    """

    judges: int
    subsets: int
    sampled: bool
    tau: float | None
    zero_medians: float


def vote_matrix_of(
    queries: Sequence[GradedQuery],
    *,
    threshold: int,
    depth: int,
    systems: int,
    without: Collection[str] = (),
) -> VoteMatrix:
    """Build the matrix of the queries with votes of judges that are not left out.

    Raises EvaluationError under a direct relevance grader.
    """
    for query in queries:
        require_items(query, "A pyramid")
    tallies = [(query, query.tally.without(without)) for query in queries]
    voted = [(query, tally) for query, tally in tallies if tally.judges]
    judges = tuple(sorted({judge for _, tally in voted for judge in tally.judges}))
    present = np.zeros((len(judges), len(voted)), dtype=np.bool_)
    vital = np.zeros((len(judges), len(voted)), dtype=np.int64)
    matched = np.zeros((len(judges), len(voted), systems), dtype=np.int64)
    precision = np.zeros((len(voted), systems))
    for at, (query, tally) in enumerate(voted):
        matches = query.covered(threshold, depth)
        letters = letters_retrieved(query, depth)
        called = tally.vital_votes(judges).astype(np.int64)
        present[:, at] = [judge in tally.judges for judge in judges]
        vital[:, at] = called.sum(axis=1)
        matched[:, at] = called @ matches
        precision[at] = length_precision(matches.sum(axis=0), letters)
    query_ids = tuple(query.query_id for query, _ in voted)
    return VoteMatrix(judges, query_ids, present, vital, matched, precision)


def pyramid_sizes(
    matrix: VoteMatrix, *, beta: float, most: int = MOST_SUBSETS, seed: int = SEED
) -> tuple[PyramidSize, ...]:
    """Compute one entry for 1, 2, … up to all judges; () without judges or systems.

    Every subset of a size counts, or ``most`` different ones drawn with ``seed``.
    """
    judges, systems = len(matrix.judges), matrix.precision.shape[1]
    if not judges or not systems:
        return ()
    generator = np.random.default_rng(seed)
    judge_scores = matrix.scores([[judge] for judge in range(judges)], beta)
    all_queries = np.ones((1, len(matrix.query_ids)))
    sizes = []
    for size in range(1, judges + 1):
        subsets = chosen_subsets(judges, size, most, generator)
        scores = matrix.scores(subsets, beta)
        (tau,) = mean_taus(scores, judge_scores, all_queries).tolist()
        sizes.append(
            PyramidSize(
                judges=size,
                subsets=len(subsets),
                sampled=len(subsets) < math.comb(judges, size),
                tau=None if math.isnan(tau) else tau,
                zero_medians=float(zero_medians(scores).mean()),
            )
        )
    return tuple(sizes)


def chosen_subsets(
    judges: int, size: int, most: int, generator: np.random.Generator
) -> list[tuple[int, ...]]:
    """All subsets of this size in order, or ``most`` distinct random ones."""
    if math.comb(judges, size) <= most:
        return list(combinations(range(judges), size))
    drawn: dict[tuple[int, ...], None] = {}
    while len(drawn) < most:
        picked = generator.choice(judges, size=size, replace=False)
        drawn[tuple(sorted(picked.tolist()))] = None
    return list(drawn)


def zero_medians(scores: Scores) -> NDArray[np.bool_]:
    """(…, queries): where the median over systems is 0, of (…, queries, systems)."""
    if not scores.shape[-1]:
        return np.zeros(scores.shape[:-1], dtype=np.bool_)
    return np.asarray(np.median(scores, axis=-1) == 0)


@dataclass(frozen=True, slots=True)
class PyramidDifference:
    """Difference between more and fewer judges, its 95 % interval and two-sided ``p``.

    All None where the pyramids' boards, or the judges', tie in all queries together.
    ``samples`` counts those in which boards could be compared.
    """

    difference: float | None
    lower: float | None
    upper: float | None
    p: float | None
    samples: int


@dataclass(frozen=True, slots=True)
class PyramidTest:
    """Pyramids of ``judges`` against pyramids of one less.

    ``left_out`` names the judge missing from the smaller pyramid; None for the mean
    over sets of judges of either size. ``tau`` is the difference in mean Kendall's τ_b
    with the boards of all single judges, ``zero_medians`` that in the share of queries
    in which the median system scores 0.
    """

    judges: int
    left_out: str | None
    tau: PyramidDifference
    zero_medians: PyramidDifference


def size_tests(
    matrix: VoteMatrix, drawn: Drawn, *, beta: float, last: bool = False
) -> tuple[PyramidTest, ...]:
    """Test each number of judges against one less, over the sets of the curves.

    ``last``: only the largest number. () with fewer than two judges or without systems.
    """
    judges = len(matrix.judges)
    generator = np.random.default_rng(SEED)
    sets = [
        chosen_subsets(judges, size, MOST_SUBSETS, generator)
        for size in range(1, judges + 1)
    ]
    first = max(judges - 2, 0) if last else 0
    return _tests(matrix, drawn, beta, sets[first:], range(judges), [None] * judges)


def left_out_tests(
    matrix: VoteMatrix, drawn: Drawn, *, beta: float, judges: Sequence[int]
) -> tuple[PyramidTest, ...]:
    """Test the pyramid of all judges against the one without each judge in turn.

    Boards are compared with those of ``judges``, rows of the matrix.
    """
    all_judges = range(len(matrix.judges))
    tests: list[PyramidTest] = []
    for row in all_judges:
        others = [judge for judge in all_judges if judge != row]
        if others:
            sets: list[Subsets] = [[others], [all_judges]]
            name = matrix.judges[row]
            tests += _tests(matrix, drawn, beta, sets, judges, [name])
    return tuple(tests)


def _tests(
    matrix: VoteMatrix,
    drawn: Drawn,
    beta: float,
    sets: Sequence[Subsets],
    judges: Sequence[int],
    left_out: Sequence[str | None],
) -> tuple[PyramidTest, ...]:
    if len(matrix.query_ids) < 2 or not matrix.precision.shape[1] or not judges:
        return ()
    judge_scores = matrix.scores([[judge] for judge in judges], beta)
    # The first sample is the queries themselves, which is what was observed.
    weights = np.concatenate([np.ones((1, len(matrix.query_ids))), drawn])
    taus, zeros = [], []
    for subsets in sets:
        scores = matrix.scores(subsets, beta)
        taus.append(mean_taus(scores, judge_scores, weights))
        share = zero_medians(scores).mean(axis=0)
        zeros.append(weights @ share / len(share))
    return tuple(
        PyramidTest(
            len(sets[at][0]),
            name,
            _difference(taus[at] - taus[at - 1]),
            _difference(zeros[at] - zeros[at - 1]),
        )
        for at, name in zip(range(1, len(sets)), left_out, strict=False)
    )


def mean_taus(scores: Scores, judge_scores: Scores, weights: Drawn) -> Scores:
    """(samples,): the mean τ_b of each pyramid's board with each judge's board.

    ``scores`` is (pyramids, queries, systems), ``judge_scores`` (boards, queries,
    systems). NaN where every board of either ties throughout.
    """
    means = np.full(len(weights), np.nan)
    for sample, (ours, theirs) in enumerate(
        zip(_boards(scores, weights), _boards(judge_scores, weights), strict=True)
    ):
        # Pairs in which the first is above agree where theirs is too, and differ where
        # it is below: one product counts both, and a column of ones the untied pairs.
        above, theirs_above = _above(ours), _above(theirs)
        signs = theirs_above - theirs_above.transpose(0, 2, 1)
        columns = np.ones((signs[0].size, len(signs) + 1), dtype=np.float32)
        columns[:, 1:] = signs.reshape(len(signs), -1).T
        flat, size = (
            above.reshape(len(above), -1),
            max(1, ONE_THREAD_LIMIT // columns.size),
        )
        blocks = [flat[at : at + size] @ columns for at in range(0, len(flat), size)]
        counts = np.concatenate(blocks).astype(np.float64)
        untied = theirs_above.sum(axis=(1, 2), dtype=np.float64)
        norm = np.sqrt(counts[:, :1] * untied)
        defined = norm > 0
        if defined.any():
            means[sample] = (counts[:, 1:][defined] / norm[defined]).mean()
    return means


def _boards(scores: Scores, weights: Drawn) -> Iterator[Scores]:
    """Yield (boards, systems) means over the drawn queries of each sample."""
    by_query = np.ascontiguousarray(scores.transpose(1, 0, 2))
    for drawn in weights:
        yield np.einsum("q,qbs->bs", drawn, by_query) / len(drawn)


def _above(boards: Scores) -> NDArray[np.float32]:
    """(boards, systems, systems): 1 where the first system is above the second."""
    lifted = boards + TIE_TOLERANCE
    return (boards[:, :, None] > lifted[:, None, :]).astype(np.float32)


def _difference(values: Scores) -> PyramidDifference:
    observed, drawn = float(values[0]), values[1:][~np.isnan(values[1:])]
    if np.isnan(observed) or not len(drawn):
        return PyramidDifference(None, None, None, None, 0)
    drawn = np.where(np.abs(drawn) <= TIE_TOLERANCE, 0, drawn)
    lower, upper = np.quantile(drawn, INTERVAL).tolist()
    side = min(int((drawn <= 0).sum()), int((drawn >= 0).sum()))
    p = min(1.0, 2 * (side + 1) / (len(drawn) + 1))
    return PyramidDifference(observed, lower, upper, p, len(drawn))
