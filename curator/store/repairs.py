"""Repair of damaged rows that can be derived from the rest of the file.

Questions and marks follow from the history, ratings from responses and vectors, lengths
and word frequencies from texts, indexes from tables. Each is derived only from
undamaged rows, and kept only if its digest matches the original; ratings and vectors of
a model may differ in the last digits. Everything else stays as it is.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping

import numpy as np

from curator.bank.questions import Question
from curator.errors import CuratorError
from curator.formats.text.records import described
from curator.store import bank as store_bank
from curator.store import digests, versions
from curator.store import grades as store_grades
from curator.store.bundles.integrity import NOT_READ, TOLERANCE, rebuilt_vectors
from curator.store.connection import column, write_transaction
from curator.store.damage import (
    MALFORMED_ROW_ERRORS,
    USER_ERRORS_OF_ROWS,
    new_schema,
    pieces_of,
    schema,
)
from curator.store.grades import EmbeddingCache, ItemKey, Vector
from curator.store.history import read_events
from curator.store.texts import letters_of
from grading.ratings import NOT_ASKED
from grading.responders import GraderSpec
from grading.similarity import Vectors

Connection = sqlite3.Connection
Portions = Mapping[str, set[str]]
"""The damaged portions, by table."""

_SOURCES = {
    "bank": {"event", "batch", "query", "text"},
    "marks": {"event", "batch", "query", "text", "passage", "pool", "question"},
    "ratings": {"response", "embedding", "item", "answer_key", "text", "passage"}
    | {"pool", "responder", "grader", "frequencies", "question"},
}


def damaged_portions(connection: Connection) -> Portions:
    """Return the portions whose rows differ from their digest, by table."""
    parts: defaultdict[str, set[str]] = defaultdict(set)
    for table, part in digests.differing_portions(connection):
        parts[table].add(part)
    return parts


def repair_indexes(connection: Connection) -> list[str]:
    """Create missing indexes again, and rebuild those with errors."""
    messages = column(connection, "PRAGMA integrity_check")
    existing, repaired = schema(connection), []
    for name, sql in new_schema().items():
        if name.startswith("index ") and name not in existing:
            with write_transaction(connection):
                connection.execute(sql)
            repaired.append(f"the {name}: created again")
    if messages != ["ok"] and all("index" in line for line in messages):
        with write_transaction(connection):
            connection.execute("REINDEX")
        repaired.append("indexes: rebuilt from their tables")
    return repaired


def repair_rows(connection: Connection) -> Iterator[str]:
    """Repair all rows that follow from others, except vectors.

    Call within a write transaction. Yields a sentence for each repair.
    """
    steps: tuple[Callable[[Connection, Portions], Iterator[str]], ...]
    steps = (
        _repair_lengths,
        _repair_frequencies,
        _repair_bank,
        _repair_marks,
        _repair_ratings,
    )
    for step in steps:
        yield from step(connection, damaged_portions(connection))
    scopes = ("collection", "graders", "generation", "releases", "norming")
    queries = column(connection, "SELECT query_id FROM query")
    graders = column(connection, "SELECT grader_id FROM grader")
    versions.bump(connection, [*scopes, *map(versions.bank_scope, queries)])
    versions.bump(
        connection,
        [
            versions.grades_scope(grader_id, query_id)
            for grader_id in graders
            for query_id in queries
        ],
    )


def _repair(connection: Connection, table: str, derive: Callable[[], object]) -> bool:
    """Run ``derive``; roll back and return False unless the table's digest matches."""
    select = "SELECT part, value FROM digest WHERE of = ? AND value <> 0"
    stored = dict(connection.execute(select, (table,)))
    connection.execute("SAVEPOINT repair")
    try:
        connection.execute("PRAGMA defer_foreign_keys = ON")
        derive()
        digests.recompute_digests(connection, [table])
        is_original = dict(connection.execute(select, (table,))) == stored
    except (*MALFORMED_ROW_ERRORS, *USER_ERRORS_OF_ROWS, CuratorError):
        is_original = False
    if not is_original:
        connection.execute("ROLLBACK TO repair")
    connection.execute("RELEASE repair")
    return is_original


def _repair_lengths(connection: Connection, damaged: Portions) -> Iterator[str]:
    if "text" not in damaged:
        return

    def derive() -> None:
        for text_id in column(connection, "SELECT text_id FROM text"):
            letters = sum(map(letters_of, pieces_of(connection, text_id)))
            update = "UPDATE text SET letters = ?1 WHERE text_id = ?2 AND letters <> ?1"
            connection.execute(update, (letters, text_id))

    if _repair(connection, "text", derive):
        yield "the lengths of texts: counted again"


def _repair_frequencies(connection: Connection, damaged: Portions) -> Iterator[str]:
    if "frequencies" not in damaged or {"text", "passage"} & damaged.keys():
        return

    def derive() -> None:
        connection.execute("DELETE FROM frequencies")
        frequencies = store_grades.count_frequencies(connection)
        store_grades.write_frequencies(connection, frequencies)

    if _repair(connection, "frequencies", derive):
        yield "word frequencies: counted again"


def _repair_bank(connection: Connection, damaged: Portions) -> Iterator[str]:
    if "question" not in damaged or _SOURCES["bank"] & damaged.keys():
        return

    def derive() -> None:
        last: dict[str, Question | None] = {}
        for event in reversed(read_events(connection)):
            if event.change.mark is None:
                last[event.change.question_id or ""] = event.change.after
        connection.execute("DELETE FROM question")
        store_bank.write_questions(connection, filter(None, last.values()))

    if _repair(connection, "question", derive):
        yield "questions: written again from the history"


def _repair_marks(connection: Connection, damaged: Portions) -> Iterator[str]:
    if "mark" not in damaged or _SOURCES["marks"] & damaged.keys():
        return

    def derive() -> None:
        connection.execute("DELETE FROM mark")
        for event in reversed(read_events(connection)):
            mark, query_id = event.change.mark, event.change.query_id
            if mark is not None and mark.kind:
                store_bank.write_mark(
                    connection, query_id, mark, by=event.by, at=event.at
                )

    if _repair(connection, "mark", derive):
        yield "the judges' marks: written again from the history"


def _repair_ratings(connection: Connection, damaged: Portions) -> Iterator[str]:
    if _SOURCES["ratings"] & damaged.keys():
        return
    graders = store_grades.read_graders(connection)
    for part in sorted(damaged.get("rating_vector", ())):
        grader_number, _, query_id = part.partition("/")
        spec = graders[int(grader_number)]
        if spec.combined:
            continue
        stored = {
            item: vector
            for (vector_query_id, item), vector in store_grades.stored_vectors(
                connection, int(grader_number)
            ).items()
            if vector_query_id == query_id
        }
        derived = _derive(connection, int(grader_number), spec, query_id, stored)
        scope = int(grader_number), query_id
        if _restore_ratings(
            connection, *scope, stored, derived, computed=spec.computed
        ):
            owner = f"of {spec.name} for query {described(query_id)}"
            yield f"the ratings {owner}: derived again"


def _derive(
    connection: Connection,
    grader_id: int,
    spec: GraderSpec,
    query_id: str,
    stored: Mapping[ItemKey, Vector],
) -> Mapping[ItemKey, Vector]:
    """Derive the vectors of the items that have one and of the query's questions."""
    has_keys = spec.reading.reads_answer_keys
    question_items = {
        (item_id, key_id if has_keys else 0)
        for item_id, key_id in connection.execute(
            "SELECT item_id, key_id FROM question WHERE query_id = ?", (query_id,)
        )
    }
    responder_id = store_grades.responder_id_of(connection, grader_id)
    items = sorted(stored.keys() | question_items)
    return rebuilt_vectors(connection, spec, responder_id, query_id, items)


def _restore_ratings(
    connection: Connection,
    grader_id: int,
    query_id: str,
    stored: Mapping[ItemKey, Vector],
    derived: Mapping[ItemKey, Vector],
    *,
    computed: bool,
) -> bool:
    """Store the derived vectors if they match the digest; return True if stored.

    Tries several combinations. If none matches and the grader computes all of them, its
    new values are stored.
    """
    part = f"{grader_id}/{query_id}"
    condition = "grader_id = ? AND query_id = ?"
    select = "SELECT value FROM digest WHERE of = 'rating_vector' AND part = ?"
    digest = column(connection, select, part)
    merged = {
        item: _merged(derived[item], before) if item in derived else before
        for item, before in stored.items()
    }
    new = {
        item: vector for item, vector in derived.items() if np.any(vector != NOT_ASKED)
    }
    is_complete = (
        computed
        and stored.keys() <= derived.keys()
        and not any(np.any(vector == NOT_READ) for vector in derived.values())
    )
    for candidate, is_sure in (
        (merged, False),
        (new, False),
        (new | merged, is_complete),
    ):
        connection.execute("SAVEPOINT repair")
        connection.execute(f"DELETE FROM rating_vector WHERE {condition}",
                           (grader_id, query_id))  # fmt: skip
        connection.execute(
            "DELETE FROM digest WHERE of = 'rating_vector' AND part = ?", (part,)
        )
        vectors = {
            item: _without_unreadable(vector) for item, vector in candidate.items()
        }
        store_grades.write_vectors(connection, grader_id, query_id, vectors)
        if is_sure or column(connection, select, part) == digest:
            connection.execute("RELEASE repair")
            return True
        connection.execute("ROLLBACK TO repair")
        connection.execute("RELEASE repair")
    return False


def _without_unreadable(vector: Vector) -> Vector:
    """Replace NOT_READ, for responses that could not be read, by NOT_ASKED."""
    vector = vector.copy()
    vector[vector == NOT_READ] = NOT_ASKED
    return vector


def _merged(derived: Vector, before: Vector) -> Vector:
    """Return the derived vector, with old values where they differ by rounding only."""
    if len(before) > len(derived) or before.dtype != derived.dtype:
        return derived
    merged = derived[: len(before)].copy()
    keep = (merged == NOT_READ) | (before == NOT_ASKED)
    keep |= np.abs(merged - before) <= (TOLERANCE if before.dtype.kind == "f" else 0)
    merged[keep] = before[keep]
    return merged


def damaged_vectors(connection: Connection) -> dict[int, dict[int, str]]:
    """Return the texts whose vectors are damaged, by responder and text id."""
    damaged = damaged_portions(connection)
    bodies: defaultdict[int, dict[int, str]] = defaultdict(dict)
    if not {"text", "responder", "grader"} & damaged.keys():
        for part in damaged.get("embedding", ()):
            responder, text_id = map(int, part.split("/"))
            select = "SELECT body FROM text WHERE text_id = ?"
            for body in column(connection, select, text_id):
                bodies[responder][text_id] = body
    return bodies


def replace_vectors(
    connection: Connection, responder_id: int, vectors: Mapping[str, Vectors]
) -> None:
    """Replace the stored vectors of these texts, given by content key."""
    select = "SELECT text_id FROM text WHERE sha256 = ?"
    with write_transaction(connection):
        for key in vectors:
            (text_id,) = column(connection, select, key)
            key_columns = responder_id, text_id
            delete = "DELETE FROM embedding WHERE responder_id = ? AND text_id = ?"
            connection.execute(delete, key_columns)
            connection.execute(
                "DELETE FROM digest WHERE of = 'embedding' AND part = ?",
                ("/".join(map(str, key_columns)),),
            )
    EmbeddingCache(connection, responder_id).put_many(vectors)
