"""Colours and names in figures: the application's, on light and on dark."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
DASHES = ("-", "--", ":", "-.")
LONGEST_NAME = 28
MOST_RANKS = 10  # along an axis
LONGEST_TITLE = 90

# What XML 1.0 does not allow, and what turns the direction of the text after it.
UNDRAWABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\u202a-\u202e\u2066-\u2069]"
)


@dataclass(frozen=True)
class Look:
    """The colours of one theme; ``series`` are told apart by markers as well."""

    paper: str
    ink: str
    second: str
    line: str
    accent: str
    against: str
    series: tuple[str, ...]


LIGHT = Look(
    paper="#ffffff",
    ink="#1a1c21",
    second="#545962",
    line="#d9d8d3",
    accent="#4347c9",
    against="#b03a12",
    series=("#4347c9", "#b03a12", "#0a665a", "#7a5200", "#9a2f86", "#2478b5"),
)
DARK = Look(
    paper="#141518",
    ink="#e8e9eb",
    second="#aab0b9",
    line="#3a3d45",
    accent="#a9abff",
    against="#f58f66",
    series=("#a9abff", "#f58f66", "#4fc7ab", "#e9c46a", "#e58fd2", "#77c1ee"),
)


def name(text: str, most: int = LONGEST_NAME) -> str:
    """The text on one line of at most ``most`` characters, drawable in every format."""
    flat = " ".join(UNDRAWABLE.sub(" ", text).split())
    return flat if len(flat) <= most else flat[: most - 1].rstrip() + "…"


def drawable(points: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """The points of which both numbers are finite."""
    return [(x, y) for x, y in points if math.isfinite(x) and math.isfinite(y)]


def rank_ticks(last: float) -> list[int]:
    """The ranks to write along an axis that ends at ``last``: whole, from 1, some ten.

    >>> rank_ticks(4), rank_ticks(36)
    ([1, 2, 3, 4], [1, 5, 10, 15, 20, 25, 30, 35])
    """
    steps = (step * 10**power for power in range(9) for step in (1, 2, 5))
    step = next(step for step in steps if last <= MOST_RANKS * step)
    later = range(step, int(last) + 1, step)
    return sorted({1, *later})


def colour(look: Look, position: int) -> str:
    """The colour of the series at this position."""
    return look.series[position % len(look.series)]


def marker(position: int) -> str:
    """The marker of the series at this position."""
    return MARKERS[position % len(MARKERS)]


def dash(position: int, look: Look) -> str:
    """The line of the series at this position: broken once the colours come again."""
    return DASHES[position // len(look.series) % len(DASHES)]
