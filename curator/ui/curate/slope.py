"""The slope plot: ranks before and after, drawn to the scale of what moves.

The axis is piecewise. Ranks where something moves have a row each, with room for a
name; the others are pressed together, for all there is to say is that they stayed.
Streamlit takes every SVG out of what a page draws, so lines are rules turned by their
angle, and follow the theme's colours like all else.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from math import atan2, degrees, hypot

from curator.evaluation.impact import Impact, Move
from curator.ui.curate.small_board import move_html
from curator.ui.shared import html, words
from curator.ui.shared.words import Tone, move, tone_of

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


@dataclass(frozen=True, slots=True)
class Line:
    """From a rank before to a rank after, as a turned rule of this length.

    ``left`` and ``right`` are heights in pixels from the top, ``angle`` is in degrees.
    """

    left: float
    right: float
    length: float
    angle: float
    tone: Tone
    hollow: bool


@dataclass(frozen=True, slots=True)
class Group:
    """Systems on one label that moved alike; 0 places for those that stayed."""

    places: int
    names: tuple[str, ...]
    hollow: bool


@dataclass(frozen=True, slots=True)
class Label:
    """A rank beside the plot; at the right with who has it, the largest move first."""

    at: float
    rank: int
    groups: tuple[Group, ...] = ()


@dataclass(frozen=True, slots=True)
class Bracket:
    """A stretch where nothing moves: ``1–19 do not move``."""

    top: float
    bottom: float
    text: str


@dataclass(frozen=True, slots=True)
class Slope:
    """Everything the plot shows; ``spoken`` says it in words.

    ``unnamed`` counts the movers whose line is drawn without their name.
    """

    height: float
    still: tuple[float, ...]
    lines: tuple[Line, ...]
    before: tuple[Label, ...]
    after: tuple[Label, ...]
    brackets: tuple[Bracket, ...]
    unnamed: int
    spoken: str


@dataclass(frozen=True, slots=True)
class Stretch:
    """Neighbouring ranks, ``first`` to ``last``, that move or that do not.

    ``held`` are those that somebody has afterwards.
    """

    first: int
    last: int
    busy: bool
    held: tuple[int, ...] = ()
    top: float = 0.0
    row: float = 0.0

    @property
    def bare(self) -> bool:
        """Whether it says nothing: too few stay there for a bracket."""
        return not self.busy and (self.ranks < FEW or not self.held)

    @property
    def ranks(self) -> int:
        """How many ranks it holds."""
        return self.last - self.first + 1

    @property
    def bottom(self) -> float:
        """Where it ends, in pixels from the top."""
        return self.top + self.ranks * self.row


def slope(impact: Impact) -> Slope:
    """The plot of these moves; systems without a rank on a side are left out."""
    moves = [m for m in impact.moves if m.rank_before and m.rank_after]
    movers = [m for m in impact.movers if m.rank_before and m.rank_after]
    stretches = laid_out(stretches_of(moves, movers, roomy=True))
    roomy = all(s.row == ROW for s in stretches if s.busy)
    if not roomy:
        stretches = laid_out(stretches_of(moves, movers, roomy=False))
    at = heights(stretches)
    busy = {r for s in stretches if s.busy for r in range(s.first, s.last + 1)}
    # Where room is short, names and ranks are those of movers.
    told = moves if roomy else movers
    after, unnamed = placed(
        [x for x in after_labels(told, at, impact.within_noise) if x.rank in busy]
    )
    before, _ = placed(before_labels(told, movers, at, busy))
    return Slope(
        height=max((s.bottom for s in stretches), default=0.0),
        still=still_lines(moves, at),
        lines=lines_of(movers, at, impact.within_noise),
        before=before,
        after=after,
        brackets=brackets_of(stretches),
        unnamed=unnamed,
        spoken=spoken(movers, len(moves) - len(movers)),
    )


def stretches_of(
    moves: Sequence[Move], movers: Sequence[Move], *, roomy: bool
) -> list[Stretch]:
    """The ranks in stretches that move and that do not, from the top down.

    Where there is room, one or two ranks that stay are drawn like those that move: a
    bracket round them would say less than they do.
    """
    held = [r for m in moves for r in (m.rank_before or 0, m.rank_after or 0)]
    busy = {r for m in movers for r in (m.rank_before or 0, m.rank_after or 0)}
    ranks = range(1, max(held, default=0) + 1)
    if roomy and movers:
        runs = [list(run) for _, run in groupby(ranks, key=busy.__contains__)]
        busy.update(rank for run in runs if len(run) < FEW for rank in run)
    after = {m.rank_after for m in moves}
    found = []
    for moving, run in groupby(ranks, key=busy.__contains__):
        alike = list(run)
        kept = tuple(rank for rank in alike if rank in after)
        found.append(Stretch(alike[0], alike[-1], moving, kept))
    return found


def laid_out(stretches: Sequence[Stretch]) -> list[Stretch]:
    """The stretches with their places; never higher together than ``HIGHEST``.

    What stays is pressed together first, then what moves.
    """
    if not stretches:
        return []
    gaps = [gap_below(a, b) for a, b in pairwise(stretches)]
    busy = sum(s.ranks for s in stretches if s.busy)

    def left_over(tallest: float) -> float:
        quiet = [quiet_height(s, tallest) for s in stretches if not s.busy]
        return HIGHEST - sum(gaps) - sum(quiet)

    tallest = LONGEST_QUIET if left_over(LONGEST_QUIET) >= busy * ROW else NAMED_QUIET
    row = min(ROW, max(left_over(tallest), 0.0) / busy) if busy else 0.0
    found: list[Stretch] = []
    top = 0.0
    for s, gap in zip(stretches, [*gaps, 0.0], strict=True):
        own = row if s.busy else quiet_height(s, tallest) / s.ranks
        found.append(replace(s, top=round(top, 1), row=own))
        top += s.ranks * own + gap
    return found


def gap_below(stretch: Stretch, following: Stretch) -> float:
    """Pixels between two stretches; none beside one that has no bracket."""
    return 0.0 if stretch.bare or following.bare else GAP


def quiet_height(stretch: Stretch, tallest: float) -> float:
    """Pixels of a stretch where nothing moves; ranks that nobody has need no room."""
    if stretch.bare:
        return QUIET * max(len(stretch.held), 1)
    return min(max(len(stretch.held) * QUIET, NAMED_QUIET), tallest)


def heights(stretches: Sequence[Stretch]) -> dict[int, float]:
    """Rank to the middle of its row, in pixels from the top."""
    return {
        rank: round(s.top + (rank - s.first + 0.5) * s.row, 1)
        for s in stretches
        for rank in range(s.first, s.last + 1)
    }


def lines_of(
    movers: Sequence[Move], at: Mapping[int, float], within_noise: frozenset[str]
) -> tuple[Line, ...]:
    """A line for each way somebody moved; hollow where everybody on it is noise."""
    by_way: dict[tuple[int, int], list[Move]] = defaultdict(list)
    for m in movers:
        by_way[m.rank_before or 0, m.rank_after or 0].append(m)
    return tuple(
        Line(
            left=at[before],
            right=at[after],
            length=round(hypot(WIDTH, at[after] - at[before]), 1),
            angle=round(degrees(atan2(at[after] - at[before], WIDTH)), 2),
            tone=tone_of(before - after),
            hollow=all(m.system in within_noise for m in found),
        )
        # The largest move is drawn last, on top of the others.
        for (before, after), found in reversed(by_way.items())
    )


def still_lines(moves: Sequence[Move], at: Mapping[int, float]) -> tuple[float, ...]:
    """The heights of those who stayed; no two closer than can be told apart."""
    ranks = sorted({m.rank_after or 0 for m in moves if not m.places})
    found: list[float] = []
    for rank in ranks:
        if not found or at[rank] - found[-1] >= 2:
            found.append(at[rank])
    return tuple(found)


def brackets_of(stretches: Sequence[Stretch]) -> tuple[Bracket, ...]:
    """What to write beside the stretches where somebody stays."""
    return tuple(
        Bracket(s.top, s.bottom, f"{ranks_in_words(s.held)} not move")
        for s in stretches
        if not s.busy and s.held and not (s.bare and len(stretches) > 1)
    )


def ranks_in_words(held: Sequence[int]) -> str:
    """``1–19 do``; ``rank 24 does``."""
    if held[0] == held[-1]:
        return f"rank {held[0]} does"
    return f"{held[0]}–{held[-1]} do"


def before_labels(
    moves: Sequence[Move],
    movers: Sequence[Move],
    at: Mapping[int, float],
    busy: set[int],
) -> list[Label]:
    """The ranks held before, where something moves; those of movers come first."""
    ranks = dict.fromkeys(m.rank_before or 0 for m in (*movers, *moves))
    return [Label(at[rank], rank) for rank in ranks if rank in busy]


def after_labels(
    moves: Sequence[Move], at: Mapping[int, float], within_noise: frozenset[str]
) -> list[Label]:
    """The ranks held after with who has them, those with the largest move first."""
    by_rank: dict[int, dict[tuple[int, bool], list[str]]] = defaultdict(dict)
    for m in sorted(moves, key=lambda m: (-abs(m.places), m.system)):
        alike = by_rank[m.rank_after or 0]
        hollow = m.system in within_noise
        alike.setdefault((m.places, hollow), []).append(m.system)
    return [
        Label(
            at[rank],
            rank,
            tuple(Group(p, tuple(n), hollow) for (p, hollow), n in alike.items()),
        )
        for rank, alike in by_rank.items()
    ]


def placed(labels: Sequence[Label]) -> tuple[tuple[Label, ...], int]:
    """The labels that fit, the first ones rather; how many movers are on the others."""
    fitting: list[Label] = []
    left_out = 0
    for label in labels:
        if all(abs(label.at - other.at) >= NAME for other in fitting):
            fitting.append(label)
        else:
            left_out += sum(len(g.names) for g in label.groups if g.places)
    return tuple(sorted(fitting, key=lambda label: label.at)), left_out


def spoken(movers: Sequence[Move], still: int) -> str:
    """The plot in words: ``a falls from 20 to 23, b rises from 32 to 30``."""
    said = [
        f"{m.system} {'rises' if m.places > 0 else 'falls'} "
        f"from {m.rank_before} to {m.rank_after}"
        for m in movers[:SPOKEN]
    ]
    more = len(movers) - len(said)
    if more:
        said.append(f"{more} more {'moves' if more == 1 else 'move'}")
    if still or not said:
        verb = "does" if still == 1 else "do"
        said.append(f"{words.count(still, 'system')} {verb} not move")
    return f"Ranks before and after: {'; '.join(said)}."


def slope_html(impact: Impact, *, solo: bool = False) -> str:
    """Ranks before and after; read out as a sentence, drawn dashed for ``solo``."""
    plot = slope(impact)
    css = "c-slope c-dashed" if solo else "c-slope"
    return (
        f'<div class="{css}" role="img" aria-label="{html.text(plot.spoken)}" '
        f'style="height:{plot.height:.0f}px">{drawn(plot)}</div>{_unnamed(plot)}'
    )


def drawn(plot: Slope) -> str:
    """Everything in the plot, what matters most on top."""
    return "".join(
        [
            *(f'<i style="top:{at:.1f}px"></i>' for at in plot.still),
            *map(line_html, plot.lines),
            *map(before_html, plot.before),
            *map(after_html, plot.after),
            *map(bracket_html, plot.brackets),
        ]
    )


def line_html(line: Line) -> str:
    """A turned rule and its two dots."""
    css = f"c-{line.tone} c-open" if line.hollow else f"c-{line.tone}"
    return (
        f'<u class="{css}" style="top:{line.left:.1f}px;width:{line.length:.1f}px;'
        f'transform:rotate({line.angle:.2f}deg)"></u>'
        f'<b class="{css}" style="top:{line.left:.1f}px"></b>'
        f'<b class="{css} c-right" style="top:{line.right:.1f}px"></b>'
    )


def before_html(label: Label) -> str:
    """A rank at the left."""
    return f'<s style="top:{label.at:.1f}px">{label.rank}</s>'


def after_html(label: Label) -> str:
    """A rank at the right with who has it."""
    names = ", ".join(name for group in label.groups for name in group.names)
    groups = "".join(map(group_html, label.groups))
    return (
        f'<p style="top:{label.at:.1f}px" title="{html.text(names)}">'
        f"<em>{label.rank}</em>{groups}</p>"
    )


def group_html(group: Group) -> str:
    """An arrow, how far, and the names."""
    names = html.text(", ".join(group.names))
    if not group.places:
        return f"<span></span><q>{names}</q>"
    arrow = move_html(move(group.places), hollow=group.hollow)
    return f"<span>{arrow}</span><strong>{names}</strong>"


def bracket_html(bracket: Bracket) -> str:
    """A bracket and what it says."""
    height = bracket.bottom - bracket.top
    return (
        f'<small style="top:{bracket.top:.1f}px;height:{height:.1f}px;'
        f'line-height:{height:.1f}px">{html.text(bracket.text)}</small>'
    )


def _unnamed(plot: Slope) -> str:
    if not plot.unnamed:
        return ""
    verb = "is" if plot.unnamed == 1 else "are"
    said = f"{words.count(plot.unnamed, 'smaller move')} {verb} drawn without a name."
    return f'<p class="c-boardnote">{said}</p>'
