"""``restrict``: queries whose texts organizers alone are shown."""

from __future__ import annotations

from collections.abc import Iterable

from curator.engine.opened import OpenWorkspace
from curator.engine.state import State
from curator.errors import RoleError
from curator.results import Rows
from curator.store.connection import exclusive
from curator.store.history import now
from curator.store.restricted import (
    Restriction,
    read_restrictions,
    write_restrictions,
)


def restrictions(state: State) -> Rows[Restriction]:
    """Every time that queries were restricted or that was lifted, the first first."""
    return Rows(read_restrictions(state.connection), "setup.restriction_table")


def restrict(
    workspace: OpenWorkspace, query_ids: str | Iterable[str], *, lift: bool = False
) -> Rows[Restriction]:
    """Keep the texts of queries from everybody but organizers, or ``lift`` that.

    What is so already stays as it is. Grades, labels and boards are the same before and
    after. Raises UnknownNameError for a query there is not, RoleError in the app for
    whoever is not listed as an organizer.
    """
    asked = [query_ids] if isinstance(query_ids, str) else list(query_ids)
    with exclusive(workspace.connection):
        workspace.require("restrict")
        if workspace.as_judge and workspace.standing().role != "organizer":
            raise RoleError(
                "Restricting queries is for organizers, and nobody is one here yet: "
                "`curator people WORKSPACE add NAME --role organizer`."
            )
        by, at = workspace.judge, now()
        write_restrictions(workspace.connection, asked, lifted=lift, by=by, at=at)
    return restrictions(workspace.state())
