"""Ranks under several measures, joined from column to column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from curator.figures.drawing import Drawing
from curator.figures.look import Look, colour, dash, marker, name

LEADER = 0.08  # columns between a line's end and its name
MARGINS, COLUMN = 3.4, 1.3  # inches: names at both ends, and from column to column
TURNED = 40  # degrees, headings of columns that stand close
LETTER = 0.07  # inches of one, about


def bump_chart(
    title: str,
    columns: Sequence[str],
    ranks: Mapping[str, Sequence[int | None]],
    dark: bool = False,
    about: str = "",
    widest: float | None = None,
) -> Drawing:
    """One line per name through its rank in each column, rank 1 on top.

    None leaves the column out and the line open there. Names stand at both ends, on
    lines of their own where ranks tie. ``widest`` caps the inches across, and columns
    come closer. Raises ValueError where a name has not one rank per column.
    """
    for key, ranked in ranks.items():
        if len(ranked) != len(columns):
            raise ValueError(f"'{key}' has {len(ranked)} ranks, not {len(columns)}")

    def paint(axes: Any, look: Look) -> bool:
        shown = {k: r for k, r in ranks.items() if any(one is not None for one in r)}
        if not shown or not columns:
            return False
        for position, ranked in enumerate(shown.values()):
            axes.plot(
                range(len(columns)),
                [float("nan") if one is None else one for one in ranked],
                color=colour(look, position),
                marker=marker(position),
                linestyle=dash(position, look),
                linewidth=1.3,
                markersize=4.5,
            )
        ends = [(0, -LEADER, "right")]
        if len(columns) > 1:
            ends.append((len(columns) - 1, LEADER, "left"))
        for column, step, align in ends:
            _names(axes, look, shown, column, step, align)
        axes.set_xticks(range(len(columns)), headings)
        axes.tick_params(
            left=False, labelleft=False, bottom=False, top=False,
            labeltop=True, labelbottom=False, labelcolor=look.ink,
            labelrotation=TURNED if turned else 0,
        )  # fmt: skip
        if turned:
            for label in axes.get_xticklabels():
                label.set(ha="left", va="bottom", rotation_mode="anchor")
        axes.grid(visible=False)
        for spine in axes.spines.values():
            spine.set_visible(False)
        last = max(one for r in shown.values() for one in r if one is not None)
        axes.set_ylim(max(last, len(shown)) + 0.6, 0.4)
        axes.set_xlim(-0.1, max(len(columns) - 0.9, 0.1))
        return True

    height = max(2.0, 0.9 + 0.21 * len(ranks))
    width = max(5.0, MARGINS + COLUMN * len(columns))
    headings = [name(one, 18) for one in columns]
    longest = LETTER * max(map(len, headings), default=0)
    turned = False
    if widest is not None and width > widest:
        width = widest
        beside = 2 * LETTER * (4 + max((len(name(key)) for key in ranks), default=0))
        turned = longest + LETTER > (width - beside) / max(len(columns) - 1, 1)
    height += 0.6 * longest if turned else 0.0
    told = ("bumps", *columns, *ranks.items())
    return Drawing(title, width, height, paint, dark, told, about)


def _names(
    axes: Any,
    look: Look,
    shown: Mapping[str, Sequence[int | None]],
    column: int,
    step: float,
    align: str,
) -> None:
    """Rank and name of all that are ranked in the column, best on top."""
    listed = sorted(
        (rank, position, key)
        for position, (key, ranked) in enumerate(shown.items())
        if (rank := ranked[column]) is not None
    )
    slot = 0.0
    for rank, position, key in listed:
        slot = max(slot + 1, rank)
        tint = colour(look, position)
        axes.plot(
            [column, column + step], [rank, slot],
            color=tint, linewidth=0.6, clip_on=False,
        )  # fmt: skip
        text = f"{name(key)}  {rank}" if align == "right" else f"{rank}  {name(key)}"
        axes.text(
            column + step * 1.3, slot, text,
            color=look.ink, fontsize=8, ha=align, va="center", clip_on=False,
        )  # fmt: skip
