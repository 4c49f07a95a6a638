"""``agreement``: derived labels against the official judgments."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from curator.collection.pools import UNJUDGED
from curator.engine.matrices import QueryMatrix
from curator.engine.settings import grader_name, settings
from curator.engine.state import State
from curator.errors import EvaluationError
from curator.evaluation.agreement import Agreement, agreement_of_table, confusion
from curator.evaluation.agreement_tables import AgreementTables
from curator.evaluation.agreement_tables import agreement_tables as tables
from curator.evaluation.grades import NO_LABEL, graded_labels
from curator.evaluation.settings import DEFAULT_MIN_RATING


@dataclass(frozen=True)
class Compared:
    """Every judged passage of the queries that count, under one grader.

    ``label`` and ``judgment`` are of those with a label, negative judgments as 0;
    ``unlabelled`` counts the others, ``missing`` the grades that are not known.
    """

    label: NDArray[np.int64]
    judgment: NDArray[np.int64]
    unlabelled: int
    missing: int


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
    from_judgment = relevant_from(state, min_relevance)
    chosen = settings(state, grader, min_rating=min_rating)
    threshold = state.threshold(chosen)
    return _agreement(compared(state, chosen.grader), threshold, from_judgment)


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
    found = compared(state, grader)
    made = tables(
        found.label,
        found.judgment,
        reading=state.grader(grader).spec.reading.kind,
        min_relevance=from_judgment,
        unlabelled=found.unlabelled,
    )
    baselines = [
        record.name
        for record in state.gradebook.records
        if record.spec.reading.item_kind == "query" and record.name != grader
    ]
    return GraderTables(
        grader,
        made,
        tuple(
            BaselineAgreement(name, _agreement(compared(state, name), 1, from_judgment))
            for name in baselines
        ),
        with_missing("", found.missing),
    )


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


def compared(state: State, grader: str) -> Compared:
    """Labels and judgments of the judged passages, passage by passage.

    Raises EvaluationError where there are no labels or no judgments at all.
    """
    sheets = state.matrices(grader, state.bank, state.query_ids())
    labels = [graded_labels(sheet.graded) for sheet in sheets.values()]
    judgments = [sheet.graded.pool.judgments for sheet in sheets.values()]
    if not labels:
        raise EvaluationError(
            "No query has an active question, so there are no labels."
        )
    label, judgment = np.concatenate(labels), np.concatenate(judgments)
    judged = judgment != UNJUDGED
    if not judged.any():
        raise EvaluationError(
            "No pooled passage is judged: `curator import WORKSPACE --judgments QRELS`."
        )
    both = judged & (label != NO_LABEL)
    return Compared(
        label[both].astype(np.int64),
        np.maximum(judgment[both], 0).astype(np.int64),
        int((judged & ~both).sum()),
        missing_grades(sheets.values()),
    )


def missing_grades(sheets: Iterable[QueryMatrix]) -> int:
    """How many grades of these sheets are missing."""
    return sum(sheet.needed - sheet.known for sheet in sheets)


def with_missing(note: str, missing: int) -> str:
    """The note, with how many grades are missing where some are."""
    if not missing:
        return note
    return f"{note} {missing:,} grades are missing; labels rest on the others.".strip()


def _agreement(found: Compared, threshold: int, min_relevance: int) -> Agreement:
    table = confusion(found.label >= threshold, found.judgment >= min_relevance)
    agreement = agreement_of_table(table, unlabelled=found.unlabelled)
    return replace(agreement, note=with_missing(agreement.note, found.missing))
