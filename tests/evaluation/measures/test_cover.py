import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.errors import EvaluationError
from tests.samples.tiny_exams import (
    graded_on,
    graded_queries,
    measure_named,
    scores_of,
)

# Three questions on four passages.
RATINGS = [
    [5, 0, 1, 4],
    [0, 3, 4, None],
    [0, 0, 0, 5],
]
RANKINGS = [
    [0, 1],  # answers question 0
    [2, 3],  # question 1 at rank 1, questions 0 and 2 at rank 2
    [None, 1],  # its best passage, rated 3, answers nothing at 4
    [0, 3, 2, 1],
    [],  # skipped the query
]


@pytest.mark.parametrize(
    ("min_rating", "k", "expected"),
    [
        # by hand: of 3 questions, those some passage in the top k is rated 4+ for
        (4, 20, [1 / 3, 1, 0, 1, 0]),
        (4, 1, [1 / 3, 1 / 3, 0, 1 / 3, 0]),
        (4, 2, [1 / 3, 1, 0, 2 / 3, 0]),
        # at 5 passage 0 answers question 0 and passage 3 question 2
        (5, 20, [1 / 3, 1 / 3, 0, 2 / 3, 0]),
        # at 3 passage 1 answers question 1
        (3, 20, [2 / 3, 1, 1 / 3, 1, 0]),
        # at 0 a known grade is enough, yet an unknown one is not 0
        (0, 20, [1, 1, 1, 1, 0]),
    ],
)
def test_cover_is_the_share_of_questions_answered_in_the_top_k(min_rating, k, expected):
    graded = graded_on(RATINGS, RANKINGS)
    assert scores_of(graded, "cover", min_rating, k) == expected


def test_overall_cover_is_that_of_the_whole_pool():
    # by hand: questions 0 and 2 are rated 5 somewhere, question 1 nowhere
    assert measure_named("cover", 5).overall(graded_on(RATINGS, RANKINGS)) == 2 / 3


def test_a_query_without_items_has_no_cover():
    empty = graded_on([], [[0]], size=1)
    with pytest.raises(EvaluationError, match="so it has no score"):
        measure_named("cover").row(empty)


def test_cover_is_undefined_for_a_direct_relevance_grader():
    direct = graded_on([[3]], [[0]], reading="direct")
    with pytest.raises(EvaluationError, match="cover is undefined"):
        measure_named("cover").row(direct)


@given(graded_queries(), st.integers(0, 5))
def test_cover_is_what_a_loop_over_sets_says(graded, min_rating):
    expected = []
    for ranking in graded.pool.top.tolist():
        answered = {
            item
            for item, ratings in enumerate(graded.ratings.tolist())
            for place in ranking[:3]
            if place >= 0 and ratings[place] >= min_rating
        }
        expected.append(len(answered) / len(graded.item_ids))
    assert scores_of(graded, "cover", min_rating, k=3) == expected


# Cover of what the pool can answer

# Item 0 is answered by p0, item 1 by p1 and p2, item 2 by nothing in the pool.
POOL_RATINGS = [[5, 0, 0], [0, 4, 4], [3, 0, 0]]


def test_items_that_nothing_in_the_pool_answers_leave_the_exam():
    graded = graded_on(POOL_RATINGS, [[0, 1], [2], [], [1, 2]])
    # by hand: of two answerable items the systems answer 2, 1, 0 and 1
    assert scores_of(graded, "pool-cover") == [1.0, 0.5, 0.0, 0.5]
    assert scores_of(graded, "cover") == pytest.approx([2 / 3, 1 / 3, 0, 1 / 3])
    assert scores_of(graded, "pool-cover", k=1) == [0.5, 0.5, 0.0, 0.5]
    # by hand: at 3 item 2 is answered too, by p0
    assert scores_of(graded, "pool-cover", 3) == pytest.approx([1, 1 / 3, 0, 1 / 3])


@given(graded_queries(items=4, unknowns=0))
def test_it_is_cover_over_that_of_the_whole_pool(graded):
    cover, whole = measure_named("cover"), measure_named("cover").overall(graded)
    found = measure_named("pool-cover").row(graded).score
    expected = cover.row(graded).score / (whole or 1)
    assert found == pytest.approx(expected, abs=1e-12)
