"""Prompts for proposals and the responses of models to them.

A row is inserted before the model is asked and names the asking process, so that no
other asks the same; it holds the response received so far. A row whose process has died
is *abandoned*: the next process uses what was received.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from sqlite3 import Connection
from typing import Any, Literal

from curator.bank.questions import Kind
from curator.store import versions
from curator.store.connection import rows_in
from curator.store.history import now
from curator.store.jobs import has_ended
from curator.store.texts import text_ids
from grading.models.protocol import Response

GenerationState = Literal["asking", "whole", "broken"]

MAX_AGE = timedelta(hours=1)  # far longer than a window of prompts takes

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
    """A prompt with its exact text, its subject and its model.

    ``key`` is the content key of all this except the current bank.
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
    """A stored prompt with its response. ``at`` is ISO 8601, UTC.

    ``raw`` is the response received so far; ``error`` says why it ended early, also at
    the model's own limit. ``texts_read`` counts the texts read from it, ``proposed``
    the new ones. Tokens are None if the server did not report them.
    """

    generation_id: int
    by: str
    at: str
    state: GenerationState
    raw: str
    error: str | None
    texts_read: int
    proposed: int
    tokens_in: int | None
    tokens_out: int | None

    @property
    def unreadable(self) -> bool:
        """Return True if a response was received, but nothing could be read from it."""
        return self.state != "asking" and not self.texts_read and bool(self.raw.strip())


def read_generations(
    connection: Connection,
    *,
    query_id: str | None = None,
    asking: bool = False,
    unread: bool = False,
) -> tuple[Generation, ...]:
    """Return the stored prompts (of a query), the latest first.

    ``asking``: only those in progress; ``unread``: only those that returned nothing, or
    not everything, and were not answered again since, by any model.
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


def prompt_keys(
    connection: Connection, *, again: bool = False, since: str | None = None
) -> tuple[set[str], set[str]]:
    """Return the keys of complete responses, and of prompts in progress.

    ``again``: of the complete responses only those of ``since`` or later.
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
    """Insert the prompts that are not yet asked; return them by their new number.

    Call within a write transaction. ``again`` also takes prompts without a complete
    response of ``since`` or later.
    """
    taken = set().union(*prompt_keys(connection, again=again, since=since))
    claimed: dict[int, FilledPrompt] = {}
    for prompt in prompts:
        if prompt.key in taken:
            continue
        taken.add(prompt.key)
        text_id = text_ids(connection, [prompt.text])[prompt.text]
        cursor = connection.execute(
            "INSERT INTO generation (query_id, subtopic_id, passage, sha256, "
            "prompt, kind, text_id, model, parameters, by, at, state, holder) "
            "VALUES (:query_id, :subtopic_id, (SELECT number FROM passage WHERE "
            "passage_id = :passage_id), :key, :prompt, :kind, :text_id, :model, "
            ":parameters, :by, :at, 'asking', :holder)",
            asdict(prompt)
            | {
                "text_id": text_id,
                "parameters": json.dumps(dict(prompt.parameters), sort_keys=True),
            }
            | {"by": by, "at": now(), "holder": holder},
        )
        claimed[int(cursor.lastrowid or 0)] = prompt
    versions.bump(connection, [versions.GENERATION])
    return claimed


def store_partial_response(
    connection: Connection, number: int, raw: str, *, holder: str, texts_read: int
) -> bool:
    """Store the response so far; return False if the prompt is not the holder's.

    ``texts_read`` counts its complete texts. Changes no version, since it is called
    very often.
    """
    return bool(
        connection.execute(
            "UPDATE generation SET raw = ?, found = ? "
            "WHERE generation_id = ? AND state = 'asking' AND holder = ?",
            (raw, texts_read, number, holder),
        ).rowcount
    )


def proposals_of(
    connection: Connection, query_id: str, number: int
) -> list[tuple[int, str]]:
    """Return (event, text) of each question that this response has proposed so far."""
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
    texts_read: int,
    proposed: int,
) -> bool:
    """Store the final response, complete or broken off, with its error.

    Returns False if the prompt is not the ``holder``'s; None finishes anyone's.
    """
    finished = connection.execute(
        "UPDATE generation SET state = ?, raw = ?, error = ?, found = ?, "
        "proposed = ?, tokens_in = ?, tokens_out = ?, uncounted = ?, holder = NULL "
        "WHERE generation_id = ? AND holder = coalesce(?, holder)",
        (
            "broken" if broken else "whole",
            response.raw,
            error,
            texts_read,
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


def delete_unanswered(connection: Connection, holder: str) -> None:
    """Delete the prompts without response of holders with this prefix."""
    condition = "raw = '' AND substr(holder, 1, length(?1)) = ?1"
    connection.execute(f"DELETE FROM generation WHERE {condition}", (holder,))
    versions.bump(connection, [versions.GENERATION])


def read_abandoned(connection: Connection) -> tuple[Generation, ...]:
    """Return the prompts of processes that have ended.

    Processes of other machines cannot be checked, and process numbers are reused; so
    prompts older than LONGEST count as abandoned too.
    """
    holders = connection.execute(
        "SELECT holder, max(at) FROM generation WHERE holder IS NOT NULL "
        "GROUP BY holder"
    ).fetchall()
    oldest = (datetime.now(UTC) - MAX_AGE).isoformat(timespec="milliseconds")
    dead = []
    for holder, at in holders:
        host, pid, _ = holder.rsplit(":", 2)
        if has_ended(host, int(pid)) or at < oldest:
            dead.append(holder)
    rows = rows_in(connection, _SELECT + " WHERE holder IN ({})", dead)
    return tuple(map(_generation, rows))


def delete(connection: Connection, number: int) -> None:
    """Delete a prompt that was never answered."""
    connection.execute("DELETE FROM generation WHERE generation_id = ?", (number,))
    versions.bump(connection, [versions.GENERATION])


def _generation(row: tuple[Any, ...]) -> Generation:
    fields = list(row)
    fields[7] = json.loads(row[7])
    return Generation(*fields)
