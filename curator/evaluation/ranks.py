"""Places on a board: the order of systems, with ties.

Scores that are equal fractions must tie, yet 0.1 + 0.2 and 0.3 differ in their last
bits, so scores are compared at TIE_TOLERANCE. Groups form around a leader: the
highest score not yet placed, and every following one within the tolerance *of it*.
Comparing neighbours instead would let a chain of tiny steps tie unequal scores.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from curator.errors import EvaluationError

TIE_TOLERANCE = 1e-9


def leader_groups(
    scores: Sequence[float] | NDArray[np.float64],
    margins: Sequence[float] | NDArray[np.float64] | None = None,
) -> list[list[int]]:
    """Indices of the scores, highest first, in groups of a leader and its followers.

    The leader's group is every following score within the leader's margin, plus
    TIE_TOLERANCE; then the next score leads. Without margins the groups are the
    exact ties. Equal scores keep the given order.

    Raises EvaluationError for NaN and infinities.
    """
    values: list[float] = np.asarray(scores, dtype=np.float64).tolist()
    for index, value in enumerate(values):
        if not math.isfinite(value):
            raise EvaluationError(
                f"Score {value} at position {index + 1} cannot be ranked: "
                "expected a finite number. Leave that system out."
            )
    groups: list[list[int]] = []
    reach = math.inf  # the lowest score that still belongs to the last group
    for index in sorted(range(len(values)), key=values.__getitem__, reverse=True):
        if groups and values[index] >= reach:
            groups[-1].append(index)
        else:
            groups.append([index])
            margin = 0.0 if margins is None else float(margins[index])
            reach = values[index] - margin - TIE_TOLERANCE
    return groups


def competition_ranks(
    scores: Sequence[float] | NDArray[np.float64],
) -> NDArray[np.int64]:
    """Places 1, 2, 2, 4 in the order of ``scores``; the highest score is first.

    Scores within TIE_TOLERANCE of their group's leader share its place.
    Raises EvaluationError for NaN and infinities.
    """
    ranks = [0] * len(scores)
    place = 1
    for group in leader_groups(scores):
        for index in group:
            ranks[index] = place
        place += len(group)
    return np.array(ranks, dtype=np.int64)


def rank_ranges(
    lower: NDArray[np.float64], upper: NDArray[np.float64]
) -> list[tuple[int, int]]:
    """Best and worst place of scores that lie between these bounds.

    Best: one more than those whose lowest score is above its highest. Worst: one more
    than those whose highest is above its lowest.
    """
    surely = (lower > upper[:, None] + TIE_TOLERANCE).sum(axis=1)
    # Without the tolerance: a leader's group may end between two such scores.
    maybe = (upper > lower[:, None]).sum(axis=1) - (upper > lower)
    ranges = zip((1 + surely).tolist(), (1 + maybe).tolist(), strict=True)
    return [(best, worst) for best, worst in ranges]


def average_ranks(
    scores: Sequence[float] | NDArray[np.float64],
) -> NDArray[np.float64]:
    """Ranks 1, 2.5, 2.5, 4 in the order of ``scores``; the highest score is first.

    Ties, as in ``competition_ranks``, share the mean of the places they fill.
    Raises EvaluationError for NaN and infinities.
    """
    places = competition_ranks(scores)
    sizes = np.bincount(places, minlength=len(places) + 1)
    return places + (sizes[places] - 1) / 2
