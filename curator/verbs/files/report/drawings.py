"""Figures of the report page: small SVG, coloured by the page's style sheet.

They follow light and dark mode, have no ids that could collide, and take a few
kilobytes. ``drawings.html`` has the markup; this module computes positions.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from markupsafe import Markup

from curator.evaluation.leaderboard import Leaderboard
from curator.evaluation.measures import title
from curator.formats.templates import macro
from curator.tables.forms import decimals
from curator.tables.leaderboard import official_rank

TEMPLATE = "verbs/files/report/drawings.html"
WIDTH = 720
NAMES = 190  # pixels for names on the left
COLUMNS = 96  # pixels for tier and official rank on the right
LONGEST_NAME = 30
MOST_BARS = 40

_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\u202a-\u202e\u2066-\u2069]"
)


def plain(text: str) -> str:
    """Remove control characters and marks of text direction."""
    return _HIDDEN.sub("", text)


def short(text: str, most: int = LONGEST_NAME) -> str:
    flat = " ".join(plain(text).split())
    return flat if len(flat) <= most else flat[: most - 1].rstrip() + "…"


def ticks(low: float, high: float) -> list[float]:
    """Round numbers from ``low`` to ``high``, about five.

    >>> ticks(0, 1), ticks(0, 7)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [0.0, 2.0, 4.0, 6.0])
    """
    span = high - low
    if not math.isfinite(span) or span <= 0:
        return [low]
    power = 10.0 ** math.floor(math.log10(span / 5))
    step = next(m * power for m in (1, 2, 5, 10) if span / (m * power) <= 6)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(i * step, 10) for i in range(first, last + 1)]


def span(low: float, high: float) -> tuple[float, float]:
    """Ends of an axis for this range, with 4 % room; below 0 only if ``low`` is."""
    room = (high - low) * 0.04 or 0.1
    return (low - room if low < 0 else max(0.0, low - room)), high + room


def board_drawing(
    board: Leaderboard, tiers: Mapping[str, int], official: Mapping[str, float]
) -> Markup:
    """Draw a dot per system with its standard error, and bounds of partial scores."""
    ends = [
        end
        for row in board.standings
        for error in [row.stderr or 0.0]
        for end in (
            row.score - error,
            row.score + error,
            row.lower,
            row.upper,
        )
        if end is not None
    ]
    low, high = span(min(ends), max(ends))
    right = WIDTH - COLUMNS

    def x_of(value: float) -> str:
        return f"{NAMES + (value - low) / (high - low) * (right - NAMES):.1f}"

    names = {row.system: plain(row.system) for row in board.standings}
    return macro(TEMPLATE, "board")(
        board,
        tiers,
        official,
        title(plain(board.settings.measure)),
        names,
        x_of,
        ticks(low, high),
        NAMES,
        right,
        short,
        decimals,
        official_rank,
    )


def bars_drawing(counts: Mapping[int, int], label: str) -> Markup:
    """Draw a histogram: a bar for each number, or for each range of many numbers."""
    if not counts:
        return Markup("")
    least, most = min(counts), max(counts)
    step = max(1, math.ceil((most - least + 1) / MOST_BARS))
    bins = [
        (low, min(low + step - 1, most), sum(
            count for number, count in counts.items() if low <= number < low + step
        ))
        for low in range(least, most + 1, step)
    ]  # fmt: skip
    wide = min(48.0, (WIDTH - 40) / len(bins))
    label_step = math.ceil(len(bins) * 22 / (WIDTH - 40)) if step == 1 else 5
    return macro(TEMPLATE, "bars")(bins, wide, label_step, label)


def against_drawing(board: Leaderboard, official: Mapping[str, float]) -> Markup:
    """Draw every system's score over its official rank; "" for fewer than two."""
    points: list[tuple[float, float, str]] = [
        (official[row.system], row.score, plain(row.system))
        for row in board.standings
        if row.system in official
    ]
    if len(points) < 2:
        return Markup("")
    places = [place for place, _, _ in points]
    scores = [score for _, score, _ in points]
    first, last = min(places), max(max(places), min(places) + 1)
    low, high = span(min(scores), max(scores))
    left, right, top, bottom = 50, WIDTH - 20, 10, 230

    def x_of(value: float) -> float:
        return left + 12 + (value - first) / (last - first) * (right - left - 24)

    def y_of(value: float) -> float:
        return bottom - (value - low) / (high - low) * (bottom - top - 8)

    whole_ticks = [mark for mark in ticks(first, last) if mark == int(mark)]
    return macro(TEMPLATE, "against")(
        points,
        title(plain(board.settings.measure)),
        whole_ticks,
        ticks(low, high),
        x_of,
        y_of,
        left,
        right,
        bottom,
        official_rank,
    )
