"""The one bridge between a bank and its grades: what is known, as matrices."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from curator.bank.questions import Question
from curator.collection.pools import Pool
from curator.errors import UnknownNameError
from curator.evaluation.grades import GradedQuery
from curator.store import clocks
from curator.store import grades as store_grades
from curator.store.grades import Ratings, VectorsByItem
from curator.store.texts import cached_item_key, item_of
from grading.items import Item
from grading.ratings import NOT_ASKED
from grading.responders import AS_GIVEN, GraderSpec

NO_VECTORS: VectorsByItem = {}  # one object, so that it is the same one every time


@dataclass(frozen=True)
class GraderRecord:
    """A grader of this workspace and its number there."""

    grader_id: int
    spec: GraderSpec

    @property
    def name(self) -> str:
        """The name it is asked for by."""
        return self.spec.name

    @property
    def can_grade(self) -> bool:
        """Whether it can grade new text; one imported "as given" cannot."""
        return self.spec.reading.parser != AS_GIVEN


class Gradebook:
    """Every grader's rating vectors in memory. Never changes; a reread is another."""

    def __init__(
        self,
        records: tuple[GraderRecord, ...] = (),
        vectors: Mapping[int, Mapping[str, VectorsByItem]] | None = None,
    ) -> None:
        self.records = records
        self._vectors = vectors or {}

    @classmethod
    def read(cls, connection: sqlite3.Connection) -> Gradebook:
        """Every grader with its vectors."""
        specs = store_grades.read_graders(connection)
        vectors = {i: store_grades.read_vectors(connection, i) for i in specs}
        return cls(tuple(GraderRecord(i, spec) for i, spec in specs.items()), vectors)

    def reread(
        self, connection: sqlite3.Connection, changed: Iterable[tuple[int, str]]
    ) -> Gradebook:
        """The gradebook with these (grader id, query) read again, the rest shared."""
        vectors = {i: dict(by_query) for i, by_query in self._vectors.items()}
        for grader_id, query_id in changed:
            read = store_grades.read_vectors(connection, grader_id, query_id)
            vectors.setdefault(grader_id, {})[query_id] = read.get(query_id, {})
        return Gradebook(self.records, vectors)

    def with_vectors(
        self, record: GraderRecord, query_id: str, ratings: VectorsByItem
    ) -> Gradebook:
        """The gradebook with these ratings too, as if they were stored."""
        of_grader = dict(self._vectors.get(record.grader_id, {}))
        of_grader[query_id] = {**of_grader.get(query_id, NO_VECTORS), **ratings}
        return Gradebook(self.records, {**self._vectors, record.grader_id: of_grader})

    def vectors(self, record: GraderRecord, query_id: str) -> VectorsByItem:
        """The grader's ratings of one query by the items' content keys."""
        return self._vectors.get(record.grader_id, {}).get(query_id, NO_VECTORS)

    def grader(self, name: str) -> GraderRecord:
        """The grader of this full name. Raises UnknownNameError with what there is."""
        for record in self.records:
            if record.name == name:
                return record
        names = ", ".join(record.name for record in self.records) or "none yet"
        raise UnknownNameError(
            f"No grader '{name}' has grades here. There are: {names}."
        )

    def graded(
        self, record: GraderRecord, pool: Pool, items: Sequence[Question]
    ) -> GradedQuery:
        """The query's grades on these questions; unknown where there is no grade."""
        known = self.vectors(record, pool.query_id)
        keys = [cached_item_key(item_of(question)) for question in items]
        return GradedQuery(
            pool=pool,
            item_ids=tuple(question.question_id for question in items),
            ratings=rating_matrix([known.get(key) for key in keys], pool.size),
            reading=record.spec.reading.kind,
        )

    def graded_query_item(self, record: GraderRecord, pool: Pool) -> GradedQuery:
        """The query's grades as a whole, under a direct relevance grader.

        Without an item where the grader never saw this query: it then leaves the
        measure.
        """
        known = self.vectors(record, pool.query_id)
        vector = known.get(cached_item_key(query_item(pool.query_id)))
        return GradedQuery(
            pool=pool,
            item_ids=() if vector is None else (pool.query_id,),
            ratings=rating_matrix([] if vector is None else [vector], pool.size),
            reading=record.spec.reading.kind,
        )

    def missing_items(
        self, record: GraderRecord, pool: Pool, items: Sequence[Question]
    ) -> list[Question]:
        """Those of ``items`` with a text that lack a grade for some pool passage."""
        known = self.vectors(record, pool.query_id)

        def complete(vector: Ratings | None) -> bool:
            return (
                vector is not None
                and len(vector) == pool.size
                and bool((vector != NOT_ASKED).all())
            )

        return [
            question
            for question in items
            if question.text is not None
            and not complete(known.get(cached_item_key(item_of(question))))
        ]


def query_item(query_id: str) -> Item:
    """What an imported direct relevance grade is a grade of: the query, by its id."""
    return Item("query", None, public_id=query_id)


def rating_matrix(vectors: Sequence[Ratings | None], size: int) -> Ratings:
    """int8 (items, passages); NOT_ASKED where a vector is absent or too short."""
    matrix = np.full((len(vectors), size), NOT_ASKED, dtype=np.int8)
    for row, vector in zip(matrix, vectors, strict=True):
        if vector is not None:
            row[: len(vector)] = vector
    return matrix


def changed_scopes(
    before: Mapping[str, int], after: Mapping[str, int]
) -> tuple[list[str], list[tuple[int, str]]]:
    """(queries whose bank changed, (grader id, query) whose grades changed)."""
    banks: list[str] = []
    grades: list[tuple[int, str]] = []
    # A scope that is no more: an older copy of the file has been put in its place.
    for scope in {**before, **after}:
        if before.get(scope) == after.get(scope):
            continue
        family, _, rest = scope.partition("/")
        if family == clocks.BANK:
            banks.append(rest)
        elif family == clocks.GRADES:
            grader_id, _, query_id = rest.partition("/")
            grades.append((int(grader_id), query_id))
    return banks, grades
