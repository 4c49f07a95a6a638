"""The Compare page's tables in HTML."""

from __future__ import annotations

from collections.abc import Sequence

from curator.ui.compare.comparison_rows import DifferenceRow, MatrixCell, SystemRow
from curator.ui.compare.page_state import NONE
from curator.ui.shared import html
from curator.ui.shared.toolbar import choice_html

FIRST_QUERIES = 8
ALIKE = "How alike the boards are"
NAME, CELL = 56, 42  # pixels of a name and of a coefficient with its interval
ADD = "Add a measure"  # what the list stands at; its label is only read aloud


def measures_html(chosen: Sequence[str], fixed: str, more: Sequence[str]) -> str:
    """The measures shown, each with a way to take it out, and a list of others."""
    chips = "".join(_chip(one, fixed=one == fixed) for one in chosen)
    left = [one for one in more if one not in chosen]
    added = choice_html(ADD, "more", [NONE, *left], NONE, {NONE: ADD}, other=True)
    return f'<div class="m-chips c-strip">{chips}{added}</div>'


def _chip(measure: str, *, fixed: bool) -> str:
    name = html.text(measure)
    if fixed:
        return f'<span class="m-chip m-fixed" title="Chosen above">{name}</span>'
    return (
        f'<button type="button" class="m-chip" data-pick="drop:{name}" '
        f'title="Take {name} out">{name}<i>×</i></button>'
    )


def systems_html(names: Sequence[str], rows: Sequence[SystemRow], about: str) -> str:
    """Every system with its scores, a small rank beside each; a rule between tiers."""
    tiers = any(row.tier for row in rows)
    head = '<th scope="col">Tier</th>' if tiers else ""
    head += '<th scope="col">System</th>'
    head += "".join(f'<th scope="col" colspan="2">{html.text(n)}</th>' for n in names)
    body = "".join(system_html(row, tiers=tiers) for row in rows)
    return (
        '<div class="m-scroll"><table class="m-systems"><caption><b>Scores and '
        f"ranks</b> {html.text(about)}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def system_html(row: SystemRow, *, tiers: bool) -> str:
    """One system; its name opens its page."""
    css = ' class="m-parted"' if row.parted else ""
    tier = f"<td>{row.tier}</td>" if tiers else ""
    cells = "".join(
        f"<td>{score}</td><td><small>{rank}</small></td>" for score, rank in row.cells
    )
    return f'<tr{css}>{tier}<th scope="row">{html.system(row.system)}</th>{cells}</tr>'


def matrix_html(
    names: Sequence[str], cells: dict[tuple[int, int], MatrixCell], about: str
) -> str:
    """Kendall below the diagonal, Spearman above; intervals in small."""
    head = "".join(f'<th scope="col">{_broken(name)}</th>' for name in names)
    body = ""
    for i, name in enumerate(names):
        row = "".join(_matrix_cell(cells.get((i, j))) for j in range(len(names)))
        body += f'<tr><th scope="row">{_broken(name)}</th>{row}</tr>'
    return (
        f'<div class="c-listhead"><b>{ALIKE}</b></div>'
        f'<p class="c-note">{html.text(about)}</p>'
        f'<div class="m-scroll"><table class="m-matrix" aria-label="{ALIKE}" '
        f'style="min-width:{NAME + CELL * len(names)}px">'
        f"<thead><tr><td></td>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _broken(name: str) -> str:
    """A measure's name that may go on in the next line after each "-"."""
    return html.text(name).replace("-", "-<wbr>")


def _matrix_cell(cell: MatrixCell | None) -> str:
    if cell is None:
        return '<td class="m-same"></td>'
    return (
        f'<td title="{html.text(cell.title)}">{cell.value}'
        f"<small>{cell.interval}</small></td>"
    )


def pair_html(first: str, second: str, systems: Sequence[str]) -> str:
    """Two lists to choose the systems from."""
    return (
        '<div class="c-listhead"><b>Two systems</b></div><div class="m-pair c-strip">'
        + choice_html("Between", "first", [s for s in systems if s != second], first)
        + choice_html("and", "second", [s for s in systems if s != first], second)
        + "</div>"
    )


def differences_html(rows: Sequence[DifferenceRow], first: str, second: str) -> str:
    """The queries on which they differ most; a name opens the query in Curate."""
    if not rows:
        return ""
    head = (
        '<thead><tr><th scope="col">Query</th>'
        f'<th scope="col" title="{html.text(first)}">First</th>'
        f'<th scope="col" title="{html.text(second)}">Second</th>'
        '<th scope="col">Difference</th></tr></thead>'
    )
    shown = "".join(map(difference_html, rows[:FIRST_QUERIES]))
    table = f'<table class="m-queries">{head}<tbody>{shown}</tbody></table>'
    rest = rows[FIRST_QUERIES:]
    if not rest:
        return table
    return (
        f"{table}<details><summary>{len(rest)} more</summary>"
        f'<table class="m-queries"><tbody>{"".join(map(difference_html, rest))}'
        "</tbody></table></details>"
    )


def difference_html(row: DifferenceRow) -> str:
    """One query."""
    return (
        f'<tr><th scope="row">{html.opened("curate", row.query_id, row.name)}</th>'
        f"<td>{row.first}</td><td>{row.second}</td>"
        f'<td class="c-{row.change.tone}">{row.change.text}</td></tr>'
    )
