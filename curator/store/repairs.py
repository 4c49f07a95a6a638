"""What follows from the rest of a file, put in the place of what was damaged.

Questions and what judges marked follow from the history, ratings from responses and
vectors, lengths and word frequencies from texts, indexes from tables. Each is derived
only from what is as it was written, and kept only if it is what was there by its
digest; of ratings and vectors a model may give other last digits. What would come out
otherwise is left as it stands.
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
from curator.store.bundles.integrity import CLOSE, NOT_READ, rebuilt_vectors
from curator.store.connection import column, exclusive
from curator.store.damage import HARM, OF_ROWS, new_schema, pieces_of, schema
from curator.store.grades import EmbeddingCache, ItemKey, Vector
from curator.store.history import read_events
from curator.store.texts import letters_of
from grading.ratings import NOT_ASKED
from grading.responders import GraderSpec
from grading.similarity import Vectors

Connection = sqlite3.Connection
Parts = Mapping[str, set[str]]
"""The portions that are not as they were written, by table."""

_RESTS_ON = {
    "bank": {"event", "batch", "query", "text"},
    "marks": {"event", "batch", "query", "text", "passage", "pool", "question"},
    "ratings": {"response", "embedding", "item", "answer_key", "text", "passage"}
    | {"pool", "responder", "grader", "frequencies", "question"},
}


def differing_parts(connection: Connection) -> Parts:
    """The portions whose rows are not those that were written, by table."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for table, part in digests.differing(connection):
        found[table].add(part)
    return found


def mend_indexes(connection: Connection) -> list[str]:
    """Make indexes of their tables again where SQLite finds one missing or wrong."""
    found = column(connection, "PRAGMA integrity_check")
    there, mended = schema(connection), []
    for name, sql in new_schema().items():
        if name.startswith("index ") and name not in there:
            with exclusive(connection):
                connection.execute(sql)
            mended.append(f"the {name}: made again")
    if found != ["ok"] and all("index" in line for line in found):
        with exclusive(connection):
            connection.execute("REINDEX")
        mended.append("indexes: made again of their tables")
    return mended


def mend_rows(connection: Connection) -> Iterator[str]:
    """Mend all that follows from other rows, but vectors; in a write transaction.

    A sentence for each thing that was mended.
    """
    steps: tuple[Callable[[Connection, Parts], Iterator[str]], ...]
    steps = (_lengths, _frequencies, _bank, _marks, _ratings)
    for step in steps:
        yield from step(connection, differing_parts(connection))
    scopes = ("collection", "graders", "generation", "releases", "norming")
    queries = column(connection, "SELECT query_id FROM query")
    graders = column(connection, "SELECT grader_id FROM grader")
    versions.bump(connection, [*scopes, *map(versions.bank, queries)])
    versions.bump(connection, [versions.grades(g, q) for g in graders for q in queries])


def _kept(connection: Connection, table: str, mend: Callable[[], object]) -> bool:
    """Whether the table came out as it was written; it is left as it stands if not."""
    select = "SELECT part, value FROM digest WHERE of = ? AND value <> 0"
    stored = dict(connection.execute(select, (table,)))
    connection.execute("SAVEPOINT mending")
    try:
        connection.execute("PRAGMA defer_foreign_keys = ON")
        mend()
        digests.renew(connection, [table])
        kept = dict(connection.execute(select, (table,))) == stored
    except (*HARM, *OF_ROWS, CuratorError):
        kept = False
    if not kept:
        connection.execute("ROLLBACK TO mending")
    connection.execute("RELEASE mending")
    return kept


def _lengths(connection: Connection, wrong: Parts) -> Iterator[str]:
    if "text" not in wrong:
        return

    def mend() -> None:
        for text_id in column(connection, "SELECT text_id FROM text"):
            letters = sum(map(letters_of, pieces_of(connection, text_id)))
            update = "UPDATE text SET letters = ?1 WHERE text_id = ?2 AND letters <> ?1"
            connection.execute(update, (letters, text_id))

    if _kept(connection, "text", mend):
        yield "the lengths of texts: counted again"


def _frequencies(connection: Connection, wrong: Parts) -> Iterator[str]:
    if "frequencies" not in wrong or {"text", "passage"} & wrong.keys():
        return

    def mend() -> None:
        connection.execute("DELETE FROM frequencies")
        found = store_grades.counted_frequencies(connection)
        store_grades.write_frequencies(connection, found)

    if _kept(connection, "frequencies", mend):
        yield "word frequencies: counted again"


def _bank(connection: Connection, wrong: Parts) -> Iterator[str]:
    if "question" not in wrong or _RESTS_ON["bank"] & wrong.keys():
        return

    def mend() -> None:
        last: dict[str, Question | None] = {}
        for event in reversed(read_events(connection)):
            if event.change.mark is None:
                last[event.change.question_id or ""] = event.change.after
        connection.execute("DELETE FROM question")
        store_bank.write_questions(connection, filter(None, last.values()))

    if _kept(connection, "question", mend):
        yield "questions: written again from the history"


def _marks(connection: Connection, wrong: Parts) -> Iterator[str]:
    for table in store_bank.MARKS.values():
        if table not in wrong or _RESTS_ON["marks"] & wrong.keys():
            continue

        def mend(table: str = table) -> None:
            connection.execute(f"DELETE FROM {table}")
            for event in reversed(read_events(connection)):
                mark, query_id = event.change.mark, event.change.query_id
                if mark is not None and store_bank.MARKS[type(mark)] == table:
                    store_bank.write_mark(
                        connection, query_id, mark, by=event.by, at=event.at
                    )

        if _kept(connection, table, mend):
            yield f"the rows of {table}: written again from the history"


def _ratings(connection: Connection, wrong: Parts) -> Iterator[str]:
    if _RESTS_ON["ratings"] & wrong.keys():
        return
    graders = store_grades.read_graders(connection)
    for part in sorted(wrong.get("rating_vector", ())):
        number, _, query_id = part.partition("/")
        spec = graders[int(number)]
        if spec.combined:
            continue
        stored = {
            item: vector
            for (of, item), vector in store_grades.stored_vectors(
                connection, int(number)
            ).items()
            if of == query_id
        }
        found = _derived(connection, int(number), spec, query_id, stored)
        place = int(number), query_id
        if _ratings_kept(connection, *place, stored, found, computed=spec.computed):
            of = f"of {spec.name} for query {described(query_id)}"
            yield f"the ratings {of}: derived again"


def _derived(
    connection: Connection,
    grader_id: int,
    spec: GraderSpec,
    query_id: str,
    stored: Mapping[ItemKey, Vector],
) -> Mapping[ItemKey, Vector]:
    """What follows for the items that have a vector, and for the query's questions."""
    checked = spec.reading.looks_at_keys
    asked = {
        (item_id, key_id if checked else 0)
        for item_id, key_id in connection.execute(
            "SELECT item_id, key_id FROM question WHERE query_id = ?", (query_id,)
        )
    }
    responder_id = store_grades.responder_id_of(connection, grader_id)
    items = sorted(stored.keys() | asked)
    return rebuilt_vectors(connection, spec, responder_id, query_id, items)


def _ratings_kept(
    connection: Connection,
    grader_id: int,
    query_id: str,
    stored: Mapping[ItemKey, Vector],
    found: Mapping[ItemKey, Vector],
    *,
    computed: bool,
) -> bool:
    """Whether the vectors are derived now: those that were written, by their digest.

    If none of what was tried is: what a grader that computes gives, where all follows.
    """
    part = f"{grader_id}/{query_id}"
    theirs = "grader_id = ? AND query_id = ?"
    select = "SELECT value FROM digest WHERE of = 'rating_vector' AND part = ?"
    digest = column(connection, select, part)
    joined = {
        item: _joined(found[item], before) if item in found else before
        for item, before in stored.items()
    }
    new = {item: again for item, again in found.items() if np.any(again != NOT_ASKED)}
    follows = (
        computed
        and stored.keys() <= found.keys()
        and not any(np.any(again == NOT_READ) for again in found.values())
    )
    for tried, is_sure in ((joined, False), (new, False), (new | joined, follows)):
        connection.execute("SAVEPOINT mending")
        connection.execute(f"DELETE FROM rating_vector WHERE {theirs}",
                           (grader_id, query_id))  # fmt: skip
        connection.execute(
            "DELETE FROM digest WHERE of = 'rating_vector' AND part = ?", (part,)
        )
        vectors = {item: _asked_only(vector) for item, vector in tried.items()}
        store_grades.write_vectors(connection, grader_id, query_id, vectors)
        if is_sure or column(connection, select, part) == digest:
            connection.execute("RELEASE mending")
            return True
        connection.execute("ROLLBACK TO mending")
        connection.execute("RELEASE mending")
    return False


def _asked_only(vector: Vector) -> Vector:
    """With a gap where a stored response could not be read."""
    vector = vector.copy()
    vector[vector == NOT_READ] = NOT_ASKED
    return vector


def _joined(again: Vector, before: Vector) -> Vector:
    """What was derived again, but gaps and digits that differ by rounding alone."""
    if len(before) > len(again) or before.dtype != again.dtype:
        return again
    known = again[: len(before)].copy()
    same = (known == NOT_READ) | (before == NOT_ASKED)
    same |= np.abs(known - before) <= (CLOSE if before.dtype.kind == "f" else 0)
    known[same] = before[same]
    return known


def damaged_vectors(connection: Connection) -> dict[int, dict[int, str]]:
    """Texts whose vectors are not those that were stored: by responder, by text id."""
    wrong = differing_parts(connection)
    found: defaultdict[int, dict[int, str]] = defaultdict(dict)
    if not {"text", "responder", "grader"} & wrong.keys():
        for part in wrong.get("embedding", ()):
            responder, text_id = map(int, part.split("/"))
            select = "SELECT body FROM text WHERE text_id = ?"
            for body in column(connection, select, text_id):
                found[responder][text_id] = body
    return found


def replace_vectors(
    connection: Connection, responder_id: int, vectors: Mapping[str, Vectors]
) -> None:
    """Store these texts' vectors, by content key, in place of those that stand."""
    texts = "SELECT text_id FROM text WHERE sha256 = ?"
    with exclusive(connection):
        for key in vectors:
            (text_id,) = column(connection, texts, key)
            theirs = responder_id, text_id
            out = "DELETE FROM embedding WHERE responder_id = ? AND text_id = ?"
            connection.execute(out, theirs)
            connection.execute(
                "DELETE FROM digest WHERE of = 'embedding' AND part = ?",
                ("/".join(map(str, theirs)),),
            )
    EmbeddingCache(connection, responder_id).put_many(vectors)
