"""How a training went: the loss above, and beneath it how good the model was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from curator.figures.drawing import Drawing, dress, label_axes, legend
from curator.figures.look import Look, colour, dash, drawable, marker, name

Points = Sequence[tuple[float, float]]
MOST_MARKERS = 30  # more of them hide the line


def training_curves(
    title: str,
    loss: Points,
    results: Mapping[str, Points],
    *,
    kept: float | None = None,
    dark: bool = False,
    about: str = "",
) -> Drawing:
    """Loss over steps, and in a second panel each of ``results``, shares in [0, 1].

    ``kept`` is the step whose weights were kept: a line through both panels. Points
    that are not finite are left out, and so is a panel without any.
    """

    def paint(axes: Any, look: Look) -> bool:
        losses = drawable(loss)
        lines = {key: drawable(points) for key, points in results.items()}
        lines = {key: points for key, points in lines.items() if points}
        panels = [axes]
        if losses and lines:
            grid = axes.figure.add_gridspec(2, 1)
            axes.set_subplotspec(grid[0])
            lower = axes.figure.add_subplot(grid[1], sharex=axes)
            dress(lower, look)
            axes.tick_params(labelbottom=False)
            panels.append(lower)
        if losses:
            label_axes(axes, look, "" if lines else "step", "loss")
            _line(axes, look, 0, "loss", losses)
        if lines:
            below = panels[-1]
            label_axes(below, look, "step", "on dev")
            below.set_ylim(-0.02, 1.02)
            for position, (key, points) in enumerate(lines.items()):
                _line(below, look, position, key, points)
        if not losses and not lines:
            return False
        if kept is not None:
            for panel in panels:
                panel.axvline(
                    kept, color=look.second, linewidth=0.9, linestyle=":", label="kept"
                )
        if lines:  # of the loss alone the axis says what it is
            legend(panels[-1], look)
        axes.locator_params(axis="x", integer=True)
        return True

    told = ("training", loss, *results.items(), kept)
    return Drawing(title, 6.4, 4.4, paint, dark, told, about)


def _line(axes: Any, look: Look, position: int, key: str, points: Points) -> None:
    axes.plot(
        [x for x, _ in points],
        [y for _, y in points],
        label=name(key),
        color=colour(look, position),
        marker=marker(position) if len(points) <= MOST_MARKERS else None,
        linestyle=dash(position, look),
        linewidth=1.4,
        markersize=4.5,
    )
