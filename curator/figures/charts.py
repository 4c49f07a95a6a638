"""Functions that draw each kind of figure."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from curator.figures.drawing import (
    Drawing,
    Style,
    finite_points,
    label_axes,
    legend,
    rank_ticks,
    short_label,
    style_axes,
)

Points = Sequence[tuple[float, float]]
ValueInterval = tuple[float, float | None, float | None]
"""A value, and the ends of its interval or None."""

MAX_TICKS = 12
MAX_MARKERS = 30  # more of them hide the line
MAX_NAMES = 60  # of points
# Places of a name next to its point, in printer's points, the best first.
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
MAX_TINT = 0.85  # of the full colour at -1 and 1, so that the number is readable
INK_UP_TO = 0.5  # of the full colour; numbers on more of it are light
MAX_WIDTH = 16.0  # inches of ranges
LEADER = 0.08  # columns of ranks between a line's end and its name
MARGINS, COLUMN = 3.4, 1.3  # inches: names at both ends, and from column to column
HEADING_ANGLE = 40  # degrees, headings of narrow columns
LETTER = 0.07  # inches of one, approximately
DOT = 0.145  # inches from one dot with its interval to the next
ROW_GAP = 1.2  # dots of room between one row and the next


def line_plot(
    title: str,
    x_label: str,
    y_label: str,
    series: Mapping[str, Points],
    *,
    y_range: tuple[float, float] | None = None,
) -> Drawing:
    """Draw a line with markers per series, through its points in the given order.

    ``y_range`` fixes the lower and upper end of the y axis. Points that are not finite
    are left out.
    """
    data = x_label, y_label, series, y_range
    return Drawing(title, 6.4, 3.6, _paint_lines, data)


def _paint_lines(
    axes: Any,
    style: Style,
    x_label: str,
    y_label: str,
    series: Mapping[str, Points],
    y_range: tuple[float, float] | None,
) -> bool:
    label_axes(axes, style, x_label, y_label)
    finite = {key: finite_points(points) for key, points in series.items()}
    lines = {key: points for key, points in finite.items() if points}
    for position, (key, points) in enumerate(lines.items()):
        # The library omits labels that begin with _ from the legend.
        prefix = "\N{ZERO WIDTH SPACE}" if short_label(key).startswith("_") else ""
        line_style = style.series_style(position)
        if len(points) > MAX_MARKERS:
            line_style["marker"] = None
        label = prefix + short_label(key)
        axes.plot(*zip(*points, strict=True), label=label, linewidth=1.4, **line_style)
    ticks = sorted({x for points in lines.values() for x, _ in points})
    if len(ticks) <= MAX_TICKS and all(x == int(x) for x in ticks):
        axes.set_xticks(ticks, [str(int(x)) for x in ticks])
    if y_range is not None:
        axes.set_ylim(*y_range)
    if len(lines) > 1:  # a single line is described by the axis
        legend(axes, style)
    return bool(lines)


def bump_chart(
    title: str,
    columns: Sequence[str],
    ranks: Mapping[str, Sequence[int | None]],
    max_width: float | None = None,
    provisional: Collection[tuple[str, int]] = (),
) -> Drawing:
    """Draw a line per name through its rank in each column, rank 1 on top.

    None leaves a gap in the line. Names are at both ends, in separate lines for ties.
    ``max_width`` limits the width in inches by narrower columns. The ``provisional``
    ranks, by name and column, have hollow markers.
    """
    headings = [short_label(column, 18) for column in columns]
    longest = LETTER * max(map(len, headings), default=0)
    height = max(2.0, 0.9 + 0.21 * len(ranks))
    width = max(5.0, MARGINS + COLUMN * len(columns))
    is_turned = False
    if max_width is not None and width > max_width:
        width = max_width
        name_lengths = [len(short_label(key)) for key in ranks]
        names_width = 2 * LETTER * (4 + max(name_lengths, default=0))
        is_turned = longest + LETTER > (width - names_width) / max(len(columns) - 1, 1)
        height += 0.6 * longest if is_turned else 0.0
    data = headings, ranks, sorted(provisional), is_turned
    return Drawing(title, width, height, _paint_bumps, data)


def _paint_bumps(
    axes: Any,
    style: Style,
    headings: Sequence[str],
    ranks: Mapping[str, Sequence[int | None]],
    provisional: Collection[tuple[str, int]],
    is_turned: bool,
) -> bool:
    drawn_ranks = {
        key: name_ranks
        for key, name_ranks in ranks.items()
        if any(rank is not None for rank in name_ranks)
    }
    if not drawn_ranks or not headings:
        return False
    for position, (key, name_ranks) in enumerate(drawn_ranks.items()):
        heights = [math.nan if rank is None else rank for rank in name_ranks]
        line_style = style.series_style(position)
        axes.plot(range(len(headings)), heights, linewidth=1.3, **line_style)
        hollow = {"linestyle": "", "markerfacecolor": style.paper}
        for column, height in enumerate(heights):
            if (key, column) in provisional:
                axes.plot([column], [height], **line_style | hollow)
    _ranked_names(axes, style, drawn_ranks, 0, -LEADER)
    if len(headings) > 1:
        _ranked_names(axes, style, drawn_ranks, len(headings) - 1, LEADER)
    axes.set_xticks(range(len(headings)), headings)
    _put_headings_above(axes, style)
    axes.tick_params(labelleft=False, labelrotation=HEADING_ANGLE if is_turned else 0)
    if is_turned:
        for label in axes.get_xticklabels():
            label.set(ha="left", va="bottom", rotation_mode="anchor")
    last = max(
        rank
        for name_ranks in drawn_ranks.values()
        for rank in name_ranks
        if rank is not None
    )
    axes.set_ylim(max(last, len(drawn_ranks)) + 0.6, 0.4)
    axes.set_xlim(-0.1, max(len(headings) - 0.9, 0.1))
    return True


def _ranked_names(
    axes: Any,
    style: Style,
    drawn_ranks: Mapping[str, Sequence[int | None]],
    column: int,
    step: float,
) -> None:
    """Write rank and name of all that are ranked in the column, best on top."""
    sorted_names = sorted(
        (rank, position, short_label(key))
        for position, (key, name_ranks) in enumerate(drawn_ranks.items())
        if (rank := name_ranks[column]) is not None
    )
    slot = 0.0
    for rank, position, key in sorted_names:
        slot = max(slot + 1, rank)
        tint = style.series_style(position)["color"]
        axes.plot(
            [column, column + step], [rank, slot],
            color=tint, linewidth=0.6, clip_on=False,
        )  # fmt: skip
        is_left = step < 0
        axes.text(
            column + step * 1.3, slot,
            f"{key}  {rank}" if is_left else f"{rank}  {key}",
            color=style.ink, fontsize=8, ha="right" if is_left else "left", va="center",
            clip_on=False,
        )  # fmt: skip


def _put_headings_above(axes: Any, style: Style) -> None:
    """Put headings above, and remove ticks and frame."""
    axes.tick_params(
        left=False, bottom=False, labelbottom=False, top=False, labeltop=True,
        labelcolor=style.ink,
    )  # fmt: skip
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)


def matrix(
    title: str,
    names: Sequence[str],
    values: Sequence[Sequence[float | None]],
) -> Drawing:
    """Draw cells tinted by their value in [-1, 1], with the value to two decimals.

    Row i and column i of ``values`` are ``names[i]``; None draws a dash.
    """
    side = max(3.6, 1.9 + 0.46 * len(names))
    return Drawing(title, side + 0.5, side, _paint_matrix, (names, values))


def _paint_matrix(
    axes: Any,
    style: Style,
    names: Sequence[str],
    values: Sequence[Sequence[float | None]],
) -> bool:
    size = len(names)
    if not size:
        return False
    for row, row_values in enumerate(values):
        for column, value in enumerate(row_values):
            number = value if value is not None and math.isfinite(value) else None
            tint = MAX_TINT * min(abs(number or 0), 1)
            # A bar for each cell, since an image would be pixels in the SVG.
            axes.barh(
                row, 1, 1, column - 0.5, alpha=tint,
                color=style.accent if (number or 0) >= 0 else style.against,
            )  # fmt: skip
            axes.text(
                column, row, "–" if number is None else f"{number:.2f}",
                color=style.ink if tint <= INK_UP_TO else style.paper,
                fontsize=8 if size <= 12 else 6, ha="center", va="center",
            )  # fmt: skip
    labels = [short_label(label, 24) for label in names]
    axes.set_xticks(range(size), labels, rotation=45, ha="left", rotation_mode="anchor")
    axes.set_yticks(range(size), labels)
    _put_headings_above(axes, style)
    axes.set_xlim(-0.5, size - 0.5)
    axes.set_ylim(size - 0.5, -0.5)
    axes.set_aspect("equal")
    return True


def scatter(
    title: str,
    x_label: str,
    y_label: str,
    points: Mapping[str, tuple[float, float]],
    width: float = 6.4,
) -> Drawing:
    """Draw a dot per point, named where the name hides no dot and no other name.

    Points that are not finite are left out.
    """
    data = x_label, y_label, points
    return Drawing(title, width, 0.69 * width, _paint_points, data)


def _paint_points(
    axes: Any,
    style: Style,
    x_label: str,
    y_label: str,
    points: Mapping[str, tuple[float, float]],
) -> bool:
    label_axes(axes, style, x_label, y_label)
    drawn_points = {
        key: point for key, point in points.items() if finite_points([point])
    }
    if not drawn_points:
        return False
    across, along = zip(*drawn_points.values(), strict=True)
    axes.scatter(across, along, s=22, color=style.accent, zorder=3)
    axes.margins(0.08)
    if min(across) >= 1 and all(x == int(x) for x in across):  # ranks
        axes.set_xticks(rank_ticks(max(across)))
    if len(drawn_points) <= MAX_NAMES:
        _name_points(axes, style, drawn_points)
    return True


def _name_points(
    axes: Any, style: Style, drawn_points: Mapping[str, tuple[float, float]]
) -> None:
    """Put each name in the first free place next to its point, or omit it."""
    from matplotlib.transforms import Bbox

    figure = axes.figure
    figure.draw_without_rendering()  # lays the axes out, so that positions are known
    figure.set_layout_engine("none")  # and keeps this layout
    dot = 2.5 * figure.dpi / 72
    centres = axes.transData.transform(list(drawn_points.values()))
    occupied = [Bbox([[x - dot, y - dot], [x + dot, y + dot]]) for x, y in centres]
    room = axes.get_window_extent()
    for index, (key, point) in enumerate(drawn_points.items()):
        others = occupied[:index] + occupied[index + 1 :]
        for dx, dy, across, along in PLACES:
            text = axes.annotate(
                short_label(key, 22), point, xytext=(dx, dy),
                textcoords="offset points", ha=across, va=along,
                color=style.second, fontsize=7,
            )  # fmt: skip
            box = text.get_window_extent()
            inside = room.x0 <= box.x0 and box.x1 <= room.x1
            if inside and not any(box.overlaps(other) for other in others):
                occupied.append(box)
                break
            text.remove()


def ranges(
    title: str,
    y_label: str,
    topics: Mapping[str, tuple[float, float, float, float | None]],
) -> Drawing:
    """Draw a bar per topic from its lowest to its highest value.

    ``topics`` has the lowest, median and highest value, and that of a dot or None.
    """
    width = min(MAX_WIDTH, 4.6 + 0.13 * len(topics))
    return Drawing(title, width, 3.8, _paint_ranges, (y_label, topics))


def _paint_ranges(
    axes: Any,
    style: Style,
    y_label: str,
    topics: Mapping[str, tuple[float, float, float, float | None]],
) -> bool:
    if not topics:
        return False
    label_axes(axes, style, "", y_label)
    low, middle, high, values = zip(*topics.values(), strict=True)
    dots = [math.nan if value is None else value for value in values]
    at = range(len(topics))
    line = {"color": style.line, "linewidth": 5}
    axes.vlines(at, low, high, label="lowest to highest", **line)
    marker = {"marker": "_", "s": 46, "color": style.second, "zorder": 3}
    axes.scatter(at, middle, label="median", **marker)
    axes.scatter(at, dots, s=16, color=style.accent, zorder=4, label="this system")
    axes.set_xticks(
        at, [short_label(topic, 20) for topic in topics],
        rotation=90, fontsize=8 if len(topics) <= 20 else 6,
    )  # fmt: skip
    axes.set_xlim(-0.8, len(topics) - 0.2)
    axes.grid(visible=False, axis="x")
    legend(axes, style)
    return True


def bar_chart(title: str, x_label: str, counts: Mapping[int, int]) -> Drawing:
    """Draw a bar for each number, as high as it is often."""
    return Drawing(title, 6.4, 2.2, _paint_bars, (x_label, counts))


def _paint_bars(
    axes: Any, style: Style, x_label: str, counts: Mapping[int, int]
) -> bool:
    label_axes(axes, style, x_label, "")
    bars = axes.bar(counts.keys(), counts.values(), color=style.accent)
    if len(counts) <= MAX_MARKERS:
        axes.bar_label(bars, color=style.second, fontsize=7)
    axes.locator_params(integer=True)
    axes.grid(visible=False, axis="x")
    return bool(counts)


def box_plot(
    title: str,
    x_label: str,
    y_label: str,
    boxes: Mapping[str, Sequence[float]],
) -> Drawing:
    """Draw a box for each name, from lowest, quartiles and highest value, in order."""
    return Drawing(title, 6.4, 3.6, _paint_boxes, (x_label, y_label, boxes))


def _paint_boxes(
    axes: Any,
    style: Style,
    x_label: str,
    y_label: str,
    boxes: Mapping[str, Sequence[float]],
) -> bool:
    if not boxes:
        return False
    label_axes(axes, style, x_label, y_label)
    fields = ("whislo", "q1", "med", "q3", "whishi")
    statistics = [
        {"label": short_label(key, 24), **dict(zip(fields, values, strict=True))}
        for key, values in boxes.items()
    ]
    line = {"color": style.ink, "linewidth": 1.0}
    axes.bxp(
        statistics, showfliers=False, boxprops=line, whiskerprops=line, capprops=line,
        medianprops={"color": style.accent, "linewidth": 1.8},
    )  # fmt: skip
    axes.grid(visible=False, axis="x")
    return True


def intervals(
    title: str,
    panels: Mapping[str, Mapping[tuple[str, str], ValueInterval]],
    rows: Sequence[str],
    series: Sequence[str] = (),
    max_width: float = 9.0,
) -> Drawing:
    """Draw a dot with its interval for each row and series, in panels side by side.

    ``panels`` map a name to values by (row, series), none below -1. All panels have the
    same rows from the top down, and in each row a line for every series that any panel
    has there; a value without a series ("") is in the row's middle.
    """
    tops = [0.0]
    heights: dict[tuple[str, str], float] = {}
    for row in rows:
        present = [
            name
            for name in series
            if name and any((row, name) in panel for panel in panels.values())
        ]
        heights |= {(row, name): tops[-1] + at for at, name in enumerate(present)}
        heights[row, ""] = tops[-1] + max(len(present) - 1, 0) / 2
        tops.append(tops[-1] + max(len(present), 1) + ROW_GAP)
    data = panels, rows, [name for name in series if name], tops, heights
    return Drawing(title, max_width, 1.22 + DOT * tops[-1], _paint_intervals, data)


def _paint_intervals(
    axes: Any,
    style: Style,
    panels: Mapping[str, Mapping[tuple[str, str], ValueInterval]],
    rows: Sequence[str],
    series: Sequence[str],
    tops: Sequence[float],
    heights: Mapping[tuple[str, str], float],
) -> bool:
    """Draw panels whose rows begin at ``tops``, the last of which is the end."""
    numbers = [
        number
        for panel in panels.values()
        for value in panel.values()
        for number in value
        if number is not None and math.isfinite(number)
    ]
    if not numbers:
        return False
    gap = (ROW_GAP + 1) / 2
    marks: dict[str, Any] = {}
    places = axes.figure.add_gridspec(1, len(panels))
    axes.set_subplotspec(places[0])
    for number, (panel_name, values) in enumerate(panels.items()):
        panel = axes
        if number:
            panel = axes.figure.add_subplot(places[number], sharey=axes)
            style_axes(panel, style)
            panel.tick_params(labelleft=False)
        panel.set_xlabel(short_label(panel_name), color=style.ink, fontsize=8)
        panel.set_xlim(min(*numbers, 0.9) - 0.04, max(*numbers, 1.0) + 0.04)
        panel.grid(visible=False, axis="y")
        panel.tick_params(axis="y", length=0)
        panel.spines["left"].set_visible(False)
        for top in tops[1:-1]:
            panel.axhline(top - gap, color=style.line, linewidth=0.5)
        for (row, name), (value, low, high) in values.items():
            line_style = {"color": style.ink, "marker": "o"}
            if name:
                line_style = style.series_style(series.index(name))
            y, colour = heights[row, name], line_style["color"]
            if low is not None and high is not None:
                panel.hlines(y, low, high, color=colour, linewidth=1.3, alpha=0.55)
            dot = {"linestyle": "", "markersize": 4.5, "zorder": 3}
            (mark,) = panel.plot(value, y, label=short_label(name), **line_style | dot)
            marks.setdefault(name, mark)
    row_labels = [short_label(row, 24) for row in rows]
    axes.set_yticks([heights[row, ""] for row in rows], row_labels)
    axes.tick_params(axis="y", labelcolor=style.ink)
    axes.set_ylim(tops[-1] - gap, -gap)
    if len(series) > 1:
        axes.figure.legend(
            handles=[marks[name] for name in series if name in marks], ncols=len(marks),
            loc="outside upper right", frameon=False, fontsize=8, labelcolor=style.ink,
            handletextpad=0.1, columnspacing=1.2,
        )  # fmt: skip
    return True
