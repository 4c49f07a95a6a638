"""The grader ``checked:A+B+…``: what people would say, learned from their checks.

Nothing of it is stored: like ``people``, it follows from the checks, and from what its
parts say, whenever it is read. So a check, and its undo, moves its grades at once, and
a past bank has the grades of then.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from curator.bank.edits.adjudicate import decided_pairs
from curator.bank.edits.check import Pair, decided
from curator.bank.marks import Decision
from curator.bank.questions import Bank, Question
from curator.engine.gradebook import Gradebook, GraderRecord, query_target, targets_of
from curator.errors import UnknownNameError
from curator.evaluation.checks.learned import (
    ENOUGH,
    Floats,
    Learned,
    Numbers,
    QueryChecks,
    Signals,
    learn,
)
from curator.evaluation.grades import label_values
from curator.evaluation.settings import FIRST_GRADER, HIGHEST_LABEL
from curator.store.grades import VectorsByItem
from curator.store.texts import key_of
from curator.visibility.viewer import Viewer
from grading.ratings import NOT_ASKED
from grading.responders import LEARNED, GraderSpec, Reading, Responder

if TYPE_CHECKING:
    from curator.collection.pools import Pool, Query
    from curator.engine.kept import Kept

NAME: Final = "checked"
FAMILY: Final = f"{NAME}:"

RATINGS_FROM: Final = (0.1, 0.2, 0.35, 0.5, 0.75)
"""The probabilities from which on a rating is 1, 2, 3, 4, 5: a 4 is more likely so
than not."""

_YES: Mapping[str, float] = {"yes": 1.0, "no": 0.0}
MOST_PARTS: Final = 6
"""On so many graders ``checked`` rests at most, unless it names more."""

_SCALE = HIGHEST_LABEL["rated"]  # a direct grade is kept as a share of this


@dataclass(frozen=True, eq=False)
class QueryUnits:
    """All units of a query: the signals, and where each stands.

    Of pairs ``items`` are the questions, in whose order, passage by passage, the units
    stand; () where the units are the passages.
    """

    pool: Pool
    items: tuple[Question, ...]
    signals: Signals

    def place(self, pairs: Iterable[Pair]) -> list[int]:
        """Where each pair of words and passage id stands, -1 for one that does not."""
        asked = [one.text for one in self.items] or [None]
        row = {words: number for number, words in enumerate(asked)}
        at = {
            passage_id: number
            for number, passage_id in enumerate(self.pool.passage_ids)
        }
        return [
            row[words] * self.pool.size + at[passage_id]
            if words in row and passage_id in at
            else -1
            for words, passage_id in pairs
        ]


@dataclass(frozen=True)
class LearnedSummary:
    """What a grader learned, and whether it is better than its best input.

    ``error`` is the mean squared error with which each of its ``checks`` is told from
    all the others, ``error_by_query`` from those of other queries; ``inputs`` are its
    parts with those of each alone. None where nothing was learned. ``best_input`` does
    at least as well alone, and is what the grader then equals.
    """

    grader: str
    of: str
    checks: int
    error: float | None
    error_by_query: float | None
    inputs: tuple[tuple[str, float | None], ...]
    best_input: str | None

    @property
    def note(self) -> str:
        """It in a sentence."""
        if self.error is None:
            number = "1 check decides" if self.checks == 1 else f"{self.checks} checks"
            number += "" if self.checks == 1 else " decide"
            return (
                f"{self.grader}: {number} nothing yet, it takes {ENOUGH}: the graders "
                "it rests on count alike."
            )
        best, least = min(self.inputs, key=lambda one: one[1] or 0.0)
        if self.best_input is not None:
            return (
                f"{self.grader} equals {self.best_input}, which does at least as well: "
                f"its mean squared error is {least:.4f}, that of all together "
                f"{self.error:.4f}, each of {self.checks:,} checks told from others."
            )
        return (
            f"{self.grader} learned from {self.checks:,} checks: each told from all "
            f"others, its mean squared error is {self.error:.4f}, that of its best "
            f"input {best} {least:.4f}."
        )


@dataclass(frozen=True, eq=False)
class LearnedGraders:
    """What can be learned in one bank, as far as somebody may see the checks."""

    bank: Bank
    viewer: Viewer
    pools: Mapping[str, Pool]
    queries: Mapping[str, Query]
    gradebook: Gradebook
    kept: Kept
    decisions: Mapping[str, tuple[Decision, ...]]
    _learned: dict[int, Learned] = field(default_factory=dict)

    def record(self, name: str) -> GraderRecord | None:
        """The grader of this name; None for a name of another kind.

        ``checked`` alone rests on ``usual_parts``. Raises UnknownNameError where it
        names none of the workspace.
        """
        found = self.named(name)
        if found is None and (name == NAME or name.startswith(FAMILY)):
            stored = (one.name for one in self.gradebook.records if not one.derived)
            known = ", ".join(stored) or "none yet"
            raise UnknownNameError(
                f"'{name}' names no graders of this workspace; expected "
                f"{FAMILY}ONE+OTHER+…, of: {known}."
            )
        return found

    def named(self, name: str) -> GraderRecord | None:
        """The grader that a name means, None where it names no parts."""
        if name == NAME:
            parts = self.usual_parts()
        else:
            names = name.removeprefix(FAMILY)
            parts = next(self._named(names), ()) if names != name else ()
        if not parts:
            return None
        return record_of(parts, of_passages=self.of_passages(parts))

    def records(self) -> tuple[GraderRecord, ...]:
        """What is listed of them: ``checked``, once people have decided anything."""
        if not any(map(self.decided, self.bank.checks)):
            return ()
        usual = self.named(NAME)
        return () if usual is None else (usual,)

    def usual_parts(self) -> tuple[GraderRecord, ...]:
        """The graders that ``checked`` rests on: those that grade on a scale.

        Those that rest on others say nothing new. Of many the first; instant ones,
        which have graded what is new, before all others.
        """
        found = [
            one
            for one in self.gradebook.records
            if not (one.derived or one.spec.combined)
            if one.spec.reading.kind in ("rated", "direct")
        ]
        found.sort(key=lambda one: not one.name.startswith(FIRST_GRADER))
        return tuple(found[:MOST_PARTS])

    def of_passages(self, parts: Sequence[GraderRecord]) -> bool:
        """Whether it grades passages as a whole: more checks are of these.

        Without any check whether none of its parts is asked about items.
        """
        pairs = passages = 0
        for query_id in self.bank.checks:
            for item, _ in self.decided(query_id):
                pairs, passages = pairs + bool(item), passages + (item is None)
        if pairs == passages:
            return all(one.spec.reading.item_kind == "query" for one in parts)
        return passages > pairs

    def decided(self, query_id: str) -> Mapping[Pair, str]:
        """What most people say, or was decided, of each pair that they have checked."""
        checks = self.viewer.checks(self.bank, query_id)
        # Found by what it says: other edits of the query have nothing learned anew.
        held = decided_pairs(
            *(checks, self.decisions.get(query_id, ()), self.bank.of_query(query_id))
        )
        return self.kept.decided.get(
            (query_id, *held.items()), (checks,), lambda: decided(checks) | held
        )

    def vectors(self, record: GraderRecord, query_id: str) -> VectorsByItem:
        """The probabilities of one query's pool by the questions' keys.

        Checked pairs stand as checked; unknown is what no part has graded.
        """
        learned = self.learned(record)
        made_of = (*self._made_of(record, query_id), learned, self.decided(query_id))
        return self.kept.by_people.get(
            (record.grader_id, query_id),
            made_of,
            lambda: self._vectors(record, query_id, learned),
        )

    def learned(self, record: GraderRecord) -> Learned:
        """What the checks there are say; learned once."""
        if record.grader_id not in self._learned:
            self._learned[record.grader_id] = self._kept_learned(record)
        return self._learned[record.grader_id]

    def _kept_learned(self, record: GraderRecord) -> Learned:
        every = sorted(q for q in self.bank.checks if self.decided(q))
        made_of = [
            one for q in every for one in (self.decided(q), *self._signature(record, q))
        ]
        return self.kept.learned.get(
            (record.grader_id, tuple(every)),
            tuple(made_of),
            lambda: self.gradebook.of_its_moment(self._learn(record, every)),
        )

    def summary(self, record: GraderRecord) -> LearnedSummary:
        """What it learned, and how well each check is told from the others."""
        found = self.learned(record)
        names = [one.name for one in record.parts]
        best = found.best_input
        return LearnedSummary(
            record.name,
            "passages" if _grades_passages(record) else "pairs",
            sum(len(self.checked(record, one)[0]) for one in self.bank.checks),
            found.error if found.count else None,
            found.error_by_query if found.count else None,
            tuple(zip(names, found.input_errors or (None,) * len(names), strict=True)),
            None if best is None else names[best],
        )

    def units(self, record: GraderRecord, query_id: str) -> QueryUnits:
        """All units of a query with what the parts say of them."""
        return self.kept.units.get(
            (record.grader_id, query_id),
            self._made_of(record, query_id),
            lambda: self.gradebook.of_its_moment(self._units(record, query_id)),
        )

    def expected(
        self, record: GraderRecord, query_id: str, items: Sequence[Question]
    ) -> Floats:
        """(items, passages): what people would say, in [.02, .98]; checked ones 0 or 1.

        Of passages one row. It is what was learned, also where a part does better.
        """
        units = self.units(record, query_id)
        found = self.learned(record).predict(query_id, units.signals)
        found = np.clip(found, 0.02, 0.98)
        at, said = self.checked(record, query_id)
        found[at] = said.round()  # nothing is open about it
        rows = found.reshape(max(len(units.items), 1), -1)
        if not units.items:
            return rows
        row = {one.text: number for number, one in enumerate(units.items)}
        return np.asarray(rows[[row[one.text] for one in items]])

    def checked(self, record: GraderRecord, query_id: str) -> tuple[Numbers, Floats]:
        """(checks,) twice: which units are checked, and what people say, from 0 to 1.

        Of a grade its share of the highest.
        """
        of_passages, highest = _grades_passages(record), self.highest
        found = {
            pair: min(int(said) / highest, 1.0) if of_passages else _YES[said]
            for pair, said in self.decided(query_id).items()
            if (pair[0] is None) == of_passages
        }
        if not found:
            return np.zeros(0, np.intp), np.zeros(0)
        places = np.array(self.units(record, query_id).place(found), dtype=np.intp)
        kept = np.flatnonzero(places >= 0)
        kept = kept[np.argsort(places[kept])]
        return places[kept], np.array(list(found.values()))[kept]

    @property
    def highest(self) -> int:
        """The highest grade of a passage, of the judgments and at least 3."""
        return self.kept.highest.get(
            "highest",
            tuple(self.pools.values()),
            lambda: max(
                3, *(int(one.judgments.max(initial=0)) for one in self.pools.values())
            ),
        )

    def _named(self, names: str) -> Iterator[tuple[GraderRecord, ...]]:
        """The graders that names between pluses mean; a name may hold one itself."""
        for at in (*(i for i, letter in enumerate(names) if letter == "+"), len(names)):
            found = (
                self.gradebook.meant(names[:at].strip()) if names[:at].strip() else ()
            )
            if len(found) != 1 or found[0].derived:
                continue
            if at == len(names):
                yield found
            else:
                for others in self._named(names[at + 1 :]):
                    if found[0] not in others:
                        yield (*found, *others)

    def _made_of(self, record: GraderRecord, query_id: str) -> tuple[object, ...]:
        book = self.gradebook
        grades = (one for part in record.parts for one in book.made_of(part, query_id))
        return (self.pools[query_id], self.bank.of_query(query_id), *grades)

    def _signature(self, record: GraderRecord, query_id: str) -> tuple[object, ...]:
        """The objects that a query's checks speak through.

        Of pairs the same after every edit that changes no question that was checked.
        """
        made_of = self._made_of(record, query_id)
        if _grades_passages(record):
            return made_of
        pool, _, *grades = made_of
        asked = {item for item, _ in self.decided(query_id)}
        words = tuple(
            (one.text, key_of(one))
            for one in self.bank.of_query(query_id)
            if one.text in asked
        )
        return (
            pool,
            self.kept.asked.get((query_id, words), (), lambda: words),
            *grades,
        )

    def _learn(self, record: GraderRecord, query_ids: Sequence[str]) -> Learned:
        checks = {one: self._query_checks(record, one) for one in query_ids}
        any_query = next(iter(query_ids or self.pools))
        like = self.units(record, any_query).signals.rows(np.zeros(0, np.intp))
        return learn(checks, like)

    def _query_checks(self, record: GraderRecord, query_id: str) -> QueryChecks:
        """The query's checks with their signals; made once."""

        def made() -> QueryChecks:
            at, said = self.checked(record, query_id)
            size = self.pools[query_id].size
            signals = self.units(record, query_id).signals.rows(at)
            found = QueryChecks(signals, said, size * len(set(at // size)))
            return self.gradebook.of_its_moment(found)

        made_of = (self.decided(query_id), *self._signature(record, query_id))
        key = (record.grader_id, query_id)
        return self.kept.query_checks.get(key, made_of, made)

    def _units(self, record: GraderRecord, query_id: str) -> QueryUnits:
        pool, every = self.pools[query_id], self.bank.of_query(query_id)
        if _grades_passages(record):
            kept = tuple(one for one in every if one.state == "kept")
            return QueryUnits(pool, (), self._of_passages(record, pool, kept))
        # Of a question that stands twice in the same words the first counts.
        items = tuple({q.text: q for q in reversed(every) if q.text}.values())[::-1]
        shares = np.array([self._shares(part, pool, items) for part in record.parts])
        number, size = len(items), pool.size
        means = _mean(_mean(shares, axis=0), axis=1)
        groups = (
            np.zeros(number * size, dtype=np.intp),
            np.repeat(np.arange(number), size),
            np.tile(np.arange(size), number),
        )
        values = shares.reshape(len(record.parts), -1).T
        return QueryUnits(
            pool, items, Signals(values, np.repeat(means, size)[:, None], groups)
        )

    def _of_passages(
        self, record: GraderRecord, pool: Pool, items: Sequence[Question]
    ) -> Signals:
        values, best, profiles = [], [], []
        for part in record.parts:
            if part.spec.reading.item_kind == "query":
                shares = self._passage_shares(part, pool)[None]
            else:
                shares = self._shares(part, pool, items)
            values.append(_mean(shares, axis=0))
            best.append(np.max(shares, axis=0, initial=0.0, where=~np.isnan(shares)))
            if part.spec.reading.item_kind == "query":
                continue
            known = np.where(np.isnan(shares), 0.0, shares)
            off = (known - known.mean(axis=1, keepdims=True)).T
            size = np.sqrt((off**2).sum(axis=1).mean()) if off.size else 0.0
            profiles.append(off / size if size else off)
        return Signals(
            np.array(values).T,
            _mean(np.array(best), axis=0)[:, None],
            (np.zeros(pool.size, dtype=np.intp),),
            tuple(profiles),
        )

    def _shares(
        self, part: GraderRecord, pool: Pool, items: Sequence[Question]
    ) -> Floats:
        """(items, passages): how far this grader says so, from 0 to 1; NaN unknown.

        A direct grader says the same of every item.
        """
        if part.spec.reading.item_kind == "query":
            return np.repeat(self._passage_shares(part, pool)[None], len(items), axis=0)
        graded = self.gradebook.graded_targets(part, pool, targets_of(part, items))
        return np.asarray(np.where(graded.ratings >= 0, graded.gains, np.nan))

    def _passage_shares(self, part: GraderRecord, pool: Pool) -> Floats:
        """(passages,): grades of a direct grader, from 0 to 1; NaN unknown."""
        query = self.queries[pool.query_id]
        graded = self.gradebook.graded_query_item(part, pool, query)
        if not len(graded.ratings):
            return np.full(pool.size, np.nan)
        values = label_values(graded.ratings, "direct", graded.probabilities)
        return np.where(graded.ratings[0] >= 0, values[0] / self.highest, np.nan)

    def _equal(
        self, record: GraderRecord, part: GraderRecord, units: QueryUnits
    ) -> VectorsByItem:
        """The very grades of a part, of all units."""
        targets = targets_of(record, units.items)
        if part.spec.reading.item_kind == "query":
            shares = self._shares(part, units.pool, units.items)
            rows = np.where(np.isnan(shares), NOT_ASKED, shares).astype(np.float32)
        else:
            asked = targets_of(part, units.items)
            graded = self.gradebook.graded_targets(part, units.pool, asked)
            shared = graded.probabilities
            if shared is None:
                ratings = zip(targets, graded.ratings.astype(np.int8), strict=True)
                return {one.key: row for one, row in ratings}
            rows = shared
        return {one.key: row for one, row in zip(targets, rows, strict=True)}

    def _vectors(
        self, record: GraderRecord, query_id: str, learned: Learned
    ) -> VectorsByItem:
        units = self.units(record, query_id)
        of_passages, best = _grades_passages(record), learned.best_input
        if best is not None and not of_passages:
            return self._equal(record, record.parts[best], units)
        if best is not None:  # it equals the grader that does better
            found = units.signals.values[:, best].copy()
            if of_passages and _grades_passages(record.parts[best]):
                found *= self.highest / _SCALE
        else:
            found = learned.predict(query_id, units.signals)
            if of_passages:  # which count from a grade on that few have
                found = learned.as_spread(found)
            found = np.clip(found, 0.0, 1.0)
            found[np.isnan(units.signals.values).all(axis=1)] = np.nan
            at, said = self.checked(record, query_id)
            found[at] = said
            if of_passages:  # five times the share is the grade
                found *= self.highest / _SCALE
        grades = np.where(np.isnan(found), NOT_ASKED, found).astype(np.float32)
        if of_passages:
            return {query_target(record, self.queries[query_id]).key: grades}
        rows = grades.reshape(len(units.items), units.pool.size)
        return {
            one.key: row
            for one, row in zip(targets_of(record, units.items), rows, strict=True)
        }


@lru_cache(maxsize=64)
def record_of(parts: tuple[GraderRecord, ...], *, of_passages: bool) -> GraderRecord:
    """The grader that rests on these, of passages as a whole or of pairs."""
    kinds = {one.spec.reading.item_kind for one in parts} - {"query"}
    item_kind = (
        "query" if of_passages else next(iter(kinds)) if len(kinds) == 1 else "any"
    )
    keys = tuple((str(at), one.spec.key) for at, one in enumerate(parts))
    spec = GraderSpec(
        FAMILY + "+".join(one.name for one in parts),
        Responder(NAME, "", "", keys),
        Reading(
            "direct" if of_passages else "rated",
            item_kind,
            LEARNED,
            () if of_passages else RATINGS_FROM,
        ),
    )
    # A number that no stored grader has, nor people.
    number = -10 - int(hashlib.sha256(spec.key.encode()).hexdigest()[:12], 16)
    return GraderRecord(number, spec, parts)


def _grades_passages(record: GraderRecord) -> bool:
    return record.spec.reading.item_kind == "query"


def _mean(shares: Floats, axis: int) -> Floats:
    """The mean of what is known, NaN where nothing is."""
    known = ~np.isnan(shares)
    number = known.sum(axis=axis)
    sums = np.where(known, shares, 0.0).sum(axis=axis)
    return np.asarray(np.where(number > 0, sums / np.maximum(number, 1), np.nan))
