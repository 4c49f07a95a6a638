"""Writing imported grades, and deriving rating vectors from them.

A grade belongs to a text, not to an id: it counts for every occurrence of its item and
its text, regardless of the order in which questions, passages and grades were imported.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from sqlite3 import Connection

import numpy as np

from curator.bank.edits.kinds import question_from_json
from curator.bank.questions import Question
from curator.errors import ImportConflictError
from curator.formats.parsed_import import ImportedGrades
from curator.formats.text.notices import Oddities, unmatched_notice
from curator.store import bank as store_bank
from curator.store import grades as store_grades
from curator.store.connection import column
from curator.store.grades import ItemKey
from curator.store.texts import item_ids, item_of
from grading.items import Item
from grading.ratings import NOT_ASKED, ratings_of
from grading.responders import PROBABILITY_AS_GIVEN, Reading

# All of the table's key before text_id, so that no other response is read.
_ANY_RESPONDER = "responder_id IN (SELECT responder_id FROM responder)"
_ITEM_RESPONSES = f"item_id = :item AND {_ANY_RESPONDER}"

QUERIES = "Queries that are not here, whose grades are left out"
PASSAGES = "Passages without a text here, whose grades are left out"

Row = tuple[int, int, int, str | None, float, float | None]
"""Responder, item, text, the model's response, its rating and its probability."""


@dataclass(eq=False)
class GradesWriter:
    """Writes responses, and finally the vectors that they and new texts change.

    ``stated`` are the questions in the banks of this import, by id.
    """

    connection: Connection
    source: str
    stated: Mapping[str, Question]
    odd: Oddities

    def __post_init__(self) -> None:
        self.grown: set[str] = set()  # queries with new pool passages
        self._unmatched: dict[str, tuple[set[str], Collection[str]]] = {}
        self._items: set[int] = set()  # items with new responses or questions
        self._asked: defaultdict[int, set[tuple[str, int]]] = defaultdict(set)

    def add_items(self, questions: Iterable[Question]) -> None:
        """Note new questions; the same texts may have grades already."""
        ids = item_ids(self.connection, map(item_of, questions))
        self._items.update(ids.values())

    def fill_items(self, questions: Sequence[tuple[Question, Question]]) -> None:
        """Move grades from (question known by id, the same with its text) to the text.

        Raises ImportConflictError if two questions turn out to have one text that one
        grader has rated differently.
        """
        items = [item_of(question) for pair in questions for question in pair]
        ids = item_ids(self.connection, items)
        for before, after in questions:
            moved_ids = {"item": ids[item_of(before)], "new": ids[item_of(after)]}
            conflict = self.connection.execute(
                f"SELECT 1 FROM response WHERE {_ITEM_RESPONSES} AND EXISTS ("
                "SELECT 1 FROM response other "
                "WHERE other.responder_id = response.responder_id "
                "AND other.item_id = :new AND other.key_id = response.key_id "
                "AND other.text_id = response.text_id "
                "AND other.given_rating IS NOT response.given_rating)",
                moved_ids,
            )
            if conflict.fetchone():
                raise ImportConflictError(
                    self.source,
                    "two questions have the same text, but a grader has rated them "
                    "differently. Nothing was imported.",
                )
            self.connection.execute(
                f"UPDATE OR IGNORE response SET item_id = :new WHERE {_ITEM_RESPONSES}",
                moved_ids,
            )
            self.connection.execute(
                f"DELETE FROM response WHERE {_ITEM_RESPONSES}", moved_ids
            )
        condition = "item_id IN (SELECT value FROM json_each(?))"
        old_items = json.dumps([ids[item_of(before)] for before, _ in questions])
        self.connection.execute(
            f"DELETE FROM rating_vector WHERE {condition}", (old_items,)
        )

    def write(self, grades: ImportedGrades) -> int:
        """Store the new responses; return their number.

        Raises ImportConflictError for a response that has another rating here.
        """
        connection = self.connection
        if not grades.pooled:
            grades = self._placeable(grades)
        grader_id, responder_id = store_grades.store_grader(connection, grades.grader)
        items = self._items_graded(grades)
        is_probability = grades.grader.reading.parser == PROBABILITY_AS_GIVEN
        grade_values, ratings = grades.ratings, grades.ratings
        if is_probability:  # as float32, so that they are equal when read back
            float32_values = np.array(grade_values, dtype=np.float32)
            grade_values = float32_values.tolist()
            ratings = ratings_of(float32_values).tolist()
        texts = dict[str, int](
            connection.execute(
                "SELECT passage_id, text_id FROM passage WHERE text_id IS NOT NULL"
            )
        )
        new = 0
        # One item at a time, in the order of the table's key, to save memory.
        numbers = np.array([items.get(item_id, 0) for item_id in grades.item_ids])
        order = np.argsort(numbers, kind="stable")
        starts = np.flatnonzero(np.diff(numbers[order], prepend=0))
        for item_rows in np.split(order, starts)[1:]:
            item = int(numbers[item_rows[0]])
            stored_grades = dict[int, float](
                connection.execute(
                    "SELECT text_id, coalesce(given_probability, given_rating) "
                    "FROM response WHERE responder_id = ? AND item_id = ? "
                    "AND key_id = 0",
                    (responder_id, item),
                )
            )
            rows: list[Row] = []
            for row_number in item_rows.tolist():
                passage_id = grades.passage_ids[row_number]
                grade = grade_values[row_number]
                self._asked[grader_id].add((grades.query_ids[row_number], item))
                if passage_id not in texts:
                    continue
                text = texts[passage_id]
                if text not in stored_grades:
                    stored_grades[text] = grade
                    probability = grade if is_probability and grade >= 0 else None
                    rated = grades.raws[row_number], ratings[row_number], probability
                    rows.append((responder_id, item, text, *rated))
                elif (stored := stored_grades[text]) != grade:
                    raise ImportConflictError(
                        self.source,
                        f"{grades.grader.name} rates passage '{passage_id}' "
                        f"{grade:g}, but {stored:g} in this workspace, for the same "
                        f"{'question' if grades.pooled else 'query'}. Nothing was "
                        "imported.",
                        (passage_id,),
                    )
            if rows:
                self._items.add(item)
                insert = "INSERT INTO response VALUES (?, ?, 0, ?, ?, NULL, ?, ?)"
                rows.sort(key=lambda row: row[2])
                connection.executemany(insert, rows)
            new += len(rows)
        return new

    def _placeable(self, grades: ImportedGrades) -> ImportedGrades:
        """Return the grades of queries and texts that exist here, one for each text.

        The others are left out and counted.
        """
        connection = self.connection
        queries = set(column(connection, "SELECT query_id FROM query"))
        select = "SELECT passage_id, text_id FROM passage WHERE text_id IS NOT NULL"
        texts = dict(connection.execute(select))
        pooled = set(
            connection.execute(
                "SELECT query_id, passage_id FROM pool "
                "JOIN passage ON passage.number = pool.passage"
            )
        )
        kept = ImportedGrades(grades.grader, pooled=False)
        first_ratings: dict[tuple[str, int], float] = {}
        columns = (grades.query_ids, grades.passage_ids, grades.ratings)
        for query_id, passage_id, rating in zip(*columns, strict=True):
            if query_id not in queries:
                self._unmatched.setdefault(QUERIES, (set(), queries))[0].add(query_id)
                continue
            if passage_id not in texts:
                self._unmatched.setdefault(PASSAGES, (set(), texts))[0].add(passage_id)
                continue
            key = query_id, texts[passage_id]
            if first_ratings.setdefault(key, rating) != rating:
                self.odd.count("same text")
                continue
            self.odd.count("not in a pool", (query_id, passage_id) not in pooled)
            kept.append(query_id, query_id, passage_id, None, rating)
        return kept

    def derive_vectors(self) -> None:
        """Derive the imported vectors that the new responses and texts change."""
        if self._items or self.grown:
            graders = store_grades.read_graders(self.connection)
            for grader_id, spec in graders.items():
                if not spec.computed and not spec.combined:
                    self._derive_grader(grader_id, spec.reading)

    def unmatched_notices(self) -> Iterator[str]:
        """Yield notices of queries and passages whose grades are left out."""
        for reason, (unmatched, existing_ids) in self._unmatched.items():
            yield from unmatched_notice(reason, unmatched, existing_ids)

    def _derive_grader(self, grader_id: int, reading: Reading) -> None:
        connection = self.connection
        responder_id = store_grades.responder_id_of(connection, grader_id)
        stored = store_grades.stored_vectors(connection, grader_id)
        vector_keys = {(query, item) for query, of in stored.items() for item in of}
        vector_keys |= {(query, (item, 0)) for query, item in self._asked[grader_id]}
        has_keys = reading.checks_answer_keys
        select = "SELECT query_id, item_id, key_id FROM question"
        for query_id, item_id, key_id in connection.execute(select):
            if key_id or not has_keys:
                vector_keys.add((query_id, (item_id, key_id if has_keys else 0)))
        keys_by_query: defaultdict[str, list[ItemKey]] = defaultdict(list)
        for query_id, item_key in sorted(vector_keys):
            if query_id in self.grown or item_key[0] in self._items:
                keys_by_query[query_id].append(item_key)
        for query_id, item_keys in keys_by_query.items():
            derived = store_grades.vectors_from_responses(
                connection, responder_id, reading, query_id, item_keys
            )
            before = stored.get(query_id, {})
            changed = {
                item_key: vector
                for item_key, vector in derived.items()
                if not np.array_equal(before.get(item_key, ()), vector)
                and (item_key in before or np.any(vector != NOT_ASKED))
            }
            if changed:
                store_grades.write_vectors(connection, grader_id, query_id, changed)

    def _items_graded(self, grades: ImportedGrades) -> dict[str, int]:
        """Return item ids by the ids used in the file."""
        connection = self.connection
        if grades.grader.reading.item_kind == "query":
            queries = {
                query_id: Item("query", None, public_id=query_id)
                for query_id in set(grades.item_ids)
            }
            ids = item_ids(connection, queries.values())
            return {query_id: ids[item] for query_id, item in queries.items()}
        items = dict[str, int](
            connection.execute("SELECT question_id, item_id FROM question")
        )
        # Questions that were reworded at some time, as they were last added.
        rows = connection.execute(
            "SELECT question_id, after, max(event_id) FROM event WHERE after IS NOT "
            "NULL AND kind IN ('import', 'add') AND question_id IN (SELECT question_id "
            "FROM event WHERE kind LIKE '%reword' OR kind LIKE '%key') "
            "GROUP BY question_id"
        ).fetchall()
        graded = set(grades.item_ids)
        for question_id, question_json, _ in rows:
            imported = question_from_json(question_json)
            current = store_bank.read_question(connection, question_id)
            if question_id not in graded or not imported or not current:
                continue
            if item_of(imported) == item_of(current):
                continue
            stated = self.stated.get(question_id)
            text = stated.text if stated else None
            if text is None and imported.text == current.text:
                text = current.text  # only its choices have changed
            if text is None:
                # A grade for the wrong text would be worse than none.
                self.odd.name("unclear", question_id)
                del items[question_id]
            else:
                shows_choices = grades.grader.responder.shows_choices
                choices = current.choices
                if shows_choices:
                    stated_choices = stated.choices if stated else ()
                    choices = stated_choices or imported.choices
                item = item_of(replace(current, text=text, choices=choices))
                items[question_id] = item_ids(connection, [item])[item]
        return items
