"""The one bridge between a bank and its grades: what is known, as matrices."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import chain, compress
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from curator.bank.questions import Question
from curator.collection.budgets import Budget, selected
from curator.collection.pools import Pool, Query, WithheldQuery
from curator.engine.kept import LastUsed, NotKeptError
from curator.errors import UnknownNameError
from curator.evaluation.grades import GradedQuery
from curator.store import grades as store_grades
from curator.store import versions
from curator.store.connection import snapshot
from curator.store.grades import Ratings, Vector, VectorsByItem, alike
from curator.store.texts import cached_item_key, item_of, key_of
from grading.frequencies import Frequencies
from grading.items import Item, KnownItem
from grading.keys import answer_key_key
from grading.ratings import NOT_ASKED, probabilities_of, ratings_of
from grading.responders import DTYPES, MEAN, GraderSpec
from grading.scales import SCALES, mean_share, scale_from

if TYPE_CHECKING:
    from curator.engine.learned import LearnedGraders

T = TypeVar("T")
MAX_AGREED = 4000  # of every query, of several pairs of graders
NO_VECTORS: VectorsByItem = {}  # one object, so that it is the same one every time
NO_GRADES: Ratings = np.empty(0, dtype=np.int8)
UNOPENED = "a state that nobody opened"
AGREEING = ("first", "second")  # the options that name the two graders by their keys


@dataclass(frozen=True)
class GraderRecord:
    """A grader of this workspace and its number there.

    ``parts`` are the two it combines, where it does; of one that checks answers, the
    grader that gives them, of people those. ``frequencies`` are those that a new one
    weighs words by; they are stored with it.
    """

    grader_id: int
    spec: GraderSpec
    parts: tuple[GraderRecord, ...] = ()
    frequencies: Frequencies | None = field(default=None, compare=False, repr=False)

    @property
    def name(self) -> str:
        """The name it is asked for by."""
        return self.spec.name

    @property
    def looks_at_keys(self) -> bool:
        """Whether it, or a part that it combines, looks at questions' answer keys."""
        return self.spec.reading.looks_at_keys or (
            self.spec.combined and any(part.looks_at_keys for part in self.parts)
        )

    @property
    def by_people(self) -> bool:
        """Whether its grades are what people say: it is in no table of the file."""
        return self.derived and not self.spec.learned

    @property
    def derived(self) -> bool:
        """Whether it is in no table: its grades follow from what people say."""
        return self.grader_id < 0

    @property
    def can_grade(self) -> bool:
        """Whether it can grade new text here; one that was imported cannot."""
        if self.spec.learned:  # one part that reads new text is enough
            return any(part.can_grade for part in self.parts)
        if self.spec.combined or self.spec.checks_answers:
            return bool(self.parts) and all(part.can_grade for part in self.parts)
        return self.spec.computed or bool(self.spec.responder.engine)


@dataclass(frozen=True, slots=True)
class Target:
    """What a grader is asked about: a question, or its query as a whole.

    ``answers`` are the answer key, where the grader looks at it.
    """

    target_id: str
    item: Item
    answers: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """What its rating vector is found by."""
        return cached_vector_key(self.item, self.answers)


class Version:
    """One grader's stored grades of one query, as long as they are the same.

    ``number`` is what the file calls it, None where nothing was ever said of it.
    """

    __slots__ = ("graded", "number")

    def __init__(self, number: int | None) -> None:
        self.number = number
        self.graded: bool | None = None  # whether there are any; None: not asked yet


NEVER = Version(None)


@dataclass(frozen=True, eq=False)
class Gradebook:
    """Every grader's rating vectors. Never changes; a reread is another.

    They are read through ``_connection`` when they are asked for, and kept by their
    versions, which every reread shares; ``_given`` stand in place of stored ones. In
    the snapshot in which a state was opened the file has these versions; who holds a
    state for longer gets grades as they are now, ``_late``, of which nothing is kept.
    ``_by_people`` gives people's by query id, ``_agreed`` are those of two graders
    together.
    """

    records: tuple[GraderRecord, ...] = ()
    _versions: Mapping[tuple[int, str], Version] = field(default_factory=dict)
    _vectors: LastUsed[VectorsByItem] = field(default_factory=lambda: LastUsed(1))
    _agreed: LastUsed[VectorsByItem] = field(
        default_factory=lambda: LastUsed(MAX_AGREED)
    )
    _budgets: Mapping[tuple[int, str], Budget] = field(default_factory=dict)
    _given: Mapping[tuple[int, str], VectorsByItem] = field(default_factory=dict)
    _by_people: Callable[[str], VectorsByItem] | None = None
    _learned: Callable[[Gradebook], LearnedGraders] | None = None
    _connection: sqlite3.Connection | None = None
    _late: set[tuple[int, str]] = field(default_factory=set)

    @classmethod
    def read(
        cls, connection: sqlite3.Connection, vectors: LastUsed[VectorsByItem]
    ) -> Gradebook:
        """Every grader; what is read of their ``vectors`` is kept there."""
        return cls(_vectors=vectors).read_anew(connection)

    def read_anew(self, connection: sqlite3.Connection) -> Gradebook:
        """Every grader as it is now; grades that are the same stay the same objects."""
        known = self._versions
        return replace(
            self,
            records=records_of(store_grades.read_graders(connection)),
            _budgets=store_grades.read_budgets(connection),
            _versions={
                at: before
                if (before := known.get(at)) and before.number == now
                else Version(now)
                for at, now in versions.of_grades(connection).items()
            },
        )

    def reread(
        self, changed: Iterable[tuple[int, str]], now: Mapping[str, int]
    ) -> Gradebook:
        """The gradebook with these (grader id, query) as they are ``now``."""
        of_now = {
            (grader_id, query_id): Version(
                now.get(versions.grades(grader_id, query_id))
            )
            for grader_id, query_id in changed
        }
        return replace(self, _versions={**self._versions, **of_now})

    def through(self, connection: sqlite3.Connection | None) -> Gradebook:
        """The same gradebook, reading what it has not through this connection."""
        return replace(self, _connection=connection, _late=set())

    def of_its_moment(self, value: T) -> T:
        """What was made of its grades; raises NotKeptError if some came later."""
        if self._late:
            raise NotKeptError(value)
        return value

    def with_vectors(
        self, record: GraderRecord, query_id: str, ratings: VectorsByItem
    ) -> Gradebook:
        """The gradebook with these grades too, as if they were stored."""
        both = {**self._stored(record.grader_id, query_id), **ratings}
        given = {**self._given, (record.grader_id, query_id): both}
        return replace(self, _given=given)

    def with_people(
        self,
        by_people: Callable[[str], VectorsByItem],
        records: tuple[GraderRecord, ...] | None = None,
    ) -> Gradebook:
        """The gradebook with people's ratings by query id, of these graders.

        ``records`` take the place of those it has; None leaves them.
        """
        found = self.records
        if records is not None:
            found = (*(one for one in found if not one.by_people), *records)
        return replace(self, records=found, _by_people=by_people)

    def with_learned(
        self,
        learned: Callable[[Gradebook], LearnedGraders],
        records: tuple[GraderRecord, ...] | None = None,
    ) -> Gradebook:
        """The gradebook with the graders that people's checks make of its others.

        ``records`` are those of them that are listed; None leaves them.
        """
        found = self.records
        if records is not None:
            found = (*(one for one in found if not one.spec.learned), *records)
        return replace(self, records=found, _learned=learned)

    @cached_property
    def learned(self) -> LearnedGraders | None:
        """What can be learned from checks of these graders."""
        return self._learned(self) if self._learned else None

    @property
    def has_people(self) -> bool:
        """Whether it knows people's ratings."""
        return self._by_people is not None

    @property
    def lists_learned(self) -> bool:
        """Whether a grader learned from checks is among its records."""
        return any(one.spec.learned for one in self.records)

    def by_people(self, name: str) -> bool:
        """Whether the grader of this name is people."""
        return any(one.by_people and one.name == name for one in self.records)

    def derived(self, name: str) -> bool:
        """Whether the grades of this grader follow from what people say."""
        learned = self.learned and self.learned.named(name)
        known = (*self.records, *((learned,) if learned else ()))
        return any(one.derived and one.name == name for one in known)

    @property
    def has_budgets(self) -> bool:
        """Whether any grader was told to leave something out."""
        return bool(self._budgets)

    def budget(self, record: GraderRecord, query_id: str) -> Budget | None:
        """What the grader was told last to leave out of this query."""
        return self._budgets.get((record.grader_id, query_id))

    def budgets(self, record: GraderRecord, query_id: str) -> list[Budget]:
        """The budgets of the grader and of those that it rests on."""
        found = [self.budget(one, query_id) for one in (record, *record.parts)]
        return list(dict.fromkeys(filter(None, found)))

    def left_out(self, record: GraderRecord, graded: GradedQuery, pool: Pool) -> int:
        """How many of these grades were never asked because a budget left them out.

        ``pool`` is the query's with its judgments, whoever looks.
        """
        budgets = self.budgets(record, pool.query_id)

        def counted() -> int:
            inside = np.all([selected(pool, one) for one in budgets], axis=0)
            return int((graded.ratings[:, ~inside] == NOT_ASKED).sum())

        return graded.cached(("left out", *budgets), counted) if budgets else 0

    def vectors(self, record: GraderRecord, query_id: str) -> VectorsByItem:
        """The grader's grades of one query by the targets' keys."""
        if record.spec.learned:
            return (
                self.learned.vectors(record, query_id) if self.learned else NO_VECTORS
            )
        if record.by_people:
            return self._by_people(query_id) if self._by_people else NO_VECTORS
        if not (record.parts and record.spec.combined):
            return self._stored(record.grader_id, query_id)
        vectors = [self.vectors(part, query_id) for part in record.parts]
        combined = combination(record.spec)

        def of_part(at: int, key: str) -> Vector:
            if not record.parts[at].looks_at_keys:  # asked about the item alone
                key, _, _ = key.partition(" ")
            return vectors[at].get(key, NO_GRADES)

        return self._agreed.get(
            (record.grader_id, query_id),
            tuple(vectors),
            lambda: {
                key: combined(of_part(0, key), of_part(1, key))
                for key in dict.fromkeys(chain(*vectors))
            },
        )

    def made_of(self, record: GraderRecord, query_id: str) -> tuple[object, ...]:
        """The same objects as long as the grader's grades of the query are the same.

        What is kept of these grades is found by them, without reading any.
        """
        if record.derived:
            return (self.vectors(record, query_id),)
        if record.parts and record.spec.combined:
            one, other = record.parts
            return *self.made_of(one, query_id), *self.made_of(other, query_id)
        at = record.grader_id, query_id
        given = self._given.get(at) if self._given else None
        return (self._versions.get(at, NEVER) if given is None else given,)

    @property
    def is_late(self) -> bool:
        """Whether some of its grades are of a later moment than its state."""
        return bool(self._late)

    @property
    def stored(self) -> tuple[Mapping[tuple[int, str], object], ...]:
        """What the grades of all stored graders are made of, by (grader id, query)."""
        return self._given, self._versions

    def rests_on_people(self, record: GraderRecord) -> bool:
        """Whether grades of it, or of a part that it combines, are in no table."""
        return record.derived or (
            record.spec.combined and any(map(self.rests_on_people, record.parts))
        )

    def has_graded(self, record: GraderRecord, query_id: str) -> bool:
        """Whether it has any grade of the query."""
        at = record.grader_id, query_id
        version = self._versions.get(at, NEVER)
        if record.derived or record.parts or at in self._given:
            return bool(self.vectors(record, query_id))
        if version.graded is not None:
            return version.graded
        assert self._connection is not None, UNOPENED
        with snapshot(self._connection):
            found = store_grades.has_vectors(self._connection, *at)
            if version is not NEVER and self._is_of_now(at, version):
                version.graded = found
        return found

    def _stored(self, grader_id: int, query_id: str) -> VectorsByItem:
        at = grader_id, query_id
        if at in self._given:
            return self._given[at]
        version, connection = self._versions.get(at, NEVER), self._connection

        def read() -> VectorsByItem:
            assert connection is not None, UNOPENED
            with snapshot(connection):
                found = store_grades.read_vectors(connection, *at)
                vectors = found.get(query_id, NO_VECTORS)
                if not self._is_of_now(at, version):
                    self._late.add(at)
                return self.of_its_moment(vectors)

        return self._vectors.get(at, (version,), read)

    def _is_of_now(self, at: tuple[int, str], version: Version) -> bool:
        """Whether the file still has the grades of this version."""
        assert self._connection is not None, UNOPENED
        return versions.one(self._connection, versions.grades(*at)) == version.number

    def known_grades(self, record: GraderRecord) -> Vector:
        """All that the grader has said of anything, in one row."""
        assert self._connection is not None, UNOPENED
        stored = store_grades.read_vectors(self._connection, record.grader_id)
        vectors = alike(*(one for known in stored.values() for one in known.values()))
        known: Vector = np.concatenate([one[one >= 0] for one in (*vectors, NO_GRADES)])
        return known

    def meant(
        self, name: str, among: Sequence[GraderRecord] | None = None
    ) -> tuple[GraderRecord, ...]:
        """The graders, of all or of those ``among``, that a name can mean.

        Its own comes first, ``checked:A+B`` among them; then the same in whichever
        number format; then all whose names begin with it, and else all whose names hold
        it. Of several that bear one name with a number or without, the one without is
        meant.
        """
        records = self.records if among is None else tuple(among)
        if among is None and self.learned and (one := self.learned.named(name)):
            return (one,)
        # A learned one's name holds those of its parts, and means none of them.
        records = tuple(one for one in records if not one.spec.learned)
        exact = tuple(record for record in records if record.name == name)
        formats = {f"{name}/{dtype}" for dtype in DTYPES}
        same = tuple(record for record in records if record.name in formats)
        short = name.lower()
        starting = [r for r in records if r.name.lower().startswith(short)]
        found = starting or [r for r in records if short in r.name.lower()]
        names = {one.name for one in found}
        unnumbered = tuple(
            one
            for one in found
            if plain_name(one.name) == one.name or plain_name(one.name) not in names
        )
        return exact or same or unnumbered

    def grader(self, name: str) -> GraderRecord:
        """The grader of this full name. Raises UnknownNameError with what there is."""
        for record in self.records:
            if record.name == name:
                return record
        if self.learned and (learned := self.learned.record(name)):
            return learned
        names = ", ".join(record.name for record in self.records) or "none yet"
        raise UnknownNameError(
            f"No grader '{name}' has grades here. There are: {names}."
        )

    def graded(
        self, record: GraderRecord, pool: Pool, items: Sequence[Question]
    ) -> GradedQuery:
        """The query's grades on these questions; unknown where there is no grade."""
        return self.graded_targets(record, pool, targets_of(record, items))

    def graded_targets(
        self, record: GraderRecord, pool: Pool, targets: Sequence[Target]
    ) -> GradedQuery:
        """The query's grades on these targets; unknown where there is no grade."""
        known = self.vectors(record, pool.query_id)
        grades = grade_matrix([known.get(one.key) for one in targets], pool.size)
        return GradedQuery(
            pool=pool,
            item_ids=tuple(target.target_id for target in targets),
            ratings=ratings_from(grades, self._edges(record)),
            reading=record.spec.reading.kind,
            probabilities=None if grades.dtype == np.int8 else probabilities_of(grades),
            expected=record.spec.learned and record.spec.reading.kind == "direct",
        )

    def _edges(self, record: GraderRecord) -> Sequence[float]:
        """The probabilities from which on ratings are 1 to 5, () where fifths are."""
        if not (record.spec.learned and self.learned):
            return ()
        # One that equals another rates as that one does.
        equals = self.learned.learned(record).best_input is not None
        return () if equals else record.spec.reading.thresholds

    def graded_query_item(
        self, record: GraderRecord, pool: Pool, query: Query
    ) -> GradedQuery:
        """The query's grades as a whole, under a direct relevance grader.

        Without an item where an imported grader never saw this query: it then leaves
        the measure.
        """
        target = query_target(record, query)
        seen = target.key in self.vectors(record, pool.query_id)
        asked = (target,) if seen or record.can_grade else ()
        return self.graded_targets(record, pool, asked)

    def missing_items(
        self,
        record: GraderRecord,
        pool: Pool,
        items: Sequence[Question],
        selected: NDArray[np.bool_] | None = None,
    ) -> list[Question]:
        """Those of ``items`` with a text that lack a grade for some pool passage.

        For one of those ``selected``, if they are not all.
        """
        ratings = self.graded(record, pool, items).ratings
        lacking = ratings == NOT_ASKED
        missing = (lacking if selected is None else lacking & selected).any(axis=1)
        return [q for q in compress(items, missing) if q.text is not None]


def lower_ratings(one: Vector, other: Vector) -> Vector:
    """The lower of each two grades; unknown where one is, unless the other is 0.

    As long as the longer of the two. A rating of 0 decides: nothing is lower.
    """
    both = grade_matrix([one, other], max(len(one), len(other)))
    lower, higher = both.min(axis=0), both.max(axis=0)
    return np.asarray(np.where((lower < 0) & (higher == 0), higher, lower))


def ratings_from(grades: Vector, edges: Sequence[float]) -> NDArray[np.int8]:
    """The ratings that grades are: of probabilities the last edge that each reaches.

    Without edges their fifths.
    """
    if not edges or grades.dtype.kind != "f":
        return ratings_of(grades)
    reached = np.searchsorted(np.array(edges, dtype=np.float32), grades, "right")
    return np.where(grades < 0, ratings_of(grades), reached).astype(np.int8)


def combination(spec: GraderSpec) -> Callable[[Vector, Vector], Vector]:
    """How the grader combines the vectors of the two that it rests on."""
    if spec.reading.parser != MEAN:
        return lower_ratings
    options = dict(spec.responder.decoding)
    scales = [scale_from(options[one]) for one in SCALES]
    return lambda one, other: mean_share(one, other, scales)


def records_of(specs: Mapping[int, GraderSpec]) -> tuple[GraderRecord, ...]:
    """The graders as records, those that rest on others with their parts."""
    plain = {i: GraderRecord(i, spec) for i, spec in specs.items()}
    by_key = {record.spec.key: record for record in plain.values()}

    def parts(spec: GraderSpec) -> Iterable[GraderRecord | None]:
        if spec.checks_answers:
            sources = (one for one in plain.values() if one.spec.answers)
            key = spec.reading.answers_of
            return [next((s for s in sources if s.spec.responder.key == key), None)]
        named = dict(spec.responder.decoding) if spec.combined else {}
        return [by_key.get(named[option]) for option in AGREEING if option in named]

    return tuple(
        replace(one, parts=tuple(filter(None, parts(one.spec))))
        for one in plain.values()
    )


def plain_name(name: str) -> str:
    """The name as it was asked for: a second grader of a name has a number."""
    return re.sub(r" \(\d+\)$", "", name)


def targets_of(
    record: GraderRecord, questions: Iterable[Question]
) -> tuple[Target, ...]:
    """What this grader is asked about each of these questions."""
    looks = record.looks_at_keys
    return tuple(
        Target(one.question_id, item_of(one), key_of(one) if looks else ())
        for one in questions
    )


def query_target(record: GraderRecord, query: Query) -> Target:
    """What a direct relevance grader is asked about this query.

    An imported grade is of the query's id, since files of grades often do not know
    its text; a grader here is asked the text.
    """
    if record.can_grade and isinstance(query, WithheldQuery) and query.item_key:
        item = KnownItem("query", None, public_id=query.query_id, key=query.item_key)
        return Target(query.query_id, item)
    if record.can_grade and query.title is not None:
        return Target(query.query_id, Item("query", query.title.strip()))
    return Target(query.query_id, Item("query", None, public_id=query.query_id))


@lru_cache(maxsize=1 << 16)
def cached_vector_key(item: Item, answers: tuple[str, ...]) -> str:
    """The key of the item's vector; banks ask for the same ones with every board."""
    return store_grades.vector_key(
        cached_item_key(item), answer_key_key(answers) if answers else ""
    )


def grade_matrix(vectors: Sequence[Vector | None], size: int) -> Vector:
    """(items, passages), int8 ratings, or float32 where one gives probabilities.

    NOT_ASKED where a vector is absent or too short.
    """
    known = alike(*(NO_GRADES if one is None else one for one in vectors))
    dtype = known[0].dtype if known else np.int8
    matrix: Vector = np.full((len(vectors), size), NOT_ASKED, dtype=dtype)
    for row, vector in zip(matrix, known, strict=True):
        row[: len(vector)] = vector
    return matrix


def changed_scopes(
    before: Mapping[str, int], after: Mapping[str, int]
) -> tuple[list[str], list[tuple[int, str]]]:
    """(queries whose bank changed, (grader id, query) whose grades changed)."""
    banks: list[str] = []
    grades: list[tuple[int, str]] = []
    # On one side alone: an older copy of the file has been put in its place.
    for scope in sorted({scope for scope, _ in before.items() ^ after.items()}):
        family, _, rest = scope.partition("/")
        if family == versions.BANK:
            banks.append(rest)
        elif meant := versions.grades_meant(scope):
            grades.append(meant)
    return banks, grades
