"""``grader_agreement``: graders held against another one, or people, pair by pair."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from curator.bank.edits.check import UNSURE
from curator.bank.marks import Importance
from curator.bank.questions import kind_words
from curator.collection.pools import UNJUDGED
from curator.engine.gradebook import GraderRecord
from curator.engine.settings import fitting_rating, grader_name
from curator.engine.settings import settings as chosen_settings
from curator.engine.state import State
from curator.errors import EvaluationError
from curator.evaluation.agreement import (
    Agreement,
    GradedAgreement,
    JudgedLabels,
    cohens_kappa,
    confusion,
)
from curator.evaluation.agreement import Table as ConfusionTable
from curator.evaluation.grades import GradedQuery, graded_labels
from curator.evaluation.passage_agreement import auc
from curator.evaluation.ranks import TIE_TOLERANCE
from curator.evaluation.settings import (
    DEFAULT_MIN_ANSWERED,
    HIGHEST_LABEL,
    Settings,
)
from curator.evaluation.votes import VoteAgreement, vote_agreement
from curator.results import Result
from grading.responders import shared_kind

NONE: NDArray[Any] = np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class LabelsHeld:
    """Passages' labels of two graders under one rule, each relevant from its own.

    ``table`` and ``kappa`` as ``Agreement`` has them, of the passages that both label;
    ``auc`` is of this grader's labels against the other's relevant passages.
    """

    settings: Settings
    table: ConfusionTable
    kappa: float | None
    auc: float | None

    @property
    def passages(self) -> int:
        """How many both label."""
        return sum(map(sum, self.table))


@dataclass(frozen=True)
class PairsGraded:
    """One grader's grades beside the other's, over pairs of item and passage.

    ``agreement.table[1][0]`` counts the pairs that this grader alone finds answered.
    ``judged`` are the pairs that the other has graded, ``unlabelled`` those of them of
    which this one says nothing. ``min_rating`` is this grader's threshold.
    ``ratings`` has how often each rating of this grader met each of the other. ``auc``
    is how often a pair that the other finds answered has a higher grade here than one
    that it does not, a tie being half of one; of probabilities where there are any,
    None without pairs of both kinds. ``labels`` are the passages' labels of both.
    """

    grader: str
    min_rating: int
    agreement: Agreement
    ratings: GradedAgreement | None = None
    auc: float | None = None
    labels: LabelsHeld | None = None

    @property
    def same(self) -> float | None:
        """Share of the pairs that both call the same; None without any."""
        (nn, _), (_, pp) = self.agreement.table
        compared = self.agreement.compared
        return (nn + pp) / compared if compared else None


@dataclass(frozen=True)
class GraderAgreement(Result[PairsGraded], table="agreement.grader_agreement_table"):
    """Graders against the grader ``against``, the one that agrees most on top.

    ``judges`` say how far people agree among each other over answers, *vital* standing
    for right, ``checkers`` over pairs that they checked, *vital* standing for yes; None
    where the other is a model, and without checks.
    """

    against: str
    graders: tuple[PairsGraded, ...]
    judges: VoteAgreement | None = None
    checkers: VoteAgreement | None = None


def grader_agreement(
    state: State,
    against: str,
    *,
    grader: str | None = None,
    min_rating: int | None = None,
    min_answered: int = DEFAULT_MIN_ANSWERED,
    label: str | None = None,
) -> GraderAgreement:
    """How far grades agree with another grader's, such as people's: tables and kappa.

    Every grader that grades the same kind of items, or one; names may be cut short.
    Pairs that one of both has not graded are left out. Labels are made of the ratings
    of both under one rule, relevant from the usual of each. Raises UnknownNameError,
    and EvaluationError where there is nothing to compare.
    """
    other = state.grader(grader_name(state, against))
    kind = kind_words(other.spec.reading.item_kind)
    if grader is None:
        others = [
            one
            for one in state.gradebook.records
            # What was learned from people says what they said.
            if one is not other and not (other.by_people and one.spec.learned)
        ]
        records = [one for one in others if _shared(one, other)]
    else:
        records = [state.grader(grader_name(state, grader))]
    if not records or records == [other]:
        raise EvaluationError(
            f"No other grader here grades a {kind} as {other.name} does, so there is "
            "nothing to compare."
        )
    if not _shared(records[0], other):
        differing = kind_words(records[0].spec.reading.item_kind)
        raise EvaluationError(
            f"'{records[0].name}' grades a {differing}, {other.name} a {kind}; two "
            "graders of the same are compared."
        )
    if grader is not None:  # refuses a rating that it does not give
        chosen_settings(state, records[0].name, "P@1", min_rating=min_rating)
    options = {"min_rating": min_rating, "min_answered": min_answered, "label": label}

    def held(one: GraderRecord) -> PairsGraded:
        key = ("pairs graded", one.name, other.name, *options.values())
        return state.cached(key, lambda: _pairs(state, one, other, options))

    pairs = [held(one) for one in records]
    pairs.sort(key=lambda one: 2 if (k := one.agreement.kappa) is None else -k)
    judges = _judges(state) if other.by_people else None
    checkers = _checkers(state) if other.by_people else None
    return GraderAgreement(other.name, tuple(pairs), judges, checkers)


def _shared(one: GraderRecord, other: GraderRecord) -> bool:
    kinds = (record.spec.reading.item_kind for record in (one, other))
    return shared_kind(*kinds) is not None


def _pairs(
    state: State, one: GraderRecord, other: GraderRecord, options: Mapping[str, Any]
) -> PairsGraded:
    sides = [
        chosen_settings(
            *(state, record.name, "P@1"),
            **{
                **options,
                "min_rating": fitting_rating(state, record.name, options["min_rating"]),
            },
        )
        for record in (one, other)
    ]
    by_query = [
        state.matrices(record.name, state.bank, state.query_ids())
        for record in (one, other)
    ]
    both_ask = [q for q in by_query[1] if q in by_query[0]]
    (ratings, values), (theirs, _) = (
        _counted([(found[q], more[q]) for q in both_ask])
        for found, more in (by_query, by_query[::-1])
    )
    graded = JudgedLabels.of(ratings, np.where(theirs < 0, UNJUDGED, theirs))
    first, from_theirs = map(state.threshold, sides)
    agreement = graded.agreement(first, from_theirs)
    if agreement.kappa is None:
        note = (
            "Both put every pair into the same class; kappa is undefined (0/0)."
            if agreement.compared
            else "No pair has a grade of both."
        )
        agreement = replace(agreement, note=note)
    both = (ratings >= 0) & (theirs >= 0)
    labels, judged = (
        np.concatenate([graded_labels(found[q], side.rule) for q in both_ask] or [NONE])
        for found, side in zip(by_query, sides, strict=True)
    )
    label_from, judged_from = map(state.relevant_from, sides)
    labelled = (labels >= 0) & (judged >= 0)
    relevant = judged[labelled] >= judged_from - TIE_TOLERANCE
    found = confusion(labels[labelled] >= label_from - TIE_TOLERANCE, relevant)
    highest = int(graded.label.max(initial=HIGHEST_LABEL[one.spec.reading.kind]))
    return PairsGraded(
        one.name,
        first,
        agreement,
        graded.graded(highest, one_scale=True),
        auc(values[both], theirs[both] >= from_theirs),
        LabelsHeld(
            *(sides[0], found, cohens_kappa(found)),
            auc(labels[labelled].astype(np.float64), relevant),
        ),
    )


def _counted(
    sides: Iterable[tuple[GradedQuery, GradedQuery]],
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """(pairs,): every rating of the pools on items of both, without passages aside.

    And what stands behind it: the probability where the grader gives it.
    """
    ratings, values = [NONE], [NONE]
    for graded, other in sides:
        items = np.isin(graded.item_ids, other.item_ids)
        aside = list(graded.pool.aside)
        behind = graded.ratings if (p := graded.probabilities) is None else p
        for found, given in ((ratings, graded.ratings), (values, behind)):
            found.append(np.delete(given[items], aside, axis=1).ravel())
    return np.concatenate(ratings), np.concatenate(values).astype(np.float64)


def _judges(state: State) -> VoteAgreement:
    """How far judges agree whether answers are right, as far as it may be seen."""
    said: defaultdict[tuple[str, str, str], list[tuple[str, Importance]]]
    said = defaultdict(list)
    for query_id, verdicts in state.seen.bank.verdicts.items():
        for one in verdicts:
            right: Importance = "vital" if one.value == "right" else "okay"
            said[query_id, one.question, one.answer].append((one.judge, right))
    return vote_agreement(tuple(one) for one in said.values())


def _checkers(state: State) -> VoteAgreement | None:
    """How far judges agree whether passages answer questions; None without a check.

    Who is unsure says neither.
    """
    said: defaultdict[tuple[str, str, str], list[tuple[str, Importance]]]
    said = defaultdict(list)
    for query_id, checks in state.seen.bank.checks.items():
        for one in checks:
            if one.item is not None and one.answer != UNSURE:
                yes: Importance = "vital" if one.answer == "yes" else "okay"
                said[query_id, one.item, one.passage_id].append((one.judge, yes))
    return vote_agreement(tuple(one) for one in said.values()) if said else None
