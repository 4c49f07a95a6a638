"""Writing the grades a file brought, and deriving rating vectors from them again.

A grade is of a text, not of an id: it counts wherever its item and its text stand, in
whichever order questions, passages and grades came in.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from curator.bank.edits.kinds import question_from_json
from curator.bank.questions import Question
from curator.errors import ImportConflictError
from curator.formats.parsed_import import ImportedGrades
from curator.store import bank as store_bank
from curator.store import grades as store_grades
from curator.store.grades import ItemKey
from curator.store.texts import item_ids, item_of
from grading.items import Item
from grading.ratings import NOT_ASKED
from grading.responders import Reading

Connection = sqlite3.Connection
Row = tuple[int, int, str | None, int]
"""item id, text id, raw response, rating"""

_IN = 900
# All of the table's key before text_id, so that no other response is looked at.
_OF_ITEM = "item_id = :item AND responder_id IN (SELECT responder_id FROM responder)"


class GradesWriter:
    """Writes responses, and in the end the vectors that they and new texts change."""

    def __init__(
        self, connection: Connection, source: str, words: Mapping[str, str]
    ) -> None:
        self._connection = connection
        self._source = source
        self._words = words  # what the banks of this import say, by question id
        self._unclear: set[str] = set()
        self._other_words = 0
        self._grown: set[str] = set()  # queries with new pool passages
        self._items: set[int] = set()  # items that are new somewhere
        self._asked: defaultdict[int, set[tuple[str, int]]] = defaultdict(set)

    def grow_pool(self, query_id: str) -> None:
        """Note that the query's pool has a passage more."""
        self._grown.add(query_id)

    def add_items(self, questions: Iterable[Question]) -> None:
        """Note questions that are new; others may have been graded in their words."""
        ids = item_ids(self._connection, [item_of(one) for one in questions])
        self._items.update(ids.values())

    def fill_items(self, questions: Sequence[tuple[Question, Question]]) -> None:
        """Grades of (question known by id, the same with its text) become the text's.

        Raises ImportConflictError where two questions turn out to have one text that
        one grader has rated differently.
        """
        items = [item_of(one) for pair in questions for one in pair]
        ids = item_ids(self._connection, items)
        old_items = []
        for before, after in questions:
            old, new = ids[item_of(before)], ids[item_of(after)]
            self._move_responses(old, new)
            old_items.append(old)
        for start in range(0, len(old_items), _IN):
            part = old_items[start : start + _IN]
            marks = ",".join("?" * len(part))
            self._connection.execute(
                f"DELETE FROM rating_vector WHERE item_id IN ({marks})", part
            )

    def write(self, grades: ImportedGrades) -> int:
        """The number of responses that were new, now stored.

        Raises ImportConflictError for one that is rated otherwise here.
        """
        grader_id, responder_id = store_grades.grader_id_of(
            self._connection, grades.grader
        )
        items = self._items_graded(grades)
        texts = dict[str, int](
            self._connection.execute(
                "SELECT passage_id, text_id FROM passage WHERE text_id IS NOT NULL"
            )
        )
        rows = [
            (items[item_id], texts[passage_id], raw, rating)
            for item_id, passage_id, raw, rating in zip(
                grades.item_ids,
                grades.passage_ids,
                grades.raws,
                grades.ratings,
                strict=True,
            )
            if passage_id in texts and item_id in items
        ]
        new = self._new_responses(responder_id, rows, grades)
        self._connection.executemany(
            "INSERT INTO response (responder_id, item_id, key_id, text_id, raw, "
            "given_rating) VALUES (?, ?, 0, ?, ?, ?)",
            # In the order of the table's key, which is where they end up.
            ((responder_id, *row) for row in sorted(new, key=lambda row: row[:2])),
        )
        self._items.update(item for item, _, _, _ in new)
        self._asked[grader_id].update(
            (query_id, items[item_id])
            for query_id, item_id in set(
                zip(grades.query_ids, grades.item_ids, strict=True)
            )
            if item_id in items
        )
        return len(new)

    def derive_vectors(self) -> None:
        """Rebuild every vector "as given" that the new responses and texts change."""
        if not self._items and not self._grown:
            return
        graders = store_grades.read_graders(self._connection)
        for grader_id, spec in graders.items():
            if not spec.computed and not spec.combined:
                self._derive_grader(grader_id, spec.reading)

    def notices(self) -> Iterator[str]:
        """What was odd about the grades."""
        if self._unclear:
            yield (
                f"{len(self._unclear)} questions were reworded here, and the file does "
                "not say for which words their grades are: left out. Import the bank "
                "they were graded with beside it."
            )
        if self._other_words:
            yield (
                f"{self._other_words} responses of other words, but the same grade, "
                "for what was graded before; the first is kept."
            )

    def _derive_grader(self, grader_id: int, reading: Reading) -> None:
        connection = self._connection
        responder_id = store_grades.responder_id_of(connection, grader_id)
        stored = store_grades.vector_bytes(connection, grader_id)
        standing = {*stored}
        standing |= {(query, (item, 0)) for query, item in self._asked[grader_id]}
        checked = reading.checks_keys
        standing |= {
            (query, (item, key if checked else 0))
            for query, item, key in connection.execute(
                "SELECT query_id, item_id, key_id FROM question"
            )
            if key or not checked
        }
        wanted: defaultdict[str, list[ItemKey]] = defaultdict(list)
        for query_id, item_key in sorted(standing):
            if query_id in self._grown or item_key[0] in self._items:
                wanted[query_id].append(item_key)
        for query_id, ids in wanted.items():
            derived = store_grades.vectors_from_responses(
                connection, responder_id, reading, query_id, ids
            )
            changed = {
                item_key: ratings
                for item_key, ratings in derived.items()
                if stored.get((query_id, item_key)) != ratings.tobytes()
                and ((query_id, item_key) in stored or np.any(ratings != NOT_ASKED))
            }
            if changed:
                store_grades.write_vectors(connection, grader_id, query_id, changed)

    def _move_responses(self, old_item: int, new_item: int) -> None:
        moved = {"item": old_item, "new": new_item}
        clash = self._connection.execute(
            "SELECT 1 FROM response WHERE "
            f"{_OF_ITEM} AND EXISTS (SELECT 1 FROM response other "
            "WHERE other.responder_id = response.responder_id "
            "AND other.item_id = :new AND other.key_id = response.key_id "
            "AND other.text_id = response.text_id "
            "AND other.given_rating IS NOT response.given_rating)",
            moved,
        ).fetchone()
        if clash:
            raise ImportConflictError(
                self._source,
                "two questions turn out to have one text, but one grader has rated "
                "them differently; nothing was imported.",
            )
        self._connection.execute(
            f"UPDATE OR IGNORE response SET item_id = :new WHERE {_OF_ITEM}", moved
        )
        self._connection.execute(f"DELETE FROM response WHERE {_OF_ITEM}", moved)

    def _items_graded(self, grades: ImportedGrades) -> dict[str, int]:
        """Item id by the id the file knows it by."""
        if grades.grader.reading.item_kind == "query":
            queries = {
                q: Item("query", None, public_id=q) for q in set(grades.item_ids)
            }
            ids = item_ids(self._connection, queries.values())
            return {query_id: ids[item] for query_id, item in queries.items()}
        items = dict[str, int](
            self._connection.execute("SELECT question_id, item_id FROM question")
        )
        for question_id in self._reworded() & set(grades.item_ids):
            question = store_bank.read_question(self._connection, question_id)
            words = self._words.get(question_id)
            if question is None or words is None:
                # Taken for the wrong words, a grade would be worse than unknown.
                self._unclear.add(question_id)
                del items[question_id]
            else:
                item = item_of(replace(question, text=words))
                items[question_id] = item_ids(self._connection, [item])[item]
        return items

    def _reworded(self) -> set[str]:
        """Questions that do not read here as they came."""
        return {
            question_id
            for (question_id,) in self._connection.execute(
                "SELECT DISTINCT question_id FROM event WHERE kind LIKE '%reword'"
            )
            if (first := self._as_imported(question_id)) is not None
            and (now := store_bank.read_question(self._connection, question_id))
            and item_of(first) != item_of(now)
        }

    def _as_imported(self, question_id: str) -> Question | None:
        row = self._connection.execute(
            "SELECT after FROM event WHERE question_id = ? AND after IS NOT NULL "
            "AND kind IN ('import', 'add') ORDER BY event_id DESC LIMIT 1",
            (question_id,),
        ).fetchone()
        return None if row is None else question_from_json(row[0])

    def _new_responses(
        self, responder_id: int, rows: Sequence[Row], grades: ImportedGrades
    ) -> list[Row]:
        """The rows not yet stored. Raises ImportConflictError for one that differs."""
        known = {
            (item, text): (raw, rating)
            for item, text, raw, rating in self._connection.execute(
                "SELECT item_id, text_id, raw, given_rating FROM response "
                "WHERE responder_id = ? AND key_id = 0",
                (responder_id,),
            )
        }
        new = []
        for row in rows:
            given = row[2:]
            stored = known.setdefault(row[:2], given)
            if stored is given:
                new.append(row)
            elif stored[1] != row[3]:
                raise self._disagreement(grades, row, stored[1])
            else:
                self._other_words += stored[0] != row[2]
        return new

    def _disagreement(
        self, grades: ImportedGrades, row: Row, rating: int
    ) -> ImportConflictError:
        (passage_id,) = self._connection.execute(
            "SELECT passage_id FROM passage WHERE text_id = ? LIMIT 1", (row[1],)
        ).fetchone()
        return ImportConflictError(
            self._source,
            f"{grades.grader.name} rates passage '{passage_id}' {row[3]} where this "
            f"workspace has {rating} from it, for the same question. Two imports must "
            "not disagree about one grade; nothing was imported.",
            (passage_id,),
        )
