"""Snapshots of a workspace, and the cache of them in memory.

A page or a command works on one Snapshot: collection, bank and grades of the file at
one moment, the connection that reads the rest of that moment, and the viewer. A board
is summed from per-query rows, and an edit changes one query's; a bank shares the
queries that an edit did not touch, so their matrices come from the cache. The file's
versions tell which parts to read again. One SnapshotCache serves all sessions of a
process; its snapshots are immutable, so a reader computes from parts that belong
together while others save.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from curator.bank.changes import AffectedBoards
from curator.bank.edits.kinds import KINDS
from curator.bank.marks import Check, Decision, is_gold, with_vote
from curator.bank.marks.decision import decided_vote
from curator.bank.marks.vote import vote_of
from curator.bank.questions import Bank, Question, WithheldQuestion, active
from curator.collection.pools import Collection, Query, blinded
from curator.errors import EvaluationError, UnknownNameError
from curator.evaluation.grades import GradedQuery, merge_segments
from curator.evaluation.measures import Measure, compares_texts, measure_for
from curator.evaluation.measures.measure import ScoredQuery
from curator.evaluation.settings import (
    JUDGMENTS,
    OFFICIAL,
    Settings,
    correct_from,
    judged_measure,
)
from curator.snapshot.access import find_member
from curator.snapshot.caches import BoardInputs, Caches, LatestScores
from curator.snapshot.gradebook import (
    DerivedGraders,
    Gradebook,
    GraderRecord,
    changed_scopes,
)
from curator.snapshot.learned import LearnedGraders
from curator.snapshot.people import People
from curator.snapshot.restricted import withheld_collection
from curator.snapshot.viewer import Filtered, Viewer, counted
from curator.store import bank as store_bank
from curator.store import collection as store_collection
from curator.store import versions
from curator.store.connection import read_transaction
from curator.store.restricted import Withheld, read_withheld

T = TypeVar("T")
P = ParamSpec("P")
ANY_VIEWER = Viewer("")
WithoutTexts = Callable[[frozenset[str]], sqlite3.Connection]


@dataclass(frozen=True, eq=False, repr=False)
class Snapshot:
    """A workspace at one moment, as its viewer may see it.

    Collection, bank and connection have only what may be shown. Boards count all votes
    and texts of the bank's questions (``counted``). ``full`` is the same moment with
    everything, for counts and other computation whose result reveals nothing.
    """

    collection: Collection
    bank: Bank
    gradebook: Gradebook
    caches: Caches
    viewer: Viewer = ANY_VIEWER
    _connection: sqlite3.Connection | None = None
    _full: Snapshot | None = None
    counts_hidden: bool = True
    _current: Bank = field(default_factory=Bank)  # that of the file
    _cached: dict[tuple[Hashable, ...], Any] = field(default_factory=dict)

    @classmethod
    def read(cls, connection: sqlite3.Connection) -> Snapshot:
        """Read collection, bank and graders; ``for_viewer`` opens the snapshot.

        Grades are read on request, one query at a time.
        """
        caches = Caches()
        return cls(
            store_collection.read_collection(connection),
            store_bank.read_bank(connection),
            Gradebook.read(connection, caches.vectors),
            caches,
        )

    def reread(
        self,
        connection: sqlite3.Connection,
        before: Mapping[str, int],
        now: Mapping[str, int],
    ) -> Snapshot:
        """Return the snapshot at these versions, sharing unchanged parts."""
        if before.get(versions.COLLECTION) != now.get(versions.COLLECTION):
            return Snapshot.read(connection)
        banks, grades = changed_scopes(before, now)
        bank, gradebook = self.bank, self.gradebook
        if banks:
            bank = store_bank.reread_queries(connection, bank, banks)
        if before.get(versions.GRADERS) != now.get(versions.GRADERS):
            gradebook = gradebook.read_all_again(connection)
        elif grades:
            gradebook = gradebook.reread(grades, now)
        return Snapshot(self.collection, bank, gradebook, self.caches)

    def for_viewer(
        self,
        connection: sqlite3.Connection,
        judge: str = "",
        *,
        as_judge: bool = False,
        without_texts: WithoutTexts | None = None,
    ) -> Snapshot:
        """Open this snapshot through a connection, restricted to the user's view.

        ``as_judge`` masks systems in blind mode and leaves out proposals that are
        hidden from the judge; an organizer sees everything. ``without_texts`` opens a
        connection that reads no texts of restricted queries. Raises RoleError if people
        are listed and the user is none of them.
        """
        role = find_member(connection, judge).role if as_judge else None
        gradebook = self.gradebook.with_connection(connection)
        viewer = Viewer(judge, revealed=self.bank.revealed)
        full = replace(
            self, gradebook=gradebook, viewer=viewer, _connection=connection
        )._with_derived_graders()
        if not as_judge or role == "organizer":
            return full._restrict_to(viewer, connection)
        restricted = self.collection.restricted if without_texts else frozenset()
        viewer = self.cached(
            ("viewer", judge),
            lambda: Viewer.judge_viewer(
                connection, judge, self.collection, self.bank, restricted
            ),
        )
        if restricted and without_texts:
            connection = without_texts(restricted)
        return full._restrict_to(viewer, connection)

    def without_restricted(self, connection: sqlite3.Connection) -> Snapshot:
        """Return the snapshot without the texts of restricted queries.

        ``connection`` must read none of them.
        """
        viewer = replace(self.viewer, restricted=self.collection.restricted)
        return self.full._restrict_to(viewer, connection)

    @property
    def with_texts(self) -> Snapshot:
        """The snapshot with the texts of restricted queries, for numbers only."""
        if not self.viewer.restricted:
            return self
        viewer = replace(self.viewer, restricted=frozenset())
        return self.full._restrict_to(viewer, self.full.connection)

    def _restrict_to(self, viewer: Viewer, connection: sqlite3.Connection) -> Snapshot:
        """Return this full snapshot as a viewer may see it, filtered here alone."""
        collection = self.collection
        if viewer.is_judge and collection.blind:
            collection = blinded(collection)
        if viewer.restricted:
            collection = withheld_collection(collection)
        who = viewer.judge, viewer.is_judge, bool(viewer.restricted)
        bank, results = self.cached(
            ("visible to", who),
            lambda: (viewer.visible(self.bank, self.caches), dict[Any, Any]()),
        )
        if bank is self.bank and viewer is self.viewer:
            return self
        return replace(
            self,
            collection=collection,
            bank=bank,
            viewer=viewer,
            _connection=connection,
            _full=self,
            _current=bank,
            _cached=results,
        )._with_derived_graders()

    @property
    def connection(self) -> sqlite3.Connection:
        """Connection that reads the rest of the file at this moment."""
        assert self._connection is not None, "the snapshot was not opened"
        return self._connection

    @property
    def restricted(self) -> frozenset[str]:
        """The queries whose texts are not in this snapshot."""
        return self.viewer.restricted

    @property
    def full(self) -> Snapshot:
        """The snapshot with everything that is hidden from the viewer."""
        return self._full or self

    @property
    def with_visible_marks_only(self) -> Snapshot:
        """The snapshot whose boards count only the votes that are visible."""
        if self._full is None:
            return self
        results = self.cached(("visible marks only",), lambda: dict[Any, Any]())
        return replace(self, counts_hidden=False, _cached=results)

    def visible_bank(self, past: Bank) -> Bank:
        """Return a past bank of the full snapshot as the viewer may see it."""
        return self.viewer.visible(past, self.caches)

    def counted(self, bank: Bank) -> Bank:
        """Return a bank of this snapshot, or an edited one, with what is hidden in it.

        The same questions with all texts and votes, and all marks. Boards count them.
        """
        if self._full is None or not self.counts_hidden:
            return bank
        if bank is self.bank:
            return self.cached(("counted",), lambda: self._counted(bank))
        return self._counted(bank)

    def _counted(self, bank: Bank) -> Bank:
        questions = {q: self.counted_questions(q, bank) for q in bank.by_query}
        marks = {
            kind: {q: counted(items) for q, items in by_query.items()}
            for kind, by_query in bank.marks.items()
        }
        return replace(bank, by_query=questions, marks=marks)

    def counted_questions(
        self, query_id: str, bank: Bank | None = None
    ) -> tuple[Question, ...]:
        """Return a query's questions with the votes and texts that are hidden."""
        questions = (bank or self.bank).questions_of(query_id)
        now = self._current.questions_of(query_id)
        if not self.counts_hidden:
            return questions
        if isinstance(questions, Filtered) or not isinstance(now, Filtered):
            return counted(questions)
        return self.caches.restored.get(
            query_id, (questions, now), lambda: self._restored(questions, now)
        )

    def _restored(
        self, questions: tuple[Question, ...], now: Filtered[Question]
    ) -> tuple[Question, ...]:
        """Return edited questions with what is hidden in the current ones."""
        pairs = {
            full.question_id: (visible, full)
            for visible, full in zip(now, now.source, strict=True)
        }
        judge = self.viewer.judge

        def restored(question: Question) -> Question:
            visible, full = pairs.get(question.question_id, (question, question))
            if question is visible:
                return full
            votes = with_vote(full.votes, judge, vote_of(question, judge))
            if isinstance(question, WithheldQuestion):
                revision, state = question.revision, question.state
                return replace(full, state=state, revision=revision, votes=votes)
            return replace(question, votes=votes)

        return tuple(map(restored, questions))

    def hidden_marks(self, *affected: AffectedBoards) -> int:
        """Count the marks that the viewer sees only after one of their own.

        Those of all kinds, or of kinds that affect these boards.
        """
        visible, full = self.with_texts.bank, self.full.bank
        return sum(
            kind.mark.count(full) - kind.mark.count(visible)
            for kind in KINDS.values()
            if kind.mark and kind.mark.audience == "own first"
            if kind.affects in affected or not affected
        )

    @property
    def queries(self) -> dict[str, Query]:
        """Every query by its id."""
        return self.cached(
            ("queries",),
            lambda: {query.query_id: query for query in self.collection.queries},
        )

    def with_bank(self, bank: Bank) -> Snapshot:
        """Return the snapshot with another bank; matrices are shared."""
        return replace(self, bank=bank, _cached={})._with_derived_graders()

    def _with_derived_graders(self) -> Snapshot:
        """Return the snapshot with the grades from people's verdicts and checks."""
        bank = self._people_bank(self.bank)
        book = self.gradebook.with_derived(self._families(bank))
        marks = (*bank.verdicts.values(), *bank.checks.values())
        if any(marks) or any(record.derived for record in book.records):
            listed = self.cached(("derived",), book.with_listed(()).derived_records)
            book = book.with_listed(listed)
        return replace(self, gradebook=book)

    def _people_bank(self, bank: Bank) -> Bank:
        """Return a bank with the visible marks and the texts that they are about.

        And with all decisions, and with known answers, since answers to their pairs do
        not count.
        """
        viewer = self.viewer
        if viewer.restricted:
            viewer = replace(viewer, restricted=frozenset())
            bank = viewer.visible(self.counted(bank), self.caches)
        checks = {
            query_id: self._with_gold(query_id, visible, visible.source)
            for query_id, visible in bank.checks.items()
            if isinstance(visible, Filtered)
            and any(is_gold(c.judge) for c in visible.source)
        }
        bank = bank.with_marks("check", checks) if checks else bank
        decisions = self.decisions(bank)
        return bank.with_marks("decision", decisions) if decisions else bank

    def _with_gold(
        self, query_id: str, visible: tuple[Check, ...], source: tuple[Check, ...]
    ) -> tuple[Check, ...]:
        return self.caches.visible.get(
            ("gold", query_id, self.viewer.judge),
            (visible, source),
            lambda: tuple(c for c in source if is_gold(c.judge) or c in visible),
        )

    def _families(
        self, bank: Bank
    ) -> Mapping[str, Callable[[Gradebook], DerivedGraders]]:
        """Return the families of graders that follow from people's marks in a bank."""
        pools, caches, full = self.collection.pools, self.caches, self.full
        return {
            "learned": lambda book: LearnedGraders(
                bank, pools, book, caches, full.queries
            ),
            "people": lambda book: People(bank, pools, book, caches, full.connection),
        }

    def _gradebook_for(self, bank: Bank, record: GraderRecord) -> Gradebook:
        """Return the gradebook with this grader's grades in this bank."""
        if bank is self.bank or not record.derived:
            return self.gradebook
        return self.gradebook.with_derived(self._families(self._people_bank(bank)))

    def with_gradebook(self, gradebook: Gradebook) -> Snapshot:
        """Return the snapshot with other grades; itself if they are the same."""
        if gradebook is self.gradebook:
            return self
        return replace(self, gradebook=gradebook, _cached={})

    def cached(self, key: tuple[Hashable, ...], compute: Callable[[], T]) -> T:
        """Return the result of ``compute`` for this snapshot, cached under this key.

        A snapshot never changes, so neither do its results.
        """
        if key not in self._cached:
            value = compute()
            if self.gradebook.is_outdated:
                return value
            self._cached[key] = value
        result: T = self._cached[key]
        return result

    def grader(self, name: str) -> GraderRecord:
        """Return the grader of this full name. Raises UnknownNameError."""
        if name in (JUDGMENTS, OFFICIAL):
            raise EvaluationError(
                "Official judgments and ranks use no questions, so no edit changes "
                "their boards."
            )
        return self.gradebook.grader(name)

    def measure(self, settings: Settings) -> Measure:
        """Return the measure of these settings, for their grader if it needs one."""
        judged = judged_measure(settings.measure)
        if judged or compares_texts(settings.measure):  # these use no grades
            return measure_for(
                replace(settings, measure=judged or settings.measure), "rated"
            )
        return measure_for(settings, self.grader(settings.grader).spec.reading.kind)

    def threshold(self, settings: Settings) -> int:
        """Return the lowest rating of a correct answer under these settings."""
        reading = self.grader(settings.grader).spec.reading.kind
        return correct_from(reading, settings.min_rating)

    def relevant_from(self, settings: Settings) -> int:
        """Return the lowest label of a relevant passage under these settings."""
        reading = self.grader(settings.grader).spec.reading.kind
        return settings.relevant_from(reading)

    def query_ids(self, query_id: str | Sequence[str] | None = None) -> tuple[str, ...]:
        """List all queries, or the named ones once each. Raises UnknownNameError."""
        if query_id is None:
            return tuple(self.collection.pools)
        named = [query_id] if isinstance(query_id, str) else query_id
        for name in named:
            if name not in self.collection.pools:
                raise UnknownNameError(
                    f"No query '{name}' in this workspace. "
                    "`curator questions WORKSPACE` lists queries and their questions."
                )
        return tuple(dict.fromkeys(named))

    def matrix(self, grader: str, query_id: str, bank: Bank) -> GradedQuery:
        """Return the query's grades on its active items in this bank."""
        record = self.grader(grader)
        return self._matrix(record, query_id, bank, self._gradebook_for(bank, record))

    def _matrix(
        self,
        record: GraderRecord,
        query_id: str,
        bank: Bank,
        gradebook: Gradebook,
        subtopic_id: str | None = None,
    ) -> GradedQuery:
        questions = self.counted_questions(query_id, bank)
        decisions = self._decisions_of(query_id, bank)
        return self.caches.matrices.get(
            (record.grader_id, query_id, subtopic_id),
            self._matrix_sources(record, query_id, bank, gradebook),
            lambda: gradebook.ensure_current(
                self.graded(
                    record,
                    query_id,
                    questions,
                    subtopic_id=subtopic_id,
                    gradebook=gradebook,
                    decisions=decisions,
                )
            ),
        )

    def _matrix_sources(
        self, record: GraderRecord, query_id: str, bank: Bank, gradebook: Gradebook
    ) -> tuple[object, ...]:
        return (
            self.collection.pools[query_id],
            self.counted_questions(query_id, bank),
            self._decisions_of(query_id, bank),
            *gradebook.cache_key(record, query_id),
        )

    def decisions(self, bank: Bank) -> Mapping[str, tuple[Decision, ...]]:
        """Return the decisions that count in this bank, by query; judges see none."""
        return {q: self._decisions_of(q, bank) for q in bank.decisions}

    def _decisions_of(self, query_id: str, bank: Bank) -> tuple[Decision, ...]:
        decisions = bank.decisions_of(query_id)
        return counted(decisions) if self.counts_hidden else decisions

    def matrices_of_subtopics(
        self, grader: str, bank: Bank, query_id: str | None = None
    ) -> dict[tuple[str, str], GradedQuery]:
        """Return the matrices of the (query id, subtopic id) with an active item.

        Each has its own items and, if present, its own ranks and judgments.
        """
        record = self.grader(grader)
        gradebook = self._gradebook_for(bank, record)
        kind = record.spec.reading.item_kind
        topics = dict.fromkeys(
            (query, question.subtopic_id)
            for query in self.query_ids(query_id)
            for question in active(bank.questions_of(query), kind)
        )
        matrices = {
            (query, subtopic): self._matrix(record, query, bank, gradebook, subtopic)
            for query, subtopic in topics
            if subtopic is not None
        }
        # A grader that grades the query has no item in a subtopic.
        return {pair: matrix for pair, matrix in matrices.items() if matrix.item_ids}

    def matrices(
        self, grader: str, bank: Bank, query_ids: Iterable[str]
    ) -> dict[str, GradedQuery]:
        """Return the matrices of the queries that count: those with an active item."""
        record = self.grader(grader)
        gradebook = self._gradebook_for(bank, record)
        matrices = {q: self._matrix(record, q, bank, gradebook) for q in query_ids}
        return {q: matrix for q, matrix in matrices.items() if matrix.item_ids}

    def scores(
        self, grader: str, measure: Measure, bank: Bank, query_ids: Iterable[str]
    ) -> dict[str, ScoredQuery]:
        """Score the matrices of the queries that count under a measure.

        Cached apart from the matrices, which are built only after a change.
        """
        record = self.grader(grader)
        gradebook = self._gradebook_for(bank, record)
        board_key = self.caches.board(record.grader_id, measure)

        def scored(query_id: str) -> ScoredQuery | None:
            def compute() -> ScoredQuery | None:
                matrix = self._matrix(record, query_id, bank, gradebook)
                query_score = measure.scored(matrix) if matrix.item_ids else None
                return gradebook.ensure_current(query_score)

            sources = self._matrix_sources(record, query_id, bank, gradebook)
            return self.caches.scores.get((board_key, query_id), sources, compute)

        pools, wanted_ids = self.collection.pools, tuple(query_ids)
        all_scores: Mapping[str, ScoredQuery | None]
        if gradebook.depends_on_people(record) or len(wanted_ids) < len(pools):
            all_scores = {query_id: scored(query_id) for query_id in wanted_ids}
        else:
            # An edit changes one query; looking up all others would take longer.
            latest = self.caches.latest_scores.get(board_key, (pools,), LatestScores)
            inputs = self.counted(bank).by_query, self.decisions(bank)
            now: BoardInputs = record, (*inputs, *gradebook.stored)
            all_scores = latest.with_changed(now, pools, scored)
            if bank is self.bank and not gradebook.is_outdated:
                latest.store(now, all_scores)
        return {q: score for q in wanted_ids if (score := all_scores[q]) is not None}

    def graded(
        self,
        record: GraderRecord,
        query_id: str,
        questions: Iterable[Question],
        *,
        subtopic_id: str | None = None,
        gradebook: Gradebook | None = None,
        decisions: Sequence[Decision] = (),
    ) -> GradedQuery:
        """Return the query's grades on the active ones of these questions.

        From the snapshot's gradebook, or another; with the decisions on their votes.
        """
        gradebook = gradebook or self.gradebook
        pool = self.collection.pools[query_id]
        questions = tuple(questions)
        if subtopic_id is not None:
            pool = pool.subtopic_pool(subtopic_id)
        kind = record.spec.reading.item_kind
        if kind == "query":
            if subtopic_id is not None:  # it grades queries, not subtopics
                return gradebook.graded(record, pool, ())
            query = self.queries[query_id]
            return merge_segments(gradebook.graded_query_item(record, pool, query))
        items = active(questions, kind)
        if subtopic_id is not None:
            items = tuple(q for q in items if q.subtopic_id == subtopic_id)
        graded = merge_segments(gradebook.graded(record, pool, items))
        # Of all questions: previews treat a retired question as active.
        voted = any(question.votes for question in questions)
        return replace(
            graded,
            votes=tuple(question.votes for question in items),
            decided=tuple(decided_vote(question, decisions) for question in items),
            letters=self.letters(query_id) if voted else None,
        )

    def letters(self, query_id: str) -> NDArray[np.int32]:
        """(passages,): the number of characters of each text that are not white space.

        Read on request, so that a collection opens without reading its texts. Raises
        ValueError for missing texts, as in a damaged file.
        """
        pool = self.collection.pools[query_id]

        def read() -> NDArray[np.int32]:
            connection = self.full.connection
            lengths = store_collection.pool_letters(connection, query_id)
            return np.fromiter(lengths, np.int32, count=pool.size)

        # The passages are the same for all viewers, unlike the visible ranks.
        return self.caches.letters.get(query_id, (pool.passage_ids,), read)


UNCACHED_VERSIONS = (
    versions.GENERATION,
    versions.RELEASES,
    versions.PEOPLE,
)
"""Versions of data outside of snapshots, which is read on request."""


class SnapshotCache:
    """The latest Snapshot of one workspace file, without a viewer."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._mark: tuple[int, int] | None = None
        self._versions: Mapping[str, int] = {}
        self._latest: Snapshot | None = None
        self._withheld: tuple[object, Withheld] | None = None

    def withheld(
        self, connection: sqlite3.Connection, restricted: frozenset[str], version: int
    ) -> Withheld:
        """Return the data of restricted queries only, in this version of the file."""
        with self._lock:
            now = restricted, version
            if self._withheld is None or self._withheld[0] != now:
                self._withheld = now, read_withheld(connection, restricted)
            return self._withheld[1]

    def current(self, connection: sqlite3.Connection) -> Snapshot:
        """Return the current snapshot of the file; the same object until it changes."""
        with self._lock, read_transaction(connection):
            mark = versions.fingerprint(connection)
            if self._latest is not None and mark == self._mark:
                return self._latest
            now = versions.read_versions(connection)
            for scope in UNCACHED_VERSIONS:
                now.pop(scope, None)
            if self._latest is None:
                self._latest = Snapshot.read(connection)
            elif now != self._versions:
                self._latest = self._latest.reread(connection, self._versions, now)
            self._mark, self._versions = mark, now
            return self._latest


_CACHES: dict[Path, SnapshotCache] = {}
_CACHES_LOCK = threading.Lock()


def snapshot_cache(path: Path) -> SnapshotCache:
    with _CACHES_LOCK:
        return _CACHES.setdefault(path.resolve(), SnapshotCache())


def forget(path: Path) -> None:
    """Drop the cache of the workspace at ``path``, for a replaced file.

    Needed only if the versions may equal those of the old file, as in a copy.
    """
    with _CACHES_LOCK:
        _CACHES.pop(path.resolve(), None)


def cached_in_snapshot(
    function: Callable[Concatenate[Snapshot, P], T],
) -> Callable[Concatenate[Snapshot, P], T]:
    """Cache the results of a function in its snapshot, by its other arguments."""

    @wraps(function)
    def cached(snapshot: Snapshot, /, *args: P.args, **options: P.kwargs) -> T:
        key = (function, args, *sorted(options.items()))
        return snapshot.cached(key, lambda: function(snapshot, *args, **options))

    return cached
