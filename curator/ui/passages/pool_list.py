"""The Passages page's lists: filters, passages with their answers, questions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from curator.collection.queries import Query
from curator.ui.answers.verdicts import QuotedAnswer, quoted_html
from curator.ui.passages import ideals, pool_words
from curator.ui.passages.passage_html import pieces_html, steps_html
from curator.ui.passages.passage_rows import Piece
from curator.ui.passages.pool_rows import AskedGroup, AskedRow, Choice, StandIn
from curator.ui.passages.pool_words import PassageRow
from curator.ui.shared import html

PRESSED = {True: ' aria-pressed="true"', False: ' aria-pressed="false"'}


def head_html(query: Query) -> str:
    """Title, id, background."""
    background = (
        f'<p class="c-background">{html.text(query.background)}</p>'
        if query.background
        else ""
    )
    return (
        f'<h1 class="c-title">{html.text(query.name)}'
        f"<small>{html.text(query.query_id)}</small></h1>{background}"
    )


def filters_html(choices: Sequence[Choice], note: str) -> str:
    """What to show, each with the number of passages it leaves."""
    buttons = "".join(
        f'<button type="button" data-filter="show:{one.show}"{PRESSED[one.chosen]}>'
        f"{one.name} <b>{one.count:,}</b></button>"
        for one in choices
    )
    said = f'<p class="c-note">{html.text(note)}</p>' if note else ""
    return (
        f'<div class="p-filters" role="group" aria-label="Show">{buttons}</div>{said}'
    )


def found_html(
    found: str, asked: AskedRow | None, system: str | None, systems: Sequence[str]
) -> str:
    """How many passages, of which question, of which system."""
    chip = ""
    if asked is not None:
        name = html.text(f"question:{asked.question_id}")
        chip = (
            f'<button type="button" class="p-chip" data-filter="{name}" '
            f'title="{html.text(asked.text)}" aria-label="answers question '
            f'{asked.number}: show all again">answers {asked.number} <i>×</i></button>'
        )
    return (
        f'<div class="c-listhead p-found"><h2>{found}</h2>{chip}'
        f"{_systems_html(system, systems)}</div>"
    )


def _systems_html(chosen: str | None, systems: Sequence[str]) -> str:
    if not systems:
        return ""
    options = "".join(
        f'<option value="{html.text(one)}"{" selected" if one == chosen else ""}>'
        f"{html.text(one)}</option>"
        for one in systems
    )
    return (
        '<label>Retrieved by <select data-filter="system"><option value="">any system'
        f"</option>{options}</select></label>"
    )


def stand_in_html(selected: str, stand_in: StandIn, numbers: Sequence[int]) -> str:
    """Which questions the selected grader has not graded, and who has."""
    many, whose = ("question", "its") if len(numbers) == 1 else ("questions", "their")
    listed = ", ".join(map(str, sorted(numbers)))
    other = html.text(stand_in.grader)
    pick = html.text(f"set:grader={stand_in.grader}")
    return (
        f'<p class="c-note p-stands">{html.text(selected)} has not graded {many} '
        f"{listed}: {whose} answers here are {other}’s and count in no label. "
        f'<button type="button" data-pick="{pick}">'
        f"Labels by {other}</button></p>"
    )


def direct_html(grader: str) -> str:
    """Why there are no questions beside the passages."""
    return (
        f'<p class="c-note">{html.text(grader)} grades passages as a whole: no '
        "question stands behind a label.</p>"
    )


def nothing_html(sentence: str) -> str:
    """Why no passage is shown."""
    return f'<p class="c-empty" role="status">{html.text(sentence)}</p>'


def passages_html(
    rows: Sequence[PassageRow],
    pieces: Mapping[str, tuple[Piece, ...]],
    before: str | None,
    after: str | None,
    quoted: Sequence[QuotedAnswer] = (),
) -> str:
    """Passages as one element; ``pieces`` holds each one's text.

    ``before`` and ``after`` are the passages next to the selected one, ``quoted`` the
    answers in it.
    """
    return "".join(
        passage_html(row, pieces[row.passage_id], before, after, quoted) for row in rows
    )


def passage_html(
    row: PassageRow,
    pieces: tuple[Piece, ...],
    before: str | None,
    after: str | None,
    quoted: Sequence[QuotedAnswer] = (),
) -> str:
    """Label, judgment, id; the text; what it answers and who retrieved it.

    Of the selected one the answers quoted, to give a verdict on.
    """
    current = ' aria-current="true"' if row.selected else ""
    steps = steps_html(before, after, css="p-step") if row.selected else ""
    return (
        f'<article class="p-passage" aria-label="Passage {html.text(row.passage_id)}"'
        f'{current} data-ideals="{html.text(json.dumps(row.ideals))}">'
        f'<div class="p-row">{_face_html(row)}'
        f"{steps}</div>{_text_html(row, pieces)}"
        f"{quoted_html(quoted) if row.selected else ''}{_meta_html(row)}</article>"
    )


def _face_html(row: PassageRow) -> str:
    verdict = "c-warning" if row.disagrees else ""
    said = f" · {html.text(row.verdict)}" if row.verdict else ""
    stays = '<span class="p-stays">no longer matches</span>' if row.stays else ""
    ideal = ideals.said(row.ideals)
    tag = f'<span class="p-tag">{ideal}</span>' if ideal else ""
    inner = (
        f"<b>{row.label}</b>{html.part(row.change)}"
        f'<span class="{verdict}">{row.judgment}{said}</span>'
        f'<span class="c-id">{html.text(row.passage_id)}</span>{tag}{stays}'
        f"<em>{row.place}</em>"
    )
    return (
        '<button type="button" class="p-face" '
        f'data-pick="{html.text(f"passage:{row.passage_id}")}">{inner}</button>'
    )


def _text_html(row: PassageRow, pieces: tuple[Piece, ...]) -> str:
    """The text; of a long one its beginning, except where it is selected.

    A click anywhere in it selects it; the text selected can be marked and copied.
    """
    if row.selected:
        return f'<p class="p-text">{pieces_html(pieces)}</p>'
    name = html.text(f"passage:{row.passage_id}")
    begin, rest = pool_words.cut(pieces)
    more = (
        f"<details><summary>{pool_words.more_words(rest)}</summary>"
        f'<p class="p-text">{pieces_html(rest)}</p></details>'
        if rest
        else ""
    )
    return f'<p class="p-text" data-pick="{name}">{pieces_html(begin)}</p>{more}'


def _meta_html(row: PassageRow) -> str:
    answers = (
        f"<span>Answers <b>{html.text(row.answers)}</b></span>" if row.answers else ""
    )
    systems = (
        f'<span title="{html.text(row.all_systems)}">'
        f"Retrieved by {html.text(row.systems)}</span>"
        if row.systems
        else ""
    )
    return f'<p class="p-meta">{answers}{systems}</p>'


def asked_html(groups: Sequence[AskedGroup]) -> str:
    """The kept questions; a click shows the passages that answer one."""
    rows = [row for group in groups for row in group.rows]
    if not rows:
        return '<p class="c-empty">No question of this query is kept.</p>'
    lists = "".join(
        (f"<h3>{html.text(group.heading)}</h3>" if group.heading else "")
        + "".join(map(asked_row_html, group.rows))
        for group in groups
    )
    return (
        f'<div class="p-asked"><div class="c-listhead"><h2>{len(rows)} kept</h2>'
        f"<em>passages that answer it</em></div>{lists}</div>"
    )


def asked_row_html(row: AskedRow) -> str:
    """Number, text, how many passages answer it."""
    count = (
        f"{row.count:,}" if row.known else '<span class="c-warning">not graded</span>'
    )
    by = f"<small>by {html.text(row.by)}</small>" if row.by else ""
    return (
        f'<button type="button" class="p-question"{PRESSED[row.chosen]} '
        f'data-filter="{html.text(f"question:{row.question_id}")}">'
        f'<span class="c-number">{row.number}</span>'
        f'<span class="p-name">{html.text(row.text)}{by}</span>'
        f'<span class="p-count">{count}<span class="c-bar">'
        f'<i style="width:{100 * row.bar:.1f}%"></i></span></span></button>'
    )
