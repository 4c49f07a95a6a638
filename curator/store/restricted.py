"""Restricted queries, and a connection that cannot read their texts.

The texts stay in the file, and so do grades, ranks and labels, which are found by keys.
Everything for a viewer without access reads through ``open_without_texts``: its tables
are views without the restricted texts, for any statement.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from sqlite3 import Connection
from typing import Any

from curator.bank.edits.kinds import MARKS
from curator.bank.questions import RESTRICTED
from curator.errors import UnknownNameError
from curator.results import column as table_column
from curator.store import versions
from curator.store.connection import column, forbid_writes, open_workspace


@dataclass(frozen=True, slots=True)
class Restriction:
    """A restriction of a query's texts to organizers, or its lifting.

    ``holds`` is True for the latest entry of its query.
    """

    query_id: str
    lifted: bool = field(
        metadata=table_column("restricted", show={True: "no more", False: "yes"}.get)
    )
    at: str
    by: str
    holds: bool = field(metadata=table_column(show={True: "yes", False: "no"}.get))


def read_restricted(connection: Connection) -> frozenset[str]:
    """Return the queries that are restricted now."""
    return frozenset(
        restriction.query_id
        for restriction in read_restrictions(connection)
        if restriction.holds and not restriction.lifted
    )


def read_restrictions(connection: Connection) -> tuple[Restriction, ...]:
    """Return every restriction and lifting, the oldest first."""
    rows = connection.execute(
        "SELECT query_id, lifted, at, by, number = max(number) OVER "
        "(PARTITION BY query_id) FROM restriction ORDER BY number"
    )
    return tuple(
        Restriction(query_id, bool(lifted), at, by, bool(holds))
        for query_id, lifted, at, by, holds in rows
    )


def write_restrictions(
    connection: Connection,
    query_ids: Iterable[str],
    *,
    lifted: bool,
    by: str,
    at: str,
) -> list[str]:
    """Restrict these queries, or lift the restriction; return those changed.

    Call within a transaction. Raises UnknownNameError for an unknown query.
    """
    existing = frozenset(column(connection, "SELECT query_id FROM query"))
    restricted = read_restricted(connection)
    selected = list(dict.fromkeys(query_ids))
    if unknown := [query_id for query_id in selected if query_id not in existing]:
        raise UnknownNameError(
            f"No query '{unknown[0]}' in this workspace. "
            "`curator questions WORKSPACE` lists queries and their questions."
        )
    new = [query_id for query_id in selected if (query_id in restricted) is lifted]
    if new:
        connection.executemany(
            "INSERT INTO restriction (at, by, query_id, lifted) VALUES (?, ?, ?, ?)",
            [(at, by, query_id, int(lifted)) for query_id in new],
        )
        versions.bump(connection, [versions.COLLECTION])
    return new


@dataclass(frozen=True, slots=True)
class Withheld:
    """Ids that belong to restricted queries only; texts, items and keys as numbers."""

    queries: frozenset[str]
    passages: frozenset[str]
    texts: frozenset[int]
    items: frozenset[int]
    keys: frozenset[int]


_IN = "IN (SELECT value FROM json_each(?))"
_TEXTS_OF_QUERIES = tuple(
    f"SELECT {text} FROM {source} WHERE {{not_}}query_id {_IN}"
    for text, source in (
        ("text_id", "question"),
        ("item.text_id", "question JOIN item USING (item_id)"),
        ("item.text_id", "rating_vector JOIN item USING (item_id)"),
        ("text_id", "generation"),
    )
)
"""Selects of the texts used in some queries, or, with NOT, in others."""


def read_withheld(connection: Connection, restricted: frozenset[str]) -> Withheld:
    """Return the ids that belong only to these queries; valid until a change."""

    def select_ids(select: str, *values: Iterable[Any]) -> set[Any]:
        return set(column(connection, select, *(json.dumps([*ids]) for ids in values)))

    pool_select = f"SELECT passage FROM pool WHERE query_id {_IN}"
    other_pools = pool_select.replace("WHERE", "WHERE NOT")
    passages = select_ids(pool_select, restricted) - select_ids(other_pools, restricted)
    texts = select_ids(f"SELECT text_id FROM passage WHERE number {_IN}", passages)
    for select in _TEXTS_OF_QUERIES:
        texts |= select_ids(select.format(not_=""), restricted) - {None}
    for select in _TEXTS_OF_QUERIES:
        texts -= select_ids(select.format(not_="NOT "), restricted)
    # The same text in another passage.
    duplicates = f"SELECT number FROM passage WHERE text_id {_IN} AND NOT number {_IN}"
    others = select_ids(duplicates, texts, passages) & select_ids(
        other_pools, restricted
    )
    texts -= select_ids(f"SELECT text_id FROM passage WHERE number {_IN}", others)
    key_select = f"SELECT key_id FROM question WHERE key_id > 0 AND query_id {_IN}"
    return Withheld(
        restricted,
        frozenset(
            select_ids(f"SELECT passage_id FROM passage WHERE number {_IN}", passages)
        ),
        frozenset(texts),
        frozenset(select_ids(f"SELECT item_id FROM item WHERE text_id {_IN}", texts)),
        frozenset(
            select_ids(key_select, restricted)
            - select_ids(key_select.replace("query_id", "NOT query_id"), restricted)
        ),
    )


_RESTRICTED_ROW = "query_id IN (SELECT value FROM temp.withheld_query)"
_PLACEHOLDER = f"'{RESTRICTED}'"
_RESTRICTED_TEXT = "text_id IN (SELECT value FROM temp.withheld_text)"
_RESTRICTED_ITEM = "item_id IN (SELECT value FROM temp.withheld_item)"
_RESTRICTED_KEY = "key_id IN (SELECT value FROM temp.withheld_key)"

_REPLACEMENTS: dict[str, tuple[str, dict[str, str]]] = {
    "query": (_RESTRICTED_ROW, {"title": "NULL", "background": "NULL"}),
    "subtopic": (_RESTRICTED_ROW, {"text": "NULL"}),
    "text": (_RESTRICTED_TEXT, {"body": _PLACEHOLDER}),
    "item": (
        _RESTRICTED_ITEM,
        {
            "choices": "'[]'",
            "candidate": f"iif(candidate IS NULL, NULL, {_PLACEHOLDER})",
        },
    ),
    "answer_key": (_RESTRICTED_KEY, {"answers": "'[]'"}),
    "question": (_RESTRICTED_ROW, {"provenance": "'{}'"}),
    "response": (
        f"({_RESTRICTED_ITEM} OR {_RESTRICTED_TEXT})",
        {"raw": "NULL", "answer": "NULL"},
    ),
    "batch": ("1", {"shown": "NULL"}),
    "norming_item": (
        _RESTRICTED_ROW,
        {
            "query": _PLACEHOLDER,
            "question": f"iif(question IS NULL, NULL, {_PLACEHOLDER})",
            "passage": f"iif(passage IS NULL, NULL, {_PLACEHOLDER})",
        },
    ),
    "release": ("1", {"body": "'{}'"}),
    # The error may quote a prompt.
    "job": ("error IS NOT NULL", {"error": _PLACEHOLDER}),
}
"""By table: condition of restricted rows, and replacements of their columns."""

MARKS_WITHOUT_TEXT = tuple(kind for kind, mark in MARKS.items() if not mark.holds_text)
_SHOWN_ROWS = {
    **dict.fromkeys(("event", "to_check", "generation"), f"NOT {_RESTRICTED_ROW}"),
    "extra": "is_shown(entity, key, json)",
    "mark": f"kind IN {MARKS_WITHOUT_TEXT} OR NOT {_RESTRICTED_ROW}",
}
"""By table: condition of the rows that are shown; the others are left out."""

_NO_TEXTS = ("official_score", "official_board", "run_form", "report_citations")
"""Kinds of extras that hold numbers and ids only."""


def open_without_texts(path: Path, withheld: Withheld) -> Connection:
    """Open a connection that reads the workspace without these texts.

    A passage that is also in another query's pool keeps its text, and so do a question
    and an answer with the same text there. Ids, grades and ranks are unchanged. The
    history and the comments of restricted queries are left out.
    """
    connection = open_workspace(path)
    create_withheld_tables(connection, withheld)
    for table, (where, replacements) in _REPLACEMENTS.items():
        columns = ", ".join(
            f'CASE WHEN {where} THEN {replacements[name]} ELSE "{name}" END AS "{name}"'
            if name in replacements
            else f'"{name}"'
            for name in column(
                connection, "SELECT name FROM pragma_table_info(?, 'main')", table
            )
        )
        connection.execute(
            f'CREATE TEMP VIEW "{table}" AS SELECT {columns} FROM main."{table}"'
        )
    for table, where in _SHOWN_ROWS.items():
        connection.execute(
            f'CREATE TEMP VIEW "{table}" AS SELECT * FROM main."{table}" WHERE {where}'
        )
    forbid_writes(connection)
    return connection


def withheld_passages(connection: Connection) -> frozenset[str]:
    """Return the passages whose texts such a connection cannot read."""
    select = "SELECT passage_id FROM passage"
    return frozenset(column(connection, f"{select} WHERE {_RESTRICTED_TEXT}"))


def create_withheld_tables(connection: Connection, withheld: Withheld) -> None:
    """Create temporary tables of the withheld ids, and the function is_shown.

    is_shown tests if fields of an imported file belong to no restricted query; the ids
    are looked up on the first call.
    """
    for name, values in (
        ("query", withheld.queries),
        ("text", withheld.texts),
        ("item", withheld.items),
        ("key", withheld.keys),
    ):
        connection.execute(f"CREATE TEMP TABLE withheld_{name} (value PRIMARY KEY)")
        connection.execute(
            f"INSERT INTO withheld_{name} SELECT value FROM json_each(?)",
            (json.dumps([*values]),),
        )
    prefixes = tuple(f"{query_id}/" for query_id in withheld.queries)

    @cache
    def hidden() -> frozenset[str]:
        select = f"SELECT question_id FROM main.question WHERE {_RESTRICTED_ROW}"
        questions = column(connection, select)
        return frozenset([*withheld.queries, *withheld.passages, *questions])

    def is_shown(entity: str, key: str, stored: str) -> bool:
        if entity in _NO_TEXTS:
            return True
        related_ids = key.split("\t")
        if entity == "nugget_grade":  # its key is a place in a file
            related_ids = json.loads(stored).get("at", [])
        return not any(
            related_id in hidden() or str(related_id).startswith(prefixes)
            for related_id in related_ids
        )

    connection.create_function("is_shown", 3, is_shown, deterministic=True)
