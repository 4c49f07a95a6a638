"""Folds for calibration: no question is calibrated on what was learned from it."""

import random
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from grading.ava.examples import Example, same_text
from grading.errors import TrainingError

FOLDS = 5  # as many as scikit-learn's probability parameter had

Fold = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]


def question_folds(examples: Sequence[Example], seed: int) -> list[Fold]:
    """Positions to train on and to calibrate on, per fold; no question is in both.

    ``FOLDS`` folds, or as many as there are questions with right and wrong
    candidates. Those are dealt out in a row, so that every fold leaves some of either
    kind to train on.

    Raises TrainingError with fewer than two such questions.
    """
    found: dict[str, list[int]] = {}
    for position, one in enumerate(examples):
        found.setdefault(same_text(one.triple.question), []).append(position)
    names = sorted(found)
    random.Random(seed).shuffle(names)
    has_both = {
        name: len({examples[position].correct for position in found[name]}) == 2
        for name in names
    }
    usable = sum(has_both.values())
    if usable < 2:
        raise TrainingError(
            "The linear model needs at least two training questions with both right "
            f"and wrong candidates, and there are {usable} of {len(names)}; add "
            "questions, or answers to these"
        )
    count = min(FOLDS, usable)
    fold_of = np.empty(len(examples), dtype=np.int64)
    for number, name in enumerate(sorted(names, key=has_both.__getitem__)):
        fold_of[found[name]] = number % count
    return [
        (np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold))
        for fold in range(count)
    ]
