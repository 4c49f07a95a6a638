"""n-EXAM: EXAM as a multiple of what the gold articles answer."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from curator.evaluation.grades import (
    NO_LABEL,
    GradedQuery,
    graded_labels,
    labels_without_each,
    merge_segments,
)
from curator.evaluation.leaderboard import ScoredQueries, leaderboard
from curator.evaluation.measures.n_exam import (
    NExam,
)
from curator.evaluation.settings import Settings
from tests.samples.tiny_exams import graded_on, graded_queries, measure_named

N_EXAM = NExam("n-exam", 4, 20)


def with_gold(graded: GradedQuery, gold: tuple[int, ...]) -> GradedQuery:
    """The query with these pool positions as its gold article."""
    only = tuple(i for i in gold if not (graded.pool.top == i).any())
    pool = replace(graded.pool, gold=gold, gold_only=only)
    return merge_segments(replace(graded, pool=pool))


def query(
    answered: list[int], gold: int | None, *, items: int, name: str = "q"
) -> GradedQuery:
    """System i ranks one passage that answers the first ``answered[i]`` items.

    The pool's last passage is the gold article and answers the first ``gold``.
    """
    counts = [*answered, gold or 0]
    ratings = [[5 * (item < n) for n in counts] for item in range(items)]
    ranked = [[i] for i in range(len(answered))]
    graded = graded_on(ratings, ranked, query_id=name)
    return graded if gold is None else with_gold(graded, (len(answered),))


def board(*queries: GradedQuery, measure: NExam = N_EXAM):
    rows = {str(i): measure.row(one) for i, one in enumerate(queries)}
    pools = {str(i): one.pool for i, one in enumerate(queries)}
    systems = [f"s{i}" for i in range(len(queries[0].pool.top))]
    found = leaderboard(
        Settings("tiny", "n-exam"),
        measure,
        systems,
        pools,
        ScoredQueries(N_EXAM.select_rows(rows)[0]),
    )
    return sorted(found.standings, key=lambda one: one.system)


def test_n_exam_is_the_ratio_of_sums_not_the_mean_of_ratios():
    # by hand: (0.2 + 0.4) / (0.2 + 0.8) = 0.6; the mean of ratios would be 0.75
    (one,) = board(query([1], 1, items=5), query([2], 4, items=5))
    assert one.score == pytest.approx(0.6)


def test_systems_within_their_own_error_of_gold_get_a_star():
    first, second = [30, 25, 24, 20], [30, 20, 20, 20]
    # Of 50, gold 0.5 twice. By hand: 0.6 is above; 0.45 >= 0.5 - SE 0.05, exactly
    # within reach; 0.44 < 0.5 - SE 0.04; 0.4 is steady, and below.
    found = board(query(first, 25, items=50), query(second, 25, items=50))
    assert [one.star for one in found] == [True, True, False, False]


@pytest.mark.parametrize(
    ("graded", "sentence"),
    [
        (query([1], None, items=2), "no query scored here has one"),
        (query([1], 0, items=2), "answer no question of the bank"),
        (
            with_gold(graded_on([[5, None]], [[0]]), (1,)),
            "as far as they are graded; `curator grade",
        ),
    ],
)
def test_without_gold_that_answers_anything_there_is_a_sentence(graded, sentence):
    rows, reason = N_EXAM.select_rows({"q": N_EXAM.row(graded)})
    assert (rows, sentence in reason) == ({}, True)


@settings(max_examples=40)
@given(st.data())
def test_every_completion_of_missing_grades_lies_within_the_bounds(data):
    raw = [
        data.draw(graded_queries(items=3, passages=3, systems=2, unknowns=2))
        for _ in range(2)
    ]
    gold = [
        tuple(sorted(data.draw(st.sets(st.integers(0, one.pool.size - 1), min_size=1))))
        for one in raw
    ]
    articles = list(zip(raw, gold, strict=True))
    assume(any((one.ratings[:, list(at)] >= 4).any() for one, at in articles))
    bounds = board(*(with_gold(*one) for one in articles))
    unknown = [np.argwhere(one.ratings < 0).tolist() for one in raw]
    for filling in product((0, 5), repeat=sum(map(len, unknown))):
        values = iter(filling)
        filled = []
        for (one, at), places in zip(articles, unknown, strict=True):
            ratings = one.ratings.copy()
            for item, passage in places:
                ratings[item, passage] = next(values)
            filled.append(with_gold(replace(one, ratings=ratings), at))
        for bound, whole in zip(bounds, board(*filled), strict=True):
            assert bound.lower <= whole.score <= bound.upper
            assert whole.lower == whole.score == whole.upper


@settings(max_examples=40)
@given(
    st.lists(graded_queries(unknowns=0, systems=1), min_size=1, max_size=4), st.data()
)
def test_a_system_that_returns_the_gold_passages_scores_one_with_a_star(drawn, data):
    queries = []
    for one in drawn:
        gold = data.draw(
            st.lists(st.integers(0, one.pool.size - 1), min_size=1, unique=True)
        )
        top = np.array([gold], dtype=np.int32)
        pool = replace(one.pool, top=top)
        queries.append(with_gold(replace(one, pool=pool), tuple(gold)))
    assume(any((one.gold >= 4).any() for one in queries))
    (found,) = board(*queries)
    assert found.score == pytest.approx(1.0, abs=1e-12)
    assert found.star


def test_passages_of_the_article_alone_have_no_label_and_count_for_no_cover():
    graded = with_gold(graded_on([[0, 5], [5, 5]], [[0]]), (1,))
    assert graded_labels(graded).tolist() == [5, NO_LABEL]
    assert labels_without_each(graded)[:, 1].tolist() == [NO_LABEL, NO_LABEL]
    cover = measure_named("cover")
    assert cover.row(graded).score.tolist() == [0.5]
    assert cover.overall(graded) == 0.5  # by hand: the first item is the article's only
