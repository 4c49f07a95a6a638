"""Figures to download: plain numbers in, SVG or PNG out.

Each function takes what it draws and returns a Drawing; the plotting library is
imported when one is made into a file, and nowhere outside this package.
"""

from curator.figures.bumps import bump_chart
from curator.figures.curves import training_curves
from curator.figures.drawing import Drawing
from curator.figures.lines import line_plot
from curator.figures.matrices import matrix
from curator.figures.points import scatter
from curator.figures.topics import ranges

__all__ = [
    "Drawing",
    "bump_chart",
    "line_plot",
    "matrix",
    "ranges",
    "scatter",
    "training_curves",
]
