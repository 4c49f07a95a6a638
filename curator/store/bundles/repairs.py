"""Rebuild rows that follow from others: what a damaged workspace can be repaired of.

Questions and marks follow from the history, ratings from responses and vectors, lengths
and word frequencies from texts, indexes from tables. Everything else stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from sqlite3 import Connection

from curator.formats.text.records import described
from curator.store import bank as store_bank
from curator.store import grades as store_grades
from curator.store import versions
from curator.store.bundles.integrity import (
    has_frequencies,
    history_problems,
    read_state_of_events,
    wrong_vectors,
)
from curator.store.connection import column, grouped, write_transaction
from curator.store.damage import new_schema, schema, text_problems
from curator.store.texts import letters_of


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
    versions.bump_all(connection)


def _repair_lengths(connection: Connection) -> Iterator[str]:
    select = "SELECT text_id, letters, CAST(body AS BLOB) FROM text"
    wrong = [
        (length, text_id)
        for text_id, letters, body in connection.execute(select)
        if (length := letters_of(body.decode(errors="replace"))) != letters
    ]
    update = "UPDATE text SET letters = ? WHERE text_id = ?"
    connection.executemany(update, wrong)
    if wrong:
        yield "the lengths of texts: counted again"


def _repair_frequencies(connection: Connection) -> Iterator[str]:
    counted = store_grades.count_frequencies(connection)
    for spec in store_grades.read_graders(connection).values():
        key = spec.reading.frequencies
        # The key tells if the passages are those of then.
        if counted.key == key and not has_frequencies(connection, spec):
            connection.execute("DELETE FROM frequencies WHERE sha256 = ?", (key,))
            store_grades.write_frequencies(connection, counted)
            yield f"word frequencies of {spec.name}: counted again"


def _repair_bank(connection: Connection) -> Iterator[str]:
    if not any(history_problems(connection)):
        return
    questions, marks = read_state_of_events(connection)
    connection.execute("PRAGMA defer_foreign_keys = ON")
    connection.execute("DELETE FROM question")
    store_bank.write_questions(connection, questions.values())
    connection.execute("DELETE FROM mark")
    connection.executemany("INSERT INTO mark VALUES (?, ?, ?, ?, ?, ?)", marks.values())
    yield "questions and marks: written again from the history"


def _repair_ratings(connection: Connection) -> Iterator[str]:
    """Derive wrong ratings again; remove those of graders that compute them.

    Vectors of texts may be what is damaged, so they are removed, too: the grader
    computes both again.
    """
    if any(text_problems(connection)):
        return  # ratings of changed texts would be computed
    by_scope = grouped(
        ((wrong.grader_id, wrong.query_id), wrong)
        for wrong in wrong_vectors(connection)
    )
    for (grader_id, query_id), vectors in by_scope.items():
        spec = vectors[0].spec
        owner = f"the ratings of {spec.name} for query {described(query_id)}"
        scope = "grader_id = ? AND query_id = ?", (grader_id, query_id)
        derived = {
            wrong.item: wrong.derived
            for wrong in vectors
            if wrong.derived is not None and not spec.computed
        }
        if spec.computed:
            connection.execute(
                "DELETE FROM embedding WHERE text_id IN (SELECT text_id FROM pool "
                "JOIN passage ON passage.number = pool.passage WHERE query_id = ?1 "
                "UNION SELECT item.text_id FROM rating_vector "
                "JOIN item USING (item_id) WHERE query_id = ?1)",
                (query_id,),
            )
            connection.execute(f"DELETE FROM rating_vector WHERE {scope[0]}", scope[1])
            yield f"{owner}: removed; `curator grade` computes them again"
        elif derived:
            delete = f"DELETE FROM rating_vector WHERE {scope[0]}"
            connection.executemany(
                f"{delete} AND item_id = ? AND key_id = ?",
                [(*scope[1], *item) for item in derived],
            )
            store_grades.write_vectors(connection, grader_id, query_id, derived)
            yield f"{owner}: derived again"
