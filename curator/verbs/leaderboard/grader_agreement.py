"""``grader_agreement``: pairwise agreement of graders with another grader or people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from curator.bank.opinions import opinions
from curator.bank.questions import kind_noun
from curator.collection.pools import UNJUDGED
from curator.errors import EvaluationError
from curator.evaluation.agreement import (
    Agreement,
    GradedAgreement,
    JudgeAgreement,
    JudgedLabels,
    cohens_kappa,
    confusion,
    judge_agreement,
)
from curator.evaluation.agreement import Table as ConfusionTable
from curator.evaluation.grades import GradedQuery, graded_labels
from curator.evaluation.passage_agreement import auc
from curator.evaluation.ranks import TIE_TOLERANCE
from curator.evaluation.settings import (
    DEFAULT_MIN_ANSWERED,
    FIRST_MEASURE,
    HIGHEST_LABEL,
    Settings,
)
from curator.results import Result, computed
from curator.snapshot.gradebook import GraderRecord
from curator.snapshot.settings import fitting_rating, grader_name
from curator.snapshot.settings import settings as chosen_settings
from curator.snapshot.snapshot import Snapshot
from grading.responders import shared_kind

EMPTY: NDArray[Any] = np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class LabelAgreement:
    """Passage labels of two graders under one rule, each with its own threshold.

    ``table`` and ``kappa`` as in ``Agreement``, over passages that both label;
    ``auc`` is of this grader's labels against the other's relevant passages.
    """

    settings: Settings
    table: ConfusionTable
    kappa: float | None
    auc: float | None

    @property
    @computed()
    def passages(self) -> int:
        """Number of passages that both label."""
        return sum(map(sum, self.table))


@dataclass(frozen=True)
class GraderPairAgreement:
    """Agreement of two graders over pairs of item and passage.

    ``agreement.table[1][0]`` counts the pairs that only this grader finds answered.
    ``judged`` are the pairs that the other has graded, ``unlabelled`` those of them
    without a grade of this one. ``min_rating`` is this grader's threshold. ``ratings``
    counts how often each rating of this grader met each of the other. ``auc`` is the
    probability that a pair the other finds answered has a higher grade here than one
    that it does not, ties counting half; computed from probabilities where they exist,
    None without pairs of both kinds. ``labels`` are the passages' labels of both.
    """

    grader: str
    min_rating: int
    agreement: Agreement
    ratings: GradedAgreement | None = None
    auc: float | None = None
    labels: LabelAgreement | None = None

    @property
    def same(self) -> float | None:
        """Share of compared pairs with the same class; None without any."""
        (nn, _), (_, pp) = self.agreement.table
        compared = self.agreement.compared
        return (nn + pp) / compared if compared else None


@dataclass(frozen=True)
class GraderAgreement(
    Result[GraderPairAgreement], table="agreement.grader_agreement_table"
):
    """Graders compared with the grader ``against``, sorted by descending agreement.

    ``judges`` is the agreement of people over answers,
    ``checkers`` over pairs that they checked; None where the
    reference is a model, and without checks.
    """

    against: str
    graders: tuple[GraderPairAgreement, ...]
    judges: JudgeAgreement | None = None
    checkers: JudgeAgreement | None = None


def grader_agreement(
    snapshot: Snapshot,
    against: str,
    *,
    grader: str | None = None,
    min_rating: int | None = None,
    min_answered: int = DEFAULT_MIN_ANSWERED,
    label: str | None = None,
) -> GraderAgreement:
    """Compare grades with those of another grader or people: tables and kappa.

    Compares every grader of the same kind of items, or the one named; names may be
    abbreviated. Pairs without a grade of both are left out. Labels are derived from
    both graders' ratings under one rule, with each grader's default relevance
    threshold. Raises UnknownNameError, and EvaluationError if there is nothing to
    compare.
    """
    other = snapshot.grader(grader_name(snapshot, against))
    kind = kind_noun(other.spec.reading.item_kind)
    if grader is None:
        records = [
            record
            for record in snapshot.gradebook.records
            # A grader that was learned from people repeats their labels.
            if record is not other and not (other.by_people and record.spec.learned)
            if _shared(record, other)
        ]
    else:
        records = [snapshot.grader(grader_name(snapshot, grader))]
    if not records or records == [other]:
        raise EvaluationError(
            f"No other grader here grades a {kind} as {other.name} does, so there is "
            "nothing to compare."
        )
    if not _shared(records[0], other):
        differing = kind_noun(records[0].spec.reading.item_kind)
        raise EvaluationError(
            f"'{records[0].name}' grades a {differing} and {other.name} a {kind}; "
            "compare graders of the same kind."
        )
    if grader is not None:  # refuses a rating that it does not give
        chosen_settings(snapshot, records[0].name, FIRST_MEASURE, min_rating=min_rating)
    options = {"min_rating": min_rating, "min_answered": min_answered, "label": label}

    def compared(record: GraderRecord) -> GraderPairAgreement:
        key = ("pairs graded", record.name, other.name, *options.values())
        return snapshot.cached(key, lambda: _pairs(snapshot, record, other, options))

    pairs = [compared(record) for record in records]
    pairs.sort(key=lambda pair: 2 if (k := pair.agreement.kappa) is None else -k)
    judges = _people(snapshot, "verdict") if other.by_people else None
    has_checks = any(snapshot.bank.checks.values())
    checkers = _people(snapshot, "check") if other.by_people and has_checks else None
    return GraderAgreement(other.name, tuple(pairs), judges, checkers)


def _shared(grader: GraderRecord, other: GraderRecord) -> bool:
    kinds = (record.spec.reading.item_kind for record in (grader, other))
    return shared_kind(*kinds) is not None


def _pairs(
    snapshot: Snapshot,
    grader: GraderRecord,
    other: GraderRecord,
    options: Mapping[str, Any],
) -> GraderPairAgreement:
    sides = []
    for record in (grader, other):
        rating = fitting_rating(snapshot, record.name, options["min_rating"])
        options_here = {**options, "min_rating": rating}
        sides.append(
            chosen_settings(snapshot, record.name, FIRST_MEASURE, **options_here)
        )
    by_query = [
        snapshot.matrices(record.name, snapshot.bank, snapshot.query_ids())
        for record in (grader, other)
    ]
    both_ask = [query_id for query_id in by_query[1] if query_id in by_query[0]]
    (ratings, values), (other_ratings, _) = (
        _counted([(first[query_id], second[query_id]) for query_id in both_ask])
        for first, second in (by_query, by_query[::-1])
    )
    graded = JudgedLabels.from_arrays(
        ratings, np.where(other_ratings < 0, UNJUDGED, other_ratings)
    )
    first, other_threshold = map(snapshot.threshold, sides)
    agreement = graded.agreement(first, other_threshold)
    if not agreement.compared:
        agreement = replace(agreement, note="No pair has a grade of both.")
    elif agreement.kappa is None:
        note = "Both put every pair into the same class; kappa is undefined (0/0)."
        agreement = replace(agreement, note=note)
    both = (ratings >= 0) & (other_ratings >= 0)
    labels, judged = (
        np.concatenate(
            [graded_labels(matrices[query_id], side.rule) for query_id in both_ask]
            or [EMPTY]
        )
        for matrices, side in zip(by_query, sides, strict=True)
    )
    label_threshold, judged_threshold = map(snapshot.relevant_from, sides)
    labelled = (labels >= 0) & (judged >= 0)
    relevant = judged[labelled] >= judged_threshold - TIE_TOLERANCE
    table = confusion(labels[labelled] >= label_threshold - TIE_TOLERANCE, relevant)
    highest = int(graded.labels.max(initial=HIGHEST_LABEL[grader.spec.reading.kind]))
    return GraderPairAgreement(
        grader.name,
        first,
        agreement,
        graded.graded(highest, one_scale=True),
        auc(values[both], other_ratings[both] >= other_threshold),
        LabelAgreement(
            sides[0],
            table,
            cohens_kappa(table),
            auc(labels[labelled].astype(np.float64), relevant),
        ),
    )


def _counted(
    sides: Iterable[tuple[GradedQuery, GradedQuery]],
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """(pairs,): ratings and values of the pools' counted passages on items of both.

    The values are the grader's probabilities where it gives them, else its ratings.
    """
    ratings, values = [EMPTY], [EMPTY]
    for graded, other in sides:
        items = np.isin(graded.item_ids, other.item_ids)
        uncounted = list(graded.pool.uncounted)
        probabilities = graded.probabilities
        grades = graded.ratings if probabilities is None else probabilities
        for parts, matrix in ((ratings, graded.ratings), (values, grades)):
            parts.append(np.delete(matrix[items], uncounted, axis=1).ravel())
    return np.concatenate(ratings), np.concatenate(values).astype(np.float64)


def _people(snapshot: Snapshot, kind: str) -> JudgeAgreement:
    """Agreement of people over answers ("verdict") or checked pairs ("check")."""
    bank = snapshot.bank
    return judge_agreement(
        values
        for query_id in bank.marks.get(kind, {})
        for (text, _), values in opinions(kind, bank.marks_of(kind, query_id)).items()
        if text is not None
    )
