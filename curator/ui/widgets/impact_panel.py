"""The right column: what the edit did, the boards, the passages that changed."""

from __future__ import annotations

import streamlit as st

from curator.ui import session
from curator.ui.desk import BASELINE_WORDS, EMBEDDING, Compared, Desk, shown_impact
from curator.ui.present import board, impact, passages, words
from curator.ui.present.board import BoardRow, BoardTable, Mark
from curator.ui.present.impact import PassageRow
from curator.ui.present.parts import Part, Sentence
from curator.ui.widgets import html

ROWS = 10  # of a board, while changed passages want to be seen too


def impact_panel(desk: Desk, texts: dict[str, str], opened: str | None) -> None:
    """Sentence, boards, changed passages; ``opened`` is the one in the reader."""
    if desk.selected is None or desk.settings is None:
        return
    selected, shown = desk.selected, shown_impact(desk)
    st.html(sentence_html(_sentence(desk), board.rests_on(selected.board)))
    for note in selected.board.notes:
        st.html(f'<p class="c-note">{html.text(note)}</p>')
    if desk.embedding is not None:
        where = "" if desk.embedding.all_queries else " · this query"
        about = f"against its own earlier board{where}"
        st.html(board_html(EMBEDDING, about, desk.embedding, ROWS))
    if selected.board.standings:
        missing = selected.board.needed - selected.board.known
        grader = desk.labels[desk.settings.grader]
        about = _moved(selected)
        if missing:
            about = f"bounds, {words.missing_grades(missing)}"
        heading = grader if desk.embedding is not None else "Board"
        rows = ROWS if shown is not None and shown.labels else None
        st.html(board_html(heading, about, selected, rows))
    if shown is not None and shown.labels:
        changed = impact.changed_passages(
            shown.labels, desk.collection, desk.query.query_id, opened
        )
        summary = impact.changed_summary(
            shown.labels,
            desk.collection,
            desk.query.query_id,
            desk.settings.min_rating,
        )
        st.html(passages_html(changed, summary, texts))


def _sentence(desk: Desk) -> Sentence:
    assert desk.selected is not None
    against = BASELINE_WORDS[session.view().against]
    official = desk.collection.official
    if desk.selected.impact is None:
        return impact.nothing_compared("No edit of yours stands in this query.")
    told = desk.selected
    lead: Sentence = ()
    if desk.embedding is not None and desk.embedding.impact is not None:
        told, lead = desk.embedding, _cannot_grade(desk)
    assert told.impact is not None
    return lead + impact.impact_sentence(
        told.impact,
        desk.edits,
        official,
        against=against,
        all_queries=told.all_queries,
        zone=session.zone(),
    )


def _cannot_grade(desk: Desk) -> Sentence:
    grader = desk.grader
    if grader is None or grader.can_grade:
        return ()
    name = desk.labels[grader.name]
    said = f"{name} cannot grade new text here. Ranks by embedding. "
    return (Part(said, "warning"),)


def _moved(compared: Compared) -> str:
    if compared.impact is None:
        return ""
    moved = len(compared.impact.movers)
    return f"{moved} moved, {len(compared.impact.moves) - moved} did not"


def sentence_html(said: Sentence, rests_on: str) -> str:
    """The sentence, and what it rests on in small."""
    return (
        f'<div class="c-impact" role="status" aria-live="polite">'
        f"<p>{html.sentence(said)}</p><small>{html.text(rests_on)}</small></div>"
    )


def board_html(
    heading: str, about: str, compared: Compared, shown: int | None = None
) -> str:
    """One board as a table with a caption; beyond ``shown`` rows folded away."""
    table = board.board_table(compared.board, compared.impact, shown=shown)
    css = "c-board c-bounded" if table.bounded else "c-board"
    axis = (
        f'<span class="c-axis"><span>{table.low}</span><span>{table.high}</span></span>'
    )
    rows = [row_html(row) for row in table.rows]
    first = (
        f'<table class="{css}">'
        f"<caption><b>{html.text(heading)}</b> {html.text(about)}</caption>"
        f"<thead><tr>{_headings(table)}<th scope='col'>{axis}</th></tr></thead>"
        f"<tbody>{''.join(rows[: table.shown])}</tbody></table>"
    )
    rest = rows[table.shown :]
    if not rest:
        return first
    return (
        f"{first}<details><summary>{len(rest)} more</summary>"
        f'<table class="{css}"><tbody>{"".join(rest)}</tbody></table></details>'
    )


def _headings(table: BoardTable) -> str:
    names = ["Rank", "System", html.text(table.measure)]
    names.append("Change" if table.compared else "")
    return "".join(f"<th scope='col'>{name}</th>" for name in names)


def row_html(row: BoardRow) -> str:
    """Rank and arrow, system, score, change, and where the score lies."""
    name = html.text(row.system)
    return (
        f"<tr{' class=c-moved' if row.moved else ''}>"
        f"<td>{row.rank}<span>{html.part(row.move)}</span></td>"
        f"<th scope='row' title=\"{name}\">{name}</th>"
        f"<td>{row.score}</td><td>{row.change}</td><td>{mark_html(row.mark)}</td></tr>"
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


def passages_html(
    rows: tuple[PassageRow, ...], summary: str, texts: dict[str, str]
) -> str:
    """The changed passages; a click opens one in the reader."""
    lines = "".join(passage_html(row, texts.get(row.passage_id, "")) for row in rows)
    return (
        f'<div class="c-changed"><div class="c-listhead"><b>Changed passages</b>'
        f"<span>{html.text(summary)}</span><em>official</em></div>{lines}</div>"
    )


def passage_html(row: PassageRow, text: str) -> str:
    """``4 → 0``, the beginning of its text, its judgment."""
    inner = (
        f'<span class="c-{row.tone}"><b>{row.before} → {row.after}</b></span>'
        f'<span class="c-name">{html.text(passages.shortened(text))}</span>'
        f'<span class="c-count">{row.judgment}</span>'
    )
    return html.pick(
        "passage", row.passage_id, current=row.selected, inner=inner, css="c-passage"
    )
