"""The one listener that brings clicks on HTML rows back to Python."""

from __future__ import annotations

from streamlit.components.v2 import component

from curator.ui import actions
from curator.ui.server import HERE
from curator.ui.view import View

_mount = component(
    "curator_picker", js=(HERE / "look" / "picker.js").read_text(encoding="utf-8")
)


def picker(view: View) -> None:
    """Listen; ``view`` makes it look again when something else is selected."""
    _mount(
        key="picker",
        data={"selected": [view.query, view.question, view.passage]},
        on_pick_change=actions.picked,
    )
