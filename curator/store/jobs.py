"""Background jobs and their progress, and what a process claims for itself.

A job's process works in runs and writes only for its own run, so that a process that
was paused or replaced while it slept cannot overwrite a later one.

A claim on a pair that a process is asking a model about is valid until its lease ends
or its holder is known to have died; then any process may take it over. Claims are made
and released in write transactions, so two processes never hold one pair.
"""

from __future__ import annotations

import json
import os
import platform
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from sqlite3 import Connection
from typing import Any, Literal

from curator.errors import UnknownNameError
from curator.store.connection import column, insert
from curator.store.history import now as current_time

JobKind = Literal["grade", "generate"]
JobState = Literal["running", "paused", "stopped", "done", "failed"]

COUNTERS = (
    "prompts",
    "cut",
    "unreadable",
    "unfinished",
    "refused",
    "tokens_in",
    "tokens_out",
    "uncounted",
)


@dataclass(frozen=True, slots=True)
class StoredJob:
    """A row of the table. Times are seconds since 1970, ``started_at`` is ISO 8601."""

    job_id: int
    kind: JobKind
    spec: Mapping[str, str]
    state: JobState
    by: str
    started_at: str
    run: int
    run_began: float
    run_done: int
    host: str | None
    pid: int | None
    heartbeat: float
    done: int
    total: int
    error: str | None
    prompts: int
    cut: int
    unreadable: int
    unfinished: int
    refused: int
    tokens_in: int
    tokens_out: int
    uncounted: int
    warning: str

    @property
    def counters(self) -> dict[str, Any]:
        """The counters of the model's responses over all runs so far, by name."""
        return {name: getattr(self, name) for name in COUNTERS}


_COLUMNS = ", ".join(field.name for field in fields(StoredJob))


def read_jobs(connection: Connection) -> tuple[StoredJob, ...]:
    """Return every job, the latest first."""
    rows = connection.execute(f"SELECT {_COLUMNS} FROM job ORDER BY job_id DESC")
    return tuple(map(_job, rows))


def read_job(connection: Connection, job_id: int) -> StoredJob:
    """Return the job with this number. Raises UnknownNameError."""
    row = connection.execute(
        f"SELECT {_COLUMNS} FROM job WHERE job_id = ?", (job_id,)
    ).fetchone()
    if row is None:
        raise UnknownNameError(
            f"No job {job_id} in this workspace. `curator jobs WORKSPACE` lists them."
        )
    return _job(row)


def insert_job(
    connection: Connection,
    kind: JobKind,
    spec: Mapping[str, str],
    *,
    by: str,
    total: int,
    at: float,
) -> int:
    """Insert a job that runs but has no process yet; return its number."""
    times = {"started_at": current_time(), "run_began": at, "heartbeat": at}
    columns = {"kind": kind, "spec": json.dumps(spec), "by": by, "total": total}
    return insert(connection, "job", state="running", **columns, **times)


def next_run(connection: Connection, job_id: int, *, at: float) -> None:
    """Start the job's next run; its results so far stay."""
    connection.execute(
        "UPDATE job SET state = 'running', error = NULL, run = run + 1, "
        "run_began = ?, run_done = done, host = NULL, pid = NULL, heartbeat = ? "
        "WHERE job_id = ?",
        (at, at, job_id),
    )


def update_run(
    connection: Connection, job_id: int, run: int, **columns: str | float
) -> bool:
    """Set columns of this run; return False if it was cancelled."""
    names = ", ".join(f"{name} = ?" for name in columns)
    connection.execute(
        f"UPDATE job SET {names} WHERE job_id = ? AND run = ?",
        (*columns.values(), job_id, run),
    )
    return _is_active(connection, job_id, run)


def _is_active(connection: Connection, job_id: int, run: int) -> bool:
    select = "SELECT 1 FROM job WHERE job_id = ? AND run = ? AND state = 'running'"
    return connection.execute(select, (job_id, run)).fetchone() is not None


def write_heartbeat(
    connection: Connection,
    job_id: int,
    run: int,
    *,
    done: int,
    total: int,
    counters: Mapping[str, int],
    warning: str,
    at: float,
) -> bool:
    """Store a heartbeat and the progress; return False if the run was cancelled.

    ``total`` grows when judges add questions meanwhile. ``warning`` is the current
    problem.
    """
    counts = ", ".join(f"{name} = :{name}" for name in COUNTERS)
    row = {"at": at, "done": done, "total": total, "job": job_id, "run": run}
    connection.execute(
        "UPDATE job SET heartbeat = :at, total = max(done, :done, :total), "
        f"done = max(done, :done), warning = :warning, {counts} "
        "WHERE job_id = :job AND run = :run",
        {**row, **counters, "warning": warning},
    )
    return _is_active(connection, job_id, run)


def halt(
    connection: Connection, job_id: int, state: Literal["paused", "stopped"]
) -> None:
    """Make the job's process end after its current step.

    If the job is stopped and not paused, another may start.
    """
    connection.execute(
        "UPDATE job SET state = ?, error = NULL WHERE job_id = ?", (state, job_id)
    )


def finish(connection: Connection, job_id: int, run: int) -> None:
    """Mark the job as done, even if it was paused at the last moment."""
    connection.execute(
        "UPDATE job SET state = 'done', done = total WHERE job_id = ? AND run = ?",
        (job_id, run),
    )


def _job(row: tuple[Any, ...]) -> StoredJob:
    job_id, kind, spec, *columns = row
    return StoredJob(job_id, kind, json.loads(spec), *columns)


# Claims

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
