"""The page's one listener: clicks, choices and keys on it become events.

It hears whatever carries ``data-pick="TYPE:NAME"`` or is a ``data-setting``.
"""

from __future__ import annotations

from dataclasses import asdict

from curator.ui.shared import session
from curator.ui.shared.channel import Component
from curator.ui.shared.keys import IN_THE_EDITOR, KEYS
from curator.ui.shared.view import View

LISTENER = Component(
    "listener", "shared/connection", "shared/drawn", "shared/aim", "shared/picker"
)


def picker(view: View) -> None:
    """Listen; a view that changed makes it bring that into sight."""
    LISTENER.draw(
        selected=[view.query, view.question, view.passage],
        health=session.health(),
        keys=[asdict(key) for key in KEYS],
        editor=IN_THE_EDITOR,
    )
