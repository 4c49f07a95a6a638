"""Figures to download: plain numbers in, SVG, PNG or PDF out.

Each function takes what it draws and returns a Drawing; the plotting library is
imported when one is made into a file, and nowhere outside this package.
"""

from curator.figures.charts import (
    Within,
    box_plot,
    bump_chart,
    error_bars,
    intervals,
    line_plot,
    matrix,
    ranges,
    scatter,
    training_curves,
)
from curator.figures.drawing import Drawing

__all__ = [
    "Drawing",
    "Within",
    "box_plot",
    "bump_chart",
    "error_bars",
    "intervals",
    "line_plot",
    "matrix",
    "ranges",
    "scatter",
    "training_curves",
]
