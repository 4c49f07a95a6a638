"""Buttons that save a table as a file."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from curator.tables.table import Table, text_of
from curator.ui.shared import html

FORMS = {
    "TSV": (".tsv", "text/tab-separated-values", "For a spreadsheet or a script"),
    "LaTeX": (".tex", "application/x-tex", "A tabular for the booktabs package"),
    "Markdown": (".md", "text/markdown", "A table with pipes"),
}
Make = Callable[[], Table]


def table_download(
    key: str, file_stem: str, make: Make, *, label: str = "Table"
) -> None:
    """A button each for TSV, LaTeX and Markdown; ``make`` is called on a click.

    It runs outside the session, where nobody is the judge: make the table of what the
    page has computed, and open no workspace there. ``label`` stands before the buttons.
    """
    with st.container(key=f"{key}_tables", horizontal=True, gap="small"):
        st.html(f'<span class="c-files">{html.text(label)}</span>', width="content")
        for form, (ending, mime, about) in FORMS.items():
            st.download_button(
                form,
                data=partial(written, make, form),
                file_name=file_stem + ending,
                mime=mime,
                key=f"{key}_{form.lower()}",
                on_click="ignore",
                help=about,
            )


def written(make: Make, form: str) -> bytes:
    """The table as a file."""
    return text_of(make(), "spreadsheet" if form == "TSV" else form.lower()).encode()
