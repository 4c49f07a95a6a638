"""Whatever the missing grades turn out to be, the score stays within its bounds."""

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from curator.evaluation.grades import GradedQuery
from curator.evaluation.leaderboard import mean_scores
from curator.evaluation.measures import accepts_label
from tests.samples.tiny_exams import graded_queries, measure_named

BOUNDED = ["cover", "pool-cover", "P@2", "P(rel=2)@3", "RR", "RR@2", "Success@2"]
NOVELTY = ["ERR_IA@1", "ERR_IA@2", "ERR_IA@20", "NRBP", "StRecall@2"]


def completions(graded: GradedQuery):
    """Every way to fill in the missing grades."""
    unknown = np.flatnonzero(graded.ratings.ravel() < 0)
    for filling in product(range(6), repeat=len(unknown)):
        ratings = graded.ratings.ravel().copy()
        ratings[unknown] = filling
        yield GradedQuery(
            graded.pool,
            graded.item_ids,
            ratings.reshape(graded.ratings.shape),
            graded.reading,
        )


@settings(max_examples=60)
@given(
    graded_queries(items=3, passages=3, unknowns=2),
    st.sampled_from([*BOUNDED, *NOVELTY]),
    st.integers(1, 5),
)
def test_bounds_hold_every_completion_and_are_reached(graded, name, min_rating):
    measure = measure_named(name, min_rating)
    row = measure.row(graded)
    assert (row.lower <= row.score).all()
    assert (row.score <= row.upper).all()
    reached = np.stack([measure.row(one).score for one in completions(graded)])
    exact = 0 if name in BOUNDED else 1e-12
    assert reached.min(axis=0) == pytest.approx(row.lower, rel=0, abs=exact)
    assert reached.max(axis=0) == pytest.approx(row.upper, rel=0, abs=exact)


@settings(max_examples=60)
@given(
    graded_queries(items=4, passages=3, unknowns=2),
    st.sampled_from([one for one in BOUNDED if "cover" not in one]),
    st.sampled_from(["mean", "top3", "answered"]),
    st.integers(1, 5),
)
def test_bounds_of_labels_by_any_rule_are_reached_too(graded, name, label, min_rating):
    assume(accepts_label(name, label))
    measure = measure_named(name, min_rating, label=label)
    row = measure.row(graded)
    reached = np.stack([measure.row(one).score for one in completions(graded)])
    assert reached.min(axis=0).tolist() == row.lower.tolist()
    assert reached.max(axis=0).tolist() == row.upper.tolist()


@settings(max_examples=60)
@given(
    graded_queries(items=3, passages=3, unknowns=2),
    st.sampled_from(["nDCG", "nDCG@1", "nDCG@2"]),
    st.sampled_from(["max", "mean", "top3", "answered"]),
)
def test_bounds_of_ndcg_hold_every_completion(graded, name, label):
    measure = measure_named(name, label=label)
    row = measure.row(graded)
    for complete in completions(graded):
        score = measure.row(complete).score
        assert (row.lower <= score + 1e-12).all()
        assert (score <= row.upper + 1e-12).all()


@settings(max_examples=30)
@given(st.data(), st.sampled_from(BOUNDED))
def test_bounds_of_a_board_hold_every_completion_to_the_last_bit(data, name):
    graded = [
        data.draw(graded_queries(items=3, passages=3, systems=2, unknowns=1))
        for _ in range(3)
    ]
    measure = measure_named(name)
    bounds = mean_scores([measure.row(one) for one in graded])
    rows = [[measure.row(one) for one in completions(query)] for query in graded]
    ends = [(filled[0], filled[-1]) for filled in rows]  # all 0, all 5, between them
    for combination in product(*ends):
        score = mean_scores(combination).score
        assert (bounds.lower <= score).all()
        assert (score <= bounds.upper).all()
