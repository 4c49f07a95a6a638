"""The right column of the Judges page: how far judges agree, and where they do not.

Everything here rests on the questions that the reader has voted on.
"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode

import streamlit as st

from curator.collection.pools import Collection
from curator.ui.judges import agreement_words
from curator.ui.judges.agreement_words import JudgeRow, PairRow, SplitRow
from curator.ui.shared import html
from curator.verbs.judges.agreement import Judges
from curator.verbs.judges.ballots import Voting

HOW = (
    "<p><b>v</b> if a response that does not answer the question cannot be good: it is "
    "vital. <b>o</b> if answering it is good to have and its lack is no fault: it is "
    "okay. Each goes on to the next question.</p>"
)
LISTED = 50  # disagreements; the rest is counted


def judging_panel(
    judges: Judges,
    collection: Collection,
    mine: Voting,
    opened: str,
    selected: str | None,
) -> None:
    """Agreement in a sentence, disagreements first, then who voted how."""
    st.html(panel_html(judges, collection, mine, opened, selected))


def panel_html(
    judges: Judges,
    collection: Collection,
    mine: Voting,
    opened: str,
    selected: str | None,
) -> str:
    """The column as one element, or what is to be done first.

    ``opened`` and ``selected`` are the query and the question on the page.
    """
    if not mine.voted:
        said = f'<p class="c-note">{html.text(agreement_words.NOT_VOTED)}</p>'
        return f'{column("Voting")}<div class="c-impact">{HOW}</div>{said}'
    head = column("Agreement", "on what you have voted on")
    found = judges.agreement
    if not found.questions:
        return f'{head}<p class="v-told">{html.text(agreement_words.LONE)}</p>'
    said = html.sentence(agreement_words.agreement_sentence(found))
    note = html.text(agreement_words.coefficient_note(found))
    splits = agreement_words.split_rows(judges.disagreements, collection)
    return (
        f'{head}<div class="c-impact"><p>{said}</p><small>{note}</small></div>'
        f"{splits_html(splits, opened, selected)}"
        f"{judges_html(agreement_words.judge_rows(judges))}"
        f"{pairs_html(agreement_words.pair_rows(found.pairs))}"
    )


def column(title: str, about: str = "") -> str:
    """The column's heading."""
    small = f"<span>{html.text(about)}</span>" if about else ""
    return f'<div class="c-column v-column"><b>{html.text(title)}</b>{small}</div>'


def splits_html(rows: Sequence[SplitRow], opened: str, selected: str | None) -> str:
    """The questions on which votes differ; a click opens one."""
    head = (
        f'<div class="c-listhead"><b>Disagreements</b><span>{len(rows):,}, the most '
        "even first</span></div>"
    )
    if not rows:
        return (
            '<div class="c-listhead"><b>Disagreements</b></div>'
            '<p class="c-empty">None: wherever others have voted, they voted alike.</p>'
        )
    listed = "".join(split_html(row, opened, selected) for row in rows[:LISTED])
    more = f"{len(rows) - LISTED:,} more" if len(rows) > LISTED else ""
    rest = f'<p class="c-empty">{more}: `curator judges` lists all.</p>'
    return f"{head}{listed}{rest if more else ''}"


def split_html(row: SplitRow, opened: str, selected: str | None) -> str:
    """The question, who called it what, and in which query if not in the one opened."""
    where = f" · {row.query}" if row.query_id != opened else ""
    inner = (
        f"<span>{html.text(row.text)}</span>"
        f"<small>{html.text(row.sides)}{html.text(where)}</small>"
    )
    return html.pick(
        "ballot",
        urlencode({"query": row.query_id, "question": row.question_id}),
        current=row.question_id == selected,
        inner=inner,
        css="v-split",
    )


def judges_html(rows: Sequence[JudgeRow]) -> str:
    """Everybody's votes on the questions that I have voted on."""
    body = "".join(
        f'<tr><th scope="row">{html.text(row.judge)}</th><td>{row.vital:,}</td>'
        f"<td>{row.okay:,}</td></tr>"
        for row in rows
    )
    return (
        '<table class="v-table"><caption><b>Votes</b>on these questions</caption>'
        '<thead><tr><th scope="col">Judge</th><th scope="col">Vital</th>'
        f'<th scope="col">Okay</th></tr></thead><tbody>{body}</tbody></table>'
    )


def pairs_html(rows: Sequence[PairRow]) -> str:
    """Every two judges with their kappa; nothing where there are only two."""
    if len(rows) < 2:
        return ""
    body = "".join(
        f'<tr title="{html.text(row.note)}"><th scope="row">{html.text(row.pair)}</th>'
        f"<td>{row.questions}</td><td>{row.alike}</td><td>{row.kappa}</td></tr>"
        for row in rows
    )
    return (
        '<table class="v-table"><caption><b>Two by two</b>Cohen’s kappa</caption>'
        '<thead><tr><th scope="col">Judges</th><th scope="col">Questions</th>'
        '<th scope="col">Alike</th><th scope="col">κ</th></tr></thead>'
        f"<tbody>{body}</tbody></table>"
    )
