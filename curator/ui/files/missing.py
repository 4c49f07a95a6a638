"""What is missing, where it is mended, and the tick that goes on regardless."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import streamlit as st

from curator.ui.files import words
from curator.ui.files.words import LackRow
from curator.ui.shared import html
from curator.verbs.releases.readiness import Readiness

NOTHING = '<p class="x-whole"><i class="c-tick">✓</i>Nothing is missing.</p>'
FIRST_GRADES = LackRow(words.NO_GRADES, "", "Grading", "goto:Grading")
FIRST_QUESTIONS = LackRow(words.NONE_KEPT, "", "Curate", "goto:Curate")


def export_missing(found: Readiness, grader: str, names: dict[str, str]) -> bool:
    """The rows; whether somebody has ticked that all the same something goes out.

    The tick is for these settings and these numbers: others have another one.
    """
    rows = [
        *([FIRST_QUESTIONS] if not found.kept else []),
        *([FIRST_GRADES] if found.settings is None else []),
        *words.lack_rows(found, grader, names),
    ]
    with st.container(key="missing", gap=None):
        st.html(missing_html(rows, quiet="" if found.marks_done else words.NOT_ASKED))
        if found.complete:
            return False
        said = words.regardless_words(found)
        with st.container(key="regardless"):
            return st.checkbox(
                f"Freeze and export all the same: {said}",
                key=f"regardless_{_name_of(found)}",
            )


def _name_of(found: Readiness) -> str:
    """Names what is missing under which settings; equal for equal ones."""
    return hashlib.sha256(repr(found).encode()).hexdigest()[:16]


def missing_html(rows: Sequence[LackRow], *, quiet: str = "") -> str:
    """A row for each thing with the way to it; a sentence where nothing is missing."""
    note = f'<p class="c-note">{html.text(quiet)}</p>' if quiet else ""
    body = "".join(map(row_html, rows)) or NOTHING
    return f'<div class="c-listhead"><b>What is missing</b></div>{body}{note}'


def row_html(row: LackRow) -> str:
    """What, in how many queries, the page where it is mended."""
    go = f'<button type="button" data-pick="{_pick(row)}">{html.text(row.go)}</button>'
    return (
        f'<div class="x-lack"><b>{html.text(row.said)}</b>'
        f"<span>{html.text(row.where)}</span>{go}</div>"
    )


def _pick(row: LackRow) -> str:
    return html.text(row.pick)
