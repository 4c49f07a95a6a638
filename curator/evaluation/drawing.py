"""Sampling with known probabilities, for unbiased estimates from the sample.

Source: Madow 1949, systematic sampling with probabilities proportional to size; in
random order, as Hartley & Rao 1962 have it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

_CERTAIN = 1 - 1e-12  # from here on a probability is 1, but for rounding


def inclusion_probabilities(weights: ArrayLike, count: int) -> NDArray[np.float64]:
    """Return (n,), the probability of each of n units to be among ``count`` drawn.

    Probabilities are in proportion to the weights, which are 0 or more. A unit whose
    probability would be above 1 is drawn for certain, and the others share the rest of
    ``count``. The sum is ``count``, or the number of weights above 0 if that is less.
    """
    sizes = np.asarray(weights, dtype=np.float64)
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

    Draws ``count`` without replacement, or all with a weight above 0 if these are
    fewer; each with exactly its ``inclusion_probabilities``.
    """
    probabilities = inclusion_probabilities(weights, count)
    certain = np.flatnonzero(probabilities == 1)
    others = rng.permutation(np.flatnonzero((probabilities > 0) & (probabilities < 1)))
    chosen = certain
    if len(others):
        others_drawn = round(float(probabilities[others].sum()))
        cumulative = np.cumsum(probabilities[others])
        cumulative *= others_drawn / cumulative[-1]  # equal but for rounding
        points = rng.random() + np.arange(others_drawn)
        positions = np.searchsorted(cumulative, points, "right")
        chosen = np.concatenate([certain, others[positions]])
    chosen = rng.permutation(chosen)
    return chosen, probabilities[chosen]
