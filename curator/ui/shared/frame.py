"""What every page begins with, and how it says what a person can put right."""

from __future__ import annotations

from collections.abc import Callable

from curator.evaluation.settings import Settings
from curator.ui.shared import session, shell
from curator.ui.shared.picker import picker
from curator.ui.shared.settings import board_measures
from curator.ui.shared.toolbar import strip
from curator.workspace import Workspace


def framed(name: str, draw: Callable[[Workspace, shell.Columns], None]) -> None:
    """Have the page of this name drawn into its four parts.

    What a person can put right is one line in the middle instead.
    """
    session.go_where_asked(name, shell.PLACES)
    picker(session.view())
    columns = shell.columns()
    try:
        with session.drawing() as workspace:
            draw(workspace, columns)
    except session.EXPECTED as error:
        with columns.middle:
            shell.line(str(error), error=True)


def board_strip(
    workspace: Workspace, columns: shell.Columns, settings: Settings | None
) -> None:
    """The strip of a page about boards: its settings, compared with nothing earlier."""
    with columns.strip:
        strip(
            settings,
            workspace.graders(),
            workspace.baselines(),
            workspace.judge,
            session.zone(),
            baseline=False,
            blind=workspace.collection().blind,
            measures=board_measures(workspace),
        )


def around(workspace: Workspace, columns: shell.Columns) -> None:
    """The left and the strip of a page that is about no query and no settings."""
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
