"""What every page begins with, and how it says what a person can put right."""

from __future__ import annotations

from collections.abc import Callable

from curator.ui import session
from curator.ui.widgets import shell
from curator.ui.widgets.picker import picker
from curator.workspace import Workspace


def framed(name: str, draw: Callable[[Workspace, shell.Columns], None]) -> None:
    """Have the page of this name drawn into its four parts.

    What a person can put right is one line in the middle instead.
    """
    session.go_where_asked(name, shell.PLACES)
    picker(session.view())
    columns = shell.columns()
    try:
        with session.workspace() as workspace:
            draw(workspace, columns)
    except session.EXPECTED as error:
        with columns.middle:
            shell.line(str(error), error=True)
