"""What every grader can do."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from grading.cache import Progress
from grading.items import Item
from grading.responders import GraderSpec

Ratings = npt.NDArray[np.int8]
"""[items, passages]: 0-5, or ``ratings.NOT_ASKED`` or ``ratings.UNREADABLE``."""


class Grader(Protocol):
    """Says how well passages answer items. What it has been asked, it asks no more."""

    @property
    def spec(self) -> GraderSpec:
        """The grader as a value; known without loading the model."""
        ...

    def grade(
        self,
        items: Sequence[Item],
        passages: Sequence[str],
        *,
        progress: Progress | None = None,
    ) -> Ratings:
        """Rating of every passage for every item, [items, passages].

        Raises GradingError where the model is missing or an item has no text.
        """
        ...
