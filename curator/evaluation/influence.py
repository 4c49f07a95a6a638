"""What one question does: which passages and systems it reaches, what it moves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from curator.collection.pools import UNJUDGED
from curator.evaluation.grades import GradedQuery
from curator.evaluation.measures import Measure


@dataclass(frozen=True, slots=True)
class Influence:
    """A question's reach and influence within its query.

    ``passages`` answer it; ``systems`` have one of them in the ranks the measure
    looks at; ``nonrelevant_share`` of those officially judged are judged
    non-relevant (None without judgments or their threshold). ``influence`` is the
    mean over systems of |change of the measure in this query| without the question,
    None for a query's only question, and under a measure of texts, which no question
    moves. ``known`` and ``needed`` count its grades.
    """

    question_id: str
    passages: int
    systems: int
    nonrelevant_share: float | None
    influence: float | None
    known: int
    needed: int


def influences(
    graded: GradedQuery,
    measure: Measure,
    *,
    threshold: int,
    min_relevance: int | None,
) -> tuple[Influence, ...]:
    """Reach and influence of every active item of a query, in one pass."""
    if not graded.item_ids:
        return ()
    correct = graded.correct(threshold)
    passages = correct.sum(axis=1)
    reached = graded.covered(threshold, measure.depth).sum(axis=1)
    judged = graded.pool.judgments != UNJUDGED
    judged_correct = (correct & judged).sum(axis=1)
    nonrelevant = judged & (graded.pool.judgments < (min_relevance or 0))
    nonrelevant_correct = (correct & nonrelevant).sum(axis=1)
    known = (graded.ratings >= 0).sum(axis=1) - graded.gold_only
    if len(graded.pool.top) and measure.rests_on != "texts":
        moves = np.abs(measure.without_each(graded) - measure.row(graded).score)
        mean_moves = moves.mean(axis=1)
    else:
        mean_moves = np.full(len(graded.item_ids), np.nan)
    return tuple(
        Influence(
            question_id=question_id,
            passages=int(passages[i]),
            systems=int(reached[i]),
            nonrelevant_share=(
                float(nonrelevant_correct[i] / judged_correct[i])
                if judged_correct[i] and min_relevance is not None
                else None
            ),
            influence=None if np.isnan(mean_moves[i]) else float(mean_moves[i]),
            known=int(known[i]),
            needed=graded.pool.size - graded.gold_only,
        )
        for i, question_id in enumerate(graded.item_ids)
    )
