"""Effect of more judges, tested by a bootstrap of queries under pyramids.

As many queries as there are, drawn with replacement, make a sample; in each the two
pyramids are compared anew, on the same queries. The interval is from the 2.5th to the
97.5th percentile of the differences, and p is twice the share of samples in which the
difference is 0 or of the other sign (whichever side has fewer), counting one more
sample on each side. Judges are fixed; only queries are drawn.

Sources: Efron & Tibshirani 1993, chapters 13 and 15; what is compared, Lin &
Demner-Fushman 2006, figures 2 and 3.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from curator.evaluation.correlation import seeded
from curator.evaluation.measures.measure import Scores
from curator.evaluation.pyramid_curves import (
    MOST_SUBSETS,
    SEED,
    VoteMatrix,
    chosen_subsets,
    zero_medians,
)
from curator.evaluation.ranks import TIE_TOLERANCE

SAMPLES = 1_000
INTERVAL = (0.025, 0.975)
# Products this small run faster on one BLAS thread.
ONE_THREAD_LIMIT = 250_000

Subsets = Sequence[Sequence[int]]  # of judges, by their rows in the matrix
Drawn = NDArray[np.float64]  # (samples, queries): how often each query was drawn


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


def drawn_queries(queries: int, *, samples: int = SAMPLES, seed: int = 0) -> Drawn:
    """(samples, queries): the count of each query in each random sample."""
    if not queries:
        return np.zeros((samples, 0))
    generator = seeded(seed)
    return generator.multinomial(queries, [1 / queries] * queries, size=samples).astype(
        np.float64
    )


def _tests(
    matrix: VoteMatrix,
    drawn: Drawn,
    beta: float,
    sets: Sequence[Subsets],
    judges: Sequence[int],
    left_out: Sequence[str | None],
) -> tuple[PyramidTest, ...]:
    """Test each of ``sets`` against the one before it."""
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
    """Build the difference of the observed first value and the drawn others."""
    observed, drawn = float(values[0]), values[1:][~np.isnan(values[1:])]
    if np.isnan(observed) or not len(drawn):
        return PyramidDifference(None, None, None, None, 0)
    drawn = np.where(np.abs(drawn) <= TIE_TOLERANCE, 0, drawn)
    lower, upper = np.quantile(drawn, INTERVAL).tolist()
    side = min(int((drawn <= 0).sum()), int((drawn >= 0).sum()))
    p = min(1.0, 2 * (side + 1) / (len(drawn) + 1))
    return PyramidDifference(observed, lower, upper, p, len(drawn))
