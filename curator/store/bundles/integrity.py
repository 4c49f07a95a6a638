"""Verification: all derived data are derived again and compared; and their repair.

Also checks row by row what STRICT and CHECKs leave open and this program relies on. A
workspace holds only what this program wrote; a bundle may have been written by anybody,
and is checked like this before it is accepted.

A damaged workspace can be repaired where rows follow from others: questions and marks
from the history, ratings from responses and vectors, lengths and word frequencies from
texts, indexes from tables. Everything else stays as it is.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from sqlite3 import Connection
from typing import Any

import numpy as np

from curator.bank.changes import is_time
from curator.bank.questions import Question
from curator.errors import CuratorError, WorkspaceError
from curator.formats.text.records import NOT_IN_IDS, NOT_IN_NAMES, described
from curator.results import Result, computed
from curator.store import bank as store_bank
from curator.store import grades as store_grades
from curator.store import texts as store_texts
from curator.store import versions
from curator.store.collection import pool_texts
from curator.store.connection import (
    column,
    grouped,
    read_transaction,
    without_mmap,
    write_transaction,
)
from curator.store.damage import (
    MALFORMED_ROW_ERRORS,
    damage_message,
    file_problems,
    name_of_item,
    new_schema,
    schema,
    text_problems,
)
from curator.store.grades import ItemKey, Vector
from curator.store.history import read_events
from curator.store.texts import answers_from, letters_of
from grading.errors import GradingError, InvalidItemError, InvalidSpecError
from grading.items import Item
from grading.keys import answer_key_key, item_key
from grading.ratings import NOT_ASKED, ratings_of
from grading.registry import computed_grader
from grading.responders import GraderSpec, Responder


@dataclass(frozen=True)
class LineDifference:
    """A line in which the file and the new computation differ; None if missing.

    ``line`` is its number in the file, None for a line that the file lacks.
    """

    line: int | None
    there: str | None
    here: str | None


@dataclass(frozen=True)
class FileCheck:
    """Comparison of one file: its numbers, the differing lines, the first of them.

    ``problem`` says why it could not be compared at all, "" where it could.
    """

    path: str
    numbers: int
    differing: int = 0
    lines: tuple[LineDifference, ...] = ()
    problem: str = ""

    @property
    @computed()
    def equal(self) -> bool:
        return not (self.differing or self.problem)


@dataclass(frozen=True)
class Verification(Result[str], table="files.verification_table"):
    """The number of objects checked, and one sentence for every problem.

    ``files`` are exported files whose numbers were computed again, ``notes`` sentences
    that are no problems. ``torn``: the file is inconsistent, so that no number can be
    computed from it.
    """

    texts: int
    items: int
    vectors: int
    problems: tuple[str, ...]
    files: tuple[FileCheck, ...] = ()
    notes: tuple[str, ...] = ()
    torn: bool = False


def verify_file(connection: Connection) -> Verification:
    """Check a file: its pages, keys, values, and all that follows from other rows.

    Texts, items and answer keys are compared with their content keys, questions and
    marks with the history. Every rating vector is derived again, from responses by each
    grader's reading, or from the stored vectors of texts.
    """
    with without_mmap(connection), read_transaction(connection):
        problems = file_problems(connection)
        if any(problem.startswith("SQLite") for problem in problems):
            # Nothing else can be read.
            return Verification(0, 0, 0, tuple(problems), torn=True)
        all_problems = [*problems]
        try:
            all_problems.extend(_row_problems(connection))
            all_problems += (vector.problem for vector in wrong_vectors(connection))
        except (*MALFORMED_ROW_ERRORS, CuratorError, GradingError) as error:
            all_problems.append(f"rows that cannot be read: {error}")
        texts, items, vectors = (
            column(connection, f"SELECT count(*) FROM {table}")[0]
            for table in ("text", "item", "rating_vector")
        )
    return Verification(texts, items, vectors, tuple(all_problems), torn=bool(problems))


@contextmanager
def ignore_errors_after(problems: Collection[str]) -> Iterator[None]:
    """Ignore errors of a block if problems were found already."""
    try:
        yield
    except (*MALFORMED_ROW_ERRORS, CuratorError, GradingError):
        if not problems:
            raise


def raise_if_damaged(error: BaseException, path: Path, connection: Connection) -> None:
    """Raise WorkspaceError if damage of the file caused ``error``.

    Only errors that reading malformed rows can raise are examined.
    """
    malformed = (*MALFORMED_ROW_ERRORS, InvalidItemError, InvalidSpecError)
    if not isinstance(error, malformed) or isinstance(error, CuratorError):
        return
    if connection.in_transaction:
        connection.rollback()
    try:
        problems = file_problems(connection)
        problems = problems or [*islice(_row_problems(connection), 1)]
    except malformed as unreadable:
        problems = [f"it cannot be read ({unreadable})"]
    if problems:
        damage = " ".join(problems[0].split())
        raise WorkspaceError(damage_message(path, damage)) from error


def _row_problems(connection: Connection) -> Iterator[str]:
    for check in (text_problems, content_problems, _wrong_keys, history_problems):
        yield from check(connection)


def _wrong_keys(connection: Connection) -> Iterator[str]:
    """Yield a sentence for each answer key and item that lost its content key."""
    for stored, answers in connection.execute(
        "SELECT sha256, answers FROM answer_key WHERE key_id > 0"
    ):
        if answer_key_key(answers_from(answers)) != stored:
            yield f"the answer key {described(answers)} is not the one that was stored"
    for item_id, stored, kind, text, choices, *other_columns in connection.execute(
        "SELECT item_id, item.sha256, kind, body, choices, candidate, public_id "
        "FROM item LEFT JOIN text USING (text_id)"
    ):
        pairs = tuple((letter, choice) for letter, choice in json.loads(choices))
        if item_key(Item(kind, text, pairs, *other_columns)) != stored:
            name = name_of_item(connection, item_id)
            yield f"{name} is not the {kind} that was stored"
    for name, key, description, responder_key, responder in connection.execute(
        "SELECT name, grader.sha256, grader.spec, responder.sha256, responder.spec "
        "FROM grader JOIN responder USING (responder_id)"
    ):
        spec = GraderSpec.from_json(json.loads(description))
        keys = spec.name, spec.key, spec.responder.key
        stored_responder = Responder.from_json(json.loads(responder))
        if keys != (name, key, responder_key) or stored_responder != spec.responder:
            yield f"the grader '{name:.60}' does not match its description"
        if not has_frequencies(connection, spec):
            yield f"the word frequencies of {spec.name} are not those that it read"


def has_frequencies(connection: Connection, spec: GraderSpec) -> bool:
    """Return True if the word frequencies of the grader, if any, are as stored."""
    key = spec.reading.frequencies
    return not key or store_grades.read_frequencies(connection, key).key == key


def history_problems(connection: Connection) -> Iterator[str]:
    """Yield a sentence for questions and marks that do not follow from the history."""
    questions, marks = read_state_of_events(connection)
    stored = {
        question.question_id: replace(question, votes=())
        for question in store_bank.read_bank(connection)
    }
    changed = {*stored.values()} ^ {*questions.values()}
    misplaced = column(
        connection,
        "SELECT question_id FROM question WHERE number IS NOT (SELECT min(event_id) "
        "FROM event WHERE event.question_id = question.question_id)",
    )
    changed.update(map(stored.__getitem__, misplaced))
    for query_id in sorted({question.query_id for question in changed}):
        yield f"the questions of query '{query_id}' do not follow from the history"
    rows = {*connection.execute("SELECT * FROM mark")} ^ {*marks.values()}
    for query_id, kind in sorted({row[:2] for row in rows}):
        yield f"a {kind} mark of query '{query_id}' does not follow from the history"


def read_state_of_events(
    connection: Connection,
) -> tuple[dict[str, Question], dict[tuple[Any, ...], tuple[Any, ...]]]:
    """Derive the current questions by id and the rows of marks from all events."""
    questions: dict[str, Question] = {}
    marks: dict[tuple[Any, ...], tuple[Any, ...]] = {}
    for event in reversed(read_events(connection)):
        change = event.change
        if change.mark is None:
            questions.pop(change.question_id or "", None)
            if change.after:
                questions[change.question_id or ""] = replace(change.after, votes=())
        elif change.mark.kind:
            row = store_bank.mark_row(
                change.query_id, change.mark, by=event.by, at=event.at
            )
            key = row[: 3 if change.mark.is_shared else 4]
            marks.pop(key, None)
            if change.mark.after:
                marks[key] = row
    return questions, marks


@dataclass(frozen=True)
class WrongVector:
    """A stored vector that does not follow from its sources; ``derived`` does."""

    grader_id: int
    spec: GraderSpec
    query_id: str
    item: ItemKey
    stored: Vector
    derived: Vector | None
    problem: str


def wrong_vectors(connection: Connection) -> Iterator[WrongVector]:
    """Yield the rating vectors that do not follow from responses or texts."""
    for grader_id, spec in store_grades.read_graders(connection).items():
        if not has_frequencies(connection, spec):
            continue
        stored = store_grades.stored_vectors(connection, grader_id)
        mismatched = set(_mismatched_probabilities(connection, grader_id))
        responder_id = store_grades.responder_id_of(connection, grader_id)
        for query_id, by_item in stored.items():
            rebuilt = rebuilt_vectors(
                connection, spec, responder_id, query_id, list(by_item)
            )
            for item, vector in by_item.items():
                derived = rebuilt.get(item)
                if (
                    derived is None
                    or (query_id, item) in mismatched
                    or not _is_consistent(spec, derived, vector)
                ):
                    problem = (
                        f"ratings of {spec.name} for query {query_id}, "
                        f"{name_of_item(connection, item[0])} do not follow from what "
                        "is stored"
                    )
                    yield WrongVector(
                        grader_id, spec, query_id, item, vector, derived, problem
                    )


def _mismatched_probabilities(
    connection: Connection, grader_id: int
) -> Iterator[tuple[str, ItemKey]]:
    """Yield the vectors whose ratings are not those of their probabilities."""
    for query_id, item_id, key_id, ratings, probability in connection.execute(
        "SELECT query_id, item_id, key_id, ratings, probability FROM rating_vector "
        "WHERE grader_id = ? AND probability IS NOT NULL",
        (grader_id,),
    ):
        vector = np.frombuffer(probability, dtype="<f4")
        if not np.all(vector <= 1) or ratings_of(vector).tobytes() != ratings:
            yield query_id, (item_id, key_id)


def rebuilt_vectors(
    connection: Connection,
    spec: GraderSpec,
    responder_id: int,
    query_id: str,
    items: list[ItemKey],
) -> Mapping[ItemKey, Vector]:
    """Derive vectors from responses or embeddings, for those items that have them."""
    if not spec.computed:
        return store_grades.vectors_from_responses(
            connection, responder_id, spec.reading, query_id, items
        )
    keyed_items = store_texts.keyed_items(connection, items)
    texts = [text for _, _, text in pool_texts(connection, query_id)]
    grader = computed_grader(
        spec,
        cache=store_grades.EmbeddingCache(connection, responder_id),
        frequencies=store_grades.read_frequencies(connection, spec.reading.frequencies),
    )
    # Without its vector an item has no grades; nor has a passage that was left out, or
    # that joined the pool later.
    has_vector = grader.has_vectors([keyed_items[key][0] for key in items], texts)
    items = [
        key
        for key, item_has_vector in zip(items, has_vector, strict=False)
        if item_has_vector and keyed_items[key][0].text is not None
    ]
    graded = np.flatnonzero(has_vector[len(keyed_items) :])
    new_grades = grader.grade(
        [keyed_items[key][0] for key in items],
        [texts[position] for position in graded],
        [keyed_items[key][1] for key in items],
    )
    grades = np.full((len(items), len(texts)), NOT_ASKED, dtype=new_grades.dtype)
    grades[:, graded] = new_grades
    return dict(zip(items, grades, strict=True))


TOLERANCE = 1e-5  # for probabilities: sums of float32 differ in their last digits


def _is_consistent(spec: GraderSpec, derived: Vector, stored: Vector) -> bool:
    """Return True if the stored vector agrees with the derived one.

    The pool may have grown since our own grader read it, and a question may have been
    asked in another query since; imported grades are derived again with every import.
    """
    if spec.reading.is_imported:
        return np.array_equal(derived, stored)
    if len(derived) < len(stored):
        return False
    compared = stored != NOT_ASKED
    distance = np.abs(derived[: len(stored)][compared] - stored[compared])
    return bool((distance <= (TOLERANCE if stored.dtype.kind == "f" else 0)).all())


_LONGEST_NAME = 1000  # characters; real names are shorter


def _is_name(value: str) -> bool:
    blank_or_long = not value.strip() or len(value) > _LONGEST_NAME
    return not (blank_or_long or NOT_IN_NAMES.search(value))


def _is_id(value: str) -> bool:
    return not NOT_IN_IDS.search(value)


_CHECKS: Mapping[str, Callable[[str], bool]] = {
    "query.query_id subtopic.subtopic_id passage.passage_id question.question_id": (
        _is_id
    ),
    "system.system official.system batch.by generation.by generation.model "
    "norming_round.opened_by norming_round.revealed_by norming_round.closed_by "
    "release.by release.name grader.name": _is_name,
    "batch.at mark.at generation.at release.at norming_round.opened_at "
    "norming_round.revealed_at norming_round.closed_at": is_time,
}
"""Checks of the values of columns."""

_ROW_PROBLEMS = {
    "extra fields that are not an object": (
        "SELECT key FROM extra WHERE json_type(json) <> 'object' "
        "AND entity <> 'official_score'"
    ),
    "a pool with a gap, or a passage without a text in it": (
        "SELECT query_id FROM pool JOIN passage ON passage.number = pool.passage "
        "GROUP BY query_id "
        "HAVING count(*) <> max(position) + 1 OR count(text_id) <> count(*)"
    ),
    "a gold article that is not in the pool": (
        "SELECT query_id FROM gold WHERE NOT EXISTS (SELECT 1 FROM pool WHERE "
        "pool.query_id = gold.query_id AND pool.passage = gold.passage)"
    ),
    "a mark on a passage outside its pool": (
        "SELECT query_id FROM mark WHERE json_type(target, '$.passage_id') IS NOT NULL "
        "AND NOT EXISTS (SELECT 1 FROM pool JOIN passage "
        "ON passage.number = pool.passage WHERE pool.query_id = mark.query_id "
        "AND passage_id = target ->> 'passage_id')"
    ),
    "a mark outside its passage": (
        "SELECT query_id FROM mark JOIN passage ON passage_id = target ->> 'passage_id'"
        " LEFT JOIN text USING (text_id) WHERE max(target ->> 'start', "
        "ifnull(target ->> 'end', 0)) > length(body)"
    ),
    "a norming round whose items do not fit together": (
        "SELECT round_id FROM norming_round LEFT JOIN norming_item USING (round_id) "
        "GROUP BY round_id HAVING count(place) <> ifnull(max(place), 0) + 1 OR sum("
        "(question_id IS NULL) <> (asks = 'passages') "
        "OR (passage_id IS NULL) <> (asks = 'votes'))"
    ),
    "a subtopic that its query does not have": (
        "SELECT question_id FROM question WHERE subtopic_id IS NOT NULL "
        "AND NOT EXISTS (SELECT 1 FROM subtopic "
        "WHERE subtopic.query_id = question.query_id "
        "AND subtopic.subtopic_id = question.subtopic_id)"
    ),
}


def content_problems(connection: Connection) -> Iterator[str]:
    """Yield a sentence for unsafe names and for references that SQLite cannot check."""
    for columns, is_valid in _CHECKS.items():
        for table, name in (entry.split(".") for entry in columns.split()):
            select = f'SELECT DISTINCT "{name}" FROM "{table}" WHERE "{name}" NOTNULL'
            for value in column(connection, select):
                if not is_valid(value):
                    yield f"a row of {table} has an invalid {name}: {value!r:.80}"
    for fault, query in _ROW_PROBLEMS.items():
        for (name,) in connection.execute(query):
            yield f"'{name}' has {fault}"
    yield from _wrong_rankings(connection)


def _wrong_rankings(connection: Connection) -> Iterator[str]:
    existing = {*column(connection, "SELECT number FROM passage")}
    for query_id, numbers in connection.execute(
        "SELECT query_id, passages FROM ranking UNION ALL "
        "SELECT query_id, passages FROM subtopic_ranking"
    ):
        passages = np.abs(np.frombuffer(numbers, dtype="<i4").astype(np.int64))
        if not set(passages[passages > 0].tolist()) <= existing:
            yield f"a ranking of '{query_id}' has a missing passage"


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
