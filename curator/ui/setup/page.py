"""Import: the six steps, from an empty workspace to a release."""

from __future__ import annotations

from curator.ui.setup.steps import no_collection, six_steps
from curator.ui.shared import shell
from curator.ui.shared.background_status import drawing, model_status
from curator.ui.shared.shell import around, framed
from curator.workspace import Workspace


def page() -> None:
    """The steps in the middle; nothing else asks for attention."""
    framed("Start", draw)


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
