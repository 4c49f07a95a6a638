"""``agreement``: derived labels against the official judgments."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from curator.boards import Boards, Sheet
from curator.collection.pools import UNJUDGED
from curator.errors import EvaluationError
from curator.evaluation.agreement import Agreement, agreement_of_table, confusion
from curator.evaluation.labels import NO_LABEL, graded_labels
from curator.evaluation.settings import Settings


def agree(
    boards: Boards, settings: Settings, *, min_relevance: int | None = None
) -> Agreement:
    """The 2x2 table of label and judgment over judged passages, and Cohen's kappa.

    ``min_relevance`` stands in for the collection's. Unjudged passages are left out,
    and so are those without a label, which are counted. Raises EvaluationError where
    nobody has said from which judgment a passage is relevant, or nothing is judged.
    """
    from_judgment = (
        boards.collection.min_relevance if min_relevance is None else min_relevance
    )
    if from_judgment is None:
        raise EvaluationError(
            "Nobody has said from which judgment a passage is relevant: give "
            "--min-relevance N, or set it for good with `curator import WORKSPACE "
            "--min-relevance N`."
        )
    threshold = boards.threshold(settings)
    sheets = boards.sheets(settings.grader, boards.bank, boards.query_ids())
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
    relevant = np.maximum(judgment, 0) >= from_judgment
    table = confusion(label[both] >= threshold, relevant[both])
    found = agreement_of_table(table, unlabelled=int((judged & ~both).sum()))
    return replace(found, note=with_missing(found.note, sheets.values()))


def with_missing(note: str, sheets: Iterable[Sheet]) -> str:
    """The note, with how many grades are missing where some are."""
    missing = sum(sheet.needed - sheet.known for sheet in sheets)
    if not missing:
        return note
    return f"{note} {missing:,} grades are missing; labels rest on the others.".strip()
