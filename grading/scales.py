"""Two graders' values on one scale: each value's rank among all that its grader gave.

One grader's 4 is rare and another's is common, and a cosine is on no scale of ratings
at all. The mid-rank share of a value among n is (how many are lower + half of how many
are equal) / n: in [0, 1], ½ on average, and the same whatever rising function the
grader's values go through.
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
"""Between which the shares of probabilities lie on straight lines."""

SCALES = ("first scale", "second scale")
"""The options of the decoding of two graders' mean that hold their scales."""


@dataclass(frozen=True)
class Scale:
    """The mid-rank shares of some values, both rising; others lie between them."""

    values: tuple[float, ...]
    shares: tuple[float, ...]

    def transform(self, grades: NDArray[Any]) -> NDArray[np.float32]:
        """The share of every grade; one that is unknown stays as it is."""
        found = np.interp(grades, self.values, self.shares)
        return np.where(grades < 0, grades, found).astype(np.float32)

    @property
    def text(self) -> str:
        """The scale as text, which ``parse_scale`` reads."""
        return json.dumps([self.values, self.shares], separators=(",", ":"))


def scale_of(grades: NDArray[Any]) -> Scale:
    """The scale of a grader by all its known grades, of which there has to be one.

    Of ratings a share for each from 0 to 5, given or not. Of probabilities one for
    each, or for 101 of them in equal steps of rank where there are more.
    """
    known = np.sort(grades[grades >= 0])
    if known.dtype.kind == "f":
        values = np.unique(known)
        if len(values) > KNOTS:
            steps = np.linspace(0, len(known) - 1, KNOTS).round().astype(int)
            values = np.unique(known[steps])
    else:
        values = np.arange(HIGHEST + 1)
    places = (np.searchsorted(known, values, side) for side in ("left", "right"))
    shares = sum(places) / (2 * len(known))
    return Scale(tuple(values.tolist()), tuple(np.asarray(shares).tolist()))


@lru_cache(maxsize=256)
def parse_scale(text: str) -> Scale:
    """The scale that ``text`` holds. Raises InvalidSpecError where it holds none."""
    try:
        values, shares = (np.array(one, dtype=float) for one in json.loads(text))
    except (TypeError, ValueError, RecursionError):
        values = shares = np.empty(0)
    rising = all((np.diff(one) >= 0).all() for one in (values, shares))
    if not (
        values.ndim == shares.ndim == 1
        and len(values) == len(shares) > 0
        and rising
        and 0 <= shares[0] <= shares[-1] <= 1
    ):
        raise InvalidSpecError(
            f"Scale of a grader not understood ({text:.60}): expected rising values "
            "and their shares from 0 to 1, as Scale.text has them; make the grader anew"
        )
    return Scale(tuple(values.tolist()), tuple(shares.tolist()))


def mean_share(
    one: NDArray[Any], other: NDArray[Any], scales: Iterable[Scale]
) -> NDArray[np.float32]:
    """The mean of the shares of each two grades; unknown where one of them is.

    As long as the shorter of the two: beyond it one is unknown.
    """
    size = min(len(one), len(other))
    pairs = zip((one[:size], other[:size]), scales, strict=True)
    first, second = (scale.transform(grades) for grades, scale in pairs)
    lower = np.minimum(first, second)
    return np.where(lower < 0, lower, (first + second) / 2).astype(np.float32)
