"""The middle of the Answers page: answers on which not all say the same.

Python draws them; the component under ``answers/answer_list.js`` hears the two controls
of each and sends verdicts as edits.
"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode

import streamlit as st

from curator.bank.marks import CORRECTNESSES, Correctness
from curator.ui.answers.check_rows import AnswerRow, Saying
from curator.ui.answers.verdict_list import KEYS
from curator.ui.shared import html
from curator.ui.shared.channel import Component
from curator.ui.shared.toolbar import choice_html

ANSWERS = Component(
    "answer_list",
    "shared/drafts",
    "shared/edits",
    "answers/verdicts",
    "answers/answer_list",
)


def answer_list(inner: str) -> None:
    """The answers, and what hears verdicts on them."""
    ANSWERS.draw()
    st.html(inner)


def settings_html(
    sources: Sequence[str],
    source: str,
    labels: dict[str, str],
    between: str,
    options: dict[str, str],
) -> str:
    """Whose answers, and which of them are listed."""
    lists = choice_html("Answers of", "source", sources, source, labels)
    lists += choice_html("Listed", "between", list(options), between, options)
    return f'<div class="c-strip a-settings">{lists}</div>'


def rows_html(
    rows: Sequence[AnswerRow],
    columns: Sequence[str],
    title: str,
    listed: str,
    passage: str,
) -> str:
    """A line for each answer under its column heads; ``passage`` is for the selected.

    ``columns`` name the checks, and people where they have said something.
    """
    heads = "".join(
        f'<b role="columnheader" title="{html.text(one)}">{html.text(one)}</b>'
        for one in columns
    )
    lines = "".join(_row_html(row, passage) for row in rows)
    return (
        f'<div class="a-list" role="table" aria-label="{title}" '
        f'style="--checks: {len(columns)}">'
        f'<div class="a-head" role="row"><span role="columnheader"><b>{title}</b>'
        f"<small>{html.text(listed)}</small></span>{heads}"
        f'<b role="columnheader" class="a-mine">My verdict</b></div>{lines}</div>'
    )


def _row_html(row: AnswerRow, passage: str) -> str:
    selected = ' data-selected="true"' if row.selected else ""
    current = ' aria-current="true"' if row.selected else ""
    sayings = "".join(map(_saying_html, row.sayings))
    return (
        f'<div class="p-answer a-row" role="row"{selected} '
        f'data-query="{html.text(row.query_id)}" '
        f'data-question="{html.text(row.question_id)}" '
        f'data-revision="{row.revision}" data-answer="{html.encoded(row.answer)}" '
        f'data-mine="{row.mine or ""}">'
        f'<div role="cell"><button type="button" class="c-question a-open"{selected}'
        f'{current} data-pick="set:answer={row.answer_id}">'
        f"<q>{html.text(row.answer)}</q>"
        f"<small>{html.text(row.question)}</small>"
        f"<small>key: {html.text(row.key)} · {html.text(row.where)}</small></button>"
        f"{_passage_html(row, passage) if row.selected else ''}</div>"
        f'{sayings}<span role="cell" class="a-mine">{_controls_html(row)}</span></div>'
    )


def _saying_html(one: Saying) -> str:
    css = {True: "a-right", False: "a-wrong", None: "a-unknown"}[one.right]
    score = f"<small>{html.text(one.score)}</small>" if one.score else ""
    return (
        f'<span role="cell" class="a-say {css}" title="{html.text(one.said)}">'
        f'<i role="img" aria-label="{html.text(one.said)}">{one.mark}</i>{score}</span>'
    )


def _passage_html(row: AnswerRow, passage: str) -> str:
    """Where the selected answer was found, and the way there."""
    place = urlencode(
        {
            "query": row.query_id,
            "question": row.question_id,
            "passage": row.passage_id,
        }
    )
    return (
        f'<p class="a-passage">{html.text(passage)} <span>'
        '<button type="button" class="c-open-name" data-key="o" '
        f'data-pick="{html.text(f"at:{place}")}" title="Open on Passages (o)">'
        f"{html.text(row.passage_id)}</button><kbd>o</kbd></span></p>"
    )


def _controls_html(row: AnswerRow) -> str:
    if not row.can_judge:
        return '<small title="The question’s text was not published">–</small>'
    return "".join(_control_html(row, value) for value in CORRECTNESSES)


def _control_html(row: AnswerRow, value: Correctness) -> str:
    pressed = "true" if row.mine == value else "false"
    key = f' data-key="{KEYS[value]}"' if row.selected else ""
    shown = f"<kbd>{KEYS[value]}</kbd>" if row.selected else ""
    return (
        f'<button type="button" class="p-verdict" data-verdict="{value}"{key} '
        f'aria-pressed="{pressed}" title="Call it {value}; again to take that back '
        f'({KEYS[value]})">{value}{shown}</button>'
    )
