"""Sampling with known probabilities, for unbiased estimates from the sample.

Source: Madow 1949, systematic sampling with probabilities proportional to size; in
random order, as Hartley & Rao 1962 have it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from curator.errors import EvaluationError

_CERTAIN = 1 - 1e-12  # closer to 1 than rounding errors of sums


def inclusion_probabilities(weights: ArrayLike, count: int) -> NDArray[np.float64]:
    """(n,): the probability that each is among ``count`` drawn, in [0, 1].

    In proportion to the weights, up to 1: what would be above is drawn for certain, and
    the others share what is left of ``count``. They sum to ``count``, or to how many
    have a weight above 0 where these are fewer. Raises EvaluationError for a weight
    that is negative or no number, and for a negative count.
    """
    sizes = np.asarray(weights, dtype=np.float64)
    if not (np.isfinite(sizes).all() and (sizes >= 0).all() and count >= 0):
        raise EvaluationError(
            f"Cannot draw {count} of {sizes.size}: weights must be finite and not "
            "negative, and the count 0 or more."
        )
    probabilities = np.zeros(sizes.size)
    if not sizes.any():
        return probabilities
    sizes = sizes / sizes.max()  # so that no sum overflows
    certain = np.zeros(sizes.size, dtype=np.bool_)
    while True:
        remaining = count - int(certain.sum())
        others = (sizes > 0) & ~certain
        if remaining <= 0 or not others.any():
            break
        probabilities[others] = remaining * sizes[others] / sizes[others].sum()
        above = others & (probabilities >= _CERTAIN)
        if not above.any():
            break
        certain |= above
    probabilities[certain] = 1.0
    return probabilities


def draw(
    weights: ArrayLike, count: int, rng: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Draw indices, in random order, with the probability of each.

    Without replacement, ``count`` of them, or all with a weight above 0 where these are
    fewer; each with exactly its ``inclusion_probabilities``.
    """
    probabilities = inclusion_probabilities(weights, count)
    certain = np.flatnonzero(probabilities == 1)
    others = rng.permutation(np.flatnonzero((probabilities > 0) & (probabilities < 1)))
    chosen = certain
    if len(others):
        number = round(float(probabilities[others].sum()))
        reached = np.cumsum(probabilities[others])
        reached *= number / reached[-1]  # equal but for rounding
        places = np.searchsorted(reached, rng.random() + np.arange(number), "right")
        chosen = np.concatenate([certain, others[places]])
    chosen = rng.permutation(chosen)
    return chosen, probabilities[chosen]
