"""Who wrote and who decided what: one table, a bar beneath each row."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from curator.ui.proposals import decision_words
from curator.ui.proposals.decision_words import DecisionRow
from curator.ui.shared import html, session
from curator.workspace import Workspace

# The bar's parts from the left; each heading shows its colour.
PARTS = ("Written", "Reworded", "As proposed", "Dropped")
SAID = (
    "People tend to let stand what a machine wrote first: much kept as proposed, "
    "quickly, and little written by themselves is the sign of it."
)


def decision_table(workspace: Workspace) -> None:
    """The table, its download, and the command that prints the same."""
    found = workspace.decisions()
    nothing = decision_words.nothing_yet(found)
    with st.container(key="decisions", gap=None):
        rows = decision_words.decision_rows(found)
        st.html(decisions_html(rows, decision_words.left_words(found), nothing))
        if nothing:
            return
        with st.container(
            key="decisions_out", horizontal=True, vertical_alignment="center"
        ):
            st.download_button(
                "Download TSV",
                data=decisions_tsv,
                file_name=f"{workspace.path.stem}-decisions.tsv",
                mime="text/tab-separated-values",
                key="download_decisions",
                on_click="ignore",
            )
            command = f"curator decisions {workspace.path.name} --format tsv"
            st.html(f'<p class="c-note">or <code>{html.text(command)}</code></p>')


def decisions_tsv() -> bytes:
    """The table as the command prints it, written when it is asked for."""
    from curator import tables

    with session.workspace() as workspace:
        shown = tables.decisions(workspace.decisions())
    return tables.spreadsheet(shown).encode()


def decisions_html(rows: Sequence[DecisionRow], left: str, nothing: str) -> str:
    """A row for the bank, one for each judge; ``nothing`` says why there is none."""
    caption = f"<b>Who decided what</b> <span>{html.text(left)}</span>"
    if nothing:
        return (
            f'<div class="c-listhead">{caption}</div>'
            f'<p class="c-note g-nothing">{html.text(nothing)}</p>'
        )
    headings = "".join(
        f'<th scope="col"><i class="d-{at}"></i>{name}</th>'
        for at, name in enumerate(PARTS)
    )
    return (
        f'<table class="d-table"><caption class="c-listhead">{caption}</caption>'
        f'<thead><tr><th scope="col">Judge</th>{headings}'
        '<th scope="col">Median time</th>'
        f"</tr></thead><tbody>{''.join(map(_row_html, rows))}</tbody></table>"
        f'<p class="c-note">{SAID}</p>'
    )


def _row_html(row: DecisionRow) -> str:
    cells = (row.written, row.reworded, row.unedited, row.dropped, row.seconds)
    said = "".join(
        f"<td>{html.text(number)}"
        f"{f' <small>{html.text(note)}</small>' if note else ''}</td>"
        for number, note in cells
    )
    who = html.text(row.who)
    return (
        f'<tr><th scope="row" title="{who}">{who}</th>{said}</tr>'
        f'<tr class="d-bar" aria-hidden="true"><td colspan="6">{bar_html(row.bar)}'
        "</td></tr>"
    )


def bar_html(shares: Sequence[float]) -> str:
    """A thin bar in parts; an empty one without any."""
    parts = "".join(
        f'<i class="d-{at}" style="width:{100 * share:.2f}%"></i>'
        for at, share in enumerate(shares)
        if share
    )
    return f"<div>{parts}</div>"
