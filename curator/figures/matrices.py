"""A square of values between -1 and 1, such as correlations between measures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from curator.figures.drawing import Drawing
from curator.figures.look import Look, name

STRONGEST = 0.85  # of the full colour at -1 and 1, so that the number can be read


def matrix(
    title: str,
    names: Sequence[str],
    values: Sequence[Sequence[float | None]],
    dark: bool = False,
    about: str = "",
) -> Drawing:
    """Cells tinted by their value in [-1, 1], with the value to two decimals.

    Row i and column i are ``names[i]``; None draws a dash. Raises ValueError where
    ``values`` is not as long and as wide as ``names``.
    """
    size = len(names)
    if len(values) != size or any(len(row) != size for row in values):
        raise ValueError(f"the values are not {size} rows of {size}")

    def paint(axes: Any, look: Look) -> bool:
        if not size:
            return False
        small = 8 if size <= 12 else 6
        for i, row in enumerate(values):
            for j, value in enumerate(row):
                _cell(axes, look, (i, j), value, small)
        labels = [name(one, 24) for one in names]
        axes.set_xticks(
            range(size), labels, rotation=45, ha="left", rotation_mode="anchor"
        )
        axes.set_yticks(range(size), labels)
        axes.tick_params(
            left=False, bottom=False, labelbottom=False, top=False, labeltop=True,
            labelcolor=look.ink,
        )  # fmt: skip
        axes.grid(visible=False)
        for spine in axes.spines.values():
            spine.set_visible(False)
        axes.set_xlim(-0.5, size - 0.5)
        axes.set_ylim(size - 0.5, -0.5)
        axes.set_aspect("equal")
        return True

    side = max(3.6, 1.9 + 0.46 * size)
    told = ("matrix", *names, *values)
    return Drawing(title, side + 0.5, side, paint, dark, told, about)


def _cell(
    axes: Any, look: Look, at: tuple[int, int], value: float | None, small: int
) -> None:
    """One cell: a rectangle, for an image would be pixels in the SVG."""
    from matplotlib.patches import Rectangle

    i, j = at
    known = value is not None and math.isfinite(value)
    strength = min(abs(value), 1.0) if known and value is not None else 0.0
    full = look.accent if (value or 0) >= 0 else look.against
    tint = mixed(look.paper, full, STRONGEST * strength)
    axes.add_patch(
        Rectangle((j - 0.5, i - 0.5), 1, 1, facecolor=tint, edgecolor=look.paper)
    )
    axes.text(
        j, i, f"{value:.2f}" if known else "–",
        color=readable_on(tint, look), fontsize=small, ha="center", va="center",
    )  # fmt: skip


def mixed(paper: str, ink: str, share: float) -> str:
    """The colour this share of the way from one to the other, as #rrggbb."""
    pairs = zip(channels(paper), channels(ink), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


def readable_on(tint: str, look: Look) -> str:
    """Ink or paper, whichever stands out more from the tint."""
    return max((look.ink, look.paper), key=lambda one: contrast(one, tint))


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours, 1 to 21, as WCAG 2 defines it."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(tint: str) -> float:
    """Relative luminance of #rrggbb, 0 to 1."""
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in (channel / 255 for channel in channels(tint))
    ]
    red, green, blue = linear
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def channels(tint: str) -> tuple[int, int, int]:
    """Red, green and blue of #rrggbb, 0 to 255."""
    red, green, blue = (int(tint[at : at + 2], 16) for at in (1, 3, 5))
    return red, green, blue
