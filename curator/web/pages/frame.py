"""Draw a page: the listener, its parts, and the first screen where nothing is."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from curator.web.components import background_status, session, shell
from curator.web.components.listener import listen
from curator.web.pages.settings.first_screen import no_collection
from curator.workspace import Workspace

Draw = Callable[[Workspace, shell.Columns], None]


def draw_page(
    name: str, draw: Draw, *, follows: bool = False, first_screen: bool = True
) -> None:
    """Draw the page of this name into its parts; a refusal is one line in the middle.

    One that ``follows`` is drawn again when others change what it shows: its script
    calls ``model_status``. Without ``first_screen`` it needs no queries.
    """
    session.go_where_asked(name)
    listen(session.view(), name, shell.to_find())
    columns = shell.columns()
    try:
        with session.drawing() as workspace:
            if follows:
                background_status.drawing(workspace)
            if first_screen and not workspace.collection().queries:
                no_collection(columns, workspace)
            else:
                draw(workspace, columns)
    except session.EXPECTED as error:
        with columns.middle:
            shell.line(str(error), error=True)
    session.write_url()


draw_fragment = st.fragment(draw_page)
"""The same, drawn again by itself."""
