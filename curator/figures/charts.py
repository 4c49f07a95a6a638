"""Functions that draw each kind of figure."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from curator.figures.drawing import Drawing, label_axes, legend, style_axes
from curator.figures.style import (
    Style,
    finite_points,
    mix_colours,
    rank_ticks,
    short_label,
)

Points = Sequence[tuple[float, float]]
ValueInterval = tuple[float, float | None, float | None]
"""A value, and the ends of its interval or None."""

MAX_TICKS = 12
MAX_MARKERS = 30  # more of them hide the line of a training
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

    def paint(axes: Any, style: Style) -> bool:
        label_axes(axes, style, x_label, y_label)
        drawable_series = _drawable(series)
        for position, (key, points) in enumerate(drawable_series.items()):
            # The library omits labels that begin with _ from the legend.
            prefix = "\N{ZERO WIDTH SPACE}" if short_label(key).startswith("_") else ""
            _line(axes, style, position, prefix + short_label(key), points)
        ticks = sorted({x for points in drawable_series.values() for x, _ in points})
        if len(ticks) <= MAX_TICKS and all(x == int(x) for x in ticks):
            axes.set_xticks(ticks, [str(int(x)) for x in ticks])
        if y_range is not None:
            axes.set_ylim(*y_range)
        if len(drawable_series) > 1:  # a single line is described by the axis
            legend(axes, style)
        return bool(drawable_series)

    drawn_from = ("lines", x_label, y_label, *series.items(), y_range)
    return Drawing(title, 6.4, 3.6, paint, drawn_from)


def training_curves(
    title: str,
    loss: Points,
    results: Mapping[str, Points],
    *,
    kept: float | None = None,
) -> Drawing:
    """Draw loss over steps, and in a second panel ``results``, shares in [0, 1].

    ``kept`` is the step whose weights were kept: a line through both panels. Points
    that are not finite are left out, and so is a panel without any.
    """

    def paint(axes: Any, style: Style) -> bool:
        losses, lines = finite_points(loss), _drawable(results)
        panels = [axes]
        if losses and lines:
            grid = axes.figure.add_gridspec(2, 1)
            axes.set_subplotspec(grid[0])
            lower = axes.figure.add_subplot(grid[1], sharex=axes)
            style_axes(lower, style)
            axes.tick_params(labelbottom=False)
            panels.append(lower)
        if losses:
            label_axes(axes, style, "" if lines else "step", "loss")
            _line(axes, style, 0, "loss", losses, max_markers=MAX_MARKERS)
        if lines:
            label_axes(panels[-1], style, "step", "on dev")
            panels[-1].set_ylim(-0.02, 1.02)
            for position, (key, points) in enumerate(lines.items()):
                _line(
                    panels[-1],
                    style,
                    position,
                    short_label(key),
                    points,
                    max_markers=MAX_MARKERS,
                )
        if not losses and not lines:
            return False
        if kept is not None:
            for panel in panels:
                panel.axvline(
                    kept, color=style.second, linewidth=0.9, linestyle=":", label="kept"
                )
        if lines:  # the loss alone is described by the axis
            legend(panels[-1], style)
        axes.locator_params(axis="x", integer=True)
        return True

    drawn_from = ("training", loss, *results.items(), kept)
    return Drawing(title, 6.4, 4.4, paint, drawn_from)


def _drawable(series: Mapping[str, Points]) -> dict[str, Points]:
    """Return the drawable points of each series that has any."""
    points_by_series = {key: finite_points(points) for key, points in series.items()}
    return {key: points for key, points in points_by_series.items() if points}


def _line(
    axes: Any,
    style: Style,
    position: int,
    label: str,
    points: Points,
    *,
    max_markers: float = math.inf,
) -> None:
    """Draw a line, with markers unless it has more than ``max_markers`` points."""
    line_style = style.series_style(position)
    if len(points) > max_markers:
        line_style["marker"] = None
    axes.plot(*zip(*points, strict=True), label=label, linewidth=1.4, **line_style)


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
    ranks, by name and column, have hollow markers. Raises ValueError if a name does not
    have one rank per column.
    """
    for key, name_ranks in ranks.items():
        if len(name_ranks) != len(columns):
            raise ValueError(f"'{key}' has {len(name_ranks)} ranks, not {len(columns)}")

    def paint(axes: Any, style: Style) -> bool:
        drawn_ranks = {
            key: name_ranks
            for key, name_ranks in ranks.items()
            if any(rank is not None for rank in name_ranks)
        }
        if not drawn_ranks or not columns:
            return False
        for position, (key, name_ranks) in enumerate(drawn_ranks.items()):
            heights = [math.nan if rank is None else rank for rank in name_ranks]
            line_style = style.series_style(position)
            axes.plot(range(len(columns)), heights, linewidth=1.3, **line_style)
            hollow = {"linestyle": "", "markerfacecolor": style.paper}
            for column, height in enumerate(heights):
                if (key, column) in provisional:
                    axes.plot([column], [height], **line_style | hollow)
        _ranked_names(axes, style, drawn_ranks, 0, -LEADER)
        if len(columns) > 1:
            _ranked_names(axes, style, drawn_ranks, len(columns) - 1, LEADER)
        axes.set_xticks(range(len(columns)), headings)
        _put_headings_above(axes, style)
        axes.tick_params(
            labelleft=False, labelrotation=HEADING_ANGLE if is_turned else 0
        )
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
        axes.set_xlim(-0.1, max(len(columns) - 0.9, 0.1))
        return True

    height = max(2.0, 0.9 + 0.21 * len(ranks))
    width = max(5.0, MARGINS + COLUMN * len(columns))
    headings = [short_label(column, 18) for column in columns]
    longest = LETTER * max(map(len, headings), default=0)
    is_turned = False
    if max_width is not None and width > max_width:
        width = max_width
        names_width = (
            2 * LETTER * (4 + max((len(short_label(key)) for key in ranks), default=0))
        )
        is_turned = longest + LETTER > (width - names_width) / max(len(columns) - 1, 1)
    height += 0.6 * longest if is_turned else 0.0
    drawn_from = ("bumps", *columns, *ranks.items(), *sorted(provisional))
    return Drawing(title, width, height, paint, drawn_from)


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
    for spine in axes.spines.values():
        spine.set_visible(False)


def matrix(
    title: str,
    names: Sequence[str],
    values: Sequence[Sequence[float | None]],
) -> Drawing:
    """Draw cells tinted by their value in [-1, 1], with the value to two decimals.

    Row i and column i are ``names[i]``; None draws a dash. Raises ValueError unless
    ``values`` has ``len(names)`` rows and columns.
    """
    size = len(names)
    if len(values) != size or any(len(row) != size for row in values):
        raise ValueError(f"the values are not {size} rows of {size}")

    def paint(axes: Any, style: Style) -> bool:
        from matplotlib.patches import Rectangle

        if not size:
            return False
        for row_index, row in enumerate(values):
            for column_index, value in enumerate(row):
                number = value if value is not None and math.isfinite(value) else None
                full = style.accent if (value or 0) >= 0 else style.against
                tint = mix_colours(
                    style.paper, full, MAX_TINT * min(abs(number or 0), 1)
                )
                # A rectangle, since an image would be pixels in the SVG.
                axes.add_patch(
                    Rectangle(
                        (column_index - 0.5, row_index - 0.5),
                        1,
                        1,
                        facecolor=tint,
                        edgecolor=style.paper,
                    )
                )
                axes.text(
                    column_index, row_index, "–" if number is None else f"{number:.2f}",
                    color=style.readable_on(tint), fontsize=8 if size <= 12 else 6,
                    ha="center", va="center",
                )  # fmt: skip
        labels = [short_label(label, 24) for label in names]
        axes.set_xticks(
            range(size), labels, rotation=45, ha="left", rotation_mode="anchor"
        )
        axes.set_yticks(range(size), labels)
        _put_headings_above(axes, style)
        axes.set_xlim(-0.5, size - 0.5)
        axes.set_ylim(size - 0.5, -0.5)
        axes.set_aspect("equal")
        return True

    side = max(3.6, 1.9 + 0.46 * size)
    drawn_from = ("matrix", *names, *values)
    return Drawing(title, side + 0.5, side, paint, drawn_from)


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

    def paint(axes: Any, style: Style) -> bool:
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

    drawn_from = ("points", x_label, y_label, *points.items())
    return Drawing(title, width, 0.69 * width, paint, drawn_from)


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
        for dx, dy, across, along in PLACES:
            text = axes.annotate(
                short_label(key, 22), point, xytext=(dx, dy),
                textcoords="offset points", ha=across, va=along,
                color=style.second, fontsize=7,
            )  # fmt: skip
            box = text.get_window_extent()
            inside = room.x0 <= box.x0 and box.x1 <= room.x1
            if inside and not any(
                box.overlaps(other)
                for other_index, other in enumerate(occupied)
                if other_index != index
            ):
                occupied.append(box)
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
) -> Drawing:
    """Draw a bar per topic from ``low`` to ``high``, with ``middle`` and a dot.

    The dot is at the value; None draws none. Raises ValueError unless all are as long
    as ``topics``.
    """
    if any(len(numbers) != len(topics) for numbers in (low, middle, high, values)):
        raise ValueError(f"the numbers are not one for each of {len(topics)} topics")

    def paint(axes: Any, style: Style) -> bool:
        if not topics:
            return False
        label_axes(axes, style, "", y_label)
        positions = range(len(topics))
        axes.vlines(
            positions,
            low,
            high,
            color=style.line,
            linewidth=5,
            label="lowest to highest",
        )
        axes.scatter(
            positions,
            middle,
            marker="_",
            s=46,
            color=style.second,
            zorder=3,
            label="median",
        )
        dots = finite_points(
            (position, value)
            for position, value in enumerate(values)
            if value is not None
        )
        axes.scatter(
            [position for position, _ in dots], [value for _, value in dots],
            s=16, color=style.accent, zorder=4, label="this system",
        )  # fmt: skip
        _label_columns(axes, topics)
        axes.grid(visible=False, axis="x")
        legend(axes, style)
        return True

    drawn_from = (
        "topics",
        y_label,
        *zip(topics, low, middle, high, values, strict=True),
    )
    width = min(MAX_WIDTH, 4.6 + 0.13 * len(topics))
    return Drawing(title, width, 3.8, paint, drawn_from)


def error_bars(
    title: str,
    y_label: str,
    columns: Sequence[str],
    series: Mapping[str, Mapping[str, ValueInterval]],
) -> Drawing:
    """Draw a marker with its interval for each column and series, side by side."""

    def paint(axes: Any, style: Style) -> bool:
        label_axes(axes, style, "", y_label)
        drawn = False
        for number, (key, values) in enumerate(series.items()):
            line_style = style.series_style(number) | {"linestyle": ""}
            shift = 0.6 * ((number + 0.5) / len(series) - 0.5)
            points = [
                (position + shift, *values[column])
                for position, column in enumerate(columns)
                if column in values and math.isfinite(values[column][0])
            ]
            drawn = drawn or bool(points)
            for x, _, low, high in points:
                if low is not None and high is not None:
                    axes.vlines(x, low, high, color=line_style["color"], linewidth=0.9)
            axes.plot(
                [x for x, *_ in points], [value for _, value, *_ in points],
                label=short_label(key), **line_style | {"markersize": 3.5},
            )  # fmt: skip
        _label_columns(axes, columns)
        if len(series) > 1:
            legend(axes, style)
        return drawn

    drawn_from = (
        "error bars",
        y_label,
        *columns,
        *((key, *values.items()) for key, values in series.items()),
    )
    width = min(MAX_WIDTH, 4.0 + 0.16 * len(columns))
    return Drawing(title, width, 4.2, paint, drawn_from)


def _label_columns(axes: Any, columns: Sequence[str]) -> None:
    axes.set_xticks(
        range(len(columns)), [short_label(column, 20) for column in columns],
        rotation=90, fontsize=8 if len(columns) <= 20 else 6,
    )  # fmt: skip
    axes.set_xlim(-0.8, len(columns) - 0.2)


def box_plot(
    title: str,
    x_label: str,
    y_label: str,
    boxes: Mapping[str, Sequence[float]],
) -> Drawing:
    """Draw a box for each name, from lowest, quartiles and highest value, in order."""

    def paint(axes: Any, style: Style) -> bool:
        if not boxes:
            return False
        label_axes(axes, style, x_label, y_label)
        fields = ("whislo", "q1", "med", "q3", "whishi")
        line = {"color": style.ink, "linewidth": 1.0}
        axes.bxp(
            [
                {
                    "label": short_label(key, 24),
                    **dict(zip(fields, values, strict=True)),
                }
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
    return Drawing(title, 6.4, 3.6, paint, drawn_from)


def intervals(
    title: str,
    panels: Mapping[str, Mapping[tuple[str, str], ValueInterval]],
    rows: Sequence[str],
    series: Sequence[str],
    max_width: float = 9.0,
) -> Drawing:
    """Draw a dot with its interval for each row and series, in panels side by side.

    ``panels`` map a name to values in [-1, 1] by (row, series). All panels have the
    same rows from the top down, and in each row a line for every series that any panel
    has there; a value without a series ("") is in the row's middle.
    """
    series_by_row = {
        row: [
            series_name
            for series_name in series
            if series_name
            and any((row, series_name) in panel for panel in panels.values())
        ]
        for row in rows
    }
    row_tops, height = {}, 0.0
    for row in rows:
        row_tops[row] = height
        height += max(len(series_by_row[row]), 1) + ROW_GAP

    def vertical_position(row: str, series_name: str) -> float:
        if series_name in series_by_row[row]:
            return row_tops[row] + series_by_row[row].index(series_name)
        return row_tops[row] + max(len(series_by_row[row]) - 1, 0) / 2

    values = [value for panel in panels.values() for value in panel.values()]
    lowest = min(
        (number for value in values for number in value if number is not None),
        default=0.0,
    )

    def paint(axes: Any, style: Style) -> bool:
        if not values:
            return False
        places = axes.figure.add_gridspec(1, len(panels))
        axes.set_subplotspec(places[0])
        other_panels = [
            axes.figure.add_subplot(places[index], sharey=axes)
            for index in range(1, len(panels))
        ]
        for number, (panel, (panel_name, panel_values)) in enumerate(
            zip([axes, *other_panels], panels.items(), strict=True)
        ):
            if number:
                style_axes(panel, style)
                panel.tick_params(labelleft=False)
            panel.set_xlabel(short_label(panel_name), color=style.ink, fontsize=8)
            panel.set_xlim(min(lowest, 0.9) - 0.04, 1.04)
            panel.grid(visible=False, axis="y")
            panel.tick_params(axis="y", length=0)
            panel.spines["left"].set_visible(False)
            for row in rows[1:]:
                above = row_tops[row] - (ROW_GAP + 1) / 2
                panel.axhline(above, color=style.line, linewidth=0.5)
            for (row, series_name), (value, low, high) in panel_values.items():
                y = vertical_position(row, series_name)
                line_style = style.series_style(
                    series.index(series_name) if series_name else 0
                )
                colour = line_style["color"] if series_name else style.ink
                if low is not None and high is not None:
                    panel.hlines(y, low, high, color=colour, linewidth=1.3, alpha=0.55)
                panel.plot(
                    value, y, color=colour,
                    marker=line_style["marker"] if series_name else "o",
                    markersize=4.5, linestyle="", zorder=3, label=series_name,
                )  # fmt: skip
        row_middles = [
            row_tops[row] + max(len(series_by_row[row]) - 1, 0) / 2 for row in rows
        ]
        axes.set_yticks(row_middles, [short_label(row, 24) for row in rows])
        axes.tick_params(axis="y", labelcolor=style.ink)
        axes.set_ylim(height - (ROW_GAP + 1) / 2, -(ROW_GAP + 1) / 2)
        _legend_above(
            axes, style, [series_name for series_name in series if series_name]
        )
        return True

    drawn_from = (
        "intervals",
        *(
            (panel_name, *panel_values.items())
            for panel_name, panel_values in panels.items()
        ),
    )
    total_height = 1.22 + DOT * height
    return Drawing(title, max_width, total_height, paint, drawn_from)


def _legend_above(axes: Any, style: Style, series: Sequence[str]) -> None:
    """Put a legend at the right above all panels; none for a single series."""
    from matplotlib.lines import Line2D

    if len(series) < 2:
        return
    marks = [
        Line2D(
            [],
            [],
            **{**style.series_style(position), "linestyle": ""},
            label=short_label(series_name),
        )
        for position, series_name in enumerate(series)
    ]
    axes.figure.legend(
        handles=marks, loc="outside upper right", ncols=len(marks), frameon=False,
        fontsize=8, labelcolor=style.ink, handletextpad=0.1, columnspacing=1.2,
    )  # fmt: skip
