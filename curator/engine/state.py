"""What one process keeps of a workspace in memory, and reloads only where it changed.

A board is summed from per-query rows, and an edit changes one query's. A bank shares
the queries an edit did not touch, so sheets (a query's grades with the rows computed
from them) are kept by the very tuple of questions they were made from. The file's
clocks say what to read again. One KeptBoards serves every session of a process; the
Boards it hands out never change, so a session computes from parts that belong together
while others save.
"""

from __future__ import annotations

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from curator.bank.questions import Bank, Question, active
from curator.collection.blind import blinded
from curator.collection.pools import Collection, Pool
from curator.collection.queries import Query
from curator.engine.gradebook import Gradebook, GraderRecord, changed_scopes
from curator.engine.pool_words import PoolWords
from curator.errors import UnknownNameError
from curator.evaluation.grades import GradedQuery, gold_apart
from curator.evaluation.leaderboard import Leaderboard
from curator.evaluation.measures.cover import Cover
from curator.evaluation.measures.registry import Measure, measure_for
from curator.evaluation.measures.rouge.names import is_rouge
from curator.evaluation.noise import Flips
from curator.evaluation.rows import Row
from curator.evaluation.settings import Settings, correct_from
from curator.store import bank as store_bank
from curator.store import clocks
from curator.store import collection as store_collection
from curator.store.connection import snapshot
from curator.store.grades import VectorsByItem

T = TypeVar("T")
Questions = tuple[Question, ...]
KEPT_SHEETS = 4000  # every query of several graders and banks; each holds its matrix


@dataclass(eq=False)
class Sheet:
    """One query's grades on one set of questions, and the rows computed from them."""

    questions: tuple[Question, ...]
    vectors: VectorsByItem
    graded: GradedQuery
    needed: int
    known: int
    rows: dict[Settings, Row] = field(default_factory=dict)
    overalls: dict[Cover, float] = field(default_factory=dict)
    read_otherwise: dict[Settings, Flips | None] = field(default_factory=dict)

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
        if settings not in self.read_otherwise:
            changes = measure.flips(self.graded)
            self.read_otherwise[settings] = (
                changes if changes is None else Flips.of(changes)
            )
        return self.read_otherwise[settings]


class Sheets:
    """The sheets last used, of whichever Boards; safe to share between threads."""

    def __init__(self, words: PoolWords | None = None) -> None:
        self.words = words or PoolWords(None)
        self._lock = threading.Lock()
        self._sheets: OrderedDict[tuple[int, str, int], Sheet] = OrderedDict()
        self._without: OrderedDict[
            tuple[int, frozenset[str]], tuple[Questions, Questions]
        ] = OrderedDict()

    def get(
        self,
        grader_id: int,
        pool: Pool,
        questions: tuple[Question, ...],
        vectors: VectorsByItem,
    ) -> Sheet | None:
        """The sheet made from these very objects, if it is still kept."""
        key = (grader_id, pool.query_id, id(questions))
        with self._lock:
            sheet = self._sheets.get(key)
            # The sheet holds the tuple, so its id cannot have passed to another one.
            if (
                sheet is None
                or sheet.questions is not questions
                or sheet.vectors is not vectors
                or sheet.graded.pool is not pool
            ):
                return None
            self._sheets.move_to_end(key)
            return sheet

    def without(self, questions: Questions, hidden: frozenset[str]) -> Questions:
        """These questions without those of these ids; the same tuple every time."""
        key = (id(questions), hidden)
        with self._lock:
            known = self._without.get(key)
            # The tuple is held, so its id cannot have passed to another one.
            if known is None or known[0] is not questions:
                left = tuple(q for q in questions if q.question_id not in hidden)
                known = self._without[key] = (questions, left)
                while len(self._without) > KEPT_SHEETS:
                    self._without.popitem(last=False)
            return known[1]

    def put(self, grader_id: int, sheet: Sheet) -> None:
        """Keep the sheet in place of an older one of the same questions."""
        key = (grader_id, sheet.graded.query_id, id(sheet.questions))
        with self._lock:
            self._sheets[key] = sheet
            while len(self._sheets) > KEPT_SHEETS:
                self._sheets.popitem(last=False)


class Boards:
    """One state of a workspace: collection, bank and grades, with sheets on top."""

    def __init__(
        self, collection: Collection, bank: Bank, gradebook: Gradebook, sheets: Sheets
    ) -> None:
        self.collection = collection
        self.bank = bank
        self.gradebook = gradebook
        # Boards of this very bank: what every preview is compared with.
        self.standing: dict[tuple[Settings, str | None], Leaderboard] = {}
        self._known: dict[tuple[Hashable, ...], Any] = {}
        self._sheets = sheets
        self._blinded: Boards | None = None

    @classmethod
    def read(cls, connection: sqlite3.Connection) -> Boards:
        """Everything, as the file has it."""
        return cls(
            store_collection.read_collection(connection),
            store_bank.read_bank(connection),
            Gradebook.read(connection),
            Sheets(PoolWords.beside(connection)),
        )

    def reread(
        self,
        connection: sqlite3.Connection,
        before: Mapping[str, int],
        now: Mapping[str, int],
    ) -> Boards:
        """The state at these clocks, sharing what has not changed since ``before``."""
        if before.get(clocks.COLLECTION) != now.get(clocks.COLLECTION):
            return Boards.read(connection)
        banks, grades = changed_scopes(before, now)
        bank, gradebook = self.bank, self.gradebook
        if banks:
            bank = store_bank.read_queries(connection, bank, banks)
        if before.get(clocks.GRADERS) != now.get(clocks.GRADERS):
            gradebook = Gradebook.read(connection)
        elif grades:
            gradebook = gradebook.reread(connection, grades)
        return Boards(self.collection, bank, gradebook, self._sheets)

    @property
    def words(self) -> PoolWords:
        """The passages' texts as words, read when they are first asked for."""
        return self._sheets.words

    @cached_property
    def queries(self) -> dict[str, Query]:
        """Every query by its id."""
        return {query.query_id: query for query in self.collection.queries}

    def blinded(self) -> Boards:
        """The same state as a judge may see it in blind mode, names masked."""
        if self._blinded is None:
            hidden = blinded(self.collection)
            self._blinded = Boards(hidden, self.bank, self.gradebook, self._sheets)
        return self._blinded

    def without(self, hidden: Mapping[str, frozenset[str]]) -> Boards:
        """The same state without the questions of these ids, by query."""
        left = {
            query_id: self._sheets.without(self.bank.of_query(query_id), ids)
            for query_id, ids in hidden.items()
        }
        bank = replace(self.bank, by_query={**self.bank.by_query, **left})
        return Boards(self.collection, bank, self.gradebook, self._sheets)

    def with_bank(self, bank: Bank) -> Boards:
        """The same collection and grades under another bank; sheets are shared."""
        return Boards(self.collection, bank, self.gradebook, self._sheets)

    def once(self, key: tuple[Hashable, ...], compute: Callable[[], T]) -> T:
        """What ``compute`` gives for this state, computed once under this key.

        Boards never change, so neither does what is made of them; a page that is drawn
        again without an edit computes nothing.
        """
        if key not in self._known:
            self._known[key] = compute()
        known: T = self._known[key]
        return known

    def with_gradebook(self, gradebook: Gradebook) -> Boards:
        """The same state under other grades; itself if they are the same."""
        if gradebook is self.gradebook:
            return self
        return Boards(self.collection, self.bank, gradebook, self._sheets)

    def grader(self, name: str) -> GraderRecord:
        """The grader of this full name. Raises UnknownNameError."""
        return self.gradebook.grader(name)

    def measure(self, settings: Settings) -> Measure:
        """The measure these settings name under their grader, if they need one."""
        if is_rouge(settings.measure):  # which rests on no grades
            return measure_for(settings, "rated")
        return measure_for(settings, self.grader(settings.grader).spec.reading.kind)

    def threshold(self, settings: Settings) -> int:
        """The rating from which an answer is correct under these settings."""
        reading = self.grader(settings.grader).spec.reading.kind
        return correct_from(reading, settings.min_rating)

    def query_ids(self, query_id: str | None = None) -> tuple[str, ...]:
        """Every query, or the one asked for. Raises UnknownNameError."""
        if query_id is None:
            return tuple(self.collection.pools)
        if query_id not in self.collection.pools:
            raise UnknownNameError(
                f"No query '{query_id}' in this workspace. "
                "`curator questions WORKSPACE` lists queries and their questions."
            )
        return (query_id,)

    def sheet(self, grader: str, query_id: str, bank: Bank) -> Sheet:
        """The query's grades on its active items in this bank."""
        record = self.grader(grader)
        questions = bank.of_query(query_id)
        pool = self.collection.pools[query_id]
        vectors = self.gradebook.vectors(record, query_id)
        sheet = self._sheets.get(record.grader_id, pool, questions, vectors)
        if sheet is None:
            graded = self.graded(record, query_id, questions)
            sheet = Sheet(questions, vectors, graded, graded.needed, graded.known)
            self._sheets.put(record.grader_id, sheet)
        return sheet

    def sheets(
        self, grader: str, bank: Bank, query_ids: Iterable[str]
    ) -> dict[str, Sheet]:
        """The sheets of the queries that count: those with an active item."""
        sheets = {q: self.sheet(grader, q, bank) for q in query_ids}
        return {q: sheet for q, sheet in sheets.items() if sheet.graded.item_ids}

    def graded(
        self,
        record: GraderRecord,
        query_id: str,
        questions: Iterable[Question],
        *,
        subtopic_id: str | None = None,
    ) -> GradedQuery:
        """The query's grades on the active ones of these questions."""
        pool = self.collection.pools[query_id]
        kind = record.spec.reading.item_kind
        if kind == "query":
            if subtopic_id is not None:  # it grades the query, of no subtopic
                return self.gradebook.graded(record, pool, ())
            query = self.queries[query_id]
            return gold_apart(self.gradebook.graded_query_item(record, pool, query))
        items = active(questions, "nugget" if kind == "nugget" else "question")
        if subtopic_id is not None:
            items = tuple(q for q in items if q.subtopic_id == subtopic_id)
        graded = gold_apart(self.gradebook.graded(record, pool, items))
        return replace(graded, votes=tuple(question.votes for question in items))


class KeptBoards:
    """The latest Boards of one workspace file."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._clocks: Mapping[str, int] = {}
        self._boards: Boards | None = None

    def current(self, connection: sqlite3.Connection) -> Boards:
        """The file's state now; the same object as long as nothing has changed."""
        with self._lock, snapshot(connection):
            now = clocks.read(connection)
            for scope in (clocks.GENERATION, clocks.RELEASES):
                now.pop(scope, None)  # nothing of what is kept here
            if self._boards is None:
                self._boards = Boards.read(connection)
            elif now != self._clocks:
                self._boards = self._boards.reread(connection, self._clocks, now)
            self._clocks = now
            return self._boards


_KEPT: dict[Path, KeptBoards] = {}
_KEPT_LOCK = threading.Lock()


def boards_for(path: Path) -> KeptBoards:
    """What this process keeps of the workspace at ``path``."""
    with _KEPT_LOCK:
        return _KEPT.setdefault(path.resolve(), KeptBoards())
