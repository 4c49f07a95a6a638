"""Command ``overview``: the state of the work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from curator.cli.options import board_options, in_workspace, printed
from curator.cli.program import main

if TYPE_CHECKING:
    from curator.results import Tabular
    from curator.workspace import Workspace


@main.command()
@in_workspace
@board_options
@printed
def overview(workspace: Workspace, **options: Any) -> Sequence[Tabular]:
    """Show the state of queries, judges and graders, changes, and what to do next.

    docs/overview.md explains each figure.

    \b
    Example:
      curator overview demo.db
    """
    from curator.tables.overview import overview_tables

    return overview_tables(workspace.overview(**options))
