"""``grader_agreement``: graders held against another one, or people, pair by pair."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from curator.bank.marks import Importance
from curator.bank.questions import kind_words
from curator.engine.gradebook import GraderRecord
from curator.engine.settings import grader_name
from curator.engine.settings import settings as chosen_settings
from curator.engine.state import State
from curator.errors import EvaluationError
from curator.evaluation.agreement import Agreement, cohens_kappa, confusion
from curator.evaluation.grades import GradedQuery
from curator.evaluation.settings import DEFAULT_MIN_RATING
from curator.evaluation.votes import VoteAgreement, vote_agreement
from curator.results import Result
from grading.responders import shared_kind

NOTHING = np.empty(0, dtype=np.int8)


@dataclass(frozen=True)
class PairsGraded:
    """One grader's grades beside the other's, over pairs of item and passage.

    ``agreement.table[1][0]`` counts the pairs that this grader alone finds answered.
    ``judged`` are the pairs that the other has graded, ``unlabelled`` those of them of
    which this one says nothing. ``min_rating`` is this grader's threshold.
    """

    grader: str
    min_rating: int
    agreement: Agreement

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
    for right; None where the other is a model.
    """

    against: str
    graders: tuple[PairsGraded, ...]
    judges: VoteAgreement | None = None


def grader_agreement(
    state: State,
    against: str,
    *,
    grader: str | None = None,
    min_rating: int = DEFAULT_MIN_RATING,
) -> GraderAgreement:
    """How far grades agree with another grader's, such as people's: tables and kappa.

    Every grader that grades the same kind of items, or one; names may be cut short.
    Pairs that one of both has not graded are left out. Raises UnknownNameError, and
    EvaluationError where there is nothing to compare.
    """
    other = state.grader(grader_name(state, against))
    kind = kind_words(other.spec.reading.item_kind)
    if grader is None:
        others = [one for one in state.gradebook.records if one is not other]
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
    pairs = [_pairs(state, one, other, min_rating) for one in records]
    pairs.sort(key=lambda one: 2 if (k := one.agreement.kappa) is None else -k)
    judges = _judges(state) if other.by_people else None
    return GraderAgreement(other.name, tuple(pairs), judges)


def _shared(one: GraderRecord, other: GraderRecord) -> bool:
    kinds = (record.spec.reading.item_kind for record in (one, other))
    return shared_kind(*kinds) is not None


def _pairs(
    state: State, one: GraderRecord, other: GraderRecord, min_rating: int
) -> PairsGraded:
    thresholds = [
        state.threshold(chosen_settings(state, record.name, "P@1", min_rating))
        for record in (one, other)
    ]
    by_query = [
        state.matrices(record.name, state.bank, state.query_ids())
        for record in (one, other)
    ]
    both_ask = by_query[0].keys() & by_query[1].keys()
    ratings = [
        np.concatenate(
            [_counted(found[q], more[q]) for q in by_query[1] if q in both_ask]
            or [NOTHING]
        )
        for found, more in (by_query, by_query[::-1])
    ]
    judged, known = ratings[1] >= 0, ratings[0] >= 0
    both = judged & known
    table = confusion(*(r[both] >= t for r, t in zip(ratings, thresholds, strict=True)))
    kappa, note = cohens_kappa(table), ""
    if kappa is None:
        note = (
            "Both put every pair into the same class; kappa is undefined (0/0)."
            if both.any()
            else "No pair has a grade of both."
        )
    unlabelled = int((judged & ~known).sum())
    found = Agreement(table, kappa, int(judged.sum()), unlabelled, note)
    return PairsGraded(one.name, thresholds[0], found)


def _counted(graded: GradedQuery, other: GradedQuery) -> NDArray[np.int8]:
    """Every rating of the pool on items of both, without passages aside."""
    aside = list(graded.pool.aside)
    ratings = graded.ratings[np.isin(graded.item_ids, other.item_ids)]
    return np.delete(ratings, aside, axis=1).ravel().astype(np.int8)


def _judges(state: State) -> VoteAgreement:
    """How far judges agree whether answers are right, as far as it may be seen."""
    said: defaultdict[tuple[str, str, str], list[tuple[str, Importance]]]
    said = defaultdict(list)
    for query_id, verdicts in state.seen.bank.verdicts.items():
        for one in verdicts:
            right: Importance = "vital" if one.value == "right" else "okay"
            said[query_id, one.question, one.answer].append((one.judge, right))
    return vote_agreement(tuple(one) for one in said.values())
