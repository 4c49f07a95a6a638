"""Boards from the official judgments."""

from math import log2

import pytest

from curator.collection.pools import Collection, Query
from curator.errors import EvaluationError
from curator.evaluation.leaderboard import judged_queries, leaderboard, relevant_from
from curator.evaluation.measures import measure_for
from curator.evaluation.settings import Settings
from tests.samples.tiny_exams import pool_of


def collection_of(*pools, systems=("a", "b"), min_relevance=2):
    return Collection(
        "tiny",
        tuple(Query(pool.query_id) for pool in pools),
        systems,
        {pool.query_id: pool for pool in pools},
        min_relevance=min_relevance,
    )


def judged_scores(collection, name):
    """(score, standard error) by system of the board from judgments."""
    settings = Settings("", name, relevant_from(collection, name))
    measure = measure_for(settings, "rated")
    rows = judged_queries(collection, measure)
    board = leaderboard(settings, measure, collection.systems, collection.pools, rows)
    return board.scores(), {one.system: one.stderr for one in board.standings}


JUDGED = pool_of([[0, 1], [2]], 3, query_id="q1", judgments=[3, 1, None])
OTHER = pool_of([[0], [1]], 2, query_id="q2", judgments=[-2, 2])
UNJUDGED = pool_of([[0], []], 1, query_id="q3")


def test_a_board_from_judgments_is_over_the_judged_queries():
    scores, errors = judged_scores(collection_of(JUDGED, OTHER, UNJUDGED), "P@1")
    # by hand, relevant from 2: a has 1 and 0, b 0 (unjudged) and 1; q3 is left out
    assert scores == {"a": 0.5, "b": 0.5}
    # by hand: sample SD of 1 and 0 is sqrt(1/2), over sqrt(2): 1/2
    assert errors == pytest.approx({"a": 0.5, "b": 0.5})


def test_gains_of_ndcg_are_the_judgments_and_need_no_threshold():
    scores, _ = judged_scores(collection_of(JUDGED, min_relevance=None), "nDCG@2")
    # by hand: a has the ideal order 3, 1; b only an unjudged passage
    assert scores == pytest.approx({"a": 1.0, "b": 0.0})
    reverse = pool_of([[1, 0]], 2, query_id="q", judgments=[3, 1])
    scores, _ = judged_scores(collection_of(reverse, systems=("a",)), "nDCG@2")
    ideal = 3 + 1 / log2(3)
    assert scores == pytest.approx({"a": (1 + 3 / log2(3)) / ideal})


def test_binary_measures_need_the_threshold():
    with pytest.raises(EvaluationError, match="--min-relevance"):
        judged_scores(collection_of(JUDGED, min_relevance=None), "P@1")


@pytest.mark.parametrize(
    "collection",
    [
        collection_of(UNJUDGED),
        collection_of(pool_of([], 1, judgments=[2]), systems=()),
    ],
)
def test_without_judgments_or_runs_there_is_no_board(collection):
    with pytest.raises(EvaluationError, match="needs judgments and runs"):
        judged_scores(collection, "P@1")
