"""A small board as one HTML table, the rows beyond the first folded away."""

from __future__ import annotations

from curator.ui.curate.page_state import Compared
from curator.ui.shared import board_rows, html
from curator.ui.shared.board_rows import BoardRow, BoardTable, Mark
from curator.ui.shared.words import DOWN, UP, Part


def board_html(
    heading: str, about: str, compared: Compared, shown: int | None = None
) -> str:
    """One board as a table with a caption; beyond ``shown`` rows folded away."""
    table = board_rows.board_table(compared.board, compared.impact, shown=shown)
    css = "c-board c-bounded" if table.bounded else "c-board"
    rows = [row_html(row) for row in table.rows]
    first = (
        f'<table class="{css}">'
        f"<caption><b>{html.text(heading)}</b> {html.text(about)}</caption>"
        f"<thead><tr>{_headings(table)}</tr></thead>"
        f"<tbody>{''.join(rows[: table.shown])}</tbody></table>"
    )
    note = f'<p class="c-boardnote">{table.note}</p>' if table.note else ""
    rest = rows[table.shown :]
    if not rest:
        return first + note
    moved = f", {table.moved_below} of them moved" if table.moved_below else ""
    return (
        f"{first}{note}<details><summary>{len(rest)} more{moved}</summary>"
        f'<table class="{css}"><tbody>{"".join(rest)}</tbody></table></details>'
    )


def _headings(table: BoardTable) -> str:
    axis = (
        f'<span class="c-axis"><span>{table.low}</span><span>{table.high}</span></span>'
    )
    names = ["Rank, move" if table.compared else "Rank", "System"]
    names += [
        f"<span>{html.text(table.measure)}</span>",
        "Change" if table.compared else "",
        axis,
    ]
    return "".join(f"<th scope='col'>{name}</th>" for name in names)


def row_html(row: BoardRow) -> str:
    """Rank and arrow, system, score, change, and where the score lies."""
    name = html.text(row.system)
    noise = "<small><span>within </span>noise</small>" if row.hollow else ""
    css = "c-moved c-hollow" if row.hollow else "c-moved" if row.moved else ""
    return (
        f'<tr class="{css}">'
        f"<td>{row.rank}<span>{move_html(row.move, hollow=row.hollow)}</span></td>"
        f"<th scope='row' title=\"{name}\"><span>{name}</span>{noise}</th>"
        f"<td>{row.score}</td><td>{row.change}</td><td>{mark_html(row.mark)}</td></tr>"
    )


def move_html(move: Part, *, hollow: bool = False) -> str:
    """A triangle, filled or not, and the number of ranks."""
    if move.text[:1] not in (UP, DOWN):
        return html.text(move.text)
    css = f"c-{move.tone} c-open" if hollow else f"c-{move.tone}"
    return (
        f'<span class="{css}"><i role="img" aria-label="{move.tone}">{move.text[0]}</i>'
        f"{html.text(move.text[1:])}</span>"
    )


def mark_html(mark: Mark | None) -> str:
    """A line from end to end, a dot where the score is."""
    if mark is None:
        return ""
    width = max(mark.right - mark.left, 1.0)
    dot = "" if mark.centre is None else f'<b style="left:{mark.centre}%"></b>'
    return (
        f'<span class="c-mark"><i style="left:{mark.left}%;width:{width:.1f}%"></i>'
        f"{dot}</span>"
    )
