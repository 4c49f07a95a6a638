"""Scale the values of graders by their rank among all values of the same grader.

A 4 may be rare for one grader and common for another, and cosines are not on a rating
scale at all. The mid-rank share of a value among n is (number of lower values + half of
the number of equal values) / n: in [0, 1], ½ on average, and unchanged by any rising
function of the values.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grading.errors import InvalidSpecError
from grading.ratings import HIGHEST

KNOTS = 101
"""Maximum number of points, between which shares are interpolated linearly."""

SCALES = ("first scale", "second scale")
"""The decoding options of a mean of two graders that store their scales."""


@dataclass(frozen=True)
class Scale:
    """Mid-rank shares of some values, both rising; others are interpolated."""

    values: tuple[float, ...]
    shares: tuple[float, ...]

    def transform(self, grades: NDArray[Any]) -> NDArray[np.float32]:
        """Convert grades to shares; unknown ones (below 0) are unchanged."""
        shares = np.interp(grades, self.values, self.shares)
        return np.where(grades < 0, grades, shares).astype(np.float32)

    @property
    def text(self) -> str:
        """The scale as text for ``parse_scale``."""
        return json.dumps([self.values, self.shares], separators=(",", ":"))


def scale_of(grades: NDArray[Any]) -> Scale:
    """Return the scale of a grader from all its grades, at least one of them known.

    For ratings it has a share for each from 0 to 5; for probabilities one for each
    distinct value, or for ``KNOTS`` of them at equal steps of rank.
    """
    grades = np.sort(grades[grades >= 0])
    if grades.dtype.kind == "f":
        values = np.unique(grades)
        if len(values) > KNOTS:
            steps = np.linspace(0, len(grades) - 1, KNOTS).round().astype(int)
            values = np.unique(grades[steps])
    else:
        values = np.arange(HIGHEST + 1)
    places = (np.searchsorted(grades, values, side) for side in ("left", "right"))
    shares = sum(places) / (2 * len(grades))
    return Scale(tuple(values.tolist()), tuple(np.asarray(shares).tolist()))


@lru_cache(maxsize=256)
def parse_scale(text: str) -> Scale:
    """Parse a scale from text. Raises InvalidSpecError."""
    try:
        values, shares = (np.array(part, dtype=float) for part in json.loads(text))
    except (TypeError, ValueError, RecursionError):
        values = shares = np.empty(0)
    rising = all((np.diff(numbers) >= 0).all() for numbers in (values, shares))
    if not (
        values.ndim == shares.ndim == 1
        and len(values) == len(shares) > 0
        and rising
        and 0 <= shares[0] <= shares[-1] <= 1
    ):
        raise InvalidSpecError(
            f"Invalid scale of a grader ({text:.60}): expected rising values and their "
            "shares from 0 to 1, as written by Scale.text; create the grader again"
        )
    return Scale(tuple(values.tolist()), tuple(shares.tolist()))


def mean_share(
    first: NDArray[Any], second: NDArray[Any], scales: Iterable[Scale]
) -> NDArray[np.float32]:
    """Mean of the shares of each two grades, unknown if one of them is.

    As long as the shorter array.
    """
    size = min(len(first), len(second))
    pairs = zip((first[:size], second[:size]), scales, strict=True)
    first_shares, second_shares = (scale.transform(grades) for grades, scale in pairs)
    lower = np.minimum(first_shares, second_shares)
    means = (first_shares + second_shares) / 2
    return np.where(lower < 0, lower, means).astype(np.float32)
