"""Named points, such as a board's scores against official ranks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from curator.figures.drawing import Drawing, label_axes
from curator.figures.look import Look, drawable, name, rank_ticks

MOST_NAMES = 60
# Where a name may stand beside its point, in printer's points, the best place first.
PLACES = (
    (5, 0, "left", "center"),
    (-5, 0, "right", "center"),
    (0, 6, "center", "bottom"),
    (0, -6, "center", "top"),
    (4, 5, "left", "bottom"),
    (4, -5, "left", "top"),
    (-4, 5, "right", "bottom"),
    (-4, -5, "right", "top"),
)


def scatter(
    title: str,
    x_label: str,
    y_label: str,
    points: Mapping[str, tuple[float, float]],
    dark: bool = False,
    about: str = "",
) -> Drawing:
    """A dot per point, named where the name hides no dot and no other name.

    Points that are not finite are left out.
    """

    def paint(axes: Any, look: Look) -> bool:
        label_axes(axes, look, x_label, y_label)
        shown = {key: one for key, one in points.items() if drawable([one])}
        if not shown:
            return False
        axes.scatter(
            [x for x, _ in shown.values()],
            [y for _, y in shown.values()],
            s=22,
            color=look.accent,
            zorder=3,
        )
        axes.margins(0.08)
        across = [x for x, _ in shown.values()]
        if min(across) >= 1 and all(x == int(x) for x in across):  # ranks
            axes.set_xticks(rank_ticks(max(across)))
        if len(shown) <= MOST_NAMES:
            _name(axes, look, shown)
        return True

    told = ("points", x_label, y_label, *points.items())
    return Drawing(title, 6.4, 4.4, paint, dark, told, about)


def _name(axes: Any, look: Look, shown: Mapping[str, tuple[float, float]]) -> None:
    """Put each name in the first free place beside its point, or nowhere."""
    from matplotlib.transforms import Bbox

    figure = axes.figure
    figure.draw_without_rendering()  # lays the axes out, so that places are known
    figure.set_layout_engine("none")  # and keeps them
    dot = 2.5 * figure.dpi / 72
    centres = axes.transData.transform(list(shown.values()))
    taken = [Bbox([[x - dot, y - dot], [x + dot, y + dot]]) for x, y in centres]
    room = axes.get_window_extent()
    for own, (key, point) in enumerate(shown.items()):
        for dx, dy, across, along in PLACES:
            text = axes.annotate(
                name(key, 22), point, xytext=(dx, dy), textcoords="offset points",
                ha=across, va=along, color=look.second, fontsize=7,
            )  # fmt: skip
            box = text.get_window_extent()
            inside = room.x0 <= box.x0 and box.x1 <= room.x1
            if inside and not any(
                box.overlaps(other) for at, other in enumerate(taken) if at != own
            ):
                taken.append(box)
                break
            text.remove()
