"""The page's figures: small SVG drawn by hand, coloured by the page's style sheet.

So they follow light and dark, carry no ids that could collide and take a few kilobytes.
Text is escaped as everything else is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from markupsafe import Markup

from curator.evaluation.leaderboard import Leaderboard
from curator.evaluation.measures import title
from curator.tables.forms import decimals
from curator.tables.leaderboard import official_rank
from curator.verbs.files.report.words import plain

WIDTH = 720
ROW = 19
NAMES = 190  # pixels for names on the left
COLUMNS = 96  # and for tier and official rank on the right
LONGEST_NAME = 30
MOST_BARS = 40


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
    standings = board.standings
    bounded = not board.complete
    lows: list[float] = []
    highs: list[float] = []
    for one in standings:
        error = one.stderr or 0.0
        lows += [one.score - error, *([one.lower] if one.lower is not None else [])]
        highs += [one.score + error, *([one.upper] if one.upper is not None else [])]
    low, high = span(min(lows), max(highs))
    marks = ticks(low, high)
    left, right = NAMES, WIDTH - COLUMNS
    top, bottom = 24, 24 + ROW * len(standings)

    def x(value: float) -> str:
        return f"{left + (value - low) / (high - low) * (right - left):.1f}"

    parts = [
        Markup('<line class="grid" x1="{0}" y1="{1}" x2="{0}" y2="{2}"/>').format(
            x(mark), top - 4, bottom
        )
        + Markup('<text class="tick" x="{}" y="{}">{}</text>').format(
            x(mark), bottom + 14, f"{mark:g}"
        )
        for mark in marks
    ]
    head = Markup('<text class="head" x="{}" y="12">{}</text>')
    if tiers:
        parts.append(head.format(right + 30, "tier"))
    if official:
        parts.append(head.format(WIDTH - 24, "official"))
    for number, one in enumerate(standings):
        y = top + ROW * number + ROW / 2
        parts.append(
            Markup('<text class="name" x="{}" y="{:.1f}">{}</text>').format(
                left - 10, y + 4, short(one.system)
            )
        )
        if bounded and one.lower is not None and one.upper is not None:
            parts.append(
                Markup(
                    '<line class="bounds" x1="{}" y1="{y:.1f}" x2="{}" y2="{y:.1f}"/>'
                ).format(x(one.lower), x(one.upper), y=y)
            )
        if one.stderr is not None:
            parts.append(
                Markup(
                    '<line class="error" x1="{}" y1="{y:.1f}" x2="{}" y2="{y:.1f}"/>'
                ).format(x(one.score - one.stderr), x(one.score + one.stderr), y=y)
            )
        parts.append(
            Markup(
                '<circle class="dot" cx="{}" cy="{:.1f}" r="4"><title>{}</title>'
                "</circle>"
            ).format(x(one.score), y, f"{plain(one.system)}: {decimals(one.score)}")
        )
        beside = Markup('<text class="beside" x="{}" y="{:.1f}">{}</text>')
        if tiers:
            parts.append(beside.format(right + 30, y + 4, tiers.get(one.system, "")))
        if official:
            place = official_rank(official.get(one.system))
            parts.append(beside.format(WIDTH - 24, y + 4, place))
    measure = title(plain(board.settings.measure))
    label = (
        f"Scores of {len(standings)} systems under {measure}, "
        "best on top, each with its standard error. The table has the numbers."
    )
    return _svg(parts, bottom + 24, label)


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
    tallest = max(many for _, _, many in bins)
    top, height = 20, 110
    wide = min(48.0, (WIDTH - 40) / len(bins))
    every = math.ceil(len(bins) * 22 / (WIDTH - 40)) if step == 1 else 5
    parts = []
    for number, (low, high, many) in enumerate(bins):
        left, tall = 20 + number * wide, height * many / tallest
        between = f"{low}" if low == high else f"{low} to {high}"
        parts.append(
            Markup(
                '<rect class="bar" x="{:.1f}" y="{:.1f}" width="{:.1f}" '
                'height="{:.1f}"><title>{}</title></rect>'
            ).format(
                left + 1, top + height - tall, wide - 2, tall, f"{between}: {many:,}"
            )
        )
        if many and wide >= 22:
            parts.append(
                Markup('<text class="tick" x="{:.1f}" y="{:.1f}">{}</text>').format(
                    left + wide / 2, top + height - tall - 5, f"{many:,}"
                )
            )
        if number % every == 0:
            parts.append(
                Markup('<text class="tick" x="{:.1f}" y="{}">{}</text>').format(
                    left + wide / 2, top + height + 15, low
                )
            )
    return _svg(parts, top + height + 24, label)


def against_drawing(board: Leaderboard, official: Mapping[str, float]) -> Markup:
    """Every system's score over its official rank; nothing for fewer than two."""
    points = [
        (official[one.system], one.score, one.system)
        for one in board.standings
        if one.system in official
    ]
    if len(points) < 2:
        return Markup("")
    lasts, scores = [p[0] for p in points], [p[1] for p in points]
    first, last = min(lasts), max(max(lasts), min(lasts) + 1)
    low, high = span(min(scores), max(scores))
    left, right, top, bottom = 50, WIDTH - 20, 10, 230

    def x(value: float) -> float:
        return left + 12 + (value - first) / (last - first) * (right - left - 24)

    def y(value: float) -> float:
        return bottom - (value - low) / (high - low) * (bottom - top - 8)

    parts = [
        Markup('<line class="grid" x1="{}" y1="{y:.1f}" x2="{}" y2="{y:.1f}"/>').format(
            left, right, y=y(mark)
        )
        + Markup('<text class="name" x="{}" y="{:.1f}">{}</text>').format(
            left - 8, y(mark) + 4, f"{mark:g}"
        )
        for mark in ticks(low, high)
    ]
    parts += [
        Markup('<text class="tick" x="{:.1f}" y="{}">{}</text>').format(
            x(mark), bottom + 16, f"{mark:g}"
        )
        for mark in ticks(first, last)
        if mark == int(mark)
    ]
    parts += [
        Markup(
            '<circle class="dot" cx="{:.1f}" cy="{:.1f}" r="4"><title>{}</title>'
            "</circle>"
        ).format(x(place), y(score), f"{plain(system)}: {official_rank(place)}")
        for place, score, system in points
    ]
    parts.append(
        Markup('<text class="tick" x="{}" y="{}">official rank</text>').format(
            (left + right) // 2, bottom + 34
        )
    )
    measure = title(plain(board.settings.measure))
    label = f"Scores of {len(points)} systems under {measure} over official ranks."
    return _svg(parts, bottom + 42, label)


def _svg(parts: Sequence[Markup], height: float, label: str) -> Markup:
    return Markup(
        '<svg role="img" aria-label="{}" viewBox="0 0 {} {:.0f}">{}</svg>'
    ).format(label, WIDTH, height, Markup("").join(parts))
