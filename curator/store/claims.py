"""Who is asking a model about which pair now, so that nobody else asks it too.

A claim holds until its lease ends or its holder is known to have died; whoever finds
such a claim may take it over. Claims are made and given up in write transactions, so
two processes never hold one pair.
"""

from __future__ import annotations

import os
import platform
import secrets
from collections.abc import Iterable, Mapping
from sqlite3 import Connection

from curator.store.connection import column

Pair = tuple[int, int]
"""item id, text id"""

LEASE = 900.0  # seconds; far more than a batch takes, and only for other machines


def new_holder() -> str:
    """A holder's name: machine, process, and a number of this asking."""
    return f"{platform.node()}:{os.getpid()}:{secrets.token_hex(4)}"


def claim(
    connection: Connection,
    responder_id: int,
    pairs: Mapping[Pair, str | None],
    holder: str,
    *,
    now: float,
) -> set[Pair]:
    """Those of ``pairs`` that nobody else is asking, now claimed until ``LEASE``.

    ``pairs`` maps each to the response that is to be replaced, None where there is
    none yet. A pair that has another response by now is not claimed. Call within a
    write transaction.
    """
    _drop_dead(connection, now)
    taken: set[Pair] = set()
    for pair, raw in pairs.items():
        cursor = connection.execute(
            "INSERT OR IGNORE INTO claim SELECT ?1, ?2, ?3, ?4, ?5 WHERE NOT EXISTS "
            "(SELECT 1 FROM response WHERE responder_id = ?1 AND item_id = ?2 "
            "AND key_id = 0 AND text_id = ?3 AND raw IS NOT ?6)",
            (responder_id, *pair, holder, now + LEASE, raw),
        )
        if cursor.rowcount:
            taken.add(pair)
    return taken


def give_up(
    connection: Connection,
    responder_id: int,
    pairs: Iterable[Pair],
    holder: str,
) -> None:
    """Give up these claims of the holder's: their responses are stored."""
    connection.executemany(
        "DELETE FROM claim WHERE responder_id = ? AND item_id = ? AND text_id = ? "
        "AND holder = ?",
        [(responder_id, *pair, holder) for pair in pairs],
    )


def give_up_all(connection: Connection, holder: str) -> None:
    """Give up whatever the holder still claims."""
    connection.execute("DELETE FROM claim WHERE holder = ?", (holder,))


def give_up_process(connection: Connection, host: str, pid: int) -> None:
    """Give up what a process claims whose work another one takes over."""
    connection.execute(
        "DELETE FROM claim WHERE substr(holder, 1, length(:begin)) = :begin",
        {"begin": f"{host}:{pid}:"},
    )


def renew(connection: Connection, holder: str, *, now: float) -> None:
    """Extend the holder's leases: it is at work."""
    connection.execute(
        "UPDATE claim SET until = ? WHERE holder = ?", (now + LEASE, holder)
    )


def _drop_dead(connection: Connection, now: float) -> None:
    """Take away claims past their lease, and those of processes that are no more."""
    connection.execute("DELETE FROM claim WHERE until < ?", (now,))
    for holder in column(connection, "SELECT DISTINCT holder FROM claim"):
        host, pid, _ = holder.rsplit(":", 2)
        if has_ended(host, int(pid)):
            give_up_all(connection, holder)


def has_ended(host: str, pid: int) -> bool:
    """Whether this was a process of this machine that is no more.

    Of other machines' processes nothing is known, so they have not.
    """
    if host != platform.node():
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        pass  # it is someone else's, and there
    return False
