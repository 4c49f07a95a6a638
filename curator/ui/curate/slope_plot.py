"""The slope plot in HTML: Streamlit takes every SVG out of what a page draws.

Lines are rules turned by their angle, so they follow the theme's colours like all else.
"""

from __future__ import annotations

from curator.evaluation.impact import Impact
from curator.ui.curate.slope import Bracket, Group, Label, Line, Slope, slope
from curator.ui.curate.small_board import move_html
from curator.ui.shared import html, words
from curator.ui.shared.parts import move


def slope_html(impact: Impact, *, solo: bool = False) -> str:
    """Ranks before and after; read out as a sentence, drawn dashed for ``solo``."""
    plot = slope(impact)
    css = "c-slope c-dashed" if solo else "c-slope"
    return (
        f'<div class="{css}" role="img" aria-label="{html.text(plot.spoken)}" '
        f'style="height:{plot.height:.0f}px">{drawn(plot)}</div>{_unnamed(plot)}'
    )


def drawn(plot: Slope) -> str:
    """Everything in the plot, what matters most on top."""
    return "".join(
        [
            *(f'<i style="top:{at:.1f}px"></i>' for at in plot.still),
            *map(line_html, plot.lines),
            *map(before_html, plot.before),
            *map(after_html, plot.after),
            *map(bracket_html, plot.brackets),
        ]
    )


def line_html(line: Line) -> str:
    """A turned rule and its two dots."""
    css = f"c-{line.tone} c-open" if line.hollow else f"c-{line.tone}"
    return (
        f'<u class="{css}" style="top:{line.left:.1f}px;width:{line.length:.1f}px;'
        f'transform:rotate({line.angle:.2f}deg)"></u>'
        f'<b class="{css}" style="top:{line.left:.1f}px"></b>'
        f'<b class="{css} c-right" style="top:{line.right:.1f}px"></b>'
    )


def before_html(label: Label) -> str:
    """A rank at the left."""
    return f'<s style="top:{label.at:.1f}px">{label.rank}</s>'


def after_html(label: Label) -> str:
    """A rank at the right with who has it."""
    names = ", ".join(name for group in label.groups for name in group.names)
    groups = "".join(map(group_html, label.groups))
    return (
        f'<p style="top:{label.at:.1f}px" title="{html.text(names)}">'
        f"<em>{label.rank}</em>{groups}</p>"
    )


def group_html(group: Group) -> str:
    """An arrow, how far, and the names."""
    names = html.text(", ".join(group.names))
    if not group.places:
        return f"<span></span><q>{names}</q>"
    arrow = move_html(move(group.places), hollow=group.hollow)
    return f"<span>{arrow}</span><strong>{names}</strong>"


def bracket_html(bracket: Bracket) -> str:
    """A bracket and what it says."""
    height = bracket.bottom - bracket.top
    return (
        f'<small style="top:{bracket.top:.1f}px;height:{height:.1f}px;'
        f'line-height:{height:.1f}px">{html.text(bracket.text)}</small>'
    )


def _unnamed(plot: Slope) -> str:
    if not plot.unnamed:
        return ""
    verb = "is" if plot.unnamed == 1 else "are"
    said = f"{words.count(plot.unnamed, 'smaller move')} {verb} drawn without a name."
    return f'<p class="c-boardnote">{said}</p>'
