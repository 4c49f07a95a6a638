"""What one process keeps of a workspace in memory, and reloads only where it changed.

A board is summed from per-query rows, and an edit changes one query's. A bank shares
the queries an edit did not touch, so sheets (a query's grades with the rows computed
from them) are kept by the very tuple of questions they were made from. The file's
clocks say what to read again. One instance serves every session of a process.
"""

from __future__ import annotations

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from curator.bank.questions import Bank, Question, active
from curator.collection.pools import Collection
from curator.errors import UnknownNameError
from curator.evaluation.cover import Cover
from curator.evaluation.grades import GradedQuery
from curator.evaluation.leaderboard import Leaderboard
from curator.evaluation.measures import Measure, measure_for
from curator.evaluation.rows import Row
from curator.evaluation.settings import Settings, correct_from
from curator.gradebook import Gradebook, GraderRecord, changed_scopes
from curator.store import bank as store_bank
from curator.store import clocks
from curator.store import collection as store_collection
from curator.store.connection import file_identity, snapshot

KEPT_SHEETS = 4000  # every query of several graders and banks; each holds its matrix


@dataclass(eq=False)
class Sheet:
    """One query's grades on one set of questions, and the rows computed from them."""

    questions: tuple[Question, ...]
    graded: GradedQuery
    needed: int
    known: int
    rows: dict[Settings, Row] = field(default_factory=dict)
    overalls: dict[Cover, float] = field(default_factory=dict)

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


class Boards:
    """The loaded collection, bank and grades of one workspace, with sheets on top."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.collection = Collection("", (), (), {})
        self.bank = Bank()
        self.gradebook = Gradebook()
        self._clocks: Mapping[str, int] | None = None
        self._identity: object = None
        self._sheets: OrderedDict[tuple[int, str, int], Sheet] = OrderedDict()
        # Boards of the bank as it is now: what every preview is compared with.
        self.standing: dict[tuple[Settings, str | None], Leaderboard] = {}

    def refresh(self, connection: sqlite3.Connection) -> None:
        """Read again whatever the clocks say has changed; nothing if nothing has."""
        with self.lock, snapshot(connection):
            now = clocks.read(connection)
            identity = file_identity(connection)
            before = self._clocks if identity == self._identity else None
            if now == before:
                return
            if before is None or now.get(clocks.COLLECTION) != before.get(
                clocks.COLLECTION
            ):
                self.collection = store_collection.read_collection(connection)
                self.bank = store_bank.read_bank(connection)
                self.gradebook.reload(connection)
                self._sheets.clear()
            else:
                self._reload_changed(connection, before, now)
            self._clocks, self._identity = now, identity
            self.standing.clear()

    def grader(self, name: str) -> GraderRecord:
        """The grader of this full name. Raises UnknownNameError."""
        return self.gradebook.grader(name)

    def measure(self, settings: Settings) -> Measure:
        """The measure these settings name under their grader."""
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
        key = (record.grader_id, query_id, id(questions))
        with self.lock:
            sheet = self._sheets.get(key)
            # The sheet holds the tuple, so its id cannot have passed to another one.
            if sheet is not None and sheet.questions is questions:
                self._sheets.move_to_end(key)
                return sheet
            graded = self.graded(record, query_id, questions)
            sheet = Sheet(questions, graded, graded.needed, graded.known)
            self._sheets[key] = sheet
            while len(self._sheets) > KEPT_SHEETS:
                self._sheets.popitem(last=False)
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
            return self.gradebook.graded_query_item(record, pool)
        items = active(questions, "nugget" if kind == "nugget" else "question")
        if subtopic_id is not None:
            items = tuple(q for q in items if q.subtopic_id == subtopic_id)
        return self.gradebook.graded(record, pool, items)

    def _reload_changed(
        self,
        connection: sqlite3.Connection,
        before: Mapping[str, int],
        now: Mapping[str, int],
    ) -> None:
        banks, grades = changed_scopes(before, now)
        if banks:
            self.bank = store_bank.read_queries(connection, self.bank, banks)
        known = {record.grader_id for record in self.gradebook.records}
        if any(grader_id not in known for grader_id, _ in grades):
            self.gradebook.reload(connection)
        else:
            for grader_id, query_id in grades:
                self.gradebook.reload_query(connection, grader_id, query_id)
        stale = set(grades)
        for key in [key for key in self._sheets if key[:2] in stale]:
            del self._sheets[key]


_BOARDS: dict[Path, Boards] = {}
_BOARDS_LOCK = threading.Lock()


def boards_for(path: Path) -> Boards:
    """This process's Boards of the workspace at ``path``."""
    with _BOARDS_LOCK:
        return _BOARDS.setdefault(path.resolve(), Boards())
