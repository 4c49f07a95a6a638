"""One figure, made into a file when it is asked for.

The library keeps settings and fonts for a whole process, so one lock stands around
everything it does. The same Drawing gives the same bytes on every machine: the font
comes with the library, ids in the SVG are hashes, and no date is written.
"""

from __future__ import annotations

import hashlib
import io
import textwrap
import threading
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from curator.figures.style import DARK, LIGHT, LONGEST_TITLE, Style, name

DOTS_PER_INCH = 200
NOTHING = "Nothing to draw."
LONGEST_ABOUT = 300
LETTERS_PER_INCH = 15  # of what stands small beneath a figure

_LOCK = threading.RLock()
SETTINGS = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9,
    "text.parse_math": False,  # a name with two dollar signs is still a name
    "svg.fonttype": "none",  # text stays text: to be searched, edited and read aloud
    "svg.hashsalt": "curator",
    "pdf.fonttype": 42,  # text stays text; publishers refuse the usual Type 3
}


@dataclass(frozen=True)
class Drawing:
    """A figure ``width`` × ``height`` inches large that ``paint`` puts on its axes.

    ``paint`` takes the axes and the style, and returns False where there is nothing to
    draw; the figure then says so. ``drawn_from`` is all that ``paint`` rests on.
    ``about`` stands small beneath and in the file's own description: under which
    settings the numbers were made.
    """

    title: str
    width: float
    height: float
    paint: Callable[[Any, Style], bool]
    dark: bool = False
    drawn_from: tuple[object, ...] = ()
    about: str = ""

    @property
    def digest(self) -> str:
        """A hash of what is drawn: two drawings of one digest are the same bytes."""
        size = self.width, self.height
        parts = (self.title, self.about, *size, self.dark, self.drawn_from)
        return hashlib.sha256(repr(parts).encode()).hexdigest()

    def svg(self) -> bytes:
        """The figure as an SVG document in UTF-8."""
        return self._saved("svg", {"Date": None, "Creator": None, **self._described()})

    def _repr_svg_(self) -> str:
        return self.svg().decode()  # in a notebook

    def png(self) -> bytes:
        """The figure as a PNG of 200 dots per inch."""
        return self._saved("png", {"Software": None, **self._described()})

    def pdf(self) -> bytes:
        """The figure as a PDF with its font embedded."""
        metadata = self._described()
        metadata["Subject"] = metadata.pop("Description", None)
        unsaid = dict.fromkeys(("CreationDate", "Creator", "Producer"))
        return self._saved("pdf", {**metadata, **unsaid})

    def _described(self) -> dict[str, str | None]:
        """Title and settings as the file's own metadata."""
        parts = {"Title": self.title, "Description": self.about}
        return {key: name(text, LONGEST_ABOUT) for key, text in parts.items() if text}

    def _saved(self, form: str, metadata: dict[str, str | None]) -> bytes:
        file = io.BytesIO()
        with _LOCK, warnings.catch_warnings():
            # A name in a script that the font lacks: boxes in a PNG, right in an SVG.
            warnings.filterwarnings("ignore", message="Glyph .* missing from")
            warnings.filterwarnings("ignore", message="Matplotlib currently does not")
            self._figure().savefig(
                file, format=form, dpi=DOTS_PER_INCH, metadata=metadata
            )
        return file.getvalue()

    def _figure(self) -> Any:
        import matplotlib
        from matplotlib.figure import Figure

        # Only this package draws, so the settings are the process's, set once and for
        # all: a context around each figure would change them under another thread.
        matplotlib.rcParams.update(SETTINGS)
        style = DARK if self.dark else LIGHT
        figure = Figure(
            figsize=(self.width, self.height),
            layout="constrained",
            facecolor=style.paper,
        )
        axes = figure.add_subplot()
        axes.set_title(
            name(self.title, LONGEST_TITLE), loc="left", color=style.ink, fontsize=10
        )
        dress(axes, style)
        if self.about:
            wide = int(LETTERS_PER_INCH * self.width)
            figure.supxlabel(
                textwrap.fill(name(self.about, LONGEST_ABOUT), wide),
                x=0.012, ha="left", color=style.second, fontsize=7,
            )  # fmt: skip
        if not self.paint(axes, style):
            axes.axis("off")
            axes.text(
                0.5, 0.5, NOTHING, color=style.second, transform=axes.transAxes,
                ha="center", va="center",
            )  # fmt: skip
        return figure


def dress(axes: Any, style: Style) -> None:
    """Axes in the style: two quiet lines and a grid behind everything."""
    axes.set_facecolor(style.paper)
    axes.set_axisbelow(True)
    axes.grid(visible=True, color=style.line, linewidth=0.5)
    axes.tick_params(colors=style.second, labelsize=8)
    for side, spine in axes.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(style.line)


def label_axes(axes: Any, style: Style, x_label: str, y_label: str) -> None:
    """What stands along the two axes."""
    axes.set_xlabel(name(x_label, LONGEST_TITLE), color=style.second, fontsize=9)
    axes.set_ylabel(name(y_label, LONGEST_TITLE), color=style.second, fontsize=9)


def legend(axes: Any, style: Style) -> None:
    """What each series is, beside the axes, where it hides none of them."""
    axes.legend(
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
        frameon=False,
        fontsize=8,
        labelcolor=style.ink,
    )
