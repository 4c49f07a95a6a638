"""Boards computed from the official judgments, to hold derived ones against."""

from __future__ import annotations

import numpy as np

from curator.collection.pools import UNJUDGED, Collection
from curator.errors import EvaluationError
from curator.evaluation.grades import GradedQuery
from curator.evaluation.leaderboard import mean_scores
from curator.evaluation.measures import measure_for, measure_type
from curator.evaluation.measures.discounted_gain import NormalizedDiscountedGain
from curator.evaluation.settings import Settings


def judged_scores(
    collection: Collection, measure: str
) -> tuple[dict[str, float], dict[str, float | None]]:
    """(score, standard error) by system under the judgments of pooled passages.

    Binary measures count a passage relevant from ``collection.min_relevance``; nDCG's
    gains are the judgments themselves, negative ones 0. Judged passages without a
    text are not in a pool and so not seen: the ideal order of nDCG is that of the
    pool. Queries without judgments are left out.

    Raises EvaluationError without judgments, or without runs, and for a measure of
    questions.
    """
    graded = []
    for query_id, pool in collection.pools.items():
        if not (pool.judgments != UNJUDGED).any():
            continue
        ratings = np.where(
            pool.judgments == UNJUDGED, -1, np.maximum(pool.judgments, 0)
        )
        graded.append(
            GradedQuery(pool, (query_id,), ratings.astype(np.int16)[None, :], "rated")
        )
    if not graded or not collection.systems:
        raise EvaluationError(
            "A board from judgments needs judgments and runs: `curator import "
            "WORKSPACE --judgments QRELS --runs FILE`."
        )
    settings = Settings("judgments", measure, relevant_from(collection, measure))
    chosen = measure_for(settings, "rated")
    if chosen.rests_on != "labels":
        raise EvaluationError(
            f"'{measure}' is not a measure of judged passages: a board from judgments "
            "takes any ir-measures name, such as judgments:nDCG@10."
        )
    means = mean_scores([chosen.row(one) for one in graded])
    return (
        dict(zip(collection.systems, means.score.tolist(), strict=True)),
        {
            system: None if means.stderr is None else float(means.stderr[i])
            for i, system in enumerate(collection.systems)
        },
    )


def relevant_from(collection: Collection, measure: str) -> int:
    """The judgment from which a passage is relevant; 1 for nDCG, which reads none.

    Raises EvaluationError where nobody has said.
    """
    if collection.min_relevance is not None:
        return collection.min_relevance
    if measure_type(measure) is NormalizedDiscountedGain:
        return 1
    raise EvaluationError(
        "Nobody has said from which judgment a passage is relevant: `curator import "
        "WORKSPACE --min-relevance N` sets it."
    )
