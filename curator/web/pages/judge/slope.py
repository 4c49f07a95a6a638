"""The slope plot: ranks before and after, over the ranks among which systems move.

Streamlit takes every SVG out of what a page draws, so lines are rules turned by their
angle, and follow the theme's colours like all else.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from math import atan2, degrees, hypot
from typing import NamedTuple

from curator.evaluation.impact import Impact, SystemMove
from curator.formats.templates import macro
from curator.web.components import words

WIDTH = 145.0  # pixels between the two columns of ranks
ROW = 15.0  # pixels a rank, less where many are shown
HIGHEST = 250.0  # the whole plot
NAME = 13.0  # the least distance between two labels
SPOKEN = 8  # movers named to a screen reader

Group = tuple[int, tuple[str, ...], bool]
"""Systems on one label that moved by as many places, and whether within noise."""


class SlopeLine(NamedTuple):
    """From a rank before to a rank after, as a turned rule of this length.

    ``start`` and ``end`` are heights in pixels from the top, ``angle`` is in degrees.
    """

    start: float
    end: float
    length: float
    angle: float
    rises: bool
    hollow: bool


class Label(NamedTuple):
    """A rank at a side of the plot; at the right with its systems."""

    at: float
    rank: int
    groups: tuple[Group, ...] = ()


class Slope(NamedTuple):
    """The parts of the plot; ``spoken`` is the plot in words.

    ``still`` are the heights of systems that do not move. ``unnamed`` counts the movers
    whose line is drawn without their name.
    """

    height: float
    still: list[float]
    lines: list[SlopeLine]
    before: list[Label]
    after: list[Label]
    unnamed: int
    spoken: str


def slope(impact: Impact) -> Slope:
    """Lay out these moves; systems without a rank on a side are left out."""
    moves = [m for m in impact.moves if m.rank_before and m.rank_after]
    movers, noise = impact.movers, impact.within_noise
    sentence = spoken(movers, len(moves) - len(movers))
    ends = {rank for m in movers for rank in (m.rank_before or 0, m.rank_after or 0)}
    if not ends:
        return Slope(0.0, [], [], [], [], 0, sentence)
    last = max(m.rank_after or 0 for m in moves)
    axis = range(max(min(ends) - 1, 1), max(*ends, min(max(ends) + 1, last)) + 1)
    row = min(ROW, HIGHEST / len(axis))
    at = {rank: round((place + 0.5) * row, 1) for place, rank in enumerate(axis)}
    # Where room is short, names are those of movers.
    named = [m for m in moves if m.places or (row == ROW and m.rank_after in at)]
    before, _ = placed(Label(at[rank], rank) for rank in sorted(ends))
    after, unnamed = placed(
        Label(at[rank], rank, groups)
        for rank, groups in groups_by_rank(named, noise).items()
    )
    still = {at[m.rank_after] for m in moves if not m.places and m.rank_after in at}
    lines = lines_of(movers, at, noise)
    height = len(axis) * row
    return Slope(height, sorted(still), lines, before, after, unnamed, sentence)


def lines_of(
    movers: Sequence[SystemMove], at: dict[int, float], within_noise: frozenset[str]
) -> list[SlopeLine]:
    """Draw a line for each move from rank to rank; hollow if all on it are noise."""
    hollow: dict[tuple[int, int], bool] = {}
    for m in movers:
        ranks = m.rank_before or 0, m.rank_after or 0
        hollow[ranks] = hollow.get(ranks, True) and m.system in within_noise
    lines = []
    # The largest move is drawn last, on top of the others.
    for (before, after), all_noise in reversed(hollow.items()):
        start, end = at[before], at[after]
        length = round(hypot(WIDTH, end - start), 1)
        angle = round(degrees(atan2(end - start, WIDTH)), 2)
        lines.append(SlopeLine(start, end, length, angle, after < before, all_noise))
    return lines


def groups_by_rank(
    moves: Sequence[SystemMove], within_noise: frozenset[str]
) -> dict[int, tuple[Group, ...]]:
    """Group the systems of each rank afterwards, those with the largest move first."""
    names: dict[int, dict[tuple[int, bool], list[str]]] = defaultdict(dict)
    for m in sorted(moves, key=lambda m: (-abs(m.places), m.system)):
        alike = names[m.rank_after or 0]
        alike.setdefault((m.places, m.system in within_noise), []).append(m.system)
    return {
        rank: tuple((places, tuple(n), noise) for (places, noise), n in alike.items())
        for rank, alike in names.items()
    }


def placed(labels: Iterable[Label]) -> tuple[list[Label], int]:
    """The labels that fit, the first ones rather; how many movers are on the others."""
    fitting: list[Label] = []
    left_out = 0
    for label in labels:
        if all(abs(label.at - other.at) >= NAME for other in fitting):
            fitting.append(label)
        else:
            left_out += sum(len(names) for places, names, _ in label.groups if places)
    return sorted(fitting, key=lambda label: label.at), left_out


def spoken(movers: Sequence[SystemMove], still: int) -> str:
    """The plot in words: ``a falls from 20 to 23, b rises from 32 to 30``."""
    parts = [
        f"{m.system} {'rises' if m.places > 0 else 'falls'} "
        f"from {m.rank_before} to {m.rank_after}"
        for m in movers[:SPOKEN]
    ]
    if more := len(movers) - len(parts):
        parts.append(f"{more} more move")
    if still or not parts:
        parts.append(f"{words.count(still, 'system')} not moving")
    return f"Ranks before and after: {'; '.join(parts)}."


def slope_html(impact: Impact, *, solo: bool = False) -> str:
    """Draw the plot, dashed for ``solo``."""
    return macro("judge/impact.html", "slope")(slope(impact), solo, words)
