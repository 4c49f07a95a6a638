"""Writing the grades a file brought, and deriving rating vectors from them again.

A grade is of a text, not of an id: it counts wherever its item and its text stand, in
whichever order questions, passages and grades came in.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from sqlite3 import Connection

import numpy as np

from curator.bank.edits.kinds import question_from_json
from curator.bank.questions import Question
from curator.errors import ImportConflictError
from curator.formats.parsed_import import ImportedGrades
from curator.formats.text.notices import counted
from curator.formats.text.unmatched_ids import unmatched_notice
from curator.store import bank as store_bank
from curator.store import grades as store_grades
from curator.store.connection import column
from curator.store.digests import added, changing
from curator.store.grades import ItemKey
from curator.store.texts import item_ids, item_of
from grading.items import Item
from grading.ratings import NOT_ASKED, ratings_of
from grading.responders import PROBABILITY_AS_GIVEN, Reading

# All of the table's key before text_id, so that no other response is looked at.
_ALL = "responder_id IN (SELECT responder_id FROM responder)"
_OF_ITEM = f"item_id = :item AND {_ALL}"

QUERIES = "Queries that are not here, whose grades are left out"
PASSAGES = "Passages without a text here, whose grades are left out"

Row = tuple[int, int, int, str | None, float, float | None]
"""Responder, item, text, the model's words, its rating and its probability."""


class GradesWriter:
    """Writes responses, and in the end the vectors that they and new texts change."""

    def __init__(
        self, connection: Connection, source: str, stated: Mapping[str, Question]
    ) -> None:
        self.grown: set[str] = set()  # queries with new pool passages
        self._connection = connection
        self._source = source
        self._stated = stated  # what the banks of this import say, by question id
        self._unclear: set[str] = set()
        self._other_words = 0
        self._left_out: Counter[str] = Counter()
        self._unmatched: dict[str, tuple[set[str], Collection[str]]] = {}
        self._items: set[int] = set()  # items that are new somewhere
        self._asked: defaultdict[int, set[tuple[str, int]]] = defaultdict(set)

    def add_items(self, questions: Iterable[Question]) -> None:
        """Note questions that are new; others may have been graded in their words."""
        ids = item_ids(self._connection, map(item_of, questions))
        self._items.update(ids.values())

    def fill_items(self, questions: Sequence[tuple[Question, Question]]) -> None:
        """Grades of (question known by id, the same with its text) become the text's.

        Raises ImportConflictError where two questions turn out to have one text that
        one grader has rated differently.
        """
        items = [item_of(one) for pair in questions for one in pair]
        ids = item_ids(self._connection, items)
        for before, after in questions:
            moved = {"item": ids[item_of(before)], "new": ids[item_of(after)]}
            clash = self._connection.execute(
                f"SELECT 1 FROM response WHERE {_OF_ITEM} AND EXISTS ("
                "SELECT 1 FROM response other "
                "WHERE other.responder_id = response.responder_id "
                "AND other.item_id = :new AND other.key_id = response.key_id "
                "AND other.text_id = response.text_id "
                "AND other.given_rating IS NOT response.given_rating)",
                moved,
            )
            if clash.fetchone():
                raise ImportConflictError(
                    self._source,
                    "two questions turn out to have one text, but one grader has rated "
                    "them differently; nothing was imported.",
                )
            of_both = f"item_id IN (?, ?) AND {_ALL}"
            with changing(self._connection, "response", of_both, *moved.values()):
                self._connection.execute(
                    f"UPDATE OR IGNORE response SET item_id = :new WHERE {_OF_ITEM}",
                    moved,
                )
                self._connection.execute(
                    f"DELETE FROM response WHERE {_OF_ITEM}", moved
                )
        theirs = "item_id IN (SELECT value FROM json_each(?))"
        gone = json.dumps([ids[item_of(before)] for before, _ in questions])
        with changing(self._connection, "rating_vector", theirs, gone):
            self._connection.execute(
                f"DELETE FROM rating_vector WHERE {theirs}", (gone,)
            )

    def write(self, grades: ImportedGrades) -> int:
        """The number of responses that were new, now stored.

        Raises ImportConflictError for one that is rated otherwise here.
        """
        connection = self._connection
        if not grades.pooled:
            grades = self._placed(grades)
        grader_id, responder_id = store_grades.grader_id_of(connection, grades.grader)
        items = self._items_graded(grades)
        sure = grades.grader.reading.parser == PROBABILITY_AS_GIVEN
        given, ratings = grades.ratings, grades.ratings
        if sure:  # as float32 keeps them, so that they come back the same
            kept = np.array(given, dtype=np.float32)
            given, ratings = kept.tolist(), ratings_of(kept).tolist()
        texts = dict[str, int](
            connection.execute(
                "SELECT passage_id, text_id FROM passage WHERE text_id IS NOT NULL"
            )
        )
        new = 0
        # An item at a time, in the order of the table's key: no more is held at once.
        numbers = np.array([items.get(one, 0) for one in grades.item_ids])
        order = np.argsort(numbers, kind="stable")
        starts = np.flatnonzero(np.diff(numbers[order], prepend=0))
        for places in np.split(order, starts)[1:]:
            item = int(numbers[places[0]])
            known: dict[int, tuple[str | None, float]] = {
                text: (raw, grade)
                for text, raw, grade in connection.execute(
                    "SELECT text_id, raw, coalesce(given_probability, given_rating) "
                    "FROM response WHERE responder_id = ? AND item_id = ? "
                    "AND key_id = 0",
                    (responder_id, item),
                )
            }
            rows: list[Row] = []
            for place in places.tolist():
                passage_id, grade = grades.passage_ids[place], given[place]
                self._asked[grader_id].add((grades.query_ids[place], item))
                if passage_id not in texts:
                    continue
                text, response = texts[passage_id], (grades.raws[place], grade)
                stored = known.setdefault(text, response)
                if stored is response:
                    share = grade if sure and grade >= 0 else None
                    row = (responder_id, item, text, response[0], ratings[place], share)
                    rows.append(row)
                elif stored[1] != grade:
                    raise self._disagrees(grades, passage_id, grade, stored[1])
                else:
                    self._other_words += stored[0] != response[0]
            if rows:
                self._items.add(item)
                self._insert(sorted(rows, key=lambda row: row[2]))
            new += len(rows)
        return new

    def _insert(self, rows: Sequence[Row]) -> None:
        insert = "INSERT INTO response VALUES (?, ?, 0, ?, ?, NULL, ?, ?)"
        self._connection.executemany(insert, rows)
        added(
            self._connection,
            "response",
            ((*one[:2], 0, *one[2:4], None, *one[4:]) for one in rows),
        )

    def _disagrees(
        self, grades: ImportedGrades, passage_id: str, grade: float, stored: float
    ) -> ImportConflictError:
        return ImportConflictError(
            self._source,
            f"{grades.grader.name} rates passage '{passage_id}' {grade:g} where this "
            f"workspace has {stored:g} from it, for the same "
            f"{'question' if grades.pooled else 'query'}. Two imports must not "
            "disagree about one grade; nothing was imported.",
            (passage_id,),
        )

    def _placed(self, grades: ImportedGrades) -> ImportedGrades:
        """The grades of queries and texts that are here, one for each text.

        The others are left out and counted.
        """
        connection = self._connection
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
        first: dict[tuple[str, int], float] = {}
        for query_id, passage_id, rating in zip(
            grades.query_ids, grades.passage_ids, grades.ratings, strict=True
        ):
            if query_id not in queries:
                self._leave_out(QUERIES, query_id, queries)
            elif passage_id not in texts:
                self._leave_out(PASSAGES, passage_id, texts)
            elif first.setdefault((query_id, texts[passage_id]), rating) != rating:
                said = "of a text that is graded otherwise above, left out"
                self._left_out[said] += 1
            else:
                if (query_id, passage_id) not in pooled:
                    said = "outside the pools, kept in case they join"
                    self._left_out[said] += 1
                kept.append(query_id, query_id, passage_id, None, rating)
        return kept

    def _leave_out(self, why: str, name: str, ids_here: Collection[str]) -> None:
        self._unmatched.setdefault(why, (set(), ids_here))[0].add(name)

    def derive_vectors(self) -> None:
        """Rebuild every vector "as given" that the new responses and texts change."""
        if self._items or self.grown:
            graders = store_grades.read_graders(self._connection)
            for grader_id, spec in graders.items():
                if not spec.computed and not spec.combined:
                    self._derive_grader(grader_id, spec.reading)

    def notices(self) -> Iterator[str]:
        """What was odd about the grades."""
        for why, number in self._left_out.items():
            yield f"{counted(number, 'grade')} {why}."
        for why, (unmatched, ids_here) in self._unmatched.items():
            yield from unmatched_notice(why, unmatched, ids_here)
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
        stored = store_grades.stored_vectors(connection, grader_id)
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
            if query_id in self.grown or item_key[0] in self._items:
                wanted[query_id].append(item_key)
        for query_id, ids in wanted.items():
            derived = store_grades.vectors_from_responses(
                connection, responder_id, reading, query_id, ids
            )
            changed = {
                item_key: vector
                for item_key, vector in derived.items()
                if not np.array_equal(stored.get((query_id, item_key), ()), vector)
                and ((query_id, item_key) in stored or np.any(vector != NOT_ASKED))
            }
            if changed:
                store_grades.write_vectors(connection, grader_id, query_id, changed)

    def _items_graded(self, grades: ImportedGrades) -> dict[str, int]:
        """Item id by the id the file knows it by."""
        connection = self._connection
        if grades.grader.reading.item_kind == "query":
            queries = {
                q: Item("query", None, public_id=q) for q in set(grades.item_ids)
            }
            ids = item_ids(connection, queries.values())
            return {query_id: ids[item] for query_id, item in queries.items()}
        items = dict[str, int](
            connection.execute("SELECT question_id, item_id FROM question")
        )
        # As they last came in, those that were reworded at some time.
        came = connection.execute(
            "SELECT question_id, after, max(event_id) FROM event WHERE after IS NOT "
            "NULL AND kind IN ('import', 'add') AND question_id IN (SELECT question_id "
            "FROM event WHERE kind LIKE '%reword' OR kind LIKE '%key') "
            "GROUP BY question_id"
        ).fetchall()
        graded = set(grades.item_ids)
        for question_id, form, _ in came:
            first = question_from_json(form)
            now = store_bank.read_question(connection, question_id)
            if question_id not in graded or not first or not now:
                continue
            if item_of(first) == item_of(now):
                continue
            stated = self._stated.get(question_id)
            words = stated.text if stated else None
            if words is None and first.text == now.text:
                words = now.text  # nothing but its choices has changed
            if words is None:
                # Taken for the wrong words, a grade would be worse than unknown.
                self._unclear.add(question_id)
                del items[question_id]
            else:
                shows = grades.grader.responder.shows_choices
                came_with = (stated.choices if stated else ()) or first.choices
                choices = came_with if shows else now.choices
                item = item_of(replace(now, text=words, choices=choices))
                items[question_id] = item_ids(connection, [item])[item]
        return items
