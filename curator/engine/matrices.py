"""Query matrices: one query's grades on one set of questions, with what rests on them.

Kept by the very objects they were made of, so that what an edit did not touch is found
again by identity, whichever State asks.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from curator.bank.questions import Question
from curator.collection.pools import Pool
from curator.engine.pool_words import PoolWords
from curator.evaluation.grades import GradedQuery
from curator.evaluation.impact import Flips
from curator.evaluation.measures import Measure
from curator.evaluation.measures.measure import Grades, Row
from curator.evaluation.settings import Settings
from curator.store.grades import VectorsByItem

Questions = tuple[Question, ...]
MAX_MATRICES = 4000  # every query of several graders and banks; each holds its grades


class ScoredQuery(NamedTuple):
    """A query's row, what it rests on, and the score of the whole pool if any."""

    row: Row
    grades: Grades
    overall: float | None


@dataclass(eq=False)
class QueryMatrix:
    """One query's grades on one set of questions, and the rows computed from them."""

    graded: GradedQuery
    questions: Questions = ()
    vectors: VectorsByItem = field(default_factory=dict)
    _scored: dict[Settings, ScoredQuery] = field(default_factory=dict)
    _flips: dict[Settings, Flips | None] = field(default_factory=dict)

    @property
    def needed(self) -> int:
        """How many grades it takes."""
        return self.graded.needed

    @property
    def known(self) -> int:
        """How many of them there are."""
        return self.graded.known

    def scored(self, settings: Settings, measure: Measure) -> ScoredQuery:
        """The query's scores under these settings, computed once."""
        found = self._scored.get(settings)
        if found is None:
            row = measure.row(self.graded)
            grades = measure.grades(self.graded, row)
            overall = measure.overall(self.graded)
            found = self._scored[settings] = ScoredQuery(row, grades, overall)
        return found

    def flips(self, settings: Settings, measure: Measure) -> Flips | None:
        """What one label read differently changes in the row, computed once."""
        if settings not in self._flips:
            changes = measure.flips(self.graded)
            self._flips[settings] = None if changes is None else Flips.of(changes)
        return self._flips[settings]


class MatrixCache:
    """The matrices last used, of whichever State; safe to share between threads."""

    def __init__(self) -> None:
        self.words = PoolWords()
        self._lock = threading.Lock()
        self._matrices: OrderedDict[tuple[int, str, int], QueryMatrix] = OrderedDict()
        self._without: OrderedDict[
            tuple[int, frozenset[str]], tuple[Questions, Questions]
        ] = OrderedDict()

    def get(
        self,
        grader_id: int,
        pool: Pool,
        questions: Questions,
        vectors: VectorsByItem,
        graded: Callable[[], GradedQuery],
    ) -> QueryMatrix:
        """The matrix made of these very objects, kept or of the grades computed now."""
        key = (grader_id, pool.query_id, id(questions))
        with self._lock:
            matrix = self._matrices.get(key)
            # The matrix holds the tuple, so its id cannot have passed to another one.
            if (
                matrix is not None
                and matrix.questions is questions
                and matrix.vectors is vectors
                and matrix.graded.pool is pool
            ):
                self._matrices.move_to_end(key)
                return matrix
        matrix = QueryMatrix(graded(), questions, vectors)
        with self._lock:
            self._matrices[key] = matrix
            while len(self._matrices) > MAX_MATRICES:
                self._matrices.popitem(last=False)
        return matrix

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
