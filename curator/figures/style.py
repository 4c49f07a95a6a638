"""Colours and names in figures, as in the application, light and dark."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
DASHES = ("-", "--", ":", "-.")
MAX_NAME = 28
MAX_RANKS = 10  # along an axis
MAX_TITLE = 90

# Characters that XML 1.0 forbids, and those that change the text direction.
UNDRAWABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\u202a-\u202e\u2066-\u2069]"
)


@dataclass(frozen=True)
class Style:
    """The colours of one theme; ``series`` differ in their markers as well."""

    paper: str
    ink: str
    second: str
    line: str
    accent: str
    against: str
    series: tuple[str, ...]

    def series_style(self, position: int) -> dict[str, Any]:
        """Return the line style of a series, which is broken when colours repeat."""
        repetition, colour = divmod(position, len(self.series))
        return {
            "color": self.series[colour],
            "marker": MARKERS[position % len(MARKERS)],
            "linestyle": DASHES[repetition % len(DASHES)],
            "markersize": 4.5,
        }


LIGHT = Style(
    paper="#ffffff",
    ink="#1a1c21",
    second="#545962",
    line="#d9d8d3",
    accent="#4347c9",
    against="#b03a12",
    series=("#4347c9", "#b03a12", "#0a665a", "#7a5200", "#9a2f86", "#2478b5"),
)
DARK = Style(
    paper="#141518",
    ink="#e8e9eb",
    second="#aab0b9",
    line="#3a3d45",
    accent="#a9abff",
    against="#f58f66",
    series=("#a9abff", "#f58f66", "#4fc7ab", "#e9c46a", "#e58fd2", "#77c1ee"),
)


def short_label(text: str, max_length: int = MAX_NAME) -> str:
    """Return the text on one line, safe to draw, cut at ``max_length`` characters."""
    flat = " ".join(UNDRAWABLE.sub(" ", text).split())
    return flat if len(flat) <= max_length else flat[: max_length - 1].rstrip() + "…"


def finite_points(points: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    return [(x, y) for x, y in points if math.isfinite(x) and math.isfinite(y)]


def rank_ticks(last: float) -> list[int]:
    """Return the ranks to label on an axis up to ``last``: whole, from 1, about ten.

    >>> rank_ticks(4), rank_ticks(36)
    ([1, 2, 3, 4], [1, 5, 10, 15, 20, 25, 30, 35])
    """
    steps = (step * 10**power for power in range(9) for step in (1, 2, 5))
    step = next(step for step in steps if last <= MAX_RANKS * step)
    return sorted({1, *range(step, int(last) + 1, step)})
