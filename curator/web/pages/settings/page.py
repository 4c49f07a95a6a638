"""Import: the six steps, from an empty workspace to a release."""

from __future__ import annotations

from curator.web.components import shell
from curator.web.components.background_status import drawing, model_status
from curator.web.components.shell import around, framed
from curator.web.pages.settings.steps import no_collection, six_steps
from curator.workspace import Workspace


def page() -> None:
    """The steps in the middle; nothing else asks for attention."""
    framed("Import", draw)


def draw(workspace: Workspace, columns: shell.Columns) -> None:
    """All four parts of the page."""
    drawing(workspace)
    collection = workspace.collection()
    if not collection.queries:
        no_collection(columns, workspace)
        return
    around(workspace, columns)
    with columns.middle:
        shell.title(collection.title or "Import", str(workspace.path))
        shell.notes()
        six_steps(workspace)


page()
model_status()
