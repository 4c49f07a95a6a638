"""The threshold at which a model sees systems as accurate as gold labels do."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from curator.errors import EvaluationError

UNTUNED = 0.5


@dataclass(frozen=True, slots=True)
class TunedThreshold:
    """The threshold, and the RMSE of P@1 over ``systems`` that it leaves."""

    threshold: float
    rmse: float
    systems: int


def tuned_threshold(
    top_scores: Mapping[str, Sequence[float | None]], right: Mapping[str, int]
) -> TunedThreshold:
    """The threshold with the smallest RMSE of P@1 between the model and gold labels.

    ``top_scores`` gives, by system, the score of its first answer to every question,
    None where it has none; ``right`` how many of these answers are right. All systems
    have the same questions. Every threshold that tells the scores apart otherwise is
    tried (see ``cut_points``); of equally good ones the nearest to .5 is taken, and
    the lower of two as near.

    Raises EvaluationError without systems or questions.

    Source: Vu & Moschitti 2020, section 6.5.1.
    """
    questions = {len(scores) for scores in top_scores.values()}
    if len(questions) != 1 or questions == {0}:
        raise EvaluationError(
            "A threshold is tuned on systems that answer the dev questions; there is "
            "none. Give their runs."
        )
    known = {
        system: np.array(sorted(one for one in scores if one is not None))
        for system, scores in top_scores.items()
    }
    cuts = cut_points(np.concatenate(list(known.values())))
    squares = np.zeros(len(cuts), dtype=np.int64)
    # Answers called right are counted, not averaged, so that equal errors are equal.
    for system, scores in known.items():
        above = len(scores) - np.searchsorted(scores, cuts, side="right")
        squares += (above - right[system]) ** 2
    best = cuts[squares == squares.min()]
    nearest = float(best[np.argmin(np.abs(best - UNTUNED))])
    mean = float(squares.min()) / len(known)
    return TunedThreshold(nearest, math.sqrt(mean) / questions.pop(), len(known))


def cut_points(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Thresholds in [0, 1], rising, for every way to cut these scores in two.

    Half-way between neighbours; half-way from the lowest to 0, where all are right,
    and from the highest to 1, where none is; and .5, which is no worse than any other
    point between its neighbours. A lowest score of 0 is above no threshold.
    """
    ends = np.unique(np.concatenate([scores, [0.0, 1.0]]))
    low, high = ends[:-1], ends[1:]
    middle = (low + high) / 2
    # Between two neighbouring floats there is none: the lower one cuts the same.
    middle = np.where(middle < high, middle, low)
    at_one = [1.0] * bool((scores == 1.0).any())
    return np.unique(np.concatenate([middle, at_one, [UNTUNED]]))
