"""Cover of what the pool can answer, checked by hand."""

import numpy as np
import pytest
from hypothesis import given

from tests.samples.tiny_exams import (
    graded_on,
    graded_queries,
    measure_named,
    scores_of,
    without_item,
)

# Item 0 is answered by p0, item 1 by p1 and p2, item 2 by nothing in the pool.
RATINGS = [[5, 0, 0], [0, 4, 4], [3, 0, 0]]


def test_items_that_nothing_in_the_pool_answers_leave_the_exam():
    graded = graded_on(RATINGS, [[0, 1], [2], [], [1, 2]])
    # by hand: of two answerable items the systems answer 2, 1, 0 and 1
    assert scores_of(graded, "pool-cover") == [1.0, 0.5, 0.0, 0.5]
    assert scores_of(graded, "cover") == pytest.approx([2 / 3, 1 / 3, 0, 1 / 3])
    assert scores_of(graded, "pool-cover", k=1) == [0.5, 0.5, 0.0, 0.5]
    # by hand: at 3 item 2 is answered too, by p0
    assert scores_of(graded, "pool-cover", 3) == pytest.approx([1, 1 / 3, 0, 1 / 3])


def test_missing_grades_bound_it_by_what_others_could_answer():
    row = measure_named("pool-cover").row(graded_on([[5, 0], [0, None]], [[0], [1]]))
    # by hand: p1 may answer item 1, which then is answerable; only the second has p1
    assert row.score.tolist() == [1.0, 0.0]
    assert row.lower.tolist() == [0.5, 0.0]
    assert row.upper.tolist() == [1.0, 0.5]


@given(graded_queries(items=4, unknowns=0))
def test_it_is_cover_over_that_of_the_whole_pool(graded):
    cover, whole = measure_named("cover"), measure_named("cover").overall(graded)
    found = measure_named("pool-cover").row(graded).score
    expected = cover.row(graded).score / (whole or 1)
    assert found == pytest.approx(expected, abs=1e-12)


@given(graded_queries(items=4))
def test_without_each_is_that_of_a_bank_without_the_item(graded):
    measure = measure_named("pool-cover")
    found = measure.without_each(graded)
    for item in range(len(graded.item_ids)):
        if len(graded.item_ids) == 1:
            assert np.isnan(found).all()
        else:
            expected = measure.row(without_item(graded, item)).score
            assert found[item] == pytest.approx(expected, abs=1e-12)
