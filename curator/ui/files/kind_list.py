"""The Export page's left column: every kind of file, in groups."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import streamlit as st

from curator.ui.files.kinds import FileKind
from curator.ui.shared import html

KEYS = (
    '<div class="c-progress"><button type="button" class="c-help" data-help="yes">'
    "<kbd>h</kbd> keys</button><span>Files to hand out</span></div>"
)


def export_kinds(kinds: Sequence[FileKind], opened: FileKind) -> None:
    """The list, and beneath it the way to the keys."""
    with st.container(key="query_rows"):
        st.html(kinds_html(kinds, opened))
    with st.container(key="query_progress"):
        st.html(KEYS)


def kinds_html(kinds: Sequence[FileKind], opened: FileKind) -> str:
    """A heading a group, a row a kind."""
    made = []
    for group, members in groupby(kinds, key=lambda one: one.group):
        made.append(f'<p class="x-group">{html.text(group)}</p>')
        made += (
            html.pick(
                "file",
                one.kind,
                current=one is opened,
                inner=f'<span class="c-name">{html.text(one.label)}</span>',
                css="c-query x-kind",
            )
            for one in members
        )
    return f"<nav aria-label='Kinds of files'>{''.join(made)}</nav>"
