"""``agreement``: derived labels against the official judgments."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from curator.collection.pools import UNJUDGED
from curator.engine.settings import grader_name, settings
from curator.engine.state import State
from curator.errors import EvaluationError
from curator.evaluation.agreement import Agreement, AgreementTables, JudgedLabels
from curator.evaluation.grades import graded_labels
from curator.evaluation.settings import DEFAULT_MIN_RATING


@dataclass(frozen=True)
class BaselineAgreement:
    """A direct relevance grader's agreement, relevant from 1: a "comparison kappa"."""

    grader: str
    agreement: Agreement


@dataclass(frozen=True)
class GraderTables:
    """One grader's agreement tables, and the direct graders of the workspace beside it.

    ``note`` says what the tables do not rest on; it is empty otherwise.
    """

    grader: str
    tables: AgreementTables
    baselines: tuple[BaselineAgreement, ...]
    note: str = ""


def agreement(
    state: State,
    *,
    grader: str | None = None,
    min_rating: int = DEFAULT_MIN_RATING,
    min_relevance: int | None = None,
) -> Agreement:
    """Labels against the official judgments: a 2x2 table and Cohen's kappa.

    ``min_relevance`` stands in for the collection's. Unjudged passages are left out,
    and so are those without a label, which are counted. Raises EvaluationError where
    nobody has said from which judgment a passage is relevant, or nothing is judged.
    """
    chosen = settings(state, grader, min_rating=min_rating)
    from_judgment = relevant_from(state, min_relevance)
    return _agreement(state, chosen.grader, state.threshold(chosen), from_judgment)


def agreement_tables(
    state: State, *, grader: str | None = None, min_relevance: int | None = None
) -> GraderTables:
    """Labels against judgments in graded, lenient and strict tables, with kappa.

    A baseline is every other grader that gives a passage one relevance grade. Raises
    as ``agreement`` does.

    Source: Farzi & Dietz 2024, Tables 4-7.
    """
    grader = grader_name(state, grader)
    from_judgment = relevant_from(state, min_relevance)
    labels, missing = _judged_labels(state, grader)
    made = labels.tables(state.grader(grader).spec.reading.kind, from_judgment)
    baselines = tuple(
        BaselineAgreement(record.name, _agreement(state, record.name, 1, from_judgment))
        for record in state.gradebook.records
        if record.spec.reading.item_kind == "query" and record.name != grader
    )
    return GraderTables(grader, made, baselines, missing)


def relevant_from(state: State, min_relevance: int | None) -> int:
    """The judgment from which a passage is relevant. Raises EvaluationError."""
    said = state.collection.min_relevance if min_relevance is None else min_relevance
    if said is None:
        raise EvaluationError(
            "Nobody has said from which judgment a passage is relevant: give "
            "--min-relevance N, or set it for good with `curator import WORKSPACE "
            "--min-relevance N`."
        )
    return said


def _judged_labels(state: State, grader: str) -> tuple[JudgedLabels, str]:
    """Labels and judgments of the judged passages; a sentence on missing grades.

    Raises EvaluationError where there are no labels or no judgments at all.
    """
    queries = state.matrices(grader, state.bank, state.query_ids()).values()
    if not queries:
        raise EvaluationError(
            "No query has an active question, so there are no labels."
        )
    judgment = np.concatenate([one.pool.judgments for one in queries])
    if not (judgment != UNJUDGED).any():
        raise EvaluationError(
            "No pooled passage is judged: `curator import WORKSPACE --judgments QRELS`."
        )
    label = np.concatenate([graded_labels(one) for one in queries])
    missing = sum(one.needed - one.known for one in queries)
    note = f"{missing:,} grades are missing; labels rest on the others."
    return JudgedLabels.of(label, judgment), note if missing else ""


def _agreement(
    state: State, grader: str, threshold: int, min_relevance: int
) -> Agreement:
    labels, missing = _judged_labels(state, grader)
    found = labels.agreement(threshold, min_relevance)
    return replace(found, note=f"{found.note} {missing}".strip())
