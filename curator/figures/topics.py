"""One system's score in each topic, against all systems' scores there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from curator.figures.drawing import Drawing, label_axes, legend
from curator.figures.look import Look, name

WIDEST = 16.0


def ranges(
    title: str,
    y_label: str,
    topics: Sequence[str],
    low: Sequence[float],
    middle: Sequence[float],
    high: Sequence[float],
    values: Sequence[float | None],
    dark: bool = False,
    about: str = "",
) -> Drawing:
    """A bar per topic from ``low`` to ``high``, ``middle`` on it, a dot at the value.

    All are as long as ``topics``, in its order; a value of None draws no dot. Raises
    ValueError where one is not.
    """
    if any(len(one) != len(topics) for one in (low, middle, high, values)):
        raise ValueError(f"the numbers are not one for each of {len(topics)} topics")

    def paint(axes: Any, look: Look) -> bool:
        if not topics:
            return False
        label_axes(axes, look, "", y_label)
        at = range(len(topics))
        axes.vlines(
            at, low, high, color=look.line, linewidth=5, label="lowest to highest"
        )
        axes.scatter(
            at, middle, marker="_", s=46, color=look.second, zorder=3, label="median"
        )
        dots = [
            (i, value)
            for i, value in enumerate(values)
            if value is not None and math.isfinite(value)
        ]
        axes.scatter(
            [i for i, _ in dots], [value for _, value in dots],
            s=16, color=look.accent, zorder=4, label="this system",
        )  # fmt: skip
        small = 8 if len(topics) <= 20 else 6
        axes.set_xticks(
            at, [name(one, 20) for one in topics], rotation=90, fontsize=small
        )
        axes.set_xlim(-0.8, len(topics) - 0.2)
        axes.grid(visible=False, axis="x")
        legend(axes, look)
        return True

    told = ("topics", y_label, *zip(topics, low, middle, high, values, strict=True))
    width = min(WIDEST, 4.6 + 0.13 * len(topics))
    return Drawing(title, width, 3.8, paint, dark, told, about)
