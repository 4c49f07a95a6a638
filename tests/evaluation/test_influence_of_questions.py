import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curator.evaluation.influence import influences
from tests.samples.tiny_exams import (
    graded_on,
    graded_queries,
    measure_named,
    without_item,
)

# At 4: passages 0 and 3 answer question 0, passage 2 answers question 1.
RATINGS = [
    [5, 0, 1, 4],
    [0, 3, 4, None],
    [0, 0, 0, 0],
]
RANKINGS = [[0, 1], [2, 3], [1], []]


def influences_of(graded, name="cover", min_rating=4, min_relevance=None, k=20):
    return influences(
        graded,
        measure_named(name, min_rating, k),
        threshold=min_rating,
        min_relevance=min_relevance,
    )


def test_influence_is_the_mean_change_of_the_query_without_the_question():
    found = influences_of(graded_on(RATINGS, RANKINGS))
    # by hand: cover is 1/3, 2/3, 0, 0. Without question 0: 0, 1/2, 0, 0, so
    # (1/3 + 1/6) / 4. Without 1: 1/2, 1/2, 0, 0, so (1/6 + 1/6) / 4.
    # Without 2: 1/2, 2/2, 0, 0, so (1/6 + 1/3) / 4.
    assert [one.influence for one in found] == pytest.approx([1 / 8, 1 / 12, 1 / 8])


def test_the_share_of_non_relevant_passages_is_of_the_judged_ones():
    graded = graded_on(RATINGS, RANKINGS, judgments=[2, 0, 3, 1])
    # by hand: question 0 is answered by passages judged 2 and 1, question 1 by a 3
    shares = [one.nonrelevant_share for one in influences_of(graded, min_relevance=2)]
    assert shares == [1 / 2, 0, None]
    nobody_said = influences_of(graded)
    assert [one.nonrelevant_share for one in nobody_said] == [None] * 3
    unjudged = graded_on(RATINGS, RANKINGS, judgments=[None, 0, 3, -2])
    shares = [one.nonrelevant_share for one in influences_of(unjudged, min_relevance=2)]
    assert shares == [1, 0, None]  # a negative judgment is not relevant


@settings(max_examples=60)
@given(
    graded_queries(),
    st.sampled_from(["cover", "P@2", "P(rel=2)@3", "RR@3", "Success@2", "nDCG@3"]),
    st.integers(1, 5),
)
def test_influence_is_the_mean_difference_of_two_whole_boards(graded, name, min_rating):
    measure = measure_named(name, min_rating)
    here = measure.row(graded).score
    found = influences_of(graded, name, min_rating)
    for item, one in enumerate(found):
        if len(graded.item_ids) == 1:
            assert one.influence is None
            continue
        there = measure.row(without_item(graded, item)).score
        assert one.influence == pytest.approx(np.abs(here - there).mean(), abs=1e-12)


def test_reach_counts_the_passages_and_the_systems_that_return_one_of_them():
    found = influences_of(graded_on(RATINGS, RANKINGS))
    assert [one.passages for one in found] == [2, 1, 0]
    assert [one.systems for one in found] == [2, 1, 0]
    assert [(one.known, one.needed) for one in found] == [(4, 4), (3, 4), (4, 4)]
    # by hand: at rank 1 system 0 has passage 0 and system 1 passage 2
    first = influences_of(graded_on(RATINGS, RANKINGS), k=1)
    assert [one.systems for one in first] == [1, 1, 0]
