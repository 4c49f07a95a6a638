"""Colours and names in figures: the application's, on light and on dark."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
class Style:
    """The colours of one theme; ``series`` differ in their markers as well."""

    paper: str
    ink: str
    second: str
    line: str
    accent: str
    against: str
    series: tuple[str, ...]

    def of_series(self, position: int) -> dict[str, Any]:
        """How the series here looks: its line is broken once the colours come again."""
        again, colour = divmod(position, len(self.series))
        return {
            "color": self.series[colour],
            "marker": MARKERS[position % len(MARKERS)],
            "linestyle": DASHES[again % len(DASHES)],
            "markersize": 4.5,
        }

    def readable_on(self, tint: str) -> str:
        """Ink or paper, whichever stands out more from the tint."""
        return max((self.ink, self.paper), key=lambda one: contrast(one, tint))


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
    return sorted({1, *range(step, int(last) + 1, step)})


def mixed(paper: str, ink: str, share: float) -> str:
    """The colour this share of the way from one to the other, as #rrggbb."""
    start, end = channels(paper), channels(ink)
    between = np.rint(start + (end - start) * share).astype(np.uint8)
    return f"#{between.tobytes().hex()}"


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours, 1 to 21, as WCAG 2 defines it."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def luminance(tint: str) -> float:
    """Relative luminance of #rrggbb, 0 to 1."""
    c = channels(tint) / 255
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))


def channels(tint: str) -> NDArray[np.float64]:
    """Red, green and blue of #rrggbb, 0 to 255."""
    return np.array([*bytes.fromhex(tint[1:])], float)
