"""The History page's events, and what one of them did."""

from __future__ import annotations

from curator.ui.history.event_rows import EventRow
from curator.ui.shared import html


def events_html(rows: tuple[EventRow, ...], selected: int | None) -> str:
    """All rows as one element, or a sentence where there are none."""
    if not rows:
        return '<p class="c-empty">No edits to show.</p>'
    return "".join(event_html(row, row.event_id == selected) for row in rows)


def event_html(row: EventRow, current: bool) -> str:
    """When and who; what, to which text, why; in which query."""
    text = html.text(row.after)
    if row.before:
        text = f"<s>{html.text(row.before)}</s> → {text}"
    reason = f'<span class="c-reason">{html.text(row.reason)}</span>'
    inner = (
        f'<span class="c-when">{row.when}<br>{html.text(row.by)}</span>'
        f'<span class="c-what"><b>{html.text(row.what)}</b> {text}'
        f"{reason if row.reason else ''}<small>{html.text(row.query)}</small></span>"
        f'<span class="c-count">{row.event_id}</span>'
    )
    return html.pick(
        "event", str(row.event_id), current=current, inner=inner, css="c-event"
    )
