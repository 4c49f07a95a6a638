"""Whether more judges make a difference: pyramids under a bootstrap of queries.

As many queries as there are, drawn with replacement, make a sample; in each the two
pyramids are compared anew, on the same queries. The interval is from the 2.5th to the
97.5th percentile of the differences, and p is twice the share of samples in which the
difference is 0 or of the other sign (whichever side has fewer), counting one more
sample on each side. Judges are taken as they are: it is queries that are drawn.

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
# Products that BLAS does not share out: its threads wait longer than these take.
ALONE = 250_000

Subsets = Sequence[Sequence[int]]  # of judges, by their rows in the matrix
Drawn = NDArray[np.float64]  # (samples, queries): how often each query was drawn


@dataclass(frozen=True, slots=True)
class Difference:
    """More judges less fewer: ``difference``, its 95 % interval and two-sided ``p``.

    All None where the pyramids' boards, or the judges', tie in all queries together.
    ``samples`` are those in which there was something to compare.
    """

    difference: float | None
    lower: float | None
    upper: float | None
    p: float | None
    samples: int


@dataclass(frozen=True, slots=True)
class PyramidTest:
    """Pyramids of ``judges`` against pyramids of one less.

    ``left_out`` names the one whom the smaller pyramid lacks; None for the mean over
    sets of judges of either size. ``tau`` is the difference in mean Kendall's τ_b with
    every judge's own board, ``zero_medians`` that in the share of queries in which the
    median system scores 0.
    """

    judges: int
    left_out: str | None
    tau: Difference
    zero_medians: Difference


def size_tests(
    matrix: VoteMatrix, drawn: Drawn, *, beta: float, last: bool = False
) -> tuple[PyramidTest, ...]:
    """Each number of judges against one less, over the sets that the curves show.

    ``last``: the largest alone. () with fewer than two judges or without systems.
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
    """The pyramid of all in the matrix against that without each of them in turn.

    Boards are compared with those of ``judges``, rows of the matrix.
    """
    everybody = range(len(matrix.judges))
    found: list[PyramidTest] = []
    for row in everybody:
        others = [one for one in everybody if one != row]
        if others:
            sets: list[Subsets] = [[others], [everybody]]
            name = matrix.judges[row]
            found += _tests(matrix, drawn, beta, sets, judges, [name])
    return tuple(found)


def drawn_queries(queries: int, *, samples: int = SAMPLES, seed: int = 0) -> Drawn:
    """How often each query is drawn in each sample."""
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
    """Each of ``sets`` against the one before it."""
    if len(matrix.query_ids) < 2 or not matrix.precision.shape[1] or not judges:
        return ()
    own = matrix.scores([[one] for one in judges], beta)
    # The first sample is the queries themselves, which is what was observed.
    weights = np.concatenate([np.ones((1, len(matrix.query_ids))), drawn])
    taus, zeros = [], []
    for subsets in sets:
        scores = matrix.scores(subsets, beta)
        taus.append(mean_taus(scores, own, weights))
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


def mean_taus(scores: Scores, own: Scores, weights: Drawn) -> Scores:
    """(samples,): the mean τ_b of every pyramid's board with every own board.

    ``scores`` is (pyramids, queries, systems), ``own`` (boards, queries, systems). NaN
    where every board of either ties throughout.
    """
    found = np.full(len(weights), np.nan)
    for sample, (ours, theirs) in enumerate(
        zip(_boards(scores, weights), _boards(own, weights), strict=True)
    ):
        # Pairs in which the first is above agree where theirs is too, and differ where
        # it is below: one product counts both, and a column of ones the untied pairs.
        above, theirs_above = _above(ours), _above(theirs)
        signs = theirs_above - theirs_above.transpose(0, 2, 1)
        columns = np.ones((signs[0].size, len(signs) + 1), dtype=np.float32)
        columns[:, 1:] = signs.reshape(len(signs), -1).T
        flat, size = above.reshape(len(above), -1), max(1, ALONE // columns.size)
        blocks = [flat[at : at + size] @ columns for at in range(0, len(flat), size)]
        counts = np.concatenate(blocks).astype(np.float64)
        untied = theirs_above.sum(axis=(1, 2), dtype=np.float64)
        whole = np.sqrt(counts[:, :1] * untied)
        known = whole > 0
        if known.any():
            found[sample] = (counts[:, 1:][known] / whole[known]).mean()
    return found


def _boards(scores: Scores, weights: Drawn) -> Iterator[Scores]:
    """(boards, systems) of each sample: the mean over the queries that were drawn."""
    by_query = np.ascontiguousarray(scores.transpose(1, 0, 2))
    for drawn in weights:
        yield np.einsum("q,qbs->bs", drawn, by_query) / len(drawn)


def _above(boards: Scores) -> NDArray[np.float32]:
    """(boards, systems, systems): 1 where the first system stands above the second."""
    lifted = boards + TIE_TOLERANCE
    return (boards[:, :, None] > lifted[:, None, :]).astype(np.float32)


def _difference(values: Scores) -> Difference:
    """The first value as observed, the others as drawn."""
    observed, drawn = float(values[0]), values[1:][~np.isnan(values[1:])]
    if np.isnan(observed) or not len(drawn):
        return Difference(None, None, None, None, 0)
    drawn = np.where(np.abs(drawn) <= TIE_TOLERANCE, 0, drawn)
    lower, upper = np.quantile(drawn, INTERVAL).tolist()
    side = min(int((drawn <= 0).sum()), int((drawn >= 0).sum()))
    p = min(1.0, 2 * (side + 1) / (len(drawn) + 1))
    return Difference(observed, lower, upper, p, len(drawn))
