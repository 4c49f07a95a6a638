"""``restrict``: queries whose texts only organizers see."""

from __future__ import annotations

from collections.abc import Iterable

from curator.errors import RoleError
from curator.results import Rows
from curator.snapshot.opened import OpenWorkspace
from curator.snapshot.snapshot import Snapshot
from curator.store.connection import write_transaction
from curator.store.history import now
from curator.store.restricted import (
    Restriction,
    read_restrictions,
    write_restrictions,
)


def restrictions(snapshot: Snapshot) -> Rows[Restriction]:
    """Return every restriction of queries and every lift, the earliest first."""
    entries = read_restrictions(snapshot.connection)
    notes = [] if entries else ["No query has been restricted."]
    return Rows(entries, Restriction, notes)


def restrict(
    workspace: OpenWorkspace, query_ids: str | Iterable[str], *, lift: bool = False
) -> Rows[Restriction]:
    """Hide the texts of queries from everyone but organizers, or ``lift`` that.

    Queries in the requested state stay unchanged. Grades, labels and boards are not
    affected. Raises UnknownNameError for an unknown query, RoleError in the app for
    anyone not listed as an organizer.
    """
    ids = [query_ids] if isinstance(query_ids, str) else list(query_ids)
    with write_transaction(workspace.connection):
        workspace.require("restrict")
        if workspace.as_judge and workspace.standing().role != "organizer":
            raise RoleError(
                "Only organizers can restrict queries, and there is none yet: list "
                "people first, in the app under Settings › People."
            )
        by, at = workspace.judge, now()
        write_restrictions(workspace.connection, ids, lifted=lift, by=by, at=at)
    return restrictions(workspace.current_snapshot())
