"""Restricted queries: which they are, and a connection that their texts do not reach.

The texts stay in the file, and so do grades, ranks and labels, which are found by keys.
What reads for whoever is not to see the texts reads through ``without_texts``: its
tables are views in which they are not, whichever statement asks for them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from sqlite3 import Connection
from typing import Any

from curator.bank.questions import RESTRICTED
from curator.errors import UnknownNameError
from curator.results import Result
from curator.store import versions
from curator.store.connection import column, only_read, open_workspace
from curator.store.digests import adding


@dataclass(frozen=True, slots=True)
class Restriction(Result["Restriction"], table="setup.restriction_table"):
    """A query's texts were kept from all but organizers, or shown again: when, by whom.

    ``holds`` says whether it is the last word on its query.
    """

    query_id: str
    lifted: bool
    at: str
    by: str
    holds: bool


def read_restricted(connection: Connection) -> frozenset[str]:
    """The queries that are restricted now."""
    return frozenset(
        one.query_id
        for one in read_restrictions(connection)
        if one.holds and not one.lifted
    )


def read_restrictions(connection: Connection) -> tuple[Restriction, ...]:
    """Every restriction and every lifting there was, the first first."""
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
    """Restrict these queries, or lift it; those of them that it was news to.

    Within a transaction. Raises UnknownNameError for a query there is not.
    """
    known = frozenset(column(connection, "SELECT query_id FROM query"))
    restricted = read_restricted(connection)
    asked = list(dict.fromkeys(query_ids))
    if strange := [one for one in asked if one not in known]:
        raise UnknownNameError(
            f"No query '{strange[0]}' in this workspace. "
            "`curator questions WORKSPACE` lists queries and their questions."
        )
    new = [one for one in asked if (one in restricted) is lifted]
    if new:
        with adding(connection, "restriction", "number"):
            connection.executemany(
                "INSERT INTO restriction (at, by, query_id, lifted) "
                "VALUES (?, ?, ?, ?)",
                [(at, by, one, int(lifted)) for one in new],
            )
        versions.bump(connection, [versions.COLLECTION])
    return new


@dataclass(frozen=True, slots=True)
class Withheld:
    """What belongs to restricted queries and to no other: ids, and numbers of texts."""

    queries: frozenset[str]
    passages: frozenset[str]
    texts: frozenset[int]
    items: frozenset[int]
    keys: frozenset[int]


_IN = "IN (SELECT value FROM json_each(?))"
_WORDS = tuple(
    f"SELECT {text} FROM {source} WHERE {{not_}}query_id {_IN}"
    for text, source in (
        ("text_id", "question"),
        ("item.text_id", "question JOIN item USING (item_id)"),
        ("item.text_id", "rating_vector JOIN item USING (item_id)"),
        ("text_id", "generation"),
        ("question", "verdict"),
        ("answer", "verdict"),
    )
)
"""The texts of words that are said in some queries, or not said in them."""


def read_withheld(connection: Connection, restricted: frozenset[str]) -> Withheld:
    """What these queries have to themselves; worth keeping until the file changes."""

    def found(select: str, *given: Iterable[Any]) -> set[Any]:
        return set(column(connection, select, *(json.dumps([*one]) for one in given)))

    pooled = f"SELECT passage FROM pool WHERE query_id {_IN}"
    elsewhere = pooled.replace("WHERE", "WHERE NOT")
    passages = found(pooled, restricted) - found(elsewhere, restricted)
    texts = found(f"SELECT text_id FROM passage WHERE number {_IN}", passages)
    for select in _WORDS:
        texts |= found(select.format(not_=""), restricted) - {None}
    for select in _WORDS:
        texts -= found(select.format(not_="NOT "), restricted)
    # The same text, as another passage.
    twins = f"SELECT number FROM passage WHERE text_id {_IN} AND NOT number {_IN}"
    others = found(twins, texts, passages) & found(elsewhere, restricted)
    texts -= found(f"SELECT text_id FROM passage WHERE number {_IN}", others)
    keys = f"SELECT key_id FROM question WHERE key_id > 0 AND query_id {_IN}"
    return Withheld(
        restricted,
        frozenset(
            found(f"SELECT passage_id FROM passage WHERE number {_IN}", passages)
        ),
        frozenset(texts),
        frozenset(found(f"SELECT item_id FROM item WHERE text_id {_IN}", texts)),
        frozenset(
            found(keys, restricted)
            - found(keys.replace("query_id", "NOT query_id"), restricted)
        ),
    )


_OF_RESTRICTED = "query_id IN (SELECT value FROM temp.withheld_query)"
_LINE = f"'{RESTRICTED}'"
_TEXT = "text_id IN (SELECT value FROM temp.withheld_text)"
_ITEM = "item_id IN (SELECT value FROM temp.withheld_item)"
_KEY = "key_id IN (SELECT value FROM temp.withheld_key)"
_ITEM_OF_ROUND = (
    "(round_id, place) IN (SELECT round_id, place FROM main.norming_item "
    f"WHERE {_OF_RESTRICTED})"
)

_INSTEAD: dict[str, tuple[str, dict[str, str]]] = {
    "query": (_OF_RESTRICTED, {"title": "NULL", "background": "NULL"}),
    "subtopic": (_OF_RESTRICTED, {"text": "NULL"}),
    "text": (_TEXT, {"body": _LINE}),
    "item": (
        _ITEM,
        {"choices": "'[]'", "candidate": f"iif(candidate IS NULL, NULL, {_LINE})"},
    ),
    "answer_key": (_KEY, {"answers": "'[]'"}),
    "question": (_OF_RESTRICTED, {"provenance": "'{}'"}),
    "response": (f"({_ITEM} OR {_TEXT})", {"raw": "NULL", "answer": "NULL"}),
    "batch": ("1", {"shown": "NULL"}),
    "norming_item": (
        _OF_RESTRICTED,
        {
            "query": _LINE,
            "question": f"iif(question IS NULL, NULL, {_LINE})",
            "passage": f"iif(passage IS NULL, NULL, {_LINE})",
        },
    ),
    "norming_comment": (_ITEM_OF_ROUND, {"text": _LINE}),
    "release": ("1", {"body": "'{}'"}),
    "job": ("error IS NOT NULL", {"error": _LINE}),  # which may quote what was asked
}
"""By table: where its rows are withheld, and what their columns hold instead."""

_WITHOUT = {
    **dict.fromkeys(
        ("event", "note", "dismissal", "decision"), f"NOT {_OF_RESTRICTED}"
    ),
    **dict.fromkeys(("verdict", "checked", "to_check"), f"NOT {_OF_RESTRICTED}"),
    "generation": f"NOT {_OF_RESTRICTED}",
    "extra": "is_shown(entity, key, json)",
}
"""By table: the rows there are; of the others each holds texts, or is about one."""

_NO_TEXTS = ("official_score", "official_board", "run_form", "report_citations")
"""Extras of numbers and ids alone."""


def without_texts(path: Path, withheld: Withheld) -> Connection:
    """A connection that reads the workspace without these texts.

    A passage that stands in another query's pool too is read with its text, and so are
    a question and an answer in the same words. Ids, grades and ranks are those there
    are. The history of the queries, and what people said in them, is left out.
    """
    connection = open_workspace(path)
    tell_withheld(connection, withheld)
    for table, (where, instead) in _INSTEAD.items():
        columns = ", ".join(
            f'CASE WHEN {where} THEN {instead[name]} ELSE "{name}" END AS "{name}"'
            if name in instead
            else f'"{name}"'
            for name in column(
                connection, "SELECT name FROM pragma_table_info(?, 'main')", table
            )
        )
        connection.execute(
            f'CREATE TEMP VIEW "{table}" AS SELECT {columns} FROM main."{table}"'
        )
    for table, where in _WITHOUT.items():
        connection.execute(
            f'CREATE TEMP VIEW "{table}" AS SELECT * FROM main."{table}" WHERE {where}'
        )
    only_read(connection)
    return connection


def withheld_passages(connection: Connection) -> frozenset[str]:
    """The passages whose texts such a connection does not read."""
    select = "SELECT passage_id FROM passage"
    return frozenset(column(connection, f"{select} WHERE {_TEXT}"))


def tell_withheld(connection: Connection, withheld: Withheld) -> None:
    """Put what is withheld into tables of this connection's own, and define is_shown.

    That is whether fields of an imported file are of no such query: which ids are of
    one is looked up when somebody asks for such fields.
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
    below = tuple(f"{one}/" for one in withheld.queries)

    @cache
    def hidden() -> frozenset[str]:
        of_queries = f"SELECT question_id FROM main.question WHERE {_OF_RESTRICTED}"
        questions = column(connection, of_queries)
        return frozenset([*withheld.queries, *withheld.passages, *questions])

    def is_shown(entity: str, key: str, stored: str) -> bool:
        if entity in _NO_TEXTS:
            return True
        about = key.split("\t")
        if entity == "nugget_grade":  # whose key is a place in a file
            about = json.loads(stored).get("at", [])
        return not any(one in hidden() or str(one).startswith(below) for one in about)

    connection.create_function("is_shown", 3, is_shown, deterministic=True)
