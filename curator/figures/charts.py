"""The kinds of figures.

Lines, ranks joined, a matrix, points, ranges, boxes, dots with intervals, a training.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from curator.figures.drawing import Drawing, dress, label_axes, legend
from curator.figures.style import Style, drawable, mixed, name, rank_ticks

Points = Sequence[tuple[float, float]]
Within = tuple[float, float | None, float | None]
"""A value, and the ends of its interval where it has one."""

MOST_TICKS = 12
MOST_MARKERS = 30  # more of them hide the line of a training
MOST_NAMES = 60  # of points
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
STRONGEST = 0.85  # of the full colour at -1 and 1, so that the number can be read
WIDEST = 16.0  # inches of ranges
LEADER = 0.08  # columns of ranks between a line's end and its name
MARGINS, COLUMN = 3.4, 1.3  # inches: names at both ends, and from column to column
TURNED = 40  # degrees, headings of columns that stand close
LETTER = 0.07  # inches of one, about
DOT = 0.145  # inches from one dot with its interval to the next
BETWEEN = 1.2  # dots of room between one row and the next


def line_plot(
    title: str,
    x_label: str,
    y_label: str,
    series: Mapping[str, Points],
    *,
    y_range: tuple[float, float] | None = None,
    dark: bool = False,
    about: str = "",
) -> Drawing:
    """One line with markers per series, through its points in the order given.

    ``y_range`` fixes the lower and upper end of the y axis. Points that are not finite
    are left out.
    """

    def paint(axes: Any, style: Style) -> bool:
        label_axes(axes, style, x_label, y_label)
        drawn = _drawable(series)
        for position, (key, points) in enumerate(drawn.items()):
            # The library leaves a label that begins with _ out of the legend.
            hidden = "\N{ZERO WIDTH SPACE}" if name(key).startswith("_") else ""
            _line(axes, style, position, hidden + name(key), points)
        ticks = sorted({x for points in drawn.values() for x, _ in points})
        if len(ticks) <= MOST_TICKS and all(x == int(x) for x in ticks):
            axes.set_xticks(ticks, [str(int(x)) for x in ticks])
        if y_range is not None:
            axes.set_ylim(*y_range)
        if len(drawn) > 1:  # of one line the axis says what it is
            legend(axes, style)
        return bool(drawn)

    drawn_from = ("lines", x_label, y_label, *series.items(), y_range)
    return Drawing(title, 6.4, 3.6, paint, dark, drawn_from, about)


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

    def paint(axes: Any, style: Style) -> bool:
        losses, lines = drawable(loss), _drawable(results)
        panels = [axes]
        if losses and lines:
            grid = axes.figure.add_gridspec(2, 1)
            axes.set_subplotspec(grid[0])
            lower = axes.figure.add_subplot(grid[1], sharex=axes)
            dress(lower, style)
            axes.tick_params(labelbottom=False)
            panels.append(lower)
        if losses:
            label_axes(axes, style, "" if lines else "step", "loss")
            _line(axes, style, 0, "loss", losses, most=MOST_MARKERS)
        if lines:
            label_axes(panels[-1], style, "step", "on dev")
            panels[-1].set_ylim(-0.02, 1.02)
            for position, (key, points) in enumerate(lines.items()):
                _line(panels[-1], style, position, name(key), points, most=MOST_MARKERS)
        if not losses and not lines:
            return False
        if kept is not None:
            for panel in panels:
                panel.axvline(
                    kept, color=style.second, linewidth=0.9, linestyle=":", label="kept"
                )
        if lines:  # of the loss alone the axis says what it is
            legend(panels[-1], style)
        axes.locator_params(axis="x", integer=True)
        return True

    drawn_from = ("training", loss, *results.items(), kept)
    return Drawing(title, 6.4, 4.4, paint, dark, drawn_from, about)


def _drawable(series: Mapping[str, Points]) -> dict[str, Points]:
    """The series that have points to draw, with those alone."""
    found = {key: drawable(points) for key, points in series.items()}
    return {key: points for key, points in found.items() if points}


def _line(
    axes: Any,
    style: Style,
    position: int,
    label: str,
    points: Points,
    *,
    most: float = math.inf,
) -> None:
    """A line through the points, with markers up to ``most`` of them."""
    looks = style.of_series(position)
    if len(points) > most:
        looks["marker"] = None
    axes.plot(*zip(*points, strict=True), label=label, linewidth=1.4, **looks)


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

    def paint(axes: Any, style: Style) -> bool:
        shown = {k: r for k, r in ranks.items() if any(one is not None for one in r)}
        if not shown or not columns:
            return False
        for position, ranked in enumerate(shown.values()):
            at = [math.nan if one is None else one for one in ranked]
            looks = style.of_series(position)
            axes.plot(range(len(columns)), at, linewidth=1.3, **looks)
        _ranked_names(axes, style, shown, 0, -LEADER)
        if len(columns) > 1:
            _ranked_names(axes, style, shown, len(columns) - 1, LEADER)
        axes.set_xticks(range(len(columns)), headings)
        _headed_above(axes, style)
        axes.tick_params(labelleft=False, labelrotation=TURNED if turned else 0)
        if turned:
            for label in axes.get_xticklabels():
                label.set(ha="left", va="bottom", rotation_mode="anchor")
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
    drawn_from = ("bumps", *columns, *ranks.items())
    return Drawing(title, width, height, paint, dark, drawn_from, about)


def _ranked_names(
    axes: Any,
    style: Style,
    shown: Mapping[str, Sequence[int | None]],
    column: int,
    step: float,
) -> None:
    """Rank and name of all that are ranked in the column, best on top."""
    listed = sorted(
        (rank, position, name(key))
        for position, (key, ranked) in enumerate(shown.items())
        if (rank := ranked[column]) is not None
    )
    slot = 0.0
    for rank, position, key in listed:
        slot = max(slot + 1, rank)
        tint = style.of_series(position)["color"]
        axes.plot(
            [column, column + step], [rank, slot],
            color=tint, linewidth=0.6, clip_on=False,
        )  # fmt: skip
        left = step < 0
        axes.text(
            column + step * 1.3, slot, f"{key}  {rank}" if left else f"{rank}  {key}",
            color=style.ink, fontsize=8, ha="right" if left else "left", va="center",
            clip_on=False,
        )  # fmt: skip


def _headed_above(axes: Any, style: Style) -> None:
    """Headings above, and neither ticks nor lines around."""
    axes.tick_params(
        left=False, bottom=False, labelbottom=False, top=False, labeltop=True,
        labelcolor=style.ink,
    )  # fmt: skip
    axes.grid(visible=False)
    for spine in axes.spines.values():
        spine.set_visible(False)


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

    def paint(axes: Any, style: Style) -> bool:
        from matplotlib.patches import Rectangle

        if not size:
            return False
        for i, row in enumerate(values):
            for j, value in enumerate(row):
                known = value if value is not None and math.isfinite(value) else None
                full = style.accent if (value or 0) >= 0 else style.against
                tint = mixed(style.paper, full, STRONGEST * min(abs(known or 0), 1))
                # A rectangle, for an image would be pixels in the SVG.
                axes.add_patch(
                    Rectangle(
                        (j - 0.5, i - 0.5), 1, 1, facecolor=tint, edgecolor=style.paper
                    )
                )
                axes.text(
                    j, i, "–" if known is None else f"{known:.2f}",
                    color=style.readable_on(tint), fontsize=8 if size <= 12 else 6,
                    ha="center", va="center",
                )  # fmt: skip
        labels = [name(one, 24) for one in names]
        axes.set_xticks(
            range(size), labels, rotation=45, ha="left", rotation_mode="anchor"
        )
        axes.set_yticks(range(size), labels)
        _headed_above(axes, style)
        axes.set_xlim(-0.5, size - 0.5)
        axes.set_ylim(size - 0.5, -0.5)
        axes.set_aspect("equal")
        return True

    side = max(3.6, 1.9 + 0.46 * size)
    drawn_from = ("matrix", *names, *values)
    return Drawing(title, side + 0.5, side, paint, dark, drawn_from, about)


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

    def paint(axes: Any, style: Style) -> bool:
        label_axes(axes, style, x_label, y_label)
        shown = {key: one for key, one in points.items() if drawable([one])}
        if not shown:
            return False
        across, along = zip(*shown.values(), strict=True)
        axes.scatter(across, along, s=22, color=style.accent, zorder=3)
        axes.margins(0.08)
        if min(across) >= 1 and all(x == int(x) for x in across):  # ranks
            axes.set_xticks(rank_ticks(max(across)))
        if len(shown) <= MOST_NAMES:
            _name_points(axes, style, shown)
        return True

    drawn_from = ("points", x_label, y_label, *points.items())
    return Drawing(title, 6.4, 4.4, paint, dark, drawn_from, about)


def _name_points(
    axes: Any, style: Style, shown: Mapping[str, tuple[float, float]]
) -> None:
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
                ha=across, va=along, color=style.second, fontsize=7,
            )  # fmt: skip
            box = text.get_window_extent()
            inside = room.x0 <= box.x0 and box.x1 <= room.x1
            if inside and not any(
                box.overlaps(other) for at, other in enumerate(taken) if at != own
            ):
                taken.append(box)
                break
            text.remove()


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

    def paint(axes: Any, style: Style) -> bool:
        if not topics:
            return False
        label_axes(axes, style, "", y_label)
        at = range(len(topics))
        axes.vlines(
            at, low, high, color=style.line, linewidth=5, label="lowest to highest"
        )
        axes.scatter(
            at, middle, marker="_", s=46, color=style.second, zorder=3, label="median"
        )
        dots = drawable(
            (i, value) for i, value in enumerate(values) if value is not None
        )
        axes.scatter(
            [i for i, _ in dots], [value for _, value in dots],
            s=16, color=style.accent, zorder=4, label="this system",
        )  # fmt: skip
        small = 8 if len(topics) <= 20 else 6
        axes.set_xticks(
            at, [name(one, 20) for one in topics], rotation=90, fontsize=small
        )
        axes.set_xlim(-0.8, len(topics) - 0.2)
        axes.grid(visible=False, axis="x")
        legend(axes, style)
        return True

    drawn_from = (
        "topics",
        y_label,
        *zip(topics, low, middle, high, values, strict=True),
    )
    width = min(WIDEST, 4.6 + 0.13 * len(topics))
    return Drawing(title, width, 3.8, paint, dark, drawn_from, about)


def error_bars(
    title: str,
    y_label: str,
    columns: Sequence[str],
    series: Mapping[str, Mapping[str, Within]],
    dark: bool = False,
    about: str = "",
) -> Drawing:
    """A marker with its interval for each column and series, side by side."""

    def paint(axes: Any, style: Style) -> bool:
        label_axes(axes, style, "", y_label)
        drawn = False
        for position, (key, values) in enumerate(series.items()):
            look = style.of_series(position) | {"linestyle": ""}
            shift = 0.6 * ((position + 0.5) / len(series) - 0.5)
            points = [
                (at + shift, *values[column])
                for at, column in enumerate(columns)
                if column in values and math.isfinite(values[column][0])
            ]
            drawn = drawn or bool(points)
            for x, _, low, high in points:
                if low is not None and high is not None:
                    axes.vlines(x, low, high, color=look["color"], linewidth=0.9)
            axes.plot(
                [x for x, *_ in points], [value for _, value, *_ in points],
                label=name(key), **look | {"markersize": 3.5},
            )  # fmt: skip
        axes.set_xticks(
            range(len(columns)), [name(column, 20) for column in columns],
            rotation=90, fontsize=8 if len(columns) <= 20 else 6,
        )  # fmt: skip
        axes.set_xlim(-0.8, len(columns) - 0.2)
        if len(series) > 1:
            legend(axes, style)
        return drawn

    drawn_from = (
        *("error bars", y_label, *columns),
        *((key, *values.items()) for key, values in series.items()),
    )
    width = min(WIDEST, 4.0 + 0.16 * len(columns))
    return Drawing(title, width, 4.2, paint, dark, drawn_from, about)


def box_plot(
    title: str,
    x_label: str,
    y_label: str,
    boxes: Mapping[str, Sequence[float]],
    dark: bool = False,
    about: str = "",
) -> Drawing:
    """A box for each name, from its lowest, quartiles and highest value, in order."""

    def paint(axes: Any, style: Style) -> bool:
        if not boxes:
            return False
        label_axes(axes, style, x_label, y_label)
        fields = ("whislo", "q1", "med", "q3", "whishi")
        line = {"color": style.ink, "linewidth": 1.0}
        axes.bxp(
            [
                {"label": name(key, 24), **dict(zip(fields, values, strict=True))}
                for key, values in boxes.items()
            ],
            showfliers=False,
            boxprops=line,
            whiskerprops=line,
            capprops=line,
            medianprops={"color": style.accent, "linewidth": 1.8},
        )
        axes.grid(visible=False, axis="x")
        return True

    drawn_from = ("boxes", x_label, y_label, *boxes.items())
    return Drawing(title, 6.4, 3.6, paint, dark, drawn_from, about)


def intervals(
    title: str,
    panels: Mapping[str, Mapping[tuple[str, str], Within]],
    rows: Sequence[str],
    series: Sequence[str],
    dark: bool = False,
    about: str = "",
    widest: float = 9.0,
) -> Drawing:
    """A dot with its interval for each row and series, in a panel beside the next.

    ``panels`` map a name to values in [-1, 1] by (row, series). Every panel has the
    same rows from the top down, and in each row a line for every series that any panel
    has there; a value without a series ("") stands in the row's middle.
    """
    used = {
        row: [
            one
            for one in series
            if one and any((row, one) in panel for panel in panels.values())
        ]
        for row in rows
    }
    tops, height = {}, 0.0
    for row in rows:
        tops[row] = height
        height += max(len(used[row]), 1) + BETWEEN

    def at(row: str, one: str) -> float:
        last = max(len(used[row]) - 1, 0)
        return tops[row] + (used[row].index(one) if one in used[row] else last / 2)

    values = [one for panel in panels.values() for one in panel.values()]
    lowest = min((x for one in values for x in one if x is not None), default=0.0)

    def paint(axes: Any, style: Style) -> bool:
        if not values:
            return False
        places = axes.figure.add_gridspec(1, len(panels))
        axes.set_subplotspec(places[0])
        beside = [
            axes.figure.add_subplot(places[one], sharey=axes)
            for one in range(1, len(panels))
        ]
        for number, (panel, (named, own)) in enumerate(
            zip([axes, *beside], panels.items(), strict=True)
        ):
            if number:
                dress(panel, style)
                panel.tick_params(labelleft=False)
            panel.set_xlabel(name(named), color=style.ink, fontsize=8)
            panel.set_xlim(min(lowest, 0.9) - 0.04, 1.04)
            panel.grid(visible=False, axis="y")
            panel.tick_params(axis="y", length=0)
            panel.spines["left"].set_visible(False)
            for row in rows[1:]:
                above = tops[row] - (BETWEEN + 1) / 2
                panel.axhline(above, color=style.line, linewidth=0.5)
            for (row, one), (value, low, high) in own.items():
                y = at(row, one)
                look = style.of_series(series.index(one) if one else 0)
                colour = look["color"] if one else style.ink
                if low is not None and high is not None:
                    panel.hlines(y, low, high, color=colour, linewidth=1.3, alpha=0.55)
                panel.plot(
                    value, y, color=colour, marker=look["marker"] if one else "o",
                    markersize=4.5, linestyle="", zorder=3, label=one,
                )  # fmt: skip
        middle = [tops[row] + max(len(used[row]) - 1, 0) / 2 for row in rows]
        axes.set_yticks(middle, [name(one, 24) for one in rows])
        axes.tick_params(axis="y", labelcolor=style.ink)
        axes.set_ylim(height - (BETWEEN + 1) / 2, -(BETWEEN + 1) / 2)
        _legend_above(axes, style, [one for one in series if one])
        return True

    drawn_from = ("intervals", *((n, *p.items()) for n, p in panels.items()))
    tall = 1.1 + DOT * height + 0.12 * bool(about)
    return Drawing(title, widest, tall, paint, dark, drawn_from, about)


def _legend_above(axes: Any, style: Style, series: Sequence[str]) -> None:
    """What each series is, at the right above all panels; nothing of a single one."""
    from matplotlib.lines import Line2D

    if len(series) < 2:
        return
    marks = [
        Line2D([], [], **{**style.of_series(i), "linestyle": ""}, label=name(one))
        for i, one in enumerate(series)
    ]
    axes.figure.legend(
        handles=marks, loc="outside upper right", ncols=len(marks), frameon=False,
        fontsize=8, labelcolor=style.ink, handletextpad=0.1, columnspacing=1.2,
    )  # fmt: skip
