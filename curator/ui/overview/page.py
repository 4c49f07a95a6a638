"""Overview: where the bank stands, who works on it, and what to do next."""

from __future__ import annotations

import streamlit as st

from curator.ui.setup.steps import no_collection
from curator.ui.shared import session, shell
from curator.ui.shared.background_status import drawing, model_status
from curator.ui.shared.shell import around, framed
from curator.workspace import Workspace


@st.fragment
def page() -> None:
    """The first page after opening; the Start page's steps where nothing is there."""
    framed("Overview", draw)
    session.write_url()


def draw(workspace: Workspace, columns: shell.Columns) -> None:
    """All four parts of the page."""
    drawing(workspace)
    collection = workspace.collection()
    if not collection.queries:
        no_collection(columns, workspace)
        return
    around(workspace, columns)
    with columns.middle:
        shell.title("Overview", collection.title)
        shell.notes()


page()
model_status()
