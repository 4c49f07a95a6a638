"""The graders of a workspace as one table: what each rates, and what it lacks."""

from __future__ import annotations

from collections.abc import Sequence

from curator.ui.grading.grader_words import GraderRow
from curator.ui.grading.unreadable_words import UnreadableRow
from curator.ui.shared import html, words

NOBODY = (
    '<p class="c-note g-nothing">Nobody has graded here yet. embedding takes a minute '
    "or two; FLAN-T5 and chat models follow the papers.</p>"
)
HEADINGS = ("Grader", "Rates", "Model", "Grades", "Unreadable", "Here")


def graders_html(rows: Sequence[GraderRow], opened: str | None) -> str:
    """A row a grader; ``opened`` is the one whose unreadable responses are listed."""
    if not rows:
        return f'<div class="c-listhead"><b>Graders</b></div>{NOBODY}'
    headings = "".join(f"<th scope='col'>{name}</th>" for name in HEADINGS)
    return (
        '<table class="g-graders"><caption class="c-listhead"><b>Graders</b> '
        f"<span>{len(rows)} of this workspace</span></caption>"
        f"<thead><tr>{headings}</tr></thead>"
        f"<tbody>{''.join(_row_html(row, row.name == opened) for row in rows)}"
        "</tbody></table>"
    )


def _row_html(row: GraderRow, opened: bool) -> str:
    label, model = html.text(row.label), html.text(row.model)
    return (
        f"<tr><th scope='row' title=\"{html.text(row.name)}\">{label}</th>"
        f'<td title="{row.rates}">{row.rates}</td><td title="{model}">{model}</td>'
        f'<td title="{row.beyond}"><span>{row.counts}</span>{bar_html(row.share)}</td>'
        f"<td>{_unreadable_html(row, opened)}</td>"
        f"<td>{_here_html(row)}</td></tr>"
    )


def bar_html(share: float) -> str:
    """A thin bar, filled as far as this share between 0 and 1."""
    return f'<i class="g-bar"><i style="width:{100 * share:.1f}%"></i></i>'


def _unreadable_html(row: GraderRow, opened: bool) -> str:
    if not row.unreadable:
        return ""
    return (
        f'<button type="button" aria-pressed="{"true" if opened else "false"}" '
        f'data-pick="{html.text(f"unreadable:{row.name}")}" '
        f'title="List them beside this table">{row.unreadable:,}</button>'
    )


def _here_html(row: GraderRow) -> str:
    """The state in a word, and the one button that changes it."""
    if row.gradable and row.missing and row.paid:
        return _button_html("count", row.name, "Count", "Before anything is paid")
    if row.gradable and row.missing:
        missing = words.missing_grades(row.missing)
        return _button_html("grade", row.name, "Grade", f"Ask for {missing}")
    if row.gradable and row.unreadable:
        title = "Ask once more for the responses that state no rating"
        return _button_html("again", row.name, "Ask again", title)
    return row.state


def _button_html(family: str, name: str, label: str, title: str) -> str:
    return (
        f'<button type="button" data-pick="{html.text(f"{family}:{name}")}" '
        f'title="{title}" aria-label="{label}: {html.text(name)}">{label}</button>'
    )


def unreadable_html(label: str, rows: Sequence[UnreadableRow], total: int) -> str:
    """The responses of one grader that state no rating; a click opens the passage."""
    head = (
        f'<div class="c-listhead"><b>Unreadable responses</b>'
        f"<span>{html.text(label)}</span>"
        '<button type="button" data-pick="unreadable:" title="Close this list">Close'
        "</button></div>"
    )
    if not rows:
        return f'{head}<p class="c-empty">Every response states a rating.</p>'
    more = total - len(rows)
    rest = (
        f'<p class="c-note">and {more:,} more; `curator grade --unreadable` lists all.'
        "</p>"
        if more
        else ""
    )
    note = '<p class="c-note">They count as unknown, never as 0.</p>'
    return head + note + "".join(map(_response_html, rows)) + rest


def _response_html(row: UnreadableRow) -> str:
    asked = f"<span>{html.text(row.question)}</span>" if row.question else ""
    inner = (
        f"<q>{html.text(row.raw)}</q>{asked}"
        f"<small>{html.text(row.query)} · {html.text(row.passage_id)}</small>"
    )
    return html.pick("at", row.place, current=False, inner=inner, css="g-response")
