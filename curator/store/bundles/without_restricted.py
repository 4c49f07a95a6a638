"""A copy of a workspace without its restricted queries, for a bundle.

Everything that belongs to such a query is deleted, and then every text without
references. So each number of the copy can be computed again from the copy alone.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from sqlite3 import Connection

import numpy as np

from curator.store import grades
from curator.store.backup import copy_to
from curator.store.bundles.integrity import NOT_READ, rebuilt_vectors
from curator.store.bundles.tables import renew_versions, without_foreign_keys
from curator.store.connection import column, open_workspace, write_transaction
from curator.store.restricted import (
    create_withheld_tables,
    read_restricted,
    read_withheld,
)
from grading.ratings import NOT_ASKED
from grading.responders import GraderSpec


@dataclass(frozen=True, slots=True)
class Omissions:
    """Queries, releases and norming rounds missing from a copy.

    ``reweighed`` names the graders based on word frequencies, which are computed again
    from the remaining texts.
    """

    queries: tuple[str, ...]
    releases: tuple[str, ...]
    rounds: int
    reweighed: tuple[str, ...]


_RESTRICTED = "query_id IN (SELECT value FROM temp.withheld_query)"
_RELEASED = (
    "EXISTS (SELECT 1 FROM json_each(body, '$.queries') AS one "
    "WHERE one.value ->> 'query_id' IN (SELECT value FROM temp.withheld_query))"
)
_ROUNDS = f"SELECT round_id FROM norming_item WHERE {_RESTRICTED}"
_ROUND_ROWS = {
    "norming_round": "round_id",
    "norming_item": "round_id",
    "mark": "target ->> 'round_id'",
    "event": "coalesce(after, before) ->> 'round_id'",
}
"""Tables with rows of norming rounds, and the number of their round."""
# In this order, since referring rows go first. If a text occurs elsewhere too, all
# responses about it stay.
_UNUSED = (
    ("batch", "batch_id NOT IN (SELECT batch_id FROM event)"),
    (
        "segment",
        "document NOT IN (SELECT number FROM passage) "
        "OR passage NOT IN (SELECT number FROM passage)",
    ),
    (
        "item",
        "item_id NOT IN "
        "(SELECT item_id FROM question UNION SELECT item_id FROM rating_vector)",
    ),
    (
        "answer_key",
        "key_id > 0 AND key_id NOT IN "
        "(SELECT key_id FROM question UNION SELECT key_id FROM rating_vector)",
    ),
    (
        "text",
        "text_id NOT IN ("
        + " UNION ".join(
            f"SELECT {name} FROM {table} WHERE {name} IS NOT NULL"
            for table, name in (
                ("passage", "text_id"),
                ("question", "text_id"),
                ("item", "text_id"),
                ("generation", "text_id"),
            )
        )
        + ")",
    ),
    (
        "response",
        "item_id NOT IN (SELECT item_id FROM item) "
        "OR text_id NOT IN (SELECT text_id FROM text) "
        "OR key_id NOT IN (SELECT key_id FROM answer_key)",
    ),
    ("embedding", "text_id NOT IN (SELECT text_id FROM text)"),
)


def copy_without_restricted(connection: Connection, file: Path) -> Omissions:
    """Copy the workspace to ``file`` without restricted queries; return what it lacks.

    Raises WorkspaceError if it cannot be written.
    """
    copy_to(connection, file, check=False)
    with closing(open_workspace(file)) as copy:
        restricted = read_restricted(copy)
        create_withheld_tables(copy, withheld := read_withheld(copy, restricted))
        with without_foreign_keys(copy), write_transaction(copy):
            releases = column(copy, f"SELECT name FROM release WHERE {_RELEASED}")
            rounds = column(copy, f"{_ROUNDS} GROUP BY round_id")
            # Fields of files are found by ids, which still exist here; numbers go, too.
            visible_entity = "iif(entity = 'nugget_grade', entity, '')"
            _delete(copy, "extra", f"NOT is_shown({visible_entity}, key, json)")
            _delete(copy, "release", _RELEASED)
            for table, number in _ROUND_ROWS.items():
                _delete(copy, table, f"{number} IN ({json.dumps(rounds)[1:-1]})")
            _delete(copy, "published", "1")
            _delete(copy, "job", "1")
            copy.execute("UPDATE batch SET shown = NULL")
            for table in _query_tables(copy):
                _delete(copy, table, _RESTRICTED)
            json_values = "SELECT value FROM json_each(?)"
            copy.execute(
                f"DELETE FROM passage WHERE passage_id IN ({json_values})",
                (json.dumps([*withheld.passages]),),
            )
            for table, unused in _UNUSED:
                _delete(copy, table, unused)
            reweighed = _recompute_frequencies(copy)
            renew_versions(copy)
    return Omissions(tuple(sorted(restricted)), tuple(releases), len(rounds), reweighed)


def _delete(copy: Connection, table: str, where: str) -> None:
    copy.execute(f'DELETE FROM main."{table}" WHERE {where}')


def _query_tables(copy: Connection) -> Collection[str]:
    """Return the tables with a column of query ids, that of queries included."""
    return column(
        copy,
        "SELECT name FROM sqlite_schema AS one WHERE type = 'table' AND EXISTS "
        "(SELECT 1 FROM pragma_table_info(one.name) WHERE name = 'query_id')",
    )


def _recompute_frequencies(copy: Connection) -> tuple[str, ...]:
    """Grade again with word frequencies of the remaining texts; return the graders.

    The frequencies of the whole collection would reveal words of deleted texts.
    """
    weighing_graders = {
        grader_id: spec
        for grader_id, spec in grades.read_graders(copy).items()
        if spec.reading.frequencies
    }
    _delete(copy, "frequencies", "1")
    frequencies = grades.count_frequencies(copy)
    for grader_id, spec in weighing_graders.items():
        grades.write_frequencies(copy, frequencies)
        new_spec = replace(
            spec, reading=replace(spec.reading, frequencies=frequencies.key)
        )
        _replace_key(copy, spec.key, new_spec.key)
        row = new_spec.key, json.dumps(new_spec.to_json()), grader_id
        copy.execute("UPDATE grader SET sha256 = ?, spec = ? WHERE grader_id = ?", row)
        responder_id = grades.responder_id_of(copy, grader_id)
        stored: defaultdict[str, dict[grades.ItemKey, grades.Vector]] = defaultdict(
            dict
        )
        for (query_id, item), before in grades.stored_vectors(copy, grader_id).items():
            stored[query_id][item] = before
        for query_id, vectors in stored.items():
            derived = rebuilt_vectors(
                copy, new_spec, responder_id, query_id, [*vectors]
            )
            for item in vectors.keys() & derived.keys():
                before, after = vectors[item], derived[item][: len(vectors[item])]
                is_graded = (before != NOT_ASKED) & (after != NOT_READ)
                vectors[item] = np.where(is_graded, after, before)
            grades.write_vectors(copy, grader_id, query_id, vectors)
    return tuple(spec.name for spec in weighing_graders.values())


def _replace_key(copy: Connection, old_key: str, new_key: str) -> None:
    """Replace a grader's key in the specifications of graders that refer to it."""
    select = "SELECT grader_id, responder_id, spec FROM grader WHERE instr(spec, ?)"
    for grader_id, responder_id, stored in copy.execute(select, (old_key,)).fetchall():
        spec = GraderSpec.from_json(json.loads(stored.replace(old_key, new_key)))
        rows = (
            ("responder", spec.responder.key, asdict(spec.responder), responder_id),
            ("grader", spec.key, spec.to_json(), grader_id),
        )
        for table, key, value, number in rows:
            copy.execute(
                f"UPDATE {table} SET sha256 = ?, spec = ? WHERE {table}_id = ?",
                (key, json.dumps(value), number),
            )
