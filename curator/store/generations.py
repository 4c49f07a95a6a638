"""What models were asked to propose, and what they said; the truth behind proposals.

A row is made before its model is asked and says who asks, so that nobody else asks the
same meanwhile; it holds what has arrived of the response. A row whose process has died
is *abandoned*: whoever comes next takes from it what had arrived.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from sqlite3 import Connection
from typing import Any, Literal

from curator.bank.questions import Kind
from curator.store import versions
from curator.store.claims import has_ended
from curator.store.connection import rows_in
from curator.store.digests import adding, changing
from curator.store.history import now
from curator.store.texts import text_ids
from grading.models.protocol import Response

GenerationState = Literal["asking", "whole", "broken"]

LONGEST = timedelta(hours=1)  # far longer than a window of prompts takes

_SELECT = (
    "SELECT query_id, subtopic_id, passage_id, prompt, kind, body, model, parameters, "
    "generation.sha256, generation_id, by, at, state, raw, error, found, proposed, "
    "iif(uncounted, NULL, tokens_in), iif(uncounted, NULL, tokens_out) "
    "FROM generation "
    "JOIN text ON text.text_id = generation.text_id "
    "LEFT JOIN passage ON passage.number = generation.passage"
)


@dataclass(frozen=True, slots=True)
class FilledPrompt:
    """A prompt in its exact words, what it is about, and of whom it is asked.

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
class Generation(FilledPrompt):
    """A prompt that was asked, as it is kept. ``at`` is ISO 8601, UTC.

    ``raw`` is all that has arrived; ``error`` says why it broke off, if only at the
    model's own limit. ``found`` counts the texts read from it, ``proposed`` those that
    were new. Tokens are None where the server did not report them.
    """

    generation_id: int
    by: str
    at: str
    state: GenerationState
    raw: str
    error: str | None
    found: int
    proposed: int
    tokens_in: int | None
    tokens_out: int | None

    @property
    def unreadable(self) -> bool:
        """Whether something came, and nothing could be read from it."""
        return self.state != "asking" and not self.found and bool(self.raw.strip())


def read_generations(
    connection: Connection,
    *,
    query_id: str | None = None,
    asking: bool = False,
    unread: bool = False,
) -> tuple[Generation, ...]:
    """What was asked (about a query), the latest first.

    ``asking``: only what is being asked; ``unread``: only what brought nothing, or not
    all, and has not been answered again since, by whichever model.
    """
    rows = connection.execute(
        f"{_SELECT} WHERE (:query IS NULL OR query_id = :query) "
        "AND (NOT :asking OR state = 'asking') "
        "AND (NOT :unread OR (state <> 'asking' AND (found = 0 OR error <> '') "
        "AND NOT EXISTS ("
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


def known_keys(
    connection: Connection, *, again: bool = False, since: str | None = None
) -> tuple[set[str], set[str]]:
    """The keys of what has a whole response, and of what somebody is asking.

    ``again``: of the whole responses only those of ``since`` or later.
    """
    keys: dict[str, set[str]] = {"whole": set(), "asking": set()}
    for state, key in connection.execute(
        "SELECT state, sha256 FROM generation WHERE state = 'asking' "
        "OR (state = 'whole' AND (NOT :again OR at >= :since))",
        {"again": again, "since": since},
    ):
        keys[state].add(key)
    return keys["whole"], keys["asking"]


def claim(
    connection: Connection,
    prompts: Iterable[FilledPrompt],
    *,
    holder: str,
    by: str,
    again: bool = False,
    since: str | None = None,
) -> dict[int, FilledPrompt]:
    """By its new number, what nobody has asked, or asks now. In a write transaction.

    ``again`` asks once more what has no whole response of ``since`` or later.
    """
    taken = set().union(*known_keys(connection, again=again, since=since))
    claimed: dict[int, FilledPrompt] = {}
    for one in prompts:
        if one.key in taken:
            continue
        taken.add(one.key)
        text_id = text_ids(connection, [one.text])[one.text]
        with adding(connection, "generation", "generation_id"):
            cursor = connection.execute(
                "INSERT INTO generation (query_id, subtopic_id, passage, sha256, "
                "prompt, kind, text_id, model, parameters, by, at, state, holder) "
                "VALUES (:query_id, :subtopic_id, (SELECT number FROM passage WHERE "
                "passage_id = :passage_id), :key, :prompt, :kind, :text_id, :model, "
                ":parameters, :by, :at, 'asking', :holder)",
                asdict(one)
                | {
                    "text_id": text_id,
                    "parameters": json.dumps(dict(one.parameters), sort_keys=True),
                }
                | {"by": by, "at": now(), "holder": holder},
            )
        claimed[int(cursor.lastrowid or 0)] = one
    versions.bump(connection, [versions.GENERATION])
    return claimed


def keep_arrived(
    connection: Connection, number: int, raw: str, *, holder: str, found: int
) -> bool:
    """Keep what has arrived so far, and how many whole texts; whether it is theirs.

    No version grows: it comes every moment.
    """
    with _changing(connection, number):
        return bool(
            connection.execute(
                "UPDATE generation SET raw = ?, found = ? "
                "WHERE generation_id = ? AND state = 'asking' AND holder = ?",
                (raw, found, number, holder),
            ).rowcount
        )


def proposed_by(
    connection: Connection, query_id: str, number: int
) -> list[tuple[int, str]]:
    """(event, words) of each question that this response has proposed by now."""
    return connection.execute(
        "SELECT event_id, json_extract(after, '$.text') FROM event "
        "WHERE query_id = ? AND kind = 'propose' AND "
        "json_extract(json_extract(after, '$.provenance'), '$.generation') = ?",
        (query_id, number),
    ).fetchall()


def finish(
    connection: Connection,
    number: int,
    response: Response,
    *,
    holder: str | None,
    error: str | None,
    broken: bool,
    found: int,
    proposed: int,
) -> bool:
    """Keep what came in the end, whole or broken off; ``error`` is a word about it.

    Whether it was the ``holder``'s to finish; None finishes whoever's it is.
    """
    with _changing(connection, number):
        finished = connection.execute(
            "UPDATE generation SET state = ?, raw = ?, error = ?, found = ?, "
            "proposed = ?, tokens_in = ?, tokens_out = ?, uncounted = ?, holder = NULL "
            "WHERE generation_id = ? AND holder = coalesce(?, holder)",
            (
                "broken" if broken else "whole",
                response.raw,
                error,
                found,
                proposed,
                response.tokens_in or 0,
                response.tokens_out or 0,
                response.tokens_in is None or response.tokens_out is None,
                number,
                holder,
            ),
        ).rowcount
    if finished:
        versions.bump(connection, [versions.GENERATION])
    return finished > 0


def release(connection: Connection, holder: str) -> None:
    """Delete what holders that begin so were about to ask and have no word of."""
    theirs = "raw = '' AND substr(holder, 1, length(?1)) = ?1"
    with changing(connection, "generation", theirs, holder):
        connection.execute(f"DELETE FROM generation WHERE {theirs}", (holder,))
    versions.bump(connection, [versions.GENERATION])


def abandoned(connection: Connection) -> tuple[Generation, ...]:
    """What processes of this machine were asking that are no more.

    Nothing is known of other machines' processes, and a number is given out again; so
    what has been asked for longer than LONGEST counts as abandoned too.
    """
    holders = connection.execute(
        "SELECT holder, max(at) FROM generation WHERE holder IS NOT NULL "
        "GROUP BY holder"
    ).fetchall()
    long_ago = (datetime.now(UTC) - LONGEST).isoformat(timespec="milliseconds")
    dead = []
    for holder, at in holders:
        host, pid, _ = holder.rsplit(":", 2)
        if has_ended(host, int(pid)) or at < long_ago:
            dead.append(holder)
    rows = rows_in(connection, _SELECT + " WHERE holder IN ({})", dead)
    return tuple(map(_generation, rows))


def delete(connection: Connection, number: int) -> None:
    """Delete one that was never answered."""
    with _changing(connection, number):
        connection.execute("DELETE FROM generation WHERE generation_id = ?", (number,))
    versions.bump(connection, [versions.GENERATION])


def _changing(connection: Connection, number: int) -> AbstractContextManager[None]:
    return changing(connection, "generation", "generation_id = ?", number)


def _generation(row: tuple[Any, ...]) -> Generation:
    fields = list(row)
    fields[7] = json.loads(row[7])
    return Generation(*fields)
