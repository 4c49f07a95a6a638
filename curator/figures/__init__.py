"""Figures to download: plain numbers in, SVG, PNG or PDF out.

Each function takes its data and returns a Drawing; the plotting library is imported
when a file is made, and only in this package.
"""

from curator.figures.charts import (
    ValueInterval,
    bar_chart,
    box_plot,
    bump_chart,
    intervals,
    line_plot,
    matrix,
    ranges,
    scatter,
)
from curator.figures.drawing import Drawing

__all__ = [
    "Drawing",
    "ValueInterval",
    "bar_chart",
    "box_plot",
    "bump_chart",
    "intervals",
    "line_plot",
    "matrix",
    "ranges",
    "scatter",
]
