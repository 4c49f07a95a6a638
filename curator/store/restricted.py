"""Restricted queries: which they are, and a connection that their texts do not reach.

The texts stay in the file, and so do grades, ranks and labels, which are found by keys.
What reads for whoever is not to see the texts reads through ``without_texts``: its
tables are views in which they are not, whichever statement asks for them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from sqlite3 import Connection

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


_OF_RESTRICTED = "query_id IN (SELECT query_id FROM temp.withheld_query)"

_WITHHELD = f"""
CREATE TEMP TABLE withheld_passage AS
    SELECT passage FROM main.pool WHERE {_OF_RESTRICTED}
    EXCEPT SELECT passage FROM main.pool WHERE NOT {_OF_RESTRICTED};
CREATE TEMP TABLE withheld_text (text_id INTEGER PRIMARY KEY);
INSERT INTO withheld_text
    SELECT text_id FROM ({{texts}}) WHERE text_id IS NOT NULL AND restricted
    EXCEPT SELECT text_id FROM ({{texts}}) WHERE NOT restricted
    EXCEPT SELECT text_id FROM main.passage JOIN main.pool
        ON pool.passage = passage.number WHERE NOT {_OF_RESTRICTED};
CREATE TEMP TABLE withheld_item (item_id INTEGER PRIMARY KEY);
INSERT INTO withheld_item SELECT item_id FROM main.item
    WHERE text_id IN (SELECT text_id FROM withheld_text);
CREATE TEMP TABLE withheld_key (key_id INTEGER PRIMARY KEY);
INSERT INTO withheld_key SELECT key_id FROM main.question
    WHERE key_id > 0 AND {_OF_RESTRICTED}
    EXCEPT SELECT key_id FROM main.question WHERE NOT {_OF_RESTRICTED};
"""
_TEXTS = " UNION ALL ".join(
    f"SELECT {text} AS text_id, {_OF_RESTRICTED} AS restricted FROM {source}"
    for text, source in (
        ("text_id", "main.question"),
        ("item.text_id", "main.question JOIN main.item USING (item_id)"),
        ("item.text_id", "main.rating_vector JOIN main.item USING (item_id)"),
        ("text_id", "main.generation"),
        ("question", "main.verdict"),
        ("answer", "main.verdict"),
    )
) + (
    " UNION ALL SELECT text_id, 1 FROM main.passage "
    "WHERE number IN (SELECT passage FROM temp.withheld_passage)"
)

_LINE = f"'{RESTRICTED}'"
_TEXT = "text_id IN (SELECT text_id FROM temp.withheld_text)"
_ITEM = "item_id IN (SELECT item_id FROM temp.withheld_item)"
_KEY = "key_id IN (SELECT key_id FROM temp.withheld_key)"
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

_NO_TEXTS = ("official_score", "run_form", "report_citations")
"""Extras of numbers and ids alone."""


def without_texts(path: Path, restricted: frozenset[str]) -> Connection:
    """A connection that reads the workspace without these queries' texts.

    A passage that stands in another query's pool too is read with its text, and so are
    a question and an answer in the same words. Ids, grades and ranks are those there
    are. The history of the queries, and what people said in them, is left out.
    """
    connection = open_workspace(path)
    connection.execute("CREATE TEMP TABLE withheld_query (query_id TEXT PRIMARY KEY)")
    connection.executemany(
        "INSERT INTO withheld_query VALUES (?)", [(one,) for one in restricted]
    )
    for statement in _WITHHELD.format(texts=_TEXTS).split(";"):
        connection.execute(statement)
    _tell_extras(connection, restricted)
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
    """The passages whose texts a connection ``without_texts`` does not read."""
    return frozenset(
        column(
            connection,
            "SELECT passage_id FROM temp.withheld_passage "
            "JOIN main.passage ON passage.number = withheld_passage.passage",
        )
    )


def _tell_extras(connection: Connection, restricted: frozenset[str]) -> None:
    """Define ``is_shown``: whether fields of an imported file are of no such query."""
    passages = withheld_passages(connection)
    questions = frozenset(
        column(
            connection, f"SELECT question_id FROM main.question WHERE {_OF_RESTRICTED}"
        )
    )
    hidden = restricted | passages | questions
    below = tuple(f"{one}/" for one in restricted)

    def is_shown(entity: str, key: str, stored: str) -> bool:
        if entity in _NO_TEXTS:
            return True
        about = key.split("\t")
        if entity == "nugget_grade":  # whose key is a place in a file
            about = json.loads(stored).get("at", [])
        return not any(one in hidden or str(one).startswith(below) for one in about)

    connection.create_function("is_shown", 3, is_shown, deterministic=True)
