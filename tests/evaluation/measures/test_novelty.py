"""Measures of items answered anew, against ``ir_measures`` and plain loops."""

from math import log2

import ir_measures
import pytest
from ir_measures import Qrel, ScoredDoc

from curator.errors import EvaluationError
from curator.evaluation.grades import GradedQuery
from tests.evaluation.measures.test_against_ir_measures import OF_NDEVAL, QUERIES
from tests.samples.tiny_exams import (
    graded_on,
    measure_named,
    scores_of,
)


def by_ir_measures(graded: GradedQuery, name: str, min_rating: int) -> list[float]:
    """Each system's score by ndeval, the items as subtopics, known grades as qrels."""
    measure = ir_measures.parse_measure(name)
    if "rel" not in measure.params:
        measure = measure(rel=min_rating)
    qrels = [
        Qrel("q", f"p{passage}", int(rating), item)
        for item, ratings in zip(graded.item_ids, graded.ratings, strict=True)
        for passage, rating in enumerate(ratings)
        if rating >= 0
    ]
    scores = []
    for ranking in graded.pool.top.tolist():
        run = [
            ScoredDoc("q", f"p{p}" if p >= 0 else f"gap-{rank}", -float(rank))
            for rank, p in enumerate(ranking)
        ]
        found = ir_measures.iter_calc([measure], qrels, run) if run else []
        scores.append(sum(metric.value for metric in found))
    return scores


def by_loops(graded: GradedQuery, depth: int) -> list[float]:
    """graded-alpha-nDCG, pair by pair."""

    def worth(passage: int, left: list[float]) -> float:
        gains = (max(int(r), 0) / 5 for r in graded.ratings[:, passage])
        return sum(g * novelty for g, novelty in zip(gains, left, strict=True))

    def spent(passage: int, left: list[float]) -> list[float]:
        gains = (max(int(r), 0) / 5 for r in graded.ratings[:, passage])
        return [n * (1 - 0.5 * g) for g, n in zip(gains, left, strict=True)]

    fresh = [1.0] * len(graded.item_ids)
    ideal, left, rest = 0.0, fresh, list(range(graded.pool.size))
    for rank in range(1, min(depth, len(rest)) + 1):
        best = max(
            rest,
            key=lambda p: (round(worth(p, left), 12), graded.pool.passage_ids[p]),
        )
        ideal += worth(best, left) / log2(rank + 1)
        left = spent(best, left)
        rest.remove(best)
    scores = []
    for ranking in graded.pool.top.tolist():
        got, left = 0.0, fresh
        for rank, passage in enumerate(ranking[:depth], start=1):
            if passage >= 0:
                got += worth(passage, left) / log2(rank + 1)
                left = spent(passage, left)
        scores.append(got / ideal if ideal else 0.0)
    return scores


def test_a_second_answer_is_worth_half_and_the_ideal_is_greedy():
    # p0 answers items 0 and 1, p1 item 0, p2 item 2
    graded = graded_on([[5, 4, 0], [4, 0, 0], [0, 0, 5]], [[0, 2, 1], [1, 0], [2]])
    # by hand: ideal p0, p2, p1: 2 + 1/log2(3) + .5/2
    ideal = 2 + 1 / log2(3) + 0.25
    # the second has item 0, then item 0 again and item 1: 1 + 1.5/log2(3)
    expected = [1.0, (1 + 1.5 / log2(3)) / ideal, 1 / ideal]
    assert scores_of(graded, "alpha_nDCG@20") == pytest.approx(expected)


def test_a_graded_answer_spends_as_much_novelty_as_it_gains():
    graded = graded_on([[3, 5]], [[0, 1], [1, 0]])
    # by hand: .6 + 1 · (1 − .3) / log2(3) over 1 + .6 · (1 − .5) / log2(3)
    expected = (0.6 + 0.7 / log2(3)) / (1 + 0.3 / log2(3))
    assert scores_of(graded, "graded-alpha-nDCG@2") == pytest.approx([expected, 1])


def test_err_ia_and_nrbp_are_means_over_what_the_pool_answers():
    graded = graded_on([[5, 0, 5], [0, 0, 5], [3, 3, 0]], [[0, 1, 2], [1], []])
    # by hand: items 0 and 1 count; ranks 1 and 3 answer item 0, rank 3 item 1
    most = 1 + 0.5 / 2 + 0.25 / 3
    expected = ((1 + 0.5 / 3) + 1 / 3) / 2 / most
    assert scores_of(graded, "ERR_IA@3") == pytest.approx([expected, 0, 0])
    expected = 0.75 * ((1 + 0.5 / 4) + 1 / 4) / 2
    assert scores_of(graded, "NRBP") == pytest.approx([expected, 0, 0])
    assert scores_of(graded, "ERR_IA@1") == [0.5, 0, 0]  # a share, at one rank too


@pytest.mark.parametrize("name", OF_NDEVAL)
def test_they_equal_ir_measures_with_items_as_subtopics(name):
    for number, graded in enumerate(QUERIES):
        min_rating = 1 + number % 5
        ours = measure_named(name, min_rating).row(graded).score
        assert ours == pytest.approx(by_ir_measures(graded, name, min_rating), abs=1e-9)


@pytest.mark.parametrize("depth", [1, 3, 20])
def test_graded_gains_equal_plain_loops(depth):
    for graded in QUERIES:
        ours = scores_of(graded, f"graded-alpha-nDCG@{depth}")
        assert ours == pytest.approx(by_loops(graded, depth), abs=1e-9)


@pytest.mark.parametrize(
    "name",
    [
        "alpha_nDCG",
        "nERR_IA@20",
    ],
)
def test_what_ndeval_has_beside_them_is_refused_in_a_line(name):
    with pytest.raises(EvaluationError, match="subtopics are alpha_nDCG@20") as error:
        measure_named(name)
    assert "\n" not in str(error.value)
