"""Gradebooks: the grades of a workspace's graders as matrices over a bank."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain, compress
from typing import TYPE_CHECKING, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from curator.bank.questions import Question
from curator.collection.budgets import Budget, selected
from curator.collection.pools import Pool, Query, WithheldQuery
from curator.errors import UnknownNameError
from curator.evaluation.grades import GradedQuery
from curator.snapshot.caches import DoNotCacheError, LruCache
from curator.store import grades as store_grades
from curator.store import versions
from curator.store.connection import read_transaction
from curator.store.grades import Ratings, Vector, VectorsByItem, to_common_type
from curator.store.texts import cached_item_key, item_of, key_of
from grading.items import Item, KeyOnlyItem
from grading.keys import answer_key_key
from grading.ratings import (
    NOT_ASKED,
    SCALES,
    mean_share,
    parse_scale,
    probabilities_of,
    ratings_of,
)
from grading.responders import DTYPES, MEAN, GraderSpec
from grading.stems import Frequencies

if TYPE_CHECKING:
    from curator.snapshot.learned import LearnedGraders

T = TypeVar("T")
MAX_COMBINED = 4000  # of all queries and several combined graders
NO_VECTORS: VectorsByItem = {}  # a single object, compared by identity
NO_GRADES: Ratings = np.empty(0, dtype=np.int8)
UNOPENED = "the snapshot was not opened"
PART_OPTIONS = ("first", "second")
"""The options that name the two parts of a combined grader by their keys."""


@dataclass(frozen=True)
class GraderRecord:
    """A grader of this workspace and its number there.

    ``parts`` are the two graders that it combines, if any; for a check of answers, the
    grader of the answers; for people, the graders that answer. ``frequencies`` are the
    word weights of a new grader; they are stored with it.
    """

    grader_id: int
    spec: GraderSpec
    parts: tuple[GraderRecord, ...] = ()
    frequencies: Frequencies | None = field(default=None, compare=False, repr=False)

    @property
    def name(self) -> str:
        return self.spec.name

    def with_parts(self) -> list[GraderRecord]:
        """List this grader and those it depends on, each once."""
        records = [self]
        for record in records:  # more are added meanwhile
            records += [part for part in record.parts if part not in records]
        return records

    @property
    def reads_answer_keys(self) -> bool:
        """True if it, or a part that it combines, reads questions' answer keys."""
        return self.spec.reading.reads_answer_keys or (
            self.spec.combined and any(part.reads_answer_keys for part in self.parts)
        )

    @property
    def family(self) -> str:
        """The family of graders that computes its grades; "" for stored ones."""
        if self.grader_id < 0:
            return "learned" if self.spec.learned else "people"
        return "combined" if self.spec.combined and self.parts else ""

    @property
    def by_people(self) -> bool:
        """True if its grades are people's answers."""
        return self.family == "people"

    @property
    def derived(self) -> bool:
        """True if its grades are not stored but follow from people's marks."""
        return self.family in ("learned", "people")

    @property
    def can_grade(self) -> bool:
        """True if it can grade new text here; an imported grader cannot."""
        if self.spec.learned:  # one part that reads new text is enough
            return any(part.can_grade for part in self.parts)
        if self.spec.combined or self.spec.checks_answers:
            return bool(self.parts) and all(part.can_grade for part in self.parts)
        return self.spec.computed or bool(self.spec.responder.engine)


@dataclass(frozen=True, slots=True)
class Target:
    """Input of a grader: a question, or a query as a whole.

    ``answers`` is the answer key, if the grader reads it.
    """

    target_id: str
    item: Item
    answers: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        return cached_vector_key(self.item, self.answers)


class Version:
    """Identity of one grader's stored grades of one query, until they change.

    ``number`` is the version in the file, None for grades that were never stored.
    """

    __slots__ = ("graded", "number")

    def __init__(self, number: int | None) -> None:
        self.number = number
        self.graded: bool | None = None  # True if there are any; None: not read yet


NEVER = Version(None)


class DerivedGraders:
    """Graders of one family, whose grades follow from other grades or people's marks.

    A family is a subclass, mostly a module; ``Snapshot`` adds it to a gradebook.
    """

    def records(self) -> tuple[GraderRecord, ...]:
        """Return the graders to list."""
        return ()

    def find_grader(self, name: str) -> GraderRecord | None:
        """Return a grader that a name means and that is not listed, or None."""
        return None

    def vectors(self, record: GraderRecord, query_id: str) -> VectorsByItem:
        """Return a grader's grades of one query's pool by the targets' keys."""
        raise NotImplementedError

    def cache_key(self, record: GraderRecord, query_id: str) -> tuple[object, ...]:
        """Return objects that stay the same until the grades of a query change."""
        return (self.vectors(record, query_id),)

    def edges(self, record: GraderRecord) -> Sequence[float]:
        """Return the lowest probabilities of ratings 1 to 5, () for fifths."""
        return ()

    def note(self, record: GraderRecord) -> str:
        """Return a sentence about its boards, or ""."""
        return ""


@dataclass(frozen=True, eq=False)
class CombinedGraders(DerivedGraders):
    """Graders ``both:A+B`` and ``mean:A+B``, computed from the grades of two others."""

    gradebook: Gradebook

    def vectors(self, record: GraderRecord, query_id: str) -> VectorsByItem:
        book = self.gradebook
        vectors = [book.vectors(part, query_id) for part in record.parts]
        combined = combination(record.spec)

        def part_vector(number: int, key: str) -> Vector:
            if not record.parts[number].reads_answer_keys:  # grades the item alone
                key, _, _ = key.partition(" ")
            return vectors[number].get(key, NO_GRADES)

        return book.combined_vectors.get(
            (record.grader_id, query_id),
            tuple(vectors),
            lambda: {
                key: combined(part_vector(0, key), part_vector(1, key))
                for key in dict.fromkeys(chain(*vectors))
            },
        )

    def cache_key(self, record: GraderRecord, query_id: str) -> tuple[object, ...]:
        keys = (self.gradebook.cache_key(part, query_id) for part in record.parts)
        return tuple(chain(*keys))


@dataclass(frozen=True, eq=False)
class Gradebook:
    """All graders with their rating vectors. Immutable; a reread makes a new one.

    Vectors are read through ``_connection`` on request, and cached by their versions;
    ``_overrides`` replace stored ones. The file has these versions when a snapshot is
    opened. A snapshot used for longer reads newer grades, which are listed in
    ``_outdated`` and not cached. ``_by_people`` returns people's grades by
    query id, ``_combined`` caches those of combined graders.
    """

    records: tuple[GraderRecord, ...] = ()
    _versions: Mapping[tuple[int, str], Version] = field(default_factory=dict)
    _vectors: LruCache[VectorsByItem] = field(default_factory=lambda: LruCache(1))
    combined_vectors: LruCache[VectorsByItem] = field(
        default_factory=lambda: LruCache(MAX_COMBINED)
    )
    _budgets: Mapping[tuple[int, str], Budget] = field(default_factory=dict)
    _overrides: Mapping[tuple[int, str], VectorsByItem] = field(default_factory=dict)
    families: Mapping[str, Callable[[Gradebook], DerivedGraders]] = field(
        default_factory=lambda: {"combined": CombinedGraders}
    )
    _made: dict[str, DerivedGraders] = field(default_factory=dict, init=False)
    _connection: sqlite3.Connection | None = None
    _outdated: set[tuple[int, str]] = field(default_factory=set)

    @classmethod
    def read(
        cls, connection: sqlite3.Connection, vectors: LruCache[VectorsByItem]
    ) -> Gradebook:
        """Read every grader; vectors that are read later are cached in ``vectors``."""
        return cls(_vectors=vectors).read_all_again(connection)

    def read_all_again(self, connection: sqlite3.Connection) -> Gradebook:
        """Read every grader again; unchanged grades keep their objects."""
        new_versions: dict[tuple[int, str], Version] = {}
        for grades_key, number in versions.read_grades_versions(connection).items():
            version = self._versions.get(grades_key)
            if version is None or version.number != number:
                version = Version(number)
            new_versions[grades_key] = version
        return replace(
            self,
            records=records_of(store_grades.read_graders(connection)),
            _budgets=store_grades.read_budgets(connection),
            _versions=new_versions,
        )

    def reread(
        self, changed: Iterable[tuple[int, str]], now: Mapping[str, int]
    ) -> Gradebook:
        """Replace the versions of these (grader id, query) by those in ``now``."""
        new_versions = {
            (grader_id, query_id): Version(
                now.get(versions.grades_scope(grader_id, query_id))
            )
            for grader_id, query_id in changed
        }
        return replace(self, _versions={**self._versions, **new_versions})

    def with_connection(self, connection: sqlite3.Connection | None) -> Gradebook:
        return replace(self, _connection=connection, _outdated=set())

    def ensure_current(self, value: T) -> T:
        """Return the value. Raises DoNotCacheError if it comes from newer grades."""
        if self._outdated:
            raise DoNotCacheError(value)
        return value

    def with_vectors(
        self, record: GraderRecord, query_id: str, ratings: VectorsByItem
    ) -> Gradebook:
        """Add these grades, as if they were stored."""
        both = {**self._stored(record.grader_id, query_id), **ratings}
        overrides = {**self._overrides, (record.grader_id, query_id): both}
        return replace(self, _overrides=overrides)

    def with_derived(
        self, families: Mapping[str, Callable[[Gradebook], DerivedGraders]]
    ) -> Gradebook:
        """Add or replace families of derived graders; none of them is listed yet."""
        return replace(self, families={**self.families, **families})

    def with_listed(self, derived: Iterable[GraderRecord]) -> Gradebook:
        """Replace the derived graders that are listed."""
        stored = [record for record in self.records if not record.derived]
        return replace(self, records=(*stored, *derived))

    def derived_records(self) -> tuple[GraderRecord, ...]:
        """Return the derived graders to list, of all families."""
        families = filter(None, map(self.family, self.families))
        return tuple(chain.from_iterable(family.records() for family in families))

    def family(self, name: str) -> DerivedGraders | None:
        """Return a family of derived graders of this gradebook, or None."""
        if name not in self._made and name in self.families:
            self._made[name] = self.families[name](self)
        return self._made.get(name)

    @property
    def learned(self) -> LearnedGraders | None:
        return cast("LearnedGraders | None", self.family("learned"))

    def is_derived(self, name: str) -> bool:
        """Return True if the grades of this grader follow from people's marks."""
        graders = (*self.records, *self._unlisted(name))
        return any(record.derived and record.name == name for record in graders)

    def _unlisted(self, name: str) -> Iterator[GraderRecord]:
        families = filter(None, map(self.family, self.families))
        return filter(None, (family.find_grader(name) for family in families))

    @property
    def has_budgets(self) -> bool:
        return bool(self._budgets)

    def budget(self, record: GraderRecord, query_id: str) -> Budget | None:
        """Return the grader's last budget in this query."""
        return self._budgets.get((record.grader_id, query_id))

    def budgets(self, record: GraderRecord, query_id: str) -> list[Budget]:
        budgets = [self.budget(grader, query_id) for grader in (record, *record.parts)]
        return list(dict.fromkeys(filter(None, budgets)))

    def count_left_out(
        self, record: GraderRecord, graded: GradedQuery, pool: Pool
    ) -> int:
        """Count the grades that are missing because of a budget.

        ``pool`` is the query's pool with judgments, for any viewer.
        """
        budgets = self.budgets(record, pool.query_id)

        def counted() -> int:
            inside = np.all([selected(pool, budget) for budget in budgets], axis=0)
            return int((graded.ratings[:, ~inside] == NOT_ASKED).sum())

        return graded.cached(("left out", *budgets), counted) if budgets else 0

    def vectors(self, record: GraderRecord, query_id: str) -> VectorsByItem:
        """Return the grader's grades of one query by the targets' keys."""
        if record.family:
            family = self.family(record.family)
            return family.vectors(record, query_id) if family else NO_VECTORS
        return self._stored(record.grader_id, query_id)

    def cache_key(self, record: GraderRecord, query_id: str) -> tuple[object, ...]:
        """Return the cache key of results computed from a grader's grades of a query.

        Its objects stay the same until the grades change; no grades are read.
        """
        if record.family:
            family = self.family(record.family)
            return family.cache_key(record, query_id) if family else (NO_VECTORS,)
        grades_key = record.grader_id, query_id
        if grades_key in self._overrides:
            return (self._overrides[grades_key],)
        return (self._versions.get(grades_key, NEVER),)

    @property
    def is_outdated(self) -> bool:
        """True if some of its grades are newer than its snapshot."""
        return bool(self._outdated)

    @property
    def stored(self) -> tuple[Mapping[tuple[int, str], object], ...]:
        """The versions of all stored grades, by (grader id, query)."""
        return self._overrides, self._versions

    def depends_on_people(self, record: GraderRecord) -> bool:
        """Return True if its grades, or those of a combined part, are not stored."""
        return record.derived or (
            record.family == "combined"
            and any(map(self.depends_on_people, record.parts))
        )

    def has_graded(self, record: GraderRecord, query_id: str) -> bool:
        """Return True if it has any grade of the query."""
        grades_key = record.grader_id, query_id
        version = self._versions.get(grades_key, NEVER)
        if record.derived or record.parts or grades_key in self._overrides:
            return bool(self.vectors(record, query_id))
        if version.graded is not None:
            return version.graded
        assert self._connection is not None, UNOPENED
        with read_transaction(self._connection):
            graded = store_grades.has_vectors(self._connection, *grades_key)
            if version is not NEVER and self._is_current(grades_key, version):
                version.graded = graded
        return graded

    def _stored(self, grader_id: int, query_id: str) -> VectorsByItem:
        grades_key = grader_id, query_id
        if grades_key in self._overrides:
            return self._overrides[grades_key]
        version, connection = self._versions.get(grades_key, NEVER), self._connection

        def read() -> VectorsByItem:
            assert connection is not None, UNOPENED
            with read_transaction(connection):
                stored = store_grades.read_vectors(connection, *grades_key)
                vectors = stored.get(query_id, NO_VECTORS)
                if not self._is_current(grades_key, version):
                    self._outdated.add(grades_key)
                return self.ensure_current(vectors)

        return self._vectors.get(grades_key, (version,), read)

    def _is_current(self, grades_key: tuple[int, str], version: Version) -> bool:
        assert self._connection is not None, UNOPENED
        scope = versions.grades_scope(*grades_key)
        return versions.read_version(self._connection, scope) == version.number

    def known_grades(self, record: GraderRecord) -> Vector:
        """Return all known grades of a grader in one row."""
        assert self._connection is not None, UNOPENED
        stored = store_grades.read_vectors(self._connection, record.grader_id)
        vectors = to_common_type(
            *(vector for by_item in stored.values() for vector in by_item.values())
        )
        grades: Vector = np.concatenate(
            [vector[vector >= 0] for vector in (*vectors, NO_GRADES)]
        )
        return grades

    def match_graders(
        self, name: str, among: Sequence[GraderRecord] | None = None
    ) -> tuple[GraderRecord, ...]:
        """Return the graders, of all or of those ``among``, that match a name.

        An exact name wins, including ``checked:A+B``; then the same in any number
        format; then all whose names begin with it, or else all whose names contain it.
        If a name exists with and without a number, only the one without matches.
        """
        records = self.records if among is None else tuple(among)
        if among is None and (unlisted := tuple(self._unlisted(name))):
            return unlisted
        # A learned grader's name contains those of its parts, which it must not match.
        records = tuple(record for record in records if not record.spec.learned)
        exact = tuple(record for record in records if record.name == name)
        formats = {f"{name}/{dtype}" for dtype in DTYPES}
        same = tuple(record for record in records if record.name in formats)
        short = name.lower()
        starting = [r for r in records if r.name.lower().startswith(short)]
        matches = starting or [r for r in records if short in r.name.lower()]
        names = {record.name for record in matches}
        unnumbered = tuple(
            record
            for record in matches
            if plain_name(record.name) == record.name
            or plain_name(record.name) not in names
        )
        return exact or same or unnumbered

    def grader(self, name: str) -> GraderRecord:
        """Return the grader of this full name. Raises UnknownNameError."""
        for record in self.records:
            if record.name == name:
                return record
        if self.learned and (learned := self.learned.record(name)):
            return learned
        names = ", ".join(record.name for record in self.records) or "none yet"
        raise UnknownNameError(
            f"No grader '{name}' has grades here. Available: {names}."
        )

    def graded(
        self, record: GraderRecord, pool: Pool, items: Sequence[Question]
    ) -> GradedQuery:
        """Return the query's grades on these questions; unknown if not graded."""
        return self.graded_targets(record, pool, targets_of(record, items))

    def graded_targets(
        self, record: GraderRecord, pool: Pool, targets: Sequence[Target]
    ) -> GradedQuery:
        """Return the query's grades on these targets; unknown if not graded."""
        vectors = self.vectors(record, pool.query_id)
        family = self.family(record.family)
        edges = family.edges(record) if family else ()
        grades = grade_matrix(
            [vectors.get(target.key) for target in targets], pool.size
        )
        return GradedQuery(
            pool=pool,
            item_ids=tuple(target.target_id for target in targets),
            ratings=ratings_from(grades, edges),
            reading=record.spec.reading.kind,
            probabilities=None if grades.dtype == np.int8 else probabilities_of(grades),
            expected=record.spec.learned and record.spec.reading.kind == "direct",
        )

    def graded_query_item(
        self, record: GraderRecord, pool: Pool, query: Query
    ) -> GradedQuery:
        """Return the grades on the query as a whole, by a direct relevance grader.

        Without an item if an imported grader has no grades of this query, which then
        does not count in the measure.
        """
        target = query_target(record, query)
        is_graded = target.key in self.vectors(record, pool.query_id)
        targets = (target,) if is_graded or record.can_grade else ()
        return self.graded_targets(record, pool, targets)

    def missing_items(
        self,
        record: GraderRecord,
        pool: Pool,
        items: Sequence[Question],
        selected: NDArray[np.bool_] | None = None,
    ) -> list[Question]:
        """List the questions with a text that lack a grade for some pool passage.

        Only passages in ``selected`` count, if it is given.
        """
        ratings = self.graded(record, pool, items).ratings
        lacking = ratings == NOT_ASKED
        missing = (lacking if selected is None else lacking & selected).any(axis=1)
        return [q for q in compress(items, missing) if q.text is not None]


def lower_ratings(first: Vector, second: Vector) -> Vector:
    """Return the lower of each two grades; unknown if one is, unless the other is 0.

    As long as the longer of the two. A rating of 0 decides: nothing is lower.
    """
    both = grade_matrix([first, second], max(len(first), len(second)))
    lower, higher = both.min(axis=0), both.max(axis=0)
    return np.asarray(np.where((lower < 0) & (higher == 0), higher, lower))


def ratings_from(grades: Vector, edges: Sequence[float]) -> NDArray[np.int8]:
    """Convert grades to ratings: of probabilities the last edge reached.

    Without edges, in fifths.
    """
    if not edges or grades.dtype.kind != "f":
        return ratings_of(grades)
    reached = np.searchsorted(np.array(edges, dtype=np.float32), grades, "right")
    return np.where(grades < 0, ratings_of(grades), reached).astype(np.int8)


def combination(spec: GraderSpec) -> Callable[[Vector, Vector], Vector]:
    """Return the function that combines the vectors of the grader's two parts."""
    if spec.reading.parser != MEAN:
        return lower_ratings
    options = dict(spec.responder.decoding)
    scales = [parse_scale(options[scale]) for scale in SCALES]
    return lambda first, second: mean_share(first, second, scales)


def records_of(specs: Mapping[int, GraderSpec]) -> tuple[GraderRecord, ...]:
    """Convert graders to records, with the parts of combined ones."""
    plain = {i: GraderRecord(i, spec) for i, spec in specs.items()}
    by_key = {record.spec.key: record for record in plain.values()}

    def parts(spec: GraderSpec) -> Iterable[GraderRecord | None]:
        if spec.checks_answers:
            sources = (record for record in plain.values() if record.spec.answers)
            key = spec.reading.answers_of
            return [next((s for s in sources if s.spec.responder.key == key), None)]
        named = dict(spec.responder.decoding) if spec.combined else {}
        return [by_key.get(named[option]) for option in PART_OPTIONS if option in named]

    return tuple(
        replace(record, parts=tuple(filter(None, parts(record.spec))))
        for record in plain.values()
    )


def plain_name(name: str) -> str:
    """Return the name as requested, without the number of a second grader."""
    return re.sub(r" \(\d+\)$", "", name)


def targets_of(
    record: GraderRecord, questions: Iterable[Question]
) -> tuple[Target, ...]:
    """Convert these questions to the input of this grader."""
    with_keys = record.reads_answer_keys
    return tuple(
        Target(
            question.question_id,
            item_of(question),
            key_of(question) if with_keys else (),
        )
        for question in questions
    )


def query_target(record: GraderRecord, query: Query) -> Target:
    """Convert this query to the input of a direct relevance grader.

    An imported grade has the query's id as key, since files of grades often do not know
    its text; other graders use the text.
    """
    if record.can_grade and isinstance(query, WithheldQuery) and query.item_key:
        item = KeyOnlyItem("query", None, public_id=query.query_id, key=query.item_key)
        return Target(query.query_id, item)
    if record.can_grade and query.title is not None:
        return Target(query.query_id, Item("query", query.title.strip()))
    return Target(query.query_id, Item("query", None, public_id=query.query_id))


@lru_cache(maxsize=1 << 16)
def cached_vector_key(item: Item, answers: tuple[str, ...]) -> str:
    """Return the key of the item's vector, cached because each board needs it."""
    return store_grades.vector_key(
        cached_item_key(item), answer_key_key(answers) if answers else ""
    )


def grade_matrix(vectors: Sequence[Vector | None], size: int) -> Vector:
    """(items, passages) of int8 ratings, or float32 if one vector has probabilities.

    NOT_ASKED where a vector is absent or too short. Passages are added to a pool at its
    end, so a vector read after an import is longer than the pool of before.
    """
    arrays = to_common_type(
        *(NO_GRADES if values is None else values for values in vectors)
    )
    dtype = arrays[0].dtype if arrays else np.int8
    matrix: Vector = np.full((len(vectors), size), NOT_ASKED, dtype=dtype)
    for row, vector in zip(matrix, arrays, strict=True):
        row[: len(vector)] = vector[:size]
    return matrix


def changed_scopes(
    before: Mapping[str, int], after: Mapping[str, int]
) -> tuple[list[str], list[tuple[int, str]]]:
    """Return (queries with a changed bank, (grader id, query) with changed grades)."""
    banks: list[str] = []
    grades: list[tuple[int, str]] = []
    # The symmetric difference covers an older copy of the file in its place.
    for scope in sorted({scope for scope, _ in before.items() ^ after.items()}):
        family, _, query_id = scope.partition("/")
        if family == versions.BANK:
            banks.append(query_id)
        elif grader_query := versions.parse_grades_scope(scope):
            grades.append(grader_query)
    return banks, grades
