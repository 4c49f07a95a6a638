"""The Leaderboard page's part on questions that favour the system they came from."""

from __future__ import annotations

import streamlit as st

from curator.evaluation.settings import Settings
from curator.ui.leaderboard.left_out_rows import LeftOutRow, left_out_rows, rests_on
from curator.ui.shared import html
from curator.workspace import Workspace


def left_out(workspace: Workspace, settings: Settings) -> None:
    """A row for each system with questions of its own; nothing where there are none."""
    grounded = workspace.grounded_questions()
    if not grounded:
        return
    found = workspace.leave_out_each(settings)
    said = rests_on(found, grounded)
    if not found:
        said = said.removesuffix(" Without a system’s own questions:")
    st.html(
        '<div class="c-listhead"><b>Leave one system out</b></div>'
        f'<p class="c-said">{html.text(said)}</p>{table_html(left_out_rows(found))}'
    )


def table_html(rows: tuple[LeftOutRow, ...]) -> str:
    """The rows as a table, "" without any."""
    if not rows:
        return ""
    head = "".join(
        f"<th scope='col'>{name}</th>" for name in ("Questions", "System", "Rank")
    )
    body = "".join(
        f"<tr><td>{row.questions}</td><th scope='row'>{html.text(row.system)}"
        f"<small>{html.text(row.others)}</small></th><td>{row.rank}</td></tr>"
        for row in rows
    )
    return (
        f'<table class="c-full c-left-out"><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table>"
    )
