"""A figure that is made into a file on request, with the application's colours.

The library keeps settings and fonts for a whole process, so one lock protects all its
use. The same Drawing gives the same bytes on every machine: the font comes with the
library, ids in the SVG are hashes, and no date is written.
"""

from __future__ import annotations

import hashlib
import io
import math
import re
import textwrap
import threading
import warnings
from base64 import b64encode
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
DASHES = ("-", "--", ":", "-.")
MAX_NAME = 28
MAX_RANKS = 10  # along an axis
MAX_TITLE = 90

DOTS_PER_INCH = 200
NOTHING = "Nothing to draw."
MAX_ABOUT = 300
LETTERS_PER_INCH = 15  # of the small text below a figure

_LOCK = threading.RLock()
SETTINGS = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9,
    "text.parse_math": False,  # a name may contain two dollar signs
    "svg.fonttype": "none",  # keeps text searchable, editable and readable aloud
    "svg.hashsalt": "curator",
    "pdf.fonttype": 42,  # keeps text as text; publishers refuse the usual Type 3
}

# Characters that XML 1.0 forbids, and those that change the text direction.
UNDRAWABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\u202a-\u202e\u2066-\u2069]"
)


@dataclass(frozen=True)
class Style:
    """The colours of one theme; ``series`` differ in their markers as well."""

    paper: str
    ink: str
    second: str
    line: str
    accent: str
    against: str
    series: tuple[str, ...]

    def series_style(self, position: int) -> dict[str, Any]:
        """Return the line style of a series, which is broken when colours repeat."""
        repetition, colour = divmod(position, len(self.series))
        return {
            "color": self.series[colour],
            "marker": MARKERS[position % len(MARKERS)],
            "linestyle": DASHES[repetition % len(DASHES)],
            "markersize": 4.5,
        }


LIGHT = Style(
    paper="#ffffff",
    ink="#1a1c21",
    second="#545962",
    line="#d9d8d3",
    accent="#4347c9",
    against="#b03a12",
    series=("#4347c9", "#b03a12", "#0a665a", "#7a5200", "#9a2f86", "#2478b5"),
)
DARK = Style(
    paper="#141518",
    ink="#e8e9eb",
    second="#aab0b9",
    line="#3a3d45",
    accent="#a9abff",
    against="#f58f66",
    series=("#a9abff", "#f58f66", "#4fc7ab", "#e9c46a", "#e58fd2", "#77c1ee"),
)


def short_label(text: str, max_length: int = MAX_NAME) -> str:
    """Return the text on one line, safe to draw, cut at ``max_length`` characters."""
    flat = " ".join(UNDRAWABLE.sub(" ", text).split())
    return flat if len(flat) <= max_length else flat[: max_length - 1].rstrip() + "…"


def finite_points(points: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    return [(x, y) for x, y in points if math.isfinite(x) and math.isfinite(y)]


def rank_ticks(last: float) -> list[int]:
    """Return the ranks to label on an axis up to ``last``: whole, from 1, about ten.

    >>> rank_ticks(4), rank_ticks(36)
    ([1, 2, 3, 4], [1, 5, 10, 15, 20, 25, 30, 35])
    """
    steps = (step * 10**power for power in range(9) for step in (1, 2, 5))
    step = next(step for step in steps if last <= MAX_RANKS * step)
    return sorted({1, *range(step, int(last) + 1, step)})


@dataclass(frozen=True)
class Drawing:
    """A figure of ``width`` × ``height`` inches, drawn by ``paint`` from ``data``.

    ``paint`` takes the axes, the style and the data, and returns False if there is
    nothing to draw; the figure then says so. ``about`` describes the settings of the
    numbers, below the figure and in the file's metadata.
    """

    title: str
    width: float
    height: float
    paint: Callable[..., bool]
    data: tuple[Any, ...] = ()
    about: str = ""
    dark: bool = False

    def styled(self, *, about: str = "", dark: bool = False) -> Drawing:
        """Return it on dark or white, with other words beneath if there are any."""
        return replace(self, about=about or self.about, dark=dark)

    @property
    def digest(self) -> str:
        """A hash of the content: drawings with equal digests have equal bytes."""
        look = self.title, self.about, self.width, self.height, self.dark
        parts = (*look, self.paint.__name__, self.data)
        return hashlib.sha256(repr(parts).encode()).hexdigest()

    def svg(self) -> bytes:
        """Return the figure as an SVG document in UTF-8."""
        return self._saved("svg", {"Date": None, "Creator": None, **self._described()})

    def data_url(self) -> str:
        """Return the SVG as the address of an image."""
        return f"data:image/svg+xml;base64,{b64encode(self.svg()).decode()}"

    def _repr_svg_(self) -> str:
        return self.svg().decode()  # in a notebook

    def png(self) -> bytes:
        """Return the figure as a PNG with 200 dots per inch."""
        return self._saved("png", {"Software": None, **self._described()})

    def pdf(self) -> bytes:
        """Return the figure as a PDF with its font embedded."""
        metadata = self._described()
        metadata["Subject"] = metadata.pop("Description", None)
        omitted = dict.fromkeys(("CreationDate", "Creator", "Producer"))
        return self._saved("pdf", {**metadata, **omitted})

    def _described(self) -> dict[str, str | None]:
        parts = {"Title": self.title, "Description": self.about}
        return {
            key: short_label(text, MAX_ABOUT) for key, text in parts.items() if text
        }

    def _saved(self, file_format: str, metadata: dict[str, str | None]) -> bytes:
        file = io.BytesIO()
        with _LOCK, warnings.catch_warnings():
            # Names in a script that the font lacks: boxes in a PNG, correct in an SVG.
            warnings.filterwarnings("ignore", message="Glyph .* missing from")
            warnings.filterwarnings("ignore", message="Matplotlib currently does not")
            self._figure().savefig(
                file, format=file_format, dpi=DOTS_PER_INCH, metadata=metadata
            )
        return file.getvalue()

    def _figure(self) -> Any:
        import matplotlib
        from matplotlib.figure import Figure

        # Only this package draws, so the settings are set for the whole process: a
        # context around each figure would change them for another thread.
        matplotlib.rcParams.update(SETTINGS)
        style = DARK if self.dark else LIGHT
        figure = Figure(
            figsize=(self.width, self.height),
            layout="constrained",
            facecolor=style.paper,
        )
        axes = figure.add_subplot()
        axes.set_title(
            short_label(self.title, MAX_TITLE), loc="left", color=style.ink, fontsize=10
        )
        style_axes(axes, style)
        if self.about:
            line_length = int(LETTERS_PER_INCH * self.width)
            figure.supxlabel(
                textwrap.fill(short_label(self.about, MAX_ABOUT), line_length),
                x=0.012, ha="left", color=style.second, fontsize=7,
            )  # fmt: skip
        if not self.paint(axes, style, *self.data):
            axes.axis("off")
            axes.text(
                0.5, 0.5, NOTHING, color=style.second, transform=axes.transAxes,
                ha="center", va="center",
            )  # fmt: skip
        return figure


def style_axes(axes: Any, style: Style) -> None:
    """Style the axes: two light lines, and a grid in the background."""
    axes.set_facecolor(style.paper)
    axes.set_axisbelow(True)
    axes.grid(visible=True, color=style.line, linewidth=0.5)
    axes.tick_params(colors=style.second, labelsize=8)
    for side, spine in axes.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(style.line)


def label_axes(axes: Any, style: Style, x_label: str, y_label: str) -> None:
    axes.set_xlabel(short_label(x_label, MAX_TITLE), color=style.second, fontsize=9)
    axes.set_ylabel(short_label(y_label, MAX_TITLE), color=style.second, fontsize=9)


def legend(axes: Any, style: Style) -> None:
    """Put the legend to the right of the axes, where it hides no line."""
    axes.legend(
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
        frameon=False,
        fontsize=8,
        labelcolor=style.ink,
    )
