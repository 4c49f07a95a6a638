"""The one listener that brings clicks, choices and keys on the page to Python."""

from __future__ import annotations

from dataclasses import asdict

import streamlit as st
from streamlit.components.v2 import component

from curator.ui.shared import events, scripts, session
from curator.ui.shared.keys import IN_THE_EDITOR, KEYS
from curator.ui.shared.view import View

_mount = component(
    "curator_picker",
    js=scripts.module(
        "shared/connection", "shared/drawn", "shared/aim", "shared/picker"
    ),
    isolate_styles=False,
)


def picker(view: View) -> None:
    """Listen; a view that changed makes it bring that into sight."""
    _mount(
        key=session.PICKER,
        data={
            "selected": [view.query, view.question, view.passage],
            "heard": st.session_state.get("heard", ""),
            "health": session.health(),
            "keys": [asdict(key) for key in KEYS],
            "editor": IN_THE_EDITOR,
        },
        on_pick_change=events.picked,
    )
