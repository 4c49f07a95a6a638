"""The one listener that brings clicks on HTML rows back to Python."""

from __future__ import annotations

import streamlit as st
from streamlit.components.v2 import component

from curator.ui import actions
from curator.ui.server import HERE
from curator.ui.view import View

_mount = component(
    "curator_picker", js=(HERE / "look" / "picker.js").read_text(encoding="utf-8")
)


def picker(view: View) -> None:
    """Listen; a view or an editor that changed makes it bring that into sight."""
    opened = "editing" in st.session_state
    _mount(
        key="picker",
        data={"selected": [view.query, view.question, view.passage], "open": opened},
        on_pick_change=actions.picked,
    )
