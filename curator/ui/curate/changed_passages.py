"""The passages whose label changed, each with the sentence that the edit is about."""

from __future__ import annotations

from collections.abc import Mapping

from curator.ui.curate import changed_rows
from curator.ui.curate.changed_rows import PassageRow
from curator.ui.curate.page_state import PageState, changed_ids, shown_impact
from curator.ui.passages import passage_rows
from curator.ui.passages.reader import highlighter
from curator.ui.shared import html
from curator.ui.shared.board_rows import comparable
from curator.ui.shared.words import tone_mark

SHOWN = 10
EDITED = "edited"
LISTED = 40  # a list of them all is on the Passages page


def changed_html(page: PageState, texts: Mapping[str, str], opened: str | None) -> str:
    """The changed passages of this query, the largest fall first; nothing for none.

    An answering sentence is shown where it is known already, and the beginning of the
    passage elsewhere, so that nobody waits for the model.
    """
    assert page.settings is not None
    shown = shown_impact(page)
    if shown is None or not shown.labels:
        return ""
    if not comparable(shown):
        # A label rests on every grade: with some missing none is known to have fallen.
        return passages_html((), "known once the missing grades are", {})
    rows = changed_rows.changed_passages(
        shown.labels, page.collection, page.query.query_id, opened
    )
    summary = changed_rows.changed_summary(
        shown.labels, page.collection, page.query.query_id, page.settings.min_rating
    )
    if shown.settings.grader != page.settings.grader:
        summary = f"by {page.labels[shown.settings.grader]} · {summary}"
    pairs = list(asked_of(page, texts).items())
    found = highlighter().spans_of([pair for _, pair in pairs], ask=False)
    sentences = {
        passage_id: text[spans[EDITED][0] :]
        for (passage_id, (text, _)), spans in zip(pairs, found, strict=True)
        if spans
    }
    return passages_html(rows, summary, {**texts, **sentences})


def find_sentences(page: PageState, texts: Mapping[str, str]) -> None:
    """Have the sentences of the rows seen at once found, beside the page."""
    pairs = list(asked_of(page, texts).values())
    if not all(highlighter().spans_of(pairs, ask=False)):
        highlighter().prepare(pairs)


def asked_of(
    page: PageState, texts: Mapping[str, str]
) -> dict[str, tuple[str, Mapping[str, str]]]:
    """Text and edited question by passage id, of the rows that are seen at once."""
    asked = changed_rows.edited_question(page.edits, page.query.query_id)
    if asked is None:
        return {}
    seen = [one for one in changed_ids(page)[:SHOWN] if texts.get(one)]
    return {one: (texts[one], {EDITED: asked}) for one in seen}


def passages_html(
    rows: tuple[PassageRow, ...], summary: str, texts: Mapping[str, str]
) -> str:
    """The changed passages; a click opens one in the reader."""
    lines = [passage_html(r, texts.get(r.passage_id, "")) for r in rows[:LISTED]]
    first, rest = "".join(lines[:SHOWN]), lines[SHOWN:]
    more = ""
    if rest:
        left = len(rows) - SHOWN
        shown = "" if left == len(rest) else f", {len(rest)} of them here"
        more = (
            f"<details><summary>{left:,} more{shown}</summary>{''.join(rest)}</details>"
        )
    return (
        f'<div class="c-changed"><div class="c-listhead"><b>Changed passages</b>'
        f"<span>{html.text(summary)}</span><em>official</em></div>{first}{more}</div>"
    )


def passage_html(row: PassageRow, text: str) -> str:
    """``4 → 0 ▼``, the first words, its judgment."""
    inner = (
        f"<span><b>{row.before} → {row.after}</b> "
        f"{html.part(tone_mark(row.tone))}</span>"
        f'<span class="c-name">{html.text(passage_rows.shortened(text))}</span>'
        f'<span class="c-count">{row.judgment}</span>'
    )
    return html.pick(
        "passage", row.passage_id, current=row.selected, inner=inner, css="c-passage"
    )
