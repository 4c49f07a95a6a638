"""The grader ``checked:A+B+…``, learned from people's checks.

Like those of ``people``, its grades are not stored but computed, from the checks and
the grades of its parts. So a check or its undo changes them at once, and a past bank
has the grades of its time.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Final

import numpy as np

from curator.bank.marks.check import Pair
from curator.bank.opinions import majorities, opinions, valid_decisions
from curator.bank.questions import Bank, Question
from curator.errors import UnknownNameError
from curator.evaluation.checks.learned import (
    ENOUGH,
    Floats,
    LearnedModel,
    Numbers,
    QueryChecks,
    Signals,
    learn,
)
from curator.evaluation.grades import label_values
from curator.evaluation.settings import FIRST_GRADER, HIGHEST_LABEL
from curator.results import column, computed
from curator.snapshot.gradebook import (
    DerivedGraders,
    Gradebook,
    GraderRecord,
    query_target,
    targets_of,
)
from curator.store.grades import VectorsByItem
from curator.store.texts import key_of
from grading.ratings import NOT_ASKED
from grading.responders import LEARNED, GraderSpec, Reading, Responder

if TYPE_CHECKING:
    from curator.collection.pools import Pool, Query
    from curator.snapshot.caches import Caches

CHECKED: Final = "checked"
PREFIX: Final = f"{CHECKED}:"

RATINGS_FROM: Final = (0.1, 0.2, 0.35, 0.5, 0.75)
"""The lowest probabilities of ratings 1, 2, 3, 4, 5; from 4 on, yes is more likely."""

_YES: Mapping[str, float] = {"yes": 1.0, "no": 0.0}
MAX_PARTS: Final = 6
"""Most parts of ``checked``, unless it names more."""

_SCALE = HIGHEST_LABEL["rated"]  # a direct grade is stored as a share of this


@dataclass(frozen=True, eq=False)
class QuerySignals:
    """Signals of all units of a query: pairs of question and passage, or passages.

    For pairs, ``items`` are the questions; the units are sorted by question, then by
    passage. For passages, ``items`` is ().
    """

    pool: Pool
    items: tuple[Question, ...]
    signals: Signals

    def indices(self, pairs: Iterable[Pair]) -> list[int]:
        """Return the index of each pair of text and passage id, -1 if unknown."""
        texts = [question.text for question in self.items] or [None]
        row = {words: number for number, words in enumerate(texts)}
        column = {
            passage_id: number
            for number, passage_id in enumerate(self.pool.passage_ids)
        }

        def index(words: str | None, passage_id: str) -> int:
            if words not in row or passage_id not in column:
                return -1
            return row[words] * self.pool.size + column[passage_id]

        return [index(words, passage_id) for words, passage_id in pairs]


@dataclass(frozen=True)
class LearnedSummary:
    """Errors of a learned grader, compared with those of its inputs.

    ``error`` is the mean squared error of predicting each of its ``checks`` from all
    others, ``error_by_query`` from those of other queries; ``inputs`` are its parts
    with the error of each alone. None if nothing was learned. If ``best_input`` alone
    has no larger error, the learned grader equals it.
    """

    grader: str
    of: str
    checks: int
    error: float | None
    error_by_query: float | None
    inputs: tuple[tuple[str, float | None], ...] = field(
        metadata=column(
            to_json=lambda parts: [
                {"grader": name, "error": error} for name, error in parts
            ]
        )
    )
    best_input: str | None

    @property
    @computed()
    def note(self) -> str:
        """Return the result in one sentence."""
        if self.error is None:
            return (
                f"{self.grader}: {self.checks} of the {ENOUGH} checks needed to learn; "
                "until then its graders count equally."
            )
        best, least = min(self.inputs, key=lambda part_error: part_error[1] or 0.0)
        if self.best_input is not None:
            return (
                f"{self.grader} equals {self.best_input}, which does at least as well: "
                f"its mean squared error is {least:.4f}, that of all together "
                f"{self.error:.4f}, predicting each of {self.checks:,} checks from the "
                "others."
            )
        return (
            f"{self.grader} learned from {self.checks:,} checks: predicting each from "
            f"all others, its mean squared error is {self.error:.4f}, that of its best "
            f"input {best} {least:.4f}."
        )


@dataclass(frozen=True, eq=False)
class LearnedGraders(DerivedGraders):
    """Graders that can be learned in one bank, from checks that a viewer may see."""

    bank: Bank
    pools: Mapping[str, Pool]
    gradebook: Gradebook
    caches: Caches
    queries: Mapping[str, Query]
    _learned: dict[int, LearnedModel] = field(default_factory=dict)

    def record(self, name: str) -> GraderRecord | None:
        """Return the grader of this name; None for a name of another kind.

        ``checked`` alone uses ``default_parts``. Raises UnknownNameError if it names no
        grader of the workspace.
        """
        record = self.find_grader(name)
        if record is None and (name == CHECKED or name.startswith(PREFIX)):
            records = self.gradebook.records
            names = ", ".join(other.name for other in records if not other.derived)
            raise UnknownNameError(
                f"'{name}' names no graders of this workspace; expected "
                f"{PREFIX}ONE+OTHER+…, of: {names or 'none yet'}."
            )
        return record

    def find_grader(self, name: str) -> GraderRecord | None:
        """Return the grader that a name matches, None if it names no parts."""
        if name == CHECKED:
            parts = self.default_parts()
        else:
            names = name.removeprefix(PREFIX)
            parts = next(self._match_parts(names), ()) if names != name else ()
        if not parts:
            return None
        return record_of(parts, grades_passages=self.prefers_passages(parts))

    def records(self) -> tuple[GraderRecord, ...]:
        """List ``checked`` once people have decided anything."""
        if not any(map(self.decided, self.bank.checks)):
            return ()
        usual = self.find_grader(CHECKED)
        return () if usual is None else (usual,)

    def default_parts(self) -> tuple[GraderRecord, ...]:
        """Return the default parts of ``checked``: the graders with a scale.

        Combined and derived graders add no information. If there are many, the first
        count; instant ones, which have graded new text, before all others.
        """
        graders = [
            record
            for record in self.gradebook.records
            if not (record.derived or record.spec.combined)
            if record.spec.reading.kind in ("rated", "direct")
        ]
        graders.sort(key=lambda record: not record.name.startswith(FIRST_GRADER))
        return tuple(graders[:MAX_PARTS])

    def prefers_passages(self, parts: Sequence[GraderRecord]) -> bool:
        """Return True if more checks are of passages as a whole than of pairs.

        With equally many checks, True if no part grades items.
        """
        checked = chain.from_iterable(map(self.decided, self.bank.checks))
        counts = Counter(item is None for item, _ in checked)
        pairs, passages = counts[False], counts[True]
        if pairs == passages:
            return all(record.spec.reading.item_kind == "query" for record in parts)
        return passages > pairs

    def edges(self, record: GraderRecord) -> Sequence[float]:
        # A grader that equals another has the same ratings.
        equals = self.model(record).best_input is not None
        return () if equals else record.spec.reading.thresholds

    def note(self, record: GraderRecord) -> str:
        return self.summary(record).note

    def decided(self, query_id: str) -> Mapping[Pair, str]:
        """Return the majority answer, or the decision, on each checked pair."""
        checks = self.bank.checks_of(query_id)
        # Cached by value, so that other edits of the query cause no new learning.
        stated = opinions("check", checks)
        about = self.bank.decisions_of(query_id), self.bank.questions_of(query_id)
        decisions = valid_decisions("check", stated, *about)
        return self.caches.decided_pairs.get(
            (query_id, *decisions.items()),
            (checks,),
            lambda: majorities(stated) | decisions,
        )

    def vectors(self, record: GraderRecord, query_id: str) -> VectorsByItem:
        """Return the probabilities of one query's pool by the questions' keys.

        Checked pairs have their answers; pairs without any part's grade are unknown.
        """
        learned = self.model(record)
        cache_key = (
            *self._sources_of(record, query_id),
            learned,
            self.decided(query_id),
        )
        return self.caches.people_ratings.get(
            (record.grader_id, query_id),
            cache_key,
            lambda: self._vectors(record, query_id, learned),
        )

    def model(self, record: GraderRecord) -> LearnedModel:
        if record.grader_id not in self._learned:
            self._learned[record.grader_id] = self._cached_model(record)
        return self._learned[record.grader_id]

    def _cached_model(self, record: GraderRecord) -> LearnedModel:
        query_ids = sorted(
            query_id for query_id in self.bank.checks if self.decided(query_id)
        )
        signatures = [self._signature(record, query_id) for query_id in query_ids]
        words = tuple(checked_words for checked_words, _ in signatures)
        sources = chain(
            map(self.decided, query_ids), *(sources for _, sources in signatures)
        )
        return self.caches.learned.get(
            (record.grader_id, tuple(query_ids), words),
            tuple(sources),
            lambda: self.gradebook.ensure_current(self._learn(record, query_ids)),
        )

    def summary(self, record: GraderRecord) -> LearnedSummary:
        """Summarise the learned model and its errors."""
        model = self.model(record)
        names = [part.name for part in record.parts]
        best = model.best_input
        return LearnedSummary(
            record.name,
            "passages" if _grades_passages(record) else "pairs",
            sum(
                len(self.checked(record, query_id)[0]) for query_id in self.bank.checks
            ),
            model.error if model.count else None,
            model.error_by_query if model.count else None,
            tuple(zip(names, model.input_errors or (None,) * len(names), strict=True)),
            None if best is None else names[best],
        )

    def units(self, record: GraderRecord, query_id: str) -> QuerySignals:
        """Return all units of a query with the values of the parts."""
        return self.caches.units.get(
            (record.grader_id, query_id),
            self._sources_of(record, query_id),
            lambda: self.gradebook.ensure_current(self._units(record, query_id)),
        )

    def expected(
        self, record: GraderRecord, query_id: str, items: Sequence[Question]
    ) -> Floats:
        """(items, passages): expected answers in [.02, .98]; checked ones 0 or 1.

        One row for passages. The learned model is used even if a part does better.
        """
        units = self.units(record, query_id)
        expected = self.model(record).predict(query_id, units.signals)
        expected = np.clip(expected, 0.02, 0.98)
        positions, answers = self.checked(record, query_id)
        expected[positions] = answers.round()  # known, not expected
        rows = expected.reshape(max(len(units.items), 1), -1)
        if not units.items:
            return rows
        row = {question.text: number for number, question in enumerate(units.items)}
        return np.asarray(rows[[row[question.text] for question in items]])

    def checked(self, record: GraderRecord, query_id: str) -> tuple[Numbers, Floats]:
        """(checks,) twice: the checked units, and people's answers, from 0 to 1.

        A grade counts as its share of the highest.
        """
        grades_passages, highest = _grades_passages(record), self.highest
        answers = {
            pair: min(int(answer) / highest, 1.0) if grades_passages else _YES[answer]
            for pair, answer in self.decided(query_id).items()
            if (pair[0] is None) == grades_passages
        }
        if not answers:
            return np.zeros(0, np.intp), np.zeros(0)
        places = np.array(self.units(record, query_id).indices(answers), dtype=np.intp)
        kept = np.flatnonzero(places >= 0)
        kept = kept[np.argsort(places[kept])]
        return places[kept], np.array(list(answers.values()))[kept]

    @cached_property
    def highest(self) -> int:
        """The highest grade of a passage, from the judgments and at least 3."""
        pools = self.pools.values()
        return max(3, *(int(pool.judgments.max(initial=0)) for pool in pools))

    def _match_parts(self, names: str) -> Iterator[tuple[GraderRecord, ...]]:
        """Yield the graders matched by names between pluses; names may contain one."""
        pluses = [position for position, letter in enumerate(names) if letter == "+"]
        for end in (*pluses, len(names)):
            name = names[:end].strip()
            matches = self.gradebook.match_graders(name) if name else ()
            if len(matches) != 1 or matches[0].derived:
                continue
            if end == len(names):
                yield matches
            else:
                for others in self._match_parts(names[end + 1 :]):
                    if matches[0] not in others:
                        yield (*matches, *others)

    def _sources_of(self, record: GraderRecord, query_id: str) -> tuple[object, ...]:
        book = self.gradebook
        grades = (
            source for part in record.parts for source in book.cache_key(part, query_id)
        )
        return (self.pools[query_id], self.bank.questions_of(query_id), *grades)

    def _signature(
        self, record: GraderRecord, query_id: str
    ) -> tuple[Hashable, tuple[object, ...]]:
        """Return a value and the objects on which learning from a query depends.

        For pairs, they stay the same after an edit that changes no checked question.
        """
        pool, questions, *grades = self._sources_of(record, query_id)
        if _grades_passages(record):
            return (), (pool, questions, *grades)
        checked_texts = {item for item, _ in self.decided(query_id)}
        words = tuple(
            (question.text, key_of(question))
            for question in self.bank.questions_of(query_id)
            if question.text in checked_texts
        )
        return words, (pool, *grades)

    def _learn(self, record: GraderRecord, query_ids: Sequence[str]) -> LearnedModel:
        checks = {
            query_id: self._query_checks(record, query_id) for query_id in query_ids
        }
        any_query = next(iter(query_ids or self.pools))
        no_rows = self.units(record, any_query).signals.select(np.zeros(0, np.intp))
        return learn(checks, no_rows)

    def _query_checks(self, record: GraderRecord, query_id: str) -> QueryChecks:
        def compute() -> QueryChecks:
            positions, answers = self.checked(record, query_id)
            size = self.pools[query_id].size
            signals = self.units(record, query_id).signals.select(positions)
            checks = QueryChecks(signals, answers, size * len(set(positions // size)))
            return self.gradebook.ensure_current(checks)

        words, sources = self._signature(record, query_id)
        return self.caches.query_checks.get(
            (record.grader_id, query_id, words),
            (self.decided(query_id), *sources),
            compute,
        )

    def _units(self, record: GraderRecord, query_id: str) -> QuerySignals:
        pool, questions = self.pools[query_id], self.bank.questions_of(query_id)
        if _grades_passages(record):
            kept = tuple(question for question in questions if question.state == "kept")
            return QuerySignals(pool, (), self._passage_signals(record, pool, kept))
        # Of questions with the same text the first counts.
        items = tuple({q.text: q for q in reversed(questions) if q.text}.values())[::-1]
        shares = np.array([self._shares(part, pool, items) for part in record.parts])
        number, size = len(items), pool.size
        means = _mean(_mean(shares, axis=0), axis=1)
        groups = (
            np.zeros(number * size, dtype=np.intp),
            np.repeat(np.arange(number), size),
            np.tile(np.arange(size), number),
        )
        values = shares.reshape(len(record.parts), -1).T
        return QuerySignals(
            pool, items, Signals(values, np.repeat(means, size)[:, None], groups)
        )

    def _passage_signals(
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
            filled = np.where(np.isnan(shares), 0.0, shares)
            deviations = (filled - filled.mean(axis=1, keepdims=True)).T
            size = (
                np.sqrt((deviations**2).sum(axis=1).mean()) if deviations.size else 0.0
            )
            profiles.append(deviations / size if size else deviations)
        return Signals(
            np.array(values).T,
            _mean(np.array(best), axis=0)[:, None],
            (np.zeros(pool.size, dtype=np.intp),),
            tuple(profiles),
        )

    def _shares(
        self, part: GraderRecord, pool: Pool, items: Sequence[Question]
    ) -> Floats:
        """(items, passages): a grader's values from 0 to 1; NaN if unknown.

        A direct grader has the same value for every item.
        """
        if part.spec.reading.item_kind == "query":
            return np.repeat(self._passage_shares(part, pool)[None], len(items), axis=0)
        graded = self.gradebook.graded_targets(part, pool, targets_of(part, items))
        return np.asarray(np.where(graded.ratings >= 0, graded.gains, np.nan))

    def _passage_shares(self, part: GraderRecord, pool: Pool) -> Floats:
        """(passages,): grades of a direct grader, from 0 to 1; NaN if unknown."""
        query = self.queries[pool.query_id]
        graded = self.gradebook.graded_query_item(part, pool, query)
        if not len(graded.ratings):
            return np.full(pool.size, np.nan)
        values = label_values(graded.ratings, "direct", graded.probabilities)
        return np.where(graded.ratings[0] >= 0, values[0] / self.highest, np.nan)

    def _part_vectors(
        self, record: GraderRecord, part: GraderRecord, units: QuerySignals
    ) -> VectorsByItem:
        """Return the grades of a part, unchanged, for all units."""
        targets = targets_of(record, units.items)
        if part.spec.reading.item_kind == "query":
            shares = self._shares(part, units.pool, units.items)
            rows = np.where(np.isnan(shares), NOT_ASKED, shares).astype(np.float32)
        else:
            part_targets = targets_of(part, units.items)
            graded = self.gradebook.graded_targets(part, units.pool, part_targets)
            shared = graded.probabilities
            if shared is None:
                ratings = zip(targets, graded.ratings.astype(np.int8), strict=True)
                return {target.key: row for target, row in ratings}
            rows = shared
        return {target.key: row for target, row in zip(targets, rows, strict=True)}

    def _vectors(
        self, record: GraderRecord, query_id: str, learned: LearnedModel
    ) -> VectorsByItem:
        units = self.units(record, query_id)
        grades_passages, best = _grades_passages(record), learned.best_input
        if best is not None and not grades_passages:
            return self._part_vectors(record, record.parts[best], units)
        if best is not None:  # it equals the grader that does better
            answers = units.signals.values[:, best].copy()
            if grades_passages and _grades_passages(record.parts[best]):
                answers *= self.highest / _SCALE
        else:
            answers = learned.predict(query_id, units.signals)
            if grades_passages:  # few passages reach the grades that count
                answers = learned.widen(answers)
            answers = np.clip(answers, 0.0, 1.0)
            answers[np.isnan(units.signals.values).all(axis=1)] = np.nan
            positions, checked_answers = self.checked(record, query_id)
            answers[positions] = checked_answers
            if grades_passages:  # five times the share is the grade
                answers *= self.highest / _SCALE
        grades = np.where(np.isnan(answers), NOT_ASKED, answers).astype(np.float32)
        if grades_passages:
            return {query_target(record, self.queries[query_id]).key: grades}
        rows = grades.reshape(len(units.items), units.pool.size)
        return {
            target.key: row
            for target, row in zip(targets_of(record, units.items), rows, strict=True)
        }


@lru_cache(maxsize=64)
def record_of(
    parts: tuple[GraderRecord, ...], *, grades_passages: bool
) -> GraderRecord:
    """Build the record of the grader with these parts, of passages or of pairs."""
    kinds = {record.spec.reading.item_kind for record in parts} - {"query"}
    item_kind = next(iter(kinds)) if len(kinds) == 1 else "any"
    if grades_passages:
        item_kind = "query"
    keys = tuple((str(number), record.spec.key) for number, record in enumerate(parts))
    spec = GraderSpec(
        PREFIX + "+".join(record.name for record in parts),
        Responder(CHECKED, "", "", keys),
        Reading(
            "direct" if grades_passages else "rated",
            item_kind,
            LEARNED,
            () if grades_passages else RATINGS_FROM,
        ),
    )
    # A number that neither stored graders nor people have.
    number = -10 - int(hashlib.sha256(spec.key.encode()).hexdigest()[:12], 16)
    return GraderRecord(number, spec, parts)


def _grades_passages(record: GraderRecord) -> bool:
    return record.spec.reading.item_kind == "query"


def _mean(shares: Floats, axis: int) -> Floats:
    """Mean of known values, NaN if there are none."""
    present = ~np.isnan(shares)
    number = present.sum(axis=axis)
    sums = np.where(present, shares, 0.0).sum(axis=axis)
    return np.asarray(np.where(number > 0, sums / np.maximum(number, 1), np.nan))
