"""What models were asked to propose, and what they said; the truth behind proposals.

A row is made before its model is asked and says who asks, so that nobody else asks the
same meanwhile; it holds what has arrived of the response. A row whose process has died
is *left behind*: whoever comes next takes from it what had arrived.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from curator.bank.questions import Kind
from curator.store import versions
from curator.store.history import now
from curator.store.processes import has_ended
from curator.store.texts import text_ids

GenerationState = Literal["asking", "whole", "broken"]

LONGEST = timedelta(hours=1)  # far longer than a window of prompts takes

_SELECT = (
    "SELECT generation_id, query_id, subtopic_id, passage_id, generation.sha256, "
    "prompt, kind, body, model, parameters, by, at, state, raw, error, found, "
    "proposed, tokens_in, tokens_out FROM generation "
    "JOIN text ON text.text_id = generation.text_id "
    "LEFT JOIN passage ON passage.number = generation.passage"
)


@dataclass(frozen=True, slots=True)
class ToAsk:
    """Something to be asked: about what, in which words, and of whom.

    ``key`` is the content key of all this but the bank as it happens to be.
    """

    query_id: str
    subtopic_id: str | None
    passage_id: str | None
    prompt: str
    kind: Kind
    text: str
    model: str
    parameters: Mapping[str, str]
    key: str


@dataclass(frozen=True, slots=True)
class Generation:
    """One asking as it is kept. ``at`` is ISO 8601, UTC.

    ``raw`` is all that has arrived; ``error`` says why it broke off, if only at the
    model's own limit. ``found`` counts
    the texts read from it, ``proposed`` those that were new.
    """

    generation_id: int
    query_id: str
    subtopic_id: str | None
    passage_id: str | None
    key: str
    prompt: str
    kind: Kind
    text: str
    model: str
    parameters: Mapping[str, str]
    by: str
    at: str
    state: GenerationState
    raw: str
    error: str | None
    found: int
    proposed: int
    tokens_in: int
    tokens_out: int

    @property
    def unreadable(self) -> bool:
        """Whether something came, and nothing could be read from it."""
        return self.state != "asking" and not self.found and bool(self.raw.strip())


def read_generations(
    connection: sqlite3.Connection,
    *,
    query_id: str | None = None,
    asking: bool = False,
    unread: bool = False,
) -> tuple[Generation, ...]:
    """What was asked (about a query), the latest first.

    ``asking``: only what is being asked; ``unread``: only what brought nothing, and
    has not been answered again since, by whichever model.
    """
    rows = connection.execute(
        f"{_SELECT} WHERE (:query IS NULL OR query_id = :query) "
        "AND (NOT :asking OR state = 'asking') "
        "AND (NOT :unread OR (state <> 'asking' AND found = 0 AND NOT EXISTS ("
        "SELECT 1 FROM generation AS later "
        "WHERE later.query_id = generation.query_id "
        "AND later.subtopic_id IS generation.subtopic_id "
        "AND later.kind = generation.kind "
        "AND later.passage IS generation.passage AND later.state <> 'asking' "
        "AND later.generation_id > generation.generation_id))) "
        "ORDER BY generation_id DESC",
        {"query": query_id, "asking": asking, "unread": unread},
    )
    return tuple(map(_generation, rows))


def keys_had(
    connection: sqlite3.Connection, *, again: bool = False, since: str | None = None
) -> set[str]:
    """The keys of what has a whole response; ``again``, only of ``since`` or later."""
    rows = connection.execute(
        "SELECT sha256 FROM generation WHERE state = 'whole' "
        "AND (NOT :again OR at >= :since)",
        {"again": again, "since": since},
    )
    return {key for (key,) in rows}


def keys_asked_now(connection: sqlite3.Connection) -> set[str]:
    """The keys of what somebody is asking."""
    rows = connection.execute("SELECT sha256 FROM generation WHERE state = 'asking'")
    return {key for (key,) in rows}


def begin(
    connection: sqlite3.Connection,
    to_ask: Iterable[ToAsk],
    *,
    holder: str,
    by: str,
    again: bool = False,
    since: str | None = None,
) -> dict[int, ToAsk]:
    """By its new number, what nobody has asked, or asks now. In a write transaction.

    ``again`` asks once more what has no whole response of ``since`` or later.
    """
    taken = keys_asked_now(connection) | keys_had(connection, again=again, since=since)
    begun: dict[int, ToAsk] = {}
    for one in to_ask:
        if one.key in taken:
            continue
        taken.add(one.key)
        cursor = connection.execute(
            "INSERT INTO generation (query_id, subtopic_id, passage, sha256, prompt, "
            "kind, text_id, model, parameters, by, at, state, holder) VALUES "
            "(?, ?, (SELECT number FROM passage WHERE passage_id = ?), ?, ?, ?, ?, ?, "
            "?, ?, ?, 'asking', ?)",
            (
                one.query_id,
                one.subtopic_id,
                one.passage_id,
                one.key,
                one.prompt,
                one.kind,
                text_ids(connection, [one.text])[one.text],
                one.model,
                json.dumps(dict(one.parameters), sort_keys=True),
                by,
                now(),
                holder,
            ),
        )
        begun[int(cursor.lastrowid or 0)] = one
    versions.bump(connection, [versions.GENERATION])
    return begun


def grow(connection: sqlite3.Connection, number: int, raw: str) -> None:
    """Keep what has arrived so far. Moves no clock: it comes several times a second."""
    connection.execute(
        "UPDATE generation SET raw = ? WHERE generation_id = ? AND state = 'asking'",
        (raw, number),
    )


def finish(
    connection: sqlite3.Connection,
    number: int,
    raw: str,
    *,
    error: str | None,
    broken: bool,
    found: int,
    proposed: int,
    tokens_in: int = 0,
    tokens_out: int = 0,
) -> None:
    """Keep what came in the end, whole or broken off; ``error`` is a word about it."""
    connection.execute(
        "UPDATE generation SET state = ?, raw = ?, error = ?, found = ?, proposed = ?, "
        "tokens_in = ?, tokens_out = ?, holder = NULL WHERE generation_id = ?",
        (
            "broken" if broken else "whole",
            raw,
            error,
            found,
            proposed,
            tokens_in,
            tokens_out,
            number,
        ),
    )
    versions.bump(connection, [versions.GENERATION])


def give_up(connection: sqlite3.Connection, holder: str) -> None:
    """Forget what this holder was about to ask and has no word of."""
    connection.execute(
        "DELETE FROM generation WHERE holder = ? AND raw = ''", (holder,)
    )
    versions.bump(connection, [versions.GENERATION])


def give_up_process(connection: sqlite3.Connection, host: str, pid: int) -> None:
    """Forget what a process has no word of yet: another one will ask it."""
    connection.execute(
        "DELETE FROM generation WHERE raw = '' "
        "AND substr(holder, 1, length(:begin)) = :begin",
        {"begin": f"{host}:{pid}:"},
    )
    versions.bump(connection, [versions.GENERATION])


def is_held(connection: sqlite3.Connection, number: int, holder: str) -> bool:
    """Whether this is still the holder's to ask."""
    row = connection.execute(
        "SELECT 1 FROM generation WHERE generation_id = ? AND holder = ?",
        (number, holder),
    ).fetchone()
    return row is not None


def left_behind(connection: sqlite3.Connection) -> tuple[Generation, ...]:
    """What processes of this machine were asking that are no more.

    Nothing is known of other machines' processes, and a number is given out again; so
    what has been asked for longer than LONGEST counts as left behind too.
    """
    holders = connection.execute(
        "SELECT holder, max(at) FROM generation WHERE holder IS NOT NULL "
        "GROUP BY holder"
    ).fetchall()
    long_ago = (datetime.now(UTC) - LONGEST).isoformat(timespec="milliseconds")
    found: list[Generation] = []
    for holder, at in holders:
        host, pid, _ = holder.rsplit(":", 2)
        if has_ended(host, int(pid)) or at < long_ago:
            rows = connection.execute(f"{_SELECT} WHERE holder = ?", (holder,))
            found += map(_generation, rows)
    return tuple(found)


def forget(connection: sqlite3.Connection, number: int) -> None:
    """Take away one that was never answered."""
    connection.execute("DELETE FROM generation WHERE generation_id = ?", (number,))
    versions.bump(connection, [versions.GENERATION])


def _generation(row: tuple[object, ...]) -> Generation:
    fields = list(row)
    fields[9] = json.loads(str(row[9]))
    return Generation(*fields)  # type: ignore[arg-type]
