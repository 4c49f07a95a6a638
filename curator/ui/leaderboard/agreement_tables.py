"""The Leaderboard page's part on labels against judgments, table by table."""

from __future__ import annotations

from functools import partial

import streamlit as st

from curator import tables
from curator.ui.shared import html, words
from curator.ui.shared.table_download import table_download
from curator.workspace import Workspace


def agreement_tables(workspace: Workspace, grader: str, stem: str) -> None:
    """Behind a switch: graded, lenient and strict, then what direct graders reach."""
    if not st.toggle("Agreement tables", key="agreement_tables"):
        return
    laid_out = tables.agreement_tables(workspace.agreement_tables(grader=grader))
    for position, shown in enumerate(laid_out):
        st.html(table_html(shown, grader))
        name = f"{stem}-agreement-{position + 1}"
        table_download(f"agreement_{position}", name, partial(_same, shown))


def _same(shown: tables.Shown) -> tables.Shown:
    """The table that the page shows."""
    return shown


def table_html(shown: tables.Shown, grader: str) -> str:
    """The table with its caption; the grader's name stands above the page already."""
    caption = html.text(shown.caption.removeprefix(f"{grader} · "))
    head = "".join(f"<th scope='col'>{html.text(one)}</th>" for one in shown.headings)
    body = "".join(
        f"<tr><th scope='row'>{html.text(str(first))}</th>"
        + "".join(f"<td>{_cell(one)}</td>" for one in rest)
        + "</tr>"
        for first, *rest in shown.rows
    )
    notes = "".join(f'<p class="c-note">{html.text(one)}</p>' for one in shown.notes)
    return (
        f'<table class="c-counts"><caption>{caption}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{notes}"
    )


def _cell(cell: str | int | float | None) -> str:
    if cell is None:
        return ""
    if isinstance(cell, float):
        return words.score(cell)
    return f"{cell:,}" if isinstance(cell, int) else html.text(cell)
