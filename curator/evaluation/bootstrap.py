"""How sure a correlation of two measures is: both boards over resampled queries.

A resample draws as many queries as there are, with replacement, and the same ones for
both measures. Its two boards are correlated like the real ones. The interval runs from
the 2.5th to the 97.5th percentile of what came out.

Source: the percentile bootstrap of Efron & Tibshirani 1993, section 13.3, with
queries as the sampling unit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from curator.evaluation.ranks import TIE_TOLERANCE

RESAMPLES = 1000
COVERAGE = 0.95
DEFINED = 0.5  # the share of the resamples that have to have an order of the systems


@dataclass(frozen=True, slots=True)
class Interval:
    """From ``low`` to ``high``, both in [-1, 1]."""

    low: float
    high: float


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


def kendall_interval(ours: ResampledOrders, theirs: ResampledOrders) -> Interval | None:
    """The interval of Kendall's tau_b; None where too few resamples have an order."""
    return _interval(_cosines(ours.signs, theirs.signs))


def spearman_interval(
    ours: ResampledOrders, theirs: ResampledOrders
) -> Interval | None:
    """The interval of Spearman's rho; None where too few resamples have an order."""
    return _interval(_cosines(ours.places, theirs.places))


def _cosines(
    ours: NDArray[np.float32], theirs: NDArray[np.float32]
) -> NDArray[np.float64]:
    """(resamples,): tau_b of signs, rho of centred ranks; NaN where all tie."""
    products, *squares = (
        np.einsum("pr,pr->r", one, other).astype(np.float64)
        for one, other in ((ours, theirs), (ours, ours), (theirs, theirs))
    )
    lengths = np.sqrt(squares[0] * squares[1])
    values: NDArray[np.float64] = np.full(len(products), np.nan)
    np.divide(products, lengths, out=values, where=lengths > 0)
    return values


def _interval(values: NDArray[np.float64]) -> Interval | None:
    defined = values[~np.isnan(values)]
    if len(defined) == 0 or len(defined) < DEFINED * len(values):
        return None
    tail = 100 * (1 - COVERAGE) / 2
    low, high = np.percentile(defined, [tail, 100 - tail])
    return Interval(float(low), float(high))
