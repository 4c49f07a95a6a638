"""The slope plot: ranks before and after, drawn to the scale of what moves.

The axis is piecewise. Ranks where something moves have a row each, with room for a
name; the others are pressed together, for all there is to say is that they stayed.
Streamlit takes every SVG out of what a page draws, so lines are rules turned by their
angle, and follow the theme's colours like all else.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from math import atan2, degrees, hypot
from typing import NamedTuple

from curator.evaluation.impact import Impact, SystemMove
from curator.formats.templates import macro
from curator.web.components import words

WIDTH = 145.0  # pixels between the two columns of ranks
ROW = 15.0  # pixels a rank where something moves
QUIET = 3.0  # pixels a rank elsewhere
LONGEST_QUIET = 60.0
NAMED_QUIET = 14.0  # room for what its bracket says
GAP = 5.0  # between the stretches of the axis
HIGHEST = 250.0  # the whole plot
NAME = 13.0  # the least distance between two labels
FEW = 3  # ranks that stay, from which on a bracket stands for them
SPOKEN = 8  # movers named to a screen reader

Group = tuple[int, tuple[str, ...], bool]
"""Systems on one label that moved by as many places, and whether within noise."""


class SlopeLine(NamedTuple):
    """From a rank before to a rank after, as a turned rule of this length.

    ``left`` and ``right`` are heights in pixels from the top, ``angle`` is in degrees.
    """

    left: float
    right: float
    length: float
    angle: float
    rises: bool
    hollow: bool


class Label(NamedTuple):
    """A rank beside the plot; at the right with who has it, the largest move first."""

    at: float
    rank: int
    groups: tuple[Group, ...] = ()


class Slope(NamedTuple):
    """Everything the plot shows; ``spoken`` says it in words.

    ``still`` are the heights of those who stayed, ``brackets`` top, height and words
    of stretches where nothing moves. ``unnamed`` counts the movers whose line is drawn
    without their name.
    """

    height: float
    still: list[float]
    lines: list[SlopeLine]
    before: list[Label]
    after: list[Label]
    brackets: list[tuple[float, float, str]]
    unnamed: int
    spoken: str


@dataclass(slots=True)
class RankStretch:
    """Neighbouring ranks that move or that do not, and where they are drawn.

    ``held`` are those that somebody has afterwards, ``row`` is the pixels of each.
    """

    ranks: Sequence[int]
    busy: bool
    held: Sequence[int]
    top: float = 0.0
    row: float = ROW

    @property
    def bare(self) -> bool:
        """Whether it says nothing: too few stay there for a bracket."""
        return not self.busy and (len(self.ranks) < FEW or not self.held)

    @property
    def height(self) -> float:
        """In pixels."""
        return len(self.ranks) * self.row


def slope(impact: Impact) -> Slope:
    """The plot of these moves; systems without a rank on a side are left out."""
    moves = [m for m in impact.moves if m.rank_before and m.rank_after]
    movers, noise = impact.movers, impact.within_noise
    stretches = laid_out(stretches_of(moves, movers, roomy=True))
    roomy = all(s.row == ROW for s in stretches if s.busy)
    if not roomy:
        stretches = laid_out(stretches_of(moves, movers, roomy=False))
    at = {
        rank: round(s.top + (number + 0.5) * s.row, 1)
        for s in stretches
        for number, rank in enumerate(s.ranks)
    }
    busy = {rank for s in stretches if s.busy for rank in s.ranks}
    # Where room is short, names and ranks are those of movers.
    named = moves if roomy else movers
    ranks = dict.fromkeys(m.rank_before or 0 for m in (*movers, *named))
    before, _ = placed(Label(at[rank], rank) for rank in ranks if rank in busy)
    after, unnamed = placed(
        Label(at[rank], rank, groups)
        for rank, groups in groups_by_rank(named, noise).items()
        if rank in busy
    )
    still: list[float] = []
    for rank in sorted({m.rank_after or 0 for m in moves if not m.places}):
        if not still or at[rank] - still[-1] >= 2:  # closer cannot be told apart
            still.append(at[rank])
    return Slope(
        height=max((s.top + s.height for s in stretches), default=0.0),
        still=still,
        lines=lines_of(movers, at, noise),
        before=before,
        after=after,
        brackets=[
            (s.top, s.height, f"{held_in_words(s.held)} not move")
            for s in stretches
            if not s.busy and s.held and not (s.bare and len(stretches) > 1)
        ],
        unnamed=unnamed,
        spoken=spoken(movers, len(moves) - len(movers)),
    )


def stretches_of(
    moves: Sequence[SystemMove], movers: Sequence[SystemMove], *, roomy: bool
) -> list[RankStretch]:
    """The ranks in stretches that move and that do not, from the top down.

    Where there is room, one or two ranks that stay are drawn like those that move: a
    bracket round them would say less than they do.
    """
    busy = {r for m in movers for r in (m.rank_before or 0, m.rank_after or 0)}
    after = {m.rank_after or 0 for m in moves}
    ranks = range(1, max(after | {m.rank_before or 0 for m in moves}, default=0) + 1)
    if roomy and movers:
        runs = [list(run) for _, run in groupby(ranks, key=busy.__contains__)]
        busy.update(rank for run in runs if len(run) < FEW for rank in run)
    runs = [list(run) for _, run in groupby(ranks, key=busy.__contains__)]
    return [
        RankStretch(run, run[0] in busy, [rank for rank in run if rank in after])
        for run in runs
    ]


def laid_out(stretches: list[RankStretch]) -> list[RankStretch]:
    """The stretches in their places; never higher together than ``HIGHEST``.

    What stays is pressed together first, then what moves.
    """
    # None beside a stretch that has no bracket.
    gaps = [0.0 if a.bare or b.bare else GAP for a, b in pairwise(stretches)]
    busy = sum(len(s.ranks) for s in stretches if s.busy)

    def left_over(tallest: float) -> float:
        quiet = [quiet_height(s, tallest) for s in stretches if not s.busy]
        return HIGHEST - sum(gaps) - sum(quiet)

    tallest = LONGEST_QUIET if left_over(LONGEST_QUIET) >= busy * ROW else NAMED_QUIET
    row = min(ROW, max(left_over(tallest), 0.0) / busy) if busy else 0.0
    top = 0.0
    for s, gap in zip(stretches, [*gaps, 0.0], strict=False):
        s.top = round(top, 1)
        s.row = row if s.busy else quiet_height(s, tallest) / len(s.ranks)
        top += s.height + gap
    return stretches


def quiet_height(stretch: RankStretch, tallest: float) -> float:
    """Pixels of a stretch where nothing moves; ranks that nobody has need no room."""
    if stretch.bare:
        return QUIET * max(len(stretch.held), 1)
    return min(max(len(stretch.held) * QUIET, NAMED_QUIET), tallest)


def lines_of(
    movers: Sequence[SystemMove], at: Mapping[int, float], within_noise: frozenset[str]
) -> list[SlopeLine]:
    """A line for each way somebody moved; hollow where everybody on it is noise."""
    hollow: dict[tuple[int, int], bool] = {}
    for m in movers:
        way = m.rank_before or 0, m.rank_after or 0
        hollow[way] = hollow.get(way, True) and m.system in within_noise
    lines = []
    # The largest move is drawn last, on top of the others.
    for (before, after), all_noise in reversed(hollow.items()):
        left, right = at[before], at[after]
        length = round(hypot(WIDTH, right - left), 1)
        angle = round(degrees(atan2(right - left, WIDTH)), 2)
        lines.append(SlopeLine(left, right, length, angle, after < before, all_noise))
    return lines


def held_in_words(held: Sequence[int]) -> str:
    """``1–19 do``; ``rank 24 does``."""
    if held[0] == held[-1]:
        return f"rank {held[0]} does"
    return f"{held[0]}–{held[-1]} do"


def groups_by_rank(
    moves: Sequence[SystemMove], within_noise: frozenset[str]
) -> dict[int, tuple[Group, ...]]:
    """Who has each rank afterwards, those with the largest move first."""
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
    more = len(movers) - len(parts)
    if more:
        parts.append(f"{more} more {'moves' if more == 1 else 'move'}")
    if still or not parts:
        verb = "does" if still == 1 else "do"
        parts.append(f"{words.count(still, 'system')} {verb} not move")
    return f"Ranks before and after: {'; '.join(parts)}."


def slope_html(impact: Impact, *, solo: bool = False) -> str:
    """Ranks before and after; read out as a sentence, drawn dashed for ``solo``."""
    return macro("judge/impact.html", "slope")(slope(impact), solo, words)
