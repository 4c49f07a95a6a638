"""Rebuild rows that follow from others: what a damaged workspace can be repaired of.

Questions and marks follow from the history, ratings from responses and vectors, lengths
and word frequencies from texts, indexes from tables. Everything else stays as it is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from sqlite3 import Connection

from curator.formats.text.records import described
from curator.store import bank as store_bank
from curator.store import grades as store_grades
from curator.store import versions
from curator.store.bundles.integrity import (
    NOT_READ,
    WrongVector,
    has_frequencies,
    history_problems,
    read_state_of_events,
    wrong_vectors,
)
from curator.store.connection import column, write_transaction
from curator.store.damage import new_schema, pieces_of, schema, text_problems
from curator.store.grades import Vector
from curator.store.texts import letters_of
from grading.ratings import NOT_ASKED


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
    """Rebuild all rows that do not follow from others as they should.

    Call within a write transaction. Yields a sentence for each repair.
    """
    yield from _repair_lengths(connection)
    yield from _repair_frequencies(connection)
    yield from _repair_bank(connection)
    yield from _repair_ratings(connection)
    scopes = ("collection", "graders", "generation", "releases")
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


def _repair_lengths(connection: Connection) -> Iterator[str]:
    changes = connection.total_changes
    for text_id in column(connection, "SELECT text_id FROM text"):
        with suppress(UnicodeDecodeError):
            letters = sum(map(letters_of, pieces_of(connection, text_id)))
            update = "UPDATE text SET letters = ?1 WHERE text_id = ?2 AND letters <> ?1"
            connection.execute(update, (letters, text_id))
    if connection.total_changes > changes:
        yield "the lengths of texts: counted again"


def _repair_frequencies(connection: Connection) -> Iterator[str]:
    for spec in store_grades.read_graders(connection).values():
        if has_frequencies(connection, spec):
            continue
        key, counted = (
            spec.reading.frequencies,
            store_grades.count_frequencies(connection),
        )
        if counted.key == key:  # the passages are those of then
            connection.execute("DELETE FROM frequencies WHERE sha256 = ?", (key,))
            store_grades.write_frequencies(connection, counted)
            yield f"word frequencies of {spec.name}: counted again"


def _repair_bank(connection: Connection) -> Iterator[str]:
    if not any(history_problems(connection)):
        return
    history = read_state_of_events(connection)
    connection.execute("PRAGMA defer_foreign_keys = ON")
    connection.execute("DELETE FROM question")
    store_bank.write_questions(connection, history.questions.values())
    connection.execute("DELETE FROM mark")
    connection.executemany(
        "INSERT INTO mark VALUES (?, ?, ?, ?, ?, ?)", history.marks.values()
    )
    yield "questions and marks: written again from the history"


def _repair_ratings(connection: Connection) -> Iterator[str]:
    """Derive wrong ratings again; remove those of graders that compute them.

    Vectors of texts may be what is damaged, so they are removed, too: the grader
    computes both again.
    """
    if any(text_problems(connection)):
        return  # ratings of changed texts would be computed
    by_scope: defaultdict[tuple[int, str], list[WrongVector]] = defaultdict(list)
    for vector in wrong_vectors(connection):
        by_scope[vector.grader_id, vector.query_id].append(vector)
    for (grader_id, query_id), vectors in by_scope.items():
        spec = vectors[0].spec
        owner = f"the ratings of {spec.name} for query {described(query_id)}"
        if spec.computed:
            _forget_computed(connection, grader_id, query_id)
            yield f"{owner}: removed; `curator grade` computes them again"
            continue
        derived = {
            vector.item: _readable(vector.derived, vector.stored)
            for vector in vectors
            if vector.derived is not None
        }
        connection.executemany(
            "DELETE FROM rating_vector WHERE grader_id = ? AND query_id = ? "
            "AND item_id = ? AND key_id = ?",
            [(grader_id, query_id, *item) for item in derived],
        )
        store_grades.write_vectors(connection, grader_id, query_id, derived)
        if derived:
            yield f"{owner}: derived again"


def _forget_computed(connection: Connection, grader_id: int, query_id: str) -> None:
    """Delete a grader's ratings in a query, and the vectors of the texts there."""
    connection.execute(
        "DELETE FROM embedding WHERE text_id IN (SELECT text_id FROM pool "
        "JOIN passage ON passage.number = pool.passage WHERE query_id = ?1 UNION "
        "SELECT item.text_id FROM rating_vector JOIN item USING (item_id) "
        "WHERE query_id = ?1)",
        (query_id,),
    )
    connection.execute(
        "DELETE FROM rating_vector WHERE grader_id = ? AND query_id = ?",
        (grader_id, query_id),
    )


def _readable(derived: Vector, stored: Vector) -> Vector:
    """Return the derived vector, with stored grades where it was not read again."""
    vector = derived.copy()
    unread = vector == NOT_READ
    vector[unread] = NOT_ASKED
    common = min(len(vector), len(stored))
    vector[:common][unread[:common]] = stored[:common][unread[:common]]
    return vector
