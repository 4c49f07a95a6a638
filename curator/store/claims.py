"""Claims on pairs that a process is asking a model about, so that no other does.

A claim is valid until its lease ends or its holder is known to have died; then any
process may take it over. Claims are made and released in write transactions, so two
processes never hold one pair.
"""

from __future__ import annotations

import os
import platform
import secrets
from collections.abc import Iterable, Mapping
from sqlite3 import Connection

from curator.store.connection import column

Pair = tuple[int, int]
"""(item id, text id)"""

LEASE = 900.0  # seconds; far more than a batch takes, needed only for other machines


def new_holder() -> str:
    """Return a new holder name: machine, process, random number."""
    return f"{platform.node()}:{os.getpid()}:{secrets.token_hex(4)}"


def claim(
    connection: Connection,
    responder_id: int,
    pairs: Mapping[Pair, str | None],
    holder: str,
    *,
    now: float,
) -> set[Pair]:
    """Claim the free ones of ``pairs`` until ``LEASE``; return those claimed.

    ``pairs`` maps each pair to the response to replace, None if there is
    none. A pair that has another response already is not claimed. Call within a write
    transaction.
    """
    _delete_stale(connection, now)
    claimed: set[Pair] = set()
    for pair, raw in pairs.items():
        cursor = connection.execute(
            "INSERT OR IGNORE INTO claim SELECT ?1, ?2, ?3, ?4, ?5 WHERE NOT EXISTS "
            "(SELECT 1 FROM response WHERE responder_id = ?1 AND item_id = ?2 "
            "AND key_id = 0 AND text_id = ?3 AND raw IS NOT ?6)",
            (responder_id, *pair, holder, now + LEASE, raw),
        )
        if cursor.rowcount:
            claimed.add(pair)
    return claimed


def release_claims(
    connection: Connection,
    responder_id: int,
    pairs: Iterable[Pair],
    holder: str,
) -> None:
    """Release these claims of the holder after their responses were stored."""
    connection.executemany(
        "DELETE FROM claim WHERE responder_id = ? AND item_id = ? AND text_id = ? "
        "AND holder = ?",
        [(responder_id, *pair, holder) for pair in pairs],
    )


def release_holder(connection: Connection, holder: str) -> None:
    connection.execute("DELETE FROM claim WHERE holder = ?", (holder,))


def release_process(connection: Connection, host: str, pid: int) -> None:
    """Release the claims of a process whose work another one takes over."""
    connection.execute(
        "DELETE FROM claim WHERE substr(holder, 1, length(:begin)) = :begin",
        {"begin": f"{host}:{pid}:"},
    )


def renew(connection: Connection, holder: str, *, now: float) -> None:
    """Extend the leases of a holder that is still working."""
    connection.execute(
        "UPDATE claim SET until = ? WHERE holder = ?", (now + LEASE, holder)
    )


def _delete_stale(connection: Connection, now: float) -> None:
    """Delete expired claims and those of dead processes of this machine."""
    connection.execute("DELETE FROM claim WHERE until < ?", (now,))
    for holder in column(connection, "SELECT DISTINCT holder FROM claim"):
        host, pid, _ = holder.rsplit(":", 2)
        if has_ended(host, int(pid)):
            release_holder(connection, holder)


def has_ended(host: str, pid: int) -> bool:
    """Return True if this process of this machine has ended.

    Processes of other machines cannot be checked; for them it returns False.
    """
    if host != platform.node():
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        pass  # the process exists and belongs to another user
    return False
