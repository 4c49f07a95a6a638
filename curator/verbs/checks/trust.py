"""``trust``: how far a board agrees with the board by people's labels, from checks."""

from __future__ import annotations

import hashlib
import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median
from typing import ClassVar, Literal

import numpy as np
from threadpoolctl import threadpool_limits

from curator.bank.marks.check import Pair
from curator.errors import EvaluationError
from curator.evaluation.checks.trust import (
    CONTINUATIONS,
    BoardModel,
    ExpectedTau,
    RankedUnits,
    board_model,
)
from curator.evaluation.leaderboard import mean_scores
from curator.evaluation.settings import JUDGMENTS, OFFICIAL, Settings
from curator.evaluation.stability import short_tau
from curator.formats.text.notices import counted
from curator.results import Result
from curator.snapshot import scoring
from curator.snapshot.gradebook import GraderRecord
from curator.snapshot.learned import LearnedGraders, QuerySignals, record_of
from curator.snapshot.settings import BoardChoice, OptionValue, board_settings
from curator.snapshot.snapshot import Snapshot
from curator.tables.settings import settings_words
from curator.verbs.checks.next_checks import CheckKind, rank_weights
from curator.verbs.checks.quality import checked_pairs

TrustState = Literal["unverified", "trusted", "not trusted", "inconclusive", "stale"]

TAU = 0.6
"""Least tau of a trusted board: four of five pairs of systems in the right order."""
CONFIDENCE = 0.95
MOST_CONFIDENCE = 0.99  # more could not be told from the draws
ENOUGH = 30
"""Fewest checks of a trusted board."""
STILL_COUNT = 0.5  # share of the checks below which the evidence is stale
UNKNOWN = 2
"""Exit code of a board about which more checks would have to tell."""
TOP = 3
SECONDS = 9.0  # of a check, before any is timed
NO_CHECKS = "Unverified: no checks yet."
HIDDEN_CHECKS = (
    "Unverified here: others' checks are hidden until you have checked the same pairs."
)
ADVICE = "Write more specific questions, or use another grader."


@dataclass(frozen=True)
class Trust(Result["Trust"]):
    """Trust in a board, and the evidence in one sentence.

    ``expected_tau`` is the mean of Kendall's tau with the board by people's labels,
    ``low`` and ``high`` its 95 % interval, ``probability`` that of ``least_tau`` or
    more. A board is trusted if this is ``confidence`` or more with at least 30 checks,
    not trusted if it is 1 - ``confidence`` or less, else stale if the questions of most
    checks have changed. ``checks`` are those that count, of ``all_checks``; after
    ``deciding`` more it is known in half of the cases, after ``separating`` more the
    order of the first three systems; None if many more are needed, or if unknown.
    ``key`` is a hash of bank, grader and settings.
    """

    columns: ClassVar = "state expected_tau low high checks deciding separating"

    settings: Settings
    state: TrustState
    sentence: str
    least_tau: float
    confidence: float
    checks: int
    all_checks: int
    of: CheckKind = "pairs"
    expected_tau: float | None = None
    low: float | None = None
    high: float | None = None
    probability: float | None = None
    deciding: int | None = None
    separating: int | None = None
    key: str = ""

    @property
    def caption(self) -> str:
        return settings_words(self.settings)

    @property
    def notes(self) -> tuple[str, ...]:
        return (self.sentence,)

    @property
    def exit_code(self) -> int:
        """0 if trusted, 1 if not trusted, 2 if not known."""
        return {"trusted": 0, "not trusted": 1}.get(self.state, UNKNOWN)


def trust(
    snapshot: Snapshot,
    /,
    settings: BoardChoice | None = None,
    *,
    tau: float = TAU,
    confidence: float = CONFIDENCE,
    **options: OptionValue,
) -> Trust:
    """Estimate Kendall's tau of a board with the board by people's labels.

    From the checks that people made of pairs, or of passages if these are more, however
    drawn. Also tells how many more checks would decide, and how many would order
    the first three systems. Raises EvaluationError for boards that are not made of a
    grader's labels, query by query, and for numbers out of range.

    Args:
        tau (TAU): Least tau of a trusted board, above -1 and below 1.
        confidence (SHARE): Probability needed to decide, .5 to .99.
    """
    if not -1 < tau < 1:
        raise EvaluationError(f"tau is {tau:g}; expected a number between -1 and 1.")
    if not 0.5 <= confidence <= MOST_CONFIDENCE:
        raise EvaluationError(f"confidence is {confidence:g}; expected .5 to .99.")
    chosen = board_settings(snapshot, options, settings)
    return _trust(snapshot, chosen, tau, confidence, planned=True)


def board_trust(snapshot: Snapshot, settings: Settings) -> Trust | None:
    """Return a board's trust without the effect of more checks; None if unknown.

    Without any check nothing is computed, so that a board is printed at once.
    """
    try:
        if any(snapshot.bank.checks.values()):
            return _trust(snapshot, settings, TAU, CONFIDENCE, planned=False)
        _refuse(snapshot, settings)
        if len(snapshot.collection.systems) < 2:
            return None
    except EvaluationError:
        return None
    sentence = f"{NO_CHECKS} `curator trust` tells how many would do."
    key = _key(snapshot, settings)
    return Trust(settings, "unverified", sentence, TAU, CONFIDENCE, 0, 0, key=key)


def _trust(
    snapshot: Snapshot, settings: Settings, tau: float, confidence: float, planned: bool
) -> Trust:
    def compute() -> Trust:
        board = snapshot.cached(
            ("trust model", settings), lambda: _checked_board(snapshot, settings)
        )
        with threadpool_limits(1):  # small matrices, on which threads only wait
            return board.trust(tau, confidence, planned)

    return snapshot.cached(("trust", settings, tau, confidence, planned), compute)


@dataclass(frozen=True, eq=False)
class _CheckedBoard:
    settings: Settings
    model: BoardModel
    of: CheckKind
    checks: int
    all_checks: int
    hidden: bool  # others have checked, which this judge may not see
    seconds: float
    key: str

    def trust(self, tau: float, confidence: float, planned: bool) -> Trust:
        expected = self.model.tau(tau)
        state = self._state(expected, confidence)
        deciding = separating = None
        if planned:
            if state in ("unverified", "inconclusive", "stale"):
                deciding = self.model.deciding_checks(tau, confidence)
            separating = self.model.separating_checks(TOP, confidence)
        return Trust(
            self.settings,
            state,
            self._sentence(state, expected, deciding, planned),
            tau,
            confidence,
            self.checks,
            self.all_checks,
            self.of,
            expected.mean,
            expected.low,
            expected.high,
            expected.probability,
            deciding,
            separating,
            self.key,
        )

    def _state(self, expected: ExpectedTau, confidence: float) -> TrustState:
        if not self.all_checks:
            return "unverified"
        if expected.probability >= confidence and self.checks >= ENOUGH:
            return "trusted"
        if expected.probability <= 1 - confidence and self.checks >= ENOUGH:
            return "not trusted"
        if self.checks < STILL_COUNT * self.all_checks:
            return "stale"
        return "inconclusive"

    def _sentence(
        self,
        state: TrustState,
        expected: ExpectedTau,
        deciding: int | None,
        planned: bool,
    ) -> str:
        evidence = (
            f"expected tau {short_tau(expected.mean)} ({short_tau(expected.low)} to "
            f"{short_tau(expected.high)}) from {counted(self.checks, 'check')}."
        )
        more = self._more(deciding) if planned else ""
        if state == "unverified":
            none = HIDDEN_CHECKS if self.hidden else NO_CHECKS
            return " ".join(filter(None, (none, more)))
        if state == "stale":
            changed = (
                f"Stale: {self.checks} of {counted(self.all_checks, 'check')} still "
                "count, since the questions of the others have changed."
            )
            return " ".join(filter(None, (changed, more)))
        if state == "trusted":
            return f"Trusted: {evidence}"
        if state == "not trusted":
            return f"Not trusted: {evidence} {ADVICE}"
        return " ".join(filter(None, (f"Inconclusive: {evidence}", more)))

    def _more(self, deciding: int | None) -> str:
        if deciding is None:
            return f"Up to {CONTINUATIONS[-1]} more checks would hardly tell."
        needed = max(deciding, ENOUGH - self.checks)
        needed = 10 * math.ceil(needed / 10)
        minutes = max(round(needed * self.seconds / 60), 1)
        noun = "more checks" if self.checks else "checks"
        unit = "minute" if minutes == 1 else "minutes"
        return f"{needed} {noun} (about {minutes} {unit}) would tell."


def _checked_board(snapshot: Snapshot, settings: Settings) -> _CheckedBoard:
    """Raises EvaluationError for a board that checks tell nothing about."""
    _refuse(snapshot, settings)
    rows = scoring.scored_queries(snapshot, settings, snapshot.bank).rows
    graders, record = snapshot.gradebook.learned, snapshot.grader(settings.grader)
    if graders is None or not rows:
        raise EvaluationError("There is no board, so there is nothing to trust.")
    if not record.spec.learned:
        passages = graders.prefers_passages((record,))
        record = record_of((record,), grades_passages=passages)
    is_direct = record.spec.reading.item_kind == "query"
    of: CheckKind = "passages" if is_direct else "pairs"
    answers: dict[str, dict[Pair, float]] = defaultdict(dict)
    checked = [
        pair
        for pair in checked_pairs(snapshot, of)
        if pair.answer is not None and not pair.set_aside
    ]
    for pair in checked:
        label = (
            min(int(pair.answer or 0) / graders.highest, 1.0)
            if is_direct
            else float(pair.answer == "yes")
        )
        answers[pair.query_id][pair.item, pair.passage_id] = label
    queries = [
        _query_units(snapshot, graders, record, settings, query_id, answers)
        for query_id in rows
    ]
    model = board_model(mean_scores([*rows.values()]).score, queries)
    if model is None:
        raise EvaluationError(
            "There is no order of systems to trust: fewer than two, or all tie."
        )
    counting = sum(len(query.checked) for query in queries)
    return _CheckedBoard(
        settings,
        model,
        of,
        counting,
        len(checked),
        not checked and any(snapshot.full.bank.checks.values()),
        _seconds_of_a_check(snapshot),
        _key(snapshot, settings),
    )


def _refuse(snapshot: Snapshot, settings: Settings) -> None:
    measure = snapshot.measure(settings)
    grader = settings.grader
    if grader in ("", JUDGMENTS, OFFICIAL) or measure.based_on == "texts":
        raise EvaluationError(
            f"{settings.measure} is not made of a grader's labels, so checks tell "
            "nothing about it."
        )
    if snapshot.grader(grader).by_people:
        raise EvaluationError(f"The labels of {grader} are people's own.")
    if settings.by != "query" or settings.questions or not measure.by_query:
        raise EvaluationError(
            f"The tau of {settings.measure} can be estimated for all questions and "
            "query by query alone."
        )


def _query_units(
    snapshot: Snapshot,
    graders: LearnedGraders,
    record: GraderRecord,
    settings: Settings,
    query_id: str,
    answers: Mapping[str, Mapping[Pair, float]],
) -> RankedUnits:
    """The units of a query's counted questions, or passages, and people's labels."""
    units = graders.units(record, query_id)
    size = units.pool.size
    rows = _counted_rows(snapshot, settings, units)
    places = (rows[:, None] * size + np.arange(size)).ravel()
    values = units.signals.values[places]
    graded = ~np.isnan(values)
    sums = np.where(graded, values, 0.0).sum(axis=1)
    counts = graded.sum(axis=1)
    number_of = np.full(len(units.signals.values), -1)
    number_of[places] = np.arange(len(places))
    of_query = answers.get(query_id, {})
    indices = np.array(units.indices(of_query), dtype=np.intp)
    numbers = np.where(indices >= 0, number_of[indices], -1)
    labels = np.array([*of_query.values()], dtype=np.float64)
    return RankedUnits(
        np.where(counts > 0, sums / np.maximum(counts, 1), np.nan),
        np.repeat(np.arange(len(rows)), size),
        np.tile(np.arange(size), len(rows)),
        rank_weights(units.pool),
        numbers[numbers >= 0],
        labels[numbers >= 0],
    )


def _counted_rows(
    snapshot: Snapshot, settings: Settings, units: QuerySignals
) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """The rows of the units whose questions count on the board; one for passages."""
    if not units.items:
        return np.zeros(1, dtype=np.intp)
    query_id = units.pool.query_id
    matrix = snapshot.matrix(settings.grader, query_id, snapshot.bank)
    texts = {q.question_id: q.text for q in snapshot.bank.questions_of(query_id)}
    row_of = {question.text: row for row, question in enumerate(units.items)}
    if matrix.item_ids and matrix.item_ids[0] not in texts:  # the query itself
        kept = [
            q.text for q in snapshot.bank.questions_of(query_id) if q.state == "kept"
        ]
    else:
        kept = [texts[item_id] for item_id in matrix.item_ids]
    rows = {row_of[text] for text in kept if text in row_of}
    return np.array(sorted(rows), dtype=np.intp)


def _seconds_of_a_check(snapshot: Snapshot) -> float:
    timed = (
        check.seconds
        for checks in snapshot.bank.checks.values()
        for check in checks
        if check.seconds is not None
    )
    seconds = [*timed]
    return float(median(seconds)) if seconds else SECONDS


def _key(snapshot: Snapshot, settings: Settings) -> str:
    """Hash of the kept questions, the grader and the settings."""
    kept = sorted(
        (q.query_id, q.text or q.question_id)
        for q in snapshot.bank
        if q.state == "kept"
    )
    stated = repr((kept, snapshot.grader(settings.grader).spec.key, settings))
    return hashlib.sha256(stated.encode()).hexdigest()[:16]
