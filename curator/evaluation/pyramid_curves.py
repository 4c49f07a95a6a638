"""Effect of another judge: pyramids built from the votes of 1, 2, … judges.

A pyramid needs two counts per query: the items that each judge called vital, and those
of them that each system matched; the counts of several judges are sums of these. So a
pyramid of any judges is a sum and a division, for a bank of any size.

Source: Lin & Demner-Fushman 2006, section 6, figures 2 and 3.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from curator.evaluation.grades import GradedQuery
from curator.evaluation.measures.measure import Scores, require_items
from curator.evaluation.measures.pyramid import (
    f_score,
    length_precision,
    letters_retrieved,
)
from curator.evaluation.ranks import competition_ranks

MOST_SUBSETS = 200
SEED = 0

Signs = NDArray[np.float32]  # (boards, systems · systems): 1 above, -1 below


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
    judge_boards = board_signs(matrix.scores([[j] for j in range(judges)], beta))
    sizes = []
    for size in range(1, judges + 1):
        subsets = chosen_subsets(judges, size, most, generator)
        scores = matrix.scores(subsets, beta)
        taus = kendall_of_signs(board_signs(scores), judge_boards)
        defined = taus[~np.isnan(taus)]
        sizes.append(
            PyramidSize(
                judges=size,
                subsets=len(subsets),
                sampled=len(subsets) < comb(judges, size),
                tau=float(defined.mean()) if defined.size else None,
                zero_medians=float(zero_medians(scores).mean()),
            )
        )
    return tuple(sizes)


def chosen_subsets(
    judges: int, size: int, most: int, generator: np.random.Generator
) -> list[tuple[int, ...]]:
    """All subsets of this size in order, or ``most`` distinct random ones."""
    if comb(judges, size) <= most:
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


def board_signs(scores: Scores) -> Signs:
    """(boards, systems · systems): 1 where one system is above the other.

    −1 below, 0 where they tie. A query that a pyramid leaves out is 0 for every
    system, so that it changes no order, and sums replace means.
    """
    ranks = np.array([competition_ranks(board) for board in scores.mean(axis=1)])
    above = np.sign(ranks[:, None, :] - ranks[:, :, None])
    return np.asarray(above.reshape(len(ranks), -1), dtype=np.float32)


def kendall_of_signs(boards: Signs, others: Signs) -> NDArray[np.float64]:
    """(boards, others): Kendall's τ_b between boards; NaN if all systems tie."""
    agreed = (boards @ others.T).astype(np.float64)
    untied = np.count_nonzero(boards, axis=1)[:, None] * np.count_nonzero(
        others, axis=1
    )
    norm = np.sqrt(untied.astype(np.float64))
    taus = np.full(agreed.shape, np.nan)
    np.divide(agreed, norm, out=taus, where=norm > 0)
    return taus
