"""The browser's side of a component: files of look/ read one after the other."""

from __future__ import annotations

from curator.ui.server import HERE


def module(*names: str) -> str:
    """These scripts as one JavaScript module; nothing has to be built."""
    return "\n".join(
        (HERE / "look" / f"{name}.js").read_text("utf-8") for name in names
    )
