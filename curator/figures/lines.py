"""Lines over a shared axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from curator.figures.drawing import Drawing, label_axes, legend
from curator.figures.look import Look, colour, dash, drawable, marker, name

MOST_TICKS = 12


def line_plot(
    title: str,
    x_label: str,
    y_label: str,
    series: Mapping[str, Sequence[tuple[float, float]]],
    *,
    y_range: tuple[float, float] | None = None,
    dark: bool = False,
    about: str = "",
) -> Drawing:
    """One line with markers per series, through its points in the order given.

    ``y_range`` fixes the lower and upper end of the y axis. Points that are not finite
    are left out.
    """

    def paint(axes: Any, look: Look) -> bool:
        label_axes(axes, look, x_label, y_label)
        drawn = {key: drawable(points) for key, points in series.items()}
        drawn = {key: points for key, points in drawn.items() if points}
        for position, (key, points) in enumerate(drawn.items()):
            axes.plot(
                [x for x, _ in points],
                [y for _, y in points],
                label=_listed(name(key)),
                color=colour(look, position),
                marker=marker(position),
                linestyle=dash(position, look),
                linewidth=1.4,
                markersize=4.5,
            )
        ticks = sorted({x for points in drawn.values() for x, _ in points})
        if len(ticks) <= MOST_TICKS and all(x == int(x) for x in ticks):
            axes.set_xticks(ticks, [str(int(x)) for x in ticks])
        if y_range is not None:
            axes.set_ylim(*y_range)
        if len(drawn) > 1:  # of one line the axis says what it is
            legend(axes, look)
        return bool(drawn)

    told = ("lines", x_label, y_label, *series.items(), y_range)
    return Drawing(title, 6.4, 3.6, paint, dark, told, about)


def _listed(label: str) -> str:
    """The label; the library leaves one that begins with _ out of the legend."""
    return f"\N{ZERO WIDTH SPACE}{label}" if label.startswith("_") else label
