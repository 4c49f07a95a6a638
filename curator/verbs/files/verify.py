"""``verify``: everything derived is derived again and compared."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter, defaultdict
from dataclasses import dataclass

import numpy as np

from curator.formats.text.notices import counted
from curator.formats.text.records import described
from curator.store import collection as store_collection
from curator.store import grades as store_grades
from curator.store.connection import snapshot
from curator.store.grades import ItemKey
from curator.store.texts import letters_of
from grading.graders import embedding
from grading.items import Item
from grading.keys import answer_key_key, item_key, text_key
from grading.ratings import NOT_ASKED
from grading.responders import AS_GIVEN, GraderSpec


@dataclass(frozen=True)
class LineDiffers:
    """A line as the file has it and as it is computed here; None where one has none.

    ``line`` is the number of the line there, None for one that is only here.
    """

    line: int | None
    there: str | None
    here: str | None


@dataclass(frozen=True)
class FileCheck:
    """One file compared: its numbers, how many lines differ, and the first of these.

    ``problem`` says why it could not be compared at all, "" where it could.
    """

    path: str
    numbers: int
    differing: int = 0
    lines: tuple[LineDiffers, ...] = ()
    problem: str = ""

    @property
    def equal(self) -> bool:
        """Whether every line is computed here as it stands there."""
        return not (self.differing or self.problem)


@dataclass(frozen=True)
class Verification:
    """How much was checked, and one sentence for everything that is not as it was.

    ``files`` are exported files whose numbers were computed again, ``notes`` sentences
    on what is no problem. ``torn``: the file does not hold together, so that no number
    can be computed from it.
    """

    texts: int
    items: int
    vectors: int
    problems: tuple[str, ...]
    files: tuple[FileCheck, ...] = ()
    notes: tuple[str, ...] = ()
    torn: bool = False


def verify_file(connection: sqlite3.Connection) -> Verification:
    """Re-hash every text, item and key; rebuild every rating vector; check the file.

    Vectors are rebuilt from responses by each grader's reading, those of embedding
    graders from the stored vectors.
    """
    with snapshot(connection):
        problems = file_problems(connection)
        if any(problem.startswith("SQLite") for problem in problems):
            # The rest cannot be read.
            return Verification(0, 0, 0, tuple(problems), torn=True)
        texts, wrong_texts = _check_texts(connection)
        items, wrong_items = _check_items(connection)
        vectors, wrong_vectors = _check_vectors(connection)
    wrong = (*problems, *wrong_texts, *wrong_items, *wrong_vectors)
    return Verification(texts, items, vectors, wrong, torn=bool(problems))


def file_problems(connection: sqlite3.Connection) -> list[str]:
    """What SQLite finds wrong with the file, or rows that refer to none."""
    try:
        found = [row[0] for row in connection.execute("PRAGMA integrity_check")]
    except sqlite3.DatabaseError as error:
        found = [str(error)]
    problems = [
        f"SQLite: {line}" for said in found if said != "ok" for line in said.split("\n")
    ]
    if problems:
        return problems
    missing = Counter(
        (table, parent)
        for table, _, parent, _ in connection.execute("PRAGMA foreign_key_check")
    )
    return [
        f"{table}: {counted(number, 'row')} without the {parent} that it is of"
        for (table, parent), number in missing.items()
    ]


def _check_texts(connection: sqlite3.Connection) -> tuple[int, list[str]]:
    count, problems = 0, []
    for stored, body, letters in connection.execute(
        "SELECT sha256, body, letters FROM text"
    ):
        count += 1
        if text_key(body) != stored:
            problems.append(
                f"the text {described(body)} is not the one that was stored"
            )
        elif letters_of(body) != letters:
            problems.append(f"the text {described(body)} has not its stored length")
    for stored, answers in connection.execute(
        "SELECT sha256, answers FROM answer_key WHERE key_id > 0"
    ):
        if answer_key_key(json.loads(answers)) != stored:
            problems.append(
                f"the answer key {described(answers)} is not the one that was stored"
            )
    return count, problems


def _check_items(connection: sqlite3.Connection) -> tuple[int, list[str]]:
    count, problems = 0, []
    for (
        item_id,
        stored,
        kind,
        text,
        public_id,
        choices,
        candidate,
    ) in connection.execute(
        "SELECT item_id, item.sha256, kind, body, public_id, choices, candidate "
        "FROM item LEFT JOIN text USING (text_id)"
    ):
        count += 1
        pairs = tuple((letter, choice) for letter, choice in json.loads(choices))
        if item_key(Item(kind, text, pairs, candidate, public_id)) != stored:
            problems.append(
                f"{_name_of(connection, item_id)} is not the {kind} that was stored"
            )
    return count, problems


def _check_vectors(connection: sqlite3.Connection) -> tuple[int, list[str]]:
    count, problems = 0, []
    graders = store_grades.read_graders(connection)
    for grader_id, spec in graders.items():
        responder_id = store_grades.responder_id_of(connection, grader_id)
        stored: defaultdict[str, dict[ItemKey, bytes]] = defaultdict(dict)
        for (query_id, item), ratings in store_grades.vector_bytes(
            connection, grader_id
        ).items():
            stored[query_id][item] = ratings
        for query_id, by_item in stored.items():
            rebuilt = _rebuilt(connection, spec, responder_id, query_id, list(by_item))
            for item, ratings in by_item.items():
                count += 1
                again = rebuilt.get(item)
                if again is None or not _follows(spec, again, ratings):
                    problems.append(
                        f"ratings of {spec.name} for query {query_id}, "
                        f"{_name_of(connection, item[0])} do not follow from what is "
                        "stored"
                    )
    return count, problems


def _name_of(connection: sqlite3.Connection, item_id: int) -> str:
    """What people call an item: by its question's id, or else by its words."""
    found = connection.execute(
        "SELECT item.kind, (SELECT min(question_id) FROM question "
        "WHERE question.item_id = item.item_id), coalesce(body, item.public_id) "
        "FROM item LEFT JOIN text USING (text_id) WHERE item_id = ?",
        (item_id,),
    ).fetchone()
    if found is None:
        return "an item that is not there"
    kind, question_id, words = found
    return f"{kind} {described(words if question_id is None else question_id)}"


def _rebuilt(
    connection: sqlite3.Connection,
    spec: GraderSpec,
    responder_id: int,
    query_id: str,
    items: list[ItemKey],
) -> dict[ItemKey, store_grades.Ratings]:
    if not spec.computed:
        return store_grades.vectors_from_responses(
            connection, responder_id, spec.reading, query_id, items
        )
    cache = store_grades.EmbeddingCache(connection, responder_id)
    texts = store_grades.item_text_keys(connection, [item_id for item_id, _ in items])
    pool = [key for _, key, _ in store_collection.pool_texts(connection, query_id)]
    known = cache.get_many([*texts.values(), *dict.fromkeys(pool)])
    # Without its vector an item's ratings follow from nothing.
    asked = [item for item in items if texts.get(item[0]) in known]
    # A passage that joined the pool after the grading has no vector yet.
    graded = next((i for i, key in enumerate(pool) if key not in known), len(pool))
    ratings = embedding.rate(
        [known[texts[item_id]] for item_id, _ in asked],
        [known[key] for key in pool[:graded]],
    )
    return {item: np.asarray(row) for item, row in zip(asked, ratings, strict=True)}


def _follows(spec: GraderSpec, again: store_grades.Ratings, stored: bytes) -> bool:
    """Whether what is stored is what was derived again.

    A pool may have grown since our own grader read it, and a question may have been
    asked in another query since; imported grades are derived again with every import.
    """
    if spec.reading.parser == AS_GIVEN:
        return again.tobytes() == stored
    before = np.frombuffer(stored, dtype=np.int8)
    if len(again) < len(before):
        return False
    asked = before != NOT_ASKED
    return bool((again[: len(before)][asked] == before[asked]).all())
