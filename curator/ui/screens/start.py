"""Start: the six steps, from an empty workspace to a release."""

from __future__ import annotations

from curator.ui import session
from curator.ui.widgets import shell
from curator.ui.widgets.model_status import drawing, model_status
from curator.ui.widgets.picker import picker
from curator.ui.widgets.steps import six_steps
from curator.ui.widgets.strip import strip


def page() -> None:
    """The steps in the middle; nothing else asks for attention."""
    session.go_where_asked("Start", shell.PLACES)
    picker(session.view())
    columns = shell.columns()
    try:
        with session.workspace() as workspace:
            drawing(workspace)
            collection = workspace.collection()
            with columns.left:
                shell.brand(collection.title)
            with columns.strip:
                strip(
                    None,
                    (),
                    workspace.baselines(),
                    workspace.judge,
                    session.zone(),
                    baseline=False,
                    blind=collection.blind,
                )
            with columns.middle:
                shell.title(collection.title or "A new workspace", str(workspace.path))
                shell.notes()
                six_steps(workspace)
    except session.EXPECTED as error:
        with columns.middle:
            shell.line(str(error), error=True)


page()
model_status()
