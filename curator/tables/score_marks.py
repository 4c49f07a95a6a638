"""Error bars of scores, placed along an axis: the dot and bar in a row of a board."""

from __future__ import annotations

from collections.abc import Sequence

from curator.evaluation.leaderboard import BoardRow


def error_bar(row: BoardRow) -> tuple[float, float]:
    error = row.stderr or 0.0
    return row.score - error, row.score + error


def axis(standings: Sequence[BoardRow]) -> tuple[float, float]:
    """Return the lowest and highest end of the error bars, without far outliers."""
    lows, highs = [], []
    for row in standings:
        low, high = error_bar(row)
        if row.lower is not None and row.upper is not None:
            low, high = min(low, row.lower), max(high, row.upper)
        lows.append(low)
        highs.append(high)
    if not lows:
        return 0.0, 1.0
    quarter = len(lows) // 4
    least, most = sorted(lows)[quarter], sorted(highs)[-1 - quarter]
    fence = 1.5 * (most - least)
    return (
        min(low for low in lows if low >= least - fence),
        max(high for high in highs if high <= most + fence),
    )


def mark(
    row: BoardRow, low: float, high: float, *, bounded: bool
) -> tuple[float, float, float] | None:
    """Return the left end and width of a system's bar, and its dot, in percent.

    None where the axis or the bounds are unknown.
    """
    lower, upper = (row.lower, row.upper) if bounded else error_bar(row)
    if high <= low or lower is None or upper is None:
        return None
    start, end, dot = (
        round(100 * min(max((value - low) / (high - low), 0.0), 1.0), 1)
        for value in (lower, upper, row.score)
    )
    return start, max(end - start, 1.0), dot
