"""One frozen state of a workspace, and what a process keeps of it in memory.

A page or a command works on one State: collection, bank and grades as the file had them
at one moment, the connection that reads the rest of that moment, and who looks at it. A
board is summed from per-query rows, and an edit changes one query's; a bank shares the
queries an edit did not touch, so their matrices are found again. The file's versions
say what to read again. One StateCache serves every session of a process; what it hands
out never changes, so whoever works on it computes from parts that belong together while
others save.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from curator.bank.edits.adjudicate import decided_vote
from curator.bank.marks import Decision
from curator.bank.questions import Bank, Question, active
from curator.collection.pools import Collection, Query, blinded
from curator.engine.gradebook import Gradebook, GraderRecord, changed_scopes
from curator.engine.kept import Kept, LatestScores, Now
from curator.engine.learned import LearnedGraders
from curator.engine.people import People
from curator.errors import EvaluationError, UnknownNameError
from curator.evaluation.grades import GradedQuery, as_counted
from curator.evaluation.measures import Measure, compares_texts, measure_for
from curator.evaluation.measures.measure import ScoredQuery
from curator.evaluation.settings import (
    JUDGMENTS,
    OFFICIAL,
    Settings,
    correct_from,
    judged_measure,
)
from curator.store import bank as store_bank
from curator.store import collection as store_collection
from curator.store import versions
from curator.store.connection import snapshot
from curator.store.restricted import Withheld, read_withheld
from curator.visibility.restricted import (
    fields_with_words,
    withheld_bank,
    withheld_collection,
    withheld_questions,
)
from curator.visibility.roles import standing
from curator.visibility.viewer import Viewer, without_marks_on

T = TypeVar("T")
EVERYBODY = Viewer("")
WithoutTexts = Callable[[frozenset[str]], sqlite3.Connection]


@dataclass(frozen=True, eq=False, repr=False)
class State:
    """A workspace at one moment, as somebody may see it.

    ``bank`` is what boards are made of; what one person may be shown of votes, verdicts
    and checks is in ``seen``. ``whole`` is the state with every name and every
    question, whoever looks. ``restricted`` are the queries whose texts are in none of
    these; ``with_texts`` has them, to compute by.
    """

    collection: Collection
    bank: Bank
    gradebook: Gradebook
    kept: Kept
    viewer: Viewer = EVERYBODY
    _connection: sqlite3.Connection | None = None
    _whole: State | None = None
    _with_texts: State | None = None
    _cached: dict[tuple[Hashable, ...], Any] = field(default_factory=dict)

    @classmethod
    def read(cls, connection: sqlite3.Connection) -> State:
        """Collection, bank and graders as the file has them; ``opened`` has it read.

        Grades are read where they are asked for, of a query at a time.
        """
        kept = Kept()
        return cls(
            store_collection.read_collection(connection),
            store_bank.read_bank(connection),
            Gradebook.read(connection, kept.vectors),
            kept,
        )

    def reread(
        self,
        connection: sqlite3.Connection,
        before: Mapping[str, int],
        now: Mapping[str, int],
    ) -> State:
        """The state at these versions, sharing what is the same since ``before``."""
        if before.get(versions.COLLECTION) != now.get(versions.COLLECTION):
            return State.read(connection)
        banks, grades = changed_scopes(before, now)
        bank, gradebook = self.bank, self.gradebook
        if banks:
            bank = store_bank.read_queries(connection, bank, banks)
        if before.get(versions.GRADERS) != now.get(versions.GRADERS):
            gradebook = gradebook.read_anew(connection)
        elif grades:
            gradebook = gradebook.reread(grades, now)
        return State(self.collection, bank, gradebook, self.kept)

    def opened(
        self,
        connection: sqlite3.Connection,
        judge: str = "",
        *,
        as_judge: bool = False,
        without_texts: WithoutTexts | None = None,
    ) -> State:
        """This state read through a connection, as whoever opens it may see it.

        ``as_judge`` masks systems in blind mode and leaves out the proposals that the
        judge is not to see yet; an organizer sees everything. ``without_texts`` opens
        what reads no texts of restricted queries. Raises RoleError for who is none of
        the people listed.
        """
        role = standing(connection, judge).role if as_judge else None
        whole = self._through(connection, Viewer(judge))._with_people()
        if not as_judge or role == "organizer":
            return whole
        viewer = self.cached(
            ("viewer", judge),
            lambda: Viewer.of_judge(connection, judge, self.collection, self.bank),
        )
        found = self
        if self.collection.blind:
            masked = blinded(self.collection)
            found = self.cached(
                ("blinded",), lambda: replace(self, collection=masked, _cached={})
            )
        if viewer.hidden:
            found = found.cached(
                ("left out", judge),
                lambda: replace(found, bank=self._left(viewer), _cached={}),
            )
        if self.cached(
            ("verdicts hidden", judge), lambda: viewer.hides_judgments(self.bank)
        ):
            # Boards of people's answers are made of what this judge may see.
            found = found.cached(
                ("of verdicts", judge), lambda: replace(found, _cached={})
            )
        found = replace(found._through(connection, viewer), _whole=whole)
        found = found._with_people()
        restricted = self.collection.restricted
        if restricted and without_texts:
            return found.withheld(without_texts(restricted))
        return found

    def withheld(self, connection: sqlite3.Connection) -> State:
        """The same state without the texts of restricted queries.

        ``connection`` is one that reads none of them.
        """
        if self._with_texts:
            return self
        cached: dict[tuple[Hashable, ...], Any] = self.cached(
            ("withheld", self.viewer.judge, self.viewer.is_judge), dict
        )
        restricted = self.collection.restricted
        return replace(
            self,
            collection=withheld_collection(self.collection),
            bank=self._without_words(self.bank),
            viewer=replace(self.viewer, restricted=restricted),
            _connection=connection,
            _whole=self._whole and self._whole.withheld(connection),
            _with_texts=self,
            _cached=cached,
        )

    def _without_words(self, bank: Bank) -> Bank:
        def questions(query_id: str) -> tuple[Question, ...]:
            there = bank.of_query(query_id)
            return self.kept.shown.get(
                (query_id, "withheld"), (there,), lambda: withheld_questions(there)
            )

        return withheld_bank(bank, self.collection.restricted, questions)

    def _through(self, connection: sqlite3.Connection, viewer: Viewer) -> State:
        gradebook = self.gradebook.through(connection)
        return replace(self, _connection=connection, gradebook=gradebook, viewer=viewer)

    @property
    def connection(self) -> sqlite3.Connection:
        """Reads what else the file holds at this moment."""
        assert self._connection is not None, "a state that nobody opened"
        return self._connection

    @property
    def restricted(self) -> frozenset[str]:
        """The queries whose texts are not in this state."""
        return self.collection.restricted if self._with_texts else frozenset()

    @property
    def with_texts(self) -> State:
        """The same moment with the texts of restricted queries: to compute by alone."""
        return self._with_texts or self

    def without_words(self, bank: Bank) -> Bank:
        """A bank that was made ``with_texts`` as this state may show it."""
        if self._with_texts is None:
            return bank
        now = self._with_texts.bank
        return self.bank if bank is now else self._without_words(bank)

    def in_words(self, bank: Bank) -> Bank:
        """A bank of this state with what restricted queries hold now, to compute by."""
        if self._with_texts is None:
            return bank
        now = self._with_texts.bank
        if bank is self.bank:
            return now
        here = {q: now.of_query(q) for q in self.restricted if q in now.by_query}
        marks: dict[str, Any] = {
            name: {
                **getattr(bank, name),
                **{q: m for q, m in getattr(now, name).items() if q in self.restricted},
            }
            for name in fields_with_words(bank)
        }
        return replace(bank, by_query={**bank.by_query, **here}, **marks)

    @property
    def whole(self) -> State:
        """The same moment with every name and every question."""
        return self._whole or self

    @property
    def seen(self) -> State:
        """The same moment with the votes, verdicts, checks that may be shown alone."""
        if not self.viewer.is_judge:
            return self
        bank = self.cached(
            ("seen by", self.viewer.judge), lambda: self.viewer.bank(self.bank)
        )
        if bank is self.bank:
            return self
        # What is computed of it is computed once, too.
        cached: dict[tuple[Hashable, ...], Any] = self.cached(
            ("seen", self.viewer.judge), dict
        )
        return replace(self, bank=bank, _cached=cached)

    @property
    def queries(self) -> dict[str, Query]:
        """Every query by its id."""
        return self.cached(
            ("queries",), lambda: {one.query_id: one for one in self.collection.queries}
        )

    def with_bank(self, bank: Bank) -> State:
        """The same collection and grades under another bank; matrices are shared."""
        return replace(self, bank=bank, _cached={})._with_people()

    def _with_people(self) -> State:
        """The state with the grades that are people's verdicts and checks in it."""
        if self._with_texts:  # which are on words
            texts = self._with_texts.with_bank(self.in_words(self.bank))
            return replace(self, gradebook=texts.gradebook, _with_texts=texts)
        learned, book = self._learned(self.bank), self.gradebook
        listed = None
        if any(self.bank.checks.values()) or book.lists_learned:
            listed = self.cached(("learned",), lambda: learned(book).records())
        gradebook = book.with_learned(learned, listed)
        said = (*self.bank.verdicts.values(), *self.bank.checks.values())
        if any(said) or gradebook.has_people:
            people = self._people(self.bank)
            records = self.cached(("people",), people.records)
            gradebook = gradebook.with_people(people.vectors, records)
        return replace(self, gradebook=gradebook)

    def _learned(self, bank: Bank) -> Callable[[Gradebook], LearnedGraders]:
        pools, queries = self.collection.pools, self.queries
        return lambda book: LearnedGraders(
            bank, self.viewer, pools, queries, book, self.kept, self.decisions(bank)
        )

    def _people(self, bank: Bank) -> People:
        pools, gradebook, kept = self.collection.pools, self.gradebook, self.kept
        seen = self.viewer, self.decisions(bank)
        return People(bank, *seen, pools, gradebook, kept, self.connection)

    def _grades_in(self, bank: Bank, record: GraderRecord) -> Gradebook:
        """The gradebook with this grader's grades as they are in this bank."""
        if bank is self.bank or not record.derived:
            return self.gradebook
        if self._with_texts:
            return self._with_texts._grades_in(self.in_words(bank), record)
        gradebook = self.gradebook.with_learned(self._learned(bank))
        if not gradebook.has_people:
            return gradebook
        return gradebook.with_people(self._people(bank).vectors)

    def with_gradebook(self, gradebook: Gradebook) -> State:
        """The same state under other grades; itself if they are the same."""
        if gradebook is self.gradebook:
            return self
        return replace(self, gradebook=gradebook, _cached={})

    def cached(self, key: tuple[Hashable, ...], compute: Callable[[], T]) -> T:
        """What ``compute`` gives for this state, computed once under this key.

        A state never changes, so neither does what is made of it; a page that is drawn
        again without an edit computes nothing.
        """
        if key not in self._cached:
            value = compute()
            if self.gradebook.is_late:
                return value
            self._cached[key] = value
        known: T = self._cached[key]
        return known

    def _left(self, viewer: Viewer) -> Bank:
        """The bank without the questions that the viewer is not to see yet."""
        left = {q: self._shown(q, hidden) for q, hidden in viewer.hidden.items()}
        bank = without_marks_on(self.bank, viewer.hidden)
        return replace(bank, by_query={**bank.by_query, **left})

    def _shown(self, query_id: str, hidden: frozenset[str]) -> tuple[Question, ...]:
        questions = self.bank.of_query(query_id)
        return self.kept.shown.get(
            (query_id, hidden),
            (questions,),
            lambda: tuple(one for one in questions if one.question_id not in hidden),
        )

    def grader(self, name: str) -> GraderRecord:
        """The grader of this full name. Raises UnknownNameError."""
        if name in (JUDGMENTS, OFFICIAL):
            raise EvaluationError(
                "Official judgments and ranks rest on no question: they make boards, "
                "which no edit changes."
            )
        return self.gradebook.grader(name)

    def measure(self, settings: Settings) -> Measure:
        """The measure these settings name under their grader, if they need one."""
        judged = judged_measure(settings.measure)
        if judged or compares_texts(settings.measure):  # which rest on no grades
            return measure_for(
                replace(settings, measure=judged or settings.measure), "rated"
            )
        return measure_for(settings, self.grader(settings.grader).spec.reading.kind)

    def threshold(self, settings: Settings) -> int:
        """The rating from which an answer is correct under these settings."""
        reading = self.grader(settings.grader).spec.reading.kind
        return correct_from(reading, settings.min_rating)

    def relevant_from(self, settings: Settings) -> int:
        """The label from which a passage is relevant under these settings."""
        reading = self.grader(settings.grader).spec.reading.kind
        return settings.relevant_from(reading)

    def query_ids(self, query_id: str | Sequence[str] | None = None) -> tuple[str, ...]:
        """Every query, or those asked for, each once. Raises UnknownNameError."""
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
        """The query's grades on its active items in this bank."""
        record = self.grader(grader)
        return self._matrix(record, query_id, bank, self._grades_in(bank, record))

    def _matrix(
        self,
        record: GraderRecord,
        query_id: str,
        bank: Bank,
        gradebook: Gradebook,
        subtopic_id: str | None = None,
    ) -> GradedQuery:
        questions = self._asked(bank, query_id)
        decisions = self.decisions(bank).get(query_id, ())
        return self.kept.matrices.get(
            (record.grader_id, query_id, subtopic_id),
            self._made_of(record, query_id, bank, gradebook),
            lambda: gradebook.of_its_moment(
                self.graded(
                    *(record, query_id, questions),
                    subtopic_id=subtopic_id,
                    gradebook=gradebook,
                    decisions=decisions,
                )
            ),
        )

    def _asked(self, bank: Bank, query_id: str) -> tuple[Question, ...]:
        """The query's questions, those of now with the words that decisions are on."""
        questions = bank.of_query(query_id)
        if self._with_texts and questions is self.bank.of_query(query_id):
            return self._with_texts.bank.of_query(query_id)
        return questions

    def _made_of(
        self, record: GraderRecord, query_id: str, bank: Bank, gradebook: Gradebook
    ) -> tuple[object, ...]:
        """What a query's matrix is made of."""
        return (
            self.collection.pools[query_id],
            self._asked(bank, query_id),
            self.decisions(bank).get(query_id, ()),
            *gradebook.made_of(record, query_id),
        )

    def decisions(self, bank: Bank) -> Mapping[str, tuple[Decision, ...]]:
        """What was decided where judges differ, as it counts in this bank, by query.

        A judge is told of none, so in a past bank of theirs those of now count. One
        holds for the marks that it was made of alone, in whichever bank they are.
        """
        if self._with_texts:
            return self._with_texts.decisions(self.in_words(bank))
        judges = self.viewer.is_judge
        return self.whole.bank.decisions if judges else bank.decisions

    def matrices_of_subtopics(
        self, grader: str, bank: Bank, query_id: str | None = None
    ) -> dict[tuple[str, str], GradedQuery]:
        """The matrices of the (query id, subtopic id) with an active item.

        Each on its own items and, where it has ranks and judgments, under these.
        """
        record = self.grader(grader)
        gradebook = self._grades_in(bank, record)
        kind = record.spec.reading.item_kind
        asked = dict.fromkeys(
            (q, one.subtopic_id)
            for q in self.query_ids(query_id)
            for one in active(bank.of_query(q), kind)
        )
        found = {
            (q, s): self._matrix(record, q, bank, gradebook, s)
            for q, s in asked
            if s is not None
        }
        # A grader that grades the query has no item in a subtopic.
        return {pair: matrix for pair, matrix in found.items() if matrix.item_ids}

    def matrices(
        self, grader: str, bank: Bank, query_ids: Iterable[str]
    ) -> dict[str, GradedQuery]:
        """The matrices of the queries that count: those with an active item."""
        record = self.grader(grader)
        gradebook = self._grades_in(bank, record)
        found = {q: self._matrix(record, q, bank, gradebook) for q in query_ids}
        return {q: matrix for q, matrix in found.items() if matrix.item_ids}

    def scores(
        self, grader: str, measure: Measure, bank: Bank, query_ids: Iterable[str]
    ) -> dict[str, ScoredQuery]:
        """What the measure makes of the matrices of the queries that count.

        Kept apart from these, which are made again only where something has changed.
        """
        record = self.grader(grader)
        gradebook = self._grades_in(bank, record)
        of_board = self.kept.board(record.grader_id, measure)

        def scored(query_id: str) -> ScoredQuery | None:
            def made() -> ScoredQuery | None:
                matrix = self._matrix(record, query_id, bank, gradebook)
                found = measure.scored(matrix) if matrix.item_ids else None
                return gradebook.of_its_moment(found)

            made_of = self._made_of(record, query_id, bank, gradebook)
            return self.kept.scores.get((of_board, query_id), made_of, made)

        pools, wanted = self.collection.pools, tuple(query_ids)
        found: Mapping[str, ScoredQuery | None]
        if gradebook.rests_on_people(record) or len(wanted) < len(pools):
            found = {one: scored(one) for one in wanted}
        else:
            # An edit changes one query; to look each of the others up takes longer.
            latest = self.kept.latest.get(of_board, (pools,), LatestScores)
            said = self.decisions(bank)
            now: Now = record, (bank.by_query, said, *gradebook.stored)
            found = latest.with_changed(now, pools, scored)
            if bank is self.bank and not gradebook.is_late:
                latest.keep(now, found)
        return {q: one for q in wanted if (one := found[q]) is not None}

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
        """The query's grades on the active ones of these questions.

        From the state's gradebook, or another; with what was decided of their votes.
        """
        gradebook = gradebook or self.gradebook
        pool = self.collection.pools[query_id]
        questions = tuple(questions)
        if subtopic_id is not None:
            pool = pool.of_subtopic(subtopic_id)
        kind = record.spec.reading.item_kind
        if kind == "query":
            if subtopic_id is not None:  # it grades the query, of no subtopic
                return gradebook.graded(record, pool, ())
            query = self.queries[query_id]
            return as_counted(gradebook.graded_query_item(record, pool, query))
        items = active(questions, kind)
        if subtopic_id is not None:
            items = tuple(q for q in items if q.subtopic_id == subtopic_id)
        graded = as_counted(gradebook.graded(record, pool, items))
        # Of all questions: one that is retired may be looked at as if it were not.
        voted = any(question.votes for question in questions)
        return replace(
            graded,
            votes=tuple(question.votes for question in items),
            decided=tuple(decided_vote(question, decisions) for question in items),
            letters=self.letters(query_id) if voted else None,
        )

    def letters(self, query_id: str) -> NDArray[np.int32]:
        """(passages,): how many characters of each text are not white space.

        Read when asked for: a collection is opened without touching its texts. Raises
        ValueError where texts are gone, as they are in a damaged file alone.
        """
        pool = self.collection.pools[query_id]

        def read() -> NDArray[np.int32]:
            connection = self.with_texts.connection
            found = store_collection.pool_letters(connection, query_id)
            return np.fromiter(found, np.int32, count=pool.size)

        # Whoever looks, and whatever of its ranks they may see, has these passages.
        return self.kept.letters.get(query_id, (pool.passage_ids,), read)


NOT_KEPT = (
    *(versions.GENERATION, versions.RELEASES, versions.NORMING),
    versions.PEOPLE,
)
"""The versions of what is in no state, but read when it is asked for."""


class StateCache:
    """The latest State of one workspace file, as nobody in particular opened it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._mark: tuple[int, int] | None = None
        self._versions: Mapping[str, int] = {}
        self._state: State | None = None
        self._withheld: tuple[object, Withheld] | None = None

    def withheld(
        self, connection: sqlite3.Connection, restricted: frozenset[str], version: int
    ) -> Withheld:
        """What restricted queries alone have in this version of the file."""
        with self._lock:
            now = restricted, version
            if self._withheld is None or self._withheld[0] != now:
                self._withheld = now, read_withheld(connection, restricted)
            return self._withheld[1]

    def current(self, connection: sqlite3.Connection) -> State:
        """The file's state now; the same object as long as nothing has changed."""
        with self._lock, snapshot(connection):
            mark = versions.mark(connection)
            if self._state is not None and mark == self._mark:
                return self._state
            now = versions.read(connection)
            for scope in NOT_KEPT:
                now.pop(scope, None)
            if self._state is None:
                self._state = State.read(connection)
            elif now != self._versions:
                self._state = self._state.reread(connection, self._versions, now)
            self._mark, self._versions = mark, now
            return self._state


_CACHES: dict[Path, StateCache] = {}
_CACHES_LOCK = threading.Lock()


def state_cache(path: Path) -> StateCache:
    """What this process keeps of the workspace at ``path``."""
    with _CACHES_LOCK:
        return _CACHES.setdefault(path.resolve(), StateCache())


def forget(path: Path) -> None:
    """Keep nothing of the workspace at ``path``: the file there is another by now.

    Needed only where its versions may be those of the one before, as a copy's are.
    """
    with _CACHES_LOCK:
        _CACHES.pop(path.resolve(), None)
