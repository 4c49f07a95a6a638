"""Query matrices: one query's grades on one set of questions, with what rests on them.

Kept by the very objects they were made of, so that what an edit did not touch is found
again by identity, whichever State asks.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from functools import cached_property

from curator.bank.questions import Question
from curator.collection.pools import Pool
from curator.engine.pool_words import PoolWords
from curator.evaluation.grades import GradedQuery
from curator.evaluation.measures.cover import Cover
from curator.evaluation.measures.registry import Measure
from curator.evaluation.noise import Flips
from curator.evaluation.rows import Row
from curator.evaluation.settings import Settings
from curator.store.grades import VectorsByItem

Questions = tuple[Question, ...]
MAX_MATRICES = 4000  # every query of several graders and banks; each holds its grades


@dataclass(eq=False)
class QueryMatrix:
    """One query's grades on one set of questions, and the rows computed from them."""

    questions: Questions
    vectors: VectorsByItem
    graded: GradedQuery
    needed: int
    known: int
    rows: dict[Settings, Row] = field(default_factory=dict)
    overalls: dict[Cover, float] = field(default_factory=dict)
    flips_by_settings: dict[Settings, Flips | None] = field(default_factory=dict)

    @cached_property
    def whole_items(self) -> int:
        """How many items have a grade of every passage."""
        return int((self.graded.ratings >= 0).all(axis=1).sum())

    def row(self, settings: Settings, measure: Measure) -> Row:
        """The query's scores under these settings, computed once."""
        row = self.rows.get(settings)
        if row is None:
            row = self.rows[settings] = measure.row(self.graded)
        return row

    def overall(self, cover: Cover) -> float:
        """Cover of the whole pool, computed once."""
        if cover not in self.overalls:
            self.overalls[cover] = cover.overall(self.graded)
        return self.overalls[cover]

    def flips(self, settings: Settings, measure: Measure) -> Flips | None:
        """What one label read differently changes in the row, computed once."""
        if settings not in self.flips_by_settings:
            changes = measure.flips(self.graded)
            self.flips_by_settings[settings] = (
                None if changes is None else Flips.of(changes)
            )
        return self.flips_by_settings[settings]


class MatrixCache:
    """The matrices last used, of whichever State; safe to share between threads."""

    def __init__(self, words: PoolWords | None = None) -> None:
        self.words = words or PoolWords()
        self._lock = threading.Lock()
        self._matrices: OrderedDict[tuple[int, str, int], QueryMatrix] = OrderedDict()
        self._without: OrderedDict[
            tuple[int, frozenset[str]], tuple[Questions, Questions]
        ] = OrderedDict()

    def get(
        self, grader_id: int, pool: Pool, questions: Questions, vectors: VectorsByItem
    ) -> QueryMatrix | None:
        """The matrix made of these very objects, if it is still kept."""
        key = (grader_id, pool.query_id, id(questions))
        with self._lock:
            matrix = self._matrices.get(key)
            # The matrix holds the tuple, so its id cannot have passed to another one.
            if (
                matrix is None
                or matrix.questions is not questions
                or matrix.vectors is not vectors
                or matrix.graded.pool is not pool
            ):
                return None
            self._matrices.move_to_end(key)
            return matrix

    def put(self, grader_id: int, matrix: QueryMatrix) -> None:
        """Keep the matrix in place of an older one of the same questions."""
        key = (grader_id, matrix.graded.query_id, id(matrix.questions))
        with self._lock:
            self._matrices[key] = matrix
            while len(self._matrices) > MAX_MATRICES:
                self._matrices.popitem(last=False)

    def without(self, questions: Questions, hidden: frozenset[str]) -> Questions:
        """These questions without those of these ids; the same tuple every time."""
        key = (id(questions), hidden)
        with self._lock:
            known = self._without.get(key)
            # The tuple is held, so its id cannot have passed to another one.
            if known is None or known[0] is not questions:
                left = tuple(q for q in questions if q.question_id not in hidden)
                known = self._without[key] = (questions, left)
                while len(self._without) > MAX_MATRICES:
                    self._without.popitem(last=False)
            return known[1]
