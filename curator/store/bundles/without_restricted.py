"""A copy of a workspace from which its restricted queries are gone, to be packed.

Whatever belongs to such a query goes with it, and then every text that nothing left
refers to. So each number of the copy follows from the copy, and whoever has it can
compute it again.
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
from curator.store.bundles.tables import all_is_new, references_unchecked
from curator.store.connection import column, exclusive, open_workspace
from curator.store.restricted import read_restricted, read_withheld, tell_withheld
from grading.ratings import NOT_ASKED
from grading.responders import GraderSpec


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What a copy lacks: queries, releases and rounds of norming, and by name the
    graders that weigh words anew, by how rare they are in the texts that are left.
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
_OF_ROUNDS = ("norming_comment", "norming_answer", "norming_round", "norming_item")
# In this order: what refers to others goes first. Of a text that stands elsewhere too,
# all that was asked there stays.
_UNUSED = (
    ("vote", "question_id NOT IN (SELECT question_id FROM question)"),
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
                *(("passage", "text_id"), ("question", "text_id"), ("item", "text_id")),
                *(("generation", "text_id"), ("verdict", "question")),
                ("verdict", "answer"),
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


def copy_without_restricted(connection: Connection, file: Path) -> LeftOut:
    """Make ``file`` such a copy of what this connection reads; what it lacks.

    Raises WorkspaceError where it cannot be written.
    """
    copy_to(connection, file, sound=False)
    with closing(open_workspace(file)) as copy:
        restricted = read_restricted(copy)
        tell_withheld(copy, withheld := read_withheld(copy, restricted))
        with references_unchecked(copy), exclusive(copy):
            releases = column(copy, f"SELECT name FROM release WHERE {_RELEASED}")
            rounds = column(copy, f"{_ROUNDS} GROUP BY round_id")
            # Fields of files are told by ids, which are still there; numbers go, too.
            of_file = "iif(entity = 'nugget_grade', entity, '')"
            _delete(copy, "extra", f"NOT is_shown({of_file}, key, json)")
            _delete(copy, "release", _RELEASED)
            for table in _OF_ROUNDS:
                _delete(copy, table, f"round_id IN ({json.dumps(rounds)[1:-1]})")
            _delete(copy, "published", "1")
            _delete(copy, "job", "1")
            copy.execute("UPDATE batch SET shown = NULL")
            for table in _with_query_ids(copy):
                _delete(copy, table, _RESTRICTED)
            numbers = "SELECT value FROM json_each(?)"
            copy.execute(
                f"DELETE FROM passage WHERE passage_id IN ({numbers})",
                (json.dumps([*withheld.passages]),),
            )
            for table, unused in _UNUSED:
                _delete(copy, table, unused)
            reweighed = _weigh_anew(copy)
            all_is_new(copy)
    return LeftOut(tuple(sorted(restricted)), tuple(releases), len(rounds), reweighed)


def _delete(copy: Connection, table: str, where: str) -> None:
    copy.execute(f'DELETE FROM main."{table}" WHERE {where}')


def _with_query_ids(copy: Connection) -> Collection[str]:
    """The tables whose rows are of a query, that of queries too."""
    return column(
        copy,
        "SELECT name FROM sqlite_schema AS one WHERE type = 'table' AND EXISTS "
        "(SELECT 1 FROM pragma_table_info(one.name) WHERE name = 'query_id')",
    )


def _weigh_anew(copy: Connection) -> tuple[str, ...]:
    """Have graders that weigh words do so by the texts left; which graders these are.

    How often each word stands in a collection would tell words of what is gone.
    """
    found = {
        grader_id: spec
        for grader_id, spec in grades.read_graders(copy).items()
        if spec.reading.frequencies
    }
    _delete(copy, "frequencies", "1")
    frequencies = grades.counted_frequencies(copy)
    for grader_id, spec in found.items():
        grades.write_frequencies(copy, frequencies)
        now = replace(spec, reading=replace(spec.reading, frequencies=frequencies.key))
        _rename(copy, spec.key, now.key)
        row = now.key, json.dumps(now.to_json()), grader_id
        copy.execute("UPDATE grader SET sha256 = ?, spec = ? WHERE grader_id = ?", row)
        responder_id = grades.responder_id_of(copy, grader_id)
        stored: defaultdict[str, dict[grades.ItemKey, grades.Vector]] = defaultdict(
            dict
        )
        for (query_id, item), before in grades.stored_vectors(copy, grader_id).items():
            stored[query_id][item] = before
        for query_id, vectors in stored.items():
            again = rebuilt_vectors(copy, now, responder_id, query_id, [*vectors])
            for item in vectors.keys() & again.keys():
                before, after = vectors[item], again[item][: len(vectors[item])]
                asked = (before != NOT_ASKED) & (after != NOT_READ)
                vectors[item] = np.where(asked, after, before)
            grades.write_vectors(copy, grader_id, query_id, vectors)
    return tuple(spec.name for spec in found.values())


def _rename(copy: Connection, before: str, now: str) -> None:
    """Have graders that follow from one follow from it under its other key."""
    select = "SELECT grader_id, responder_id, spec FROM grader WHERE instr(spec, ?)"
    for grader_id, responder_id, stored in copy.execute(select, (before,)).fetchall():
        spec = GraderSpec.from_json(json.loads(stored.replace(before, now)))
        rows = (
            ("responder", spec.responder.key, asdict(spec.responder), responder_id),
            ("grader", spec.key, spec.to_json(), grader_id),
        )
        for table, key, value, number in rows:
            copy.execute(
                f"UPDATE {table} SET sha256 = ?, spec = ? WHERE {table}_id = ?",
                (key, json.dumps(value), number),
            )
