"""The browser's side of a component: scripts read one after the other."""

from __future__ import annotations

from curator.ui.server import HERE


def module(*names: str) -> str:
    """These scripts, each ``<page>/<name>``, as one JavaScript module."""
    return "\n".join((HERE / f"{name}.js").read_text("utf-8") for name in names)
