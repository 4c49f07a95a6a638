"""The page's figures: small SVG drawn by hand, coloured by the page's style sheet.

So they follow light and dark, carry no ids that could collide and take a few kilobytes.
``drawings.html`` draws them; here is where things stand.
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
COLUMNS = 96  # and for tier and official rank on the right
LONGEST_NAME = 30
MOST_BARS = 40

_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\u202a-\u202e\u2066-\u2069]"
)


def plain(text: str) -> str:
    """The text without control characters and without marks that turn its direction."""
    return _HIDDEN.sub("", text)


def short(text: str, most: int = LONGEST_NAME) -> str:
    """The text on one line of at most ``most`` characters."""
    flat = " ".join(plain(text).split())
    return flat if len(flat) <= most else flat[: most - 1].rstrip() + "…"


def ticks(low: float, high: float) -> list[float]:
    """Round numbers from ``low`` to ``high``, some five.

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
    """Both ends of an axis that holds these, with a little room; one below 0 only
    where a number is.
    """
    room = (high - low) * 0.04 or 0.1
    return (low - room if low < 0 else max(0.0, low - room)), high + room


def board_drawing(
    board: Leaderboard, tiers: Mapping[str, int], official: Mapping[str, float]
) -> Markup:
    """A dot per system with its standard error, bounds where grades are missing."""
    ends = [
        end
        for one in board.standings
        for error in [one.stderr or 0.0]
        for end in (one.score - error, one.score + error, one.lower, one.upper)
        if end is not None
    ]
    low, high = span(min(ends), max(ends))
    right = WIDTH - COLUMNS

    def x(value: float) -> str:
        return f"{NAMES + (value - low) / (high - low) * (right - NAMES):.1f}"

    names = {one.system: plain(one.system) for one in board.standings}
    return macro(TEMPLATE, "board")(
        *(board, tiers, official, title(plain(board.settings.measure)), names, x),
        *(ticks(low, high), NAMES, right, short, decimals, official_rank),
    )


def bars_drawing(counts: Mapping[int, int], label: str) -> Markup:
    """How many have each number: a bar a number, or a range of numbers where many."""
    if not counts:
        return Markup("")
    least, most = min(counts), max(counts)
    step = max(1, math.ceil((most - least + 1) / MOST_BARS))
    bins = [
        (low, min(low + step - 1, most), sum(
            many for number, many in counts.items() if low <= number < low + step
        ))
        for low in range(least, most + 1, step)
    ]  # fmt: skip
    wide = min(48.0, (WIDTH - 40) / len(bins))
    every = math.ceil(len(bins) * 22 / (WIDTH - 40)) if step == 1 else 5
    return macro(TEMPLATE, "bars")(bins, wide, every, label)


def against_drawing(board: Leaderboard, official: Mapping[str, float]) -> Markup:
    """Every system's score over its official rank; nothing for fewer than two."""
    points: list[tuple[float, float, str]] = [
        (official[one.system], one.score, plain(one.system))
        for one in board.standings
        if one.system in official
    ]
    if len(points) < 2:
        return Markup("")
    places = [place for place, _, _ in points]
    scores = [score for _, score, _ in points]
    first, last = min(places), max(max(places), min(places) + 1)
    low, high = span(min(scores), max(scores))
    left, right, top, bottom = 50, WIDTH - 20, 10, 230

    def x(value: float) -> float:
        return left + 12 + (value - first) / (last - first) * (right - left - 24)

    def y(value: float) -> float:
        return bottom - (value - low) / (high - low) * (bottom - top - 8)

    whole = [mark for mark in ticks(first, last) if mark == int(mark)]
    return macro(TEMPLATE, "against")(
        *(points, title(plain(board.settings.measure)), whole, ticks(low, high)),
        *(x, y, left, right, bottom, official_rank),
    )
