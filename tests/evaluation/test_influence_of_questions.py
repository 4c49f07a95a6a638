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


def test_what_rounding_does_is_no_influence(monkeypatch):
    graded, measure = graded_on(RATINGS, RANKINGS), measure_named("cover", 4, 20)
    same = np.tile(measure.row(graded).score + 1e-16, (3, 1))
    monkeypatch.setattr(type(measure), "without_each", lambda *_: same)
    assert [one.influence for one in influences_of(graded)] == [0, 0, 0]


def test_reach_counts_the_passages_and_the_systems_that_return_one_of_them():
    found = influences_of(graded_on(RATINGS, RANKINGS))
    assert [one.passages for one in found] == [2, 1, 0]
    assert [one.systems for one in found] == [2, 1, 0]
    assert [(one.known, one.needed) for one in found] == [(4, 4), (3, 4), (4, 4)]
    # by hand: at rank 1 system 0 has passage 0 and system 1 passage 2
    first = influences_of(graded_on(RATINGS, RANKINGS), k=1)
    assert [one.systems for one in first] == [1, 1, 0]


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


@pytest.mark.parametrize("name", ["cover", "P@2", "RR", "Success@2", "nDCG@2", "AP"])
def test_a_querys_only_question_has_no_influence(name):
    (only,) = influences_of(graded_on([[5, 0]], [[0], [1]]), name)
    assert only.influence is None
    assert only.passages == 1


@pytest.mark.parametrize("name", ["cover", "P@2", "nDCG@2"])
def test_without_systems_there_is_no_influence_but_a_reach(name):
    found = influences_of(graded_on(RATINGS, []), name)
    assert [one.influence for one in found] == [None] * 3
    assert [one.passages for one in found] == [2, 1, 0]


def test_a_query_without_items_has_no_influences():
    assert influences_of(graded_on([], [[0]], size=1)) == ()


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


@given(graded_queries(), st.integers(1, 5))
def test_a_question_that_no_returned_passage_answers_moves_no_label_measure(
    graded, min_rating
):
    for one in influences_of(graded, "P@5", min_rating):
        if one.systems == 0 and one.influence is not None:
            assert one.influence == 0
