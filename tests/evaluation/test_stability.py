"""Figures of stability against loops over every draw there is, on a bank of four."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from dataclasses import asdict

import numpy as np
import pytest
from scipy.stats import kendalltau

from curator.evaluation import stability
from curator.evaluation.stability import (
    Board,
    Covered,
    DrawnRows,
    TopTenChange,
    step_up,
)
from tests.samples.tiny_exams import graded_on, measure_named

# At 4, which of six passages answer each question; each of six systems returns two.
RATINGS = [
    [5, 0, 4, 0, 0, 1],
    [4, 4, 0, 0, 0, 0],
    [0, 5, 0, 3, 5, 0],
    [4, 0, 0, 5, 1, 0],
]
RANKINGS = [[0, 1], [1, 2], [2, 4], [3, 5], [0, 3], [5, 4]]
OTHER = [[5, 5, 0, 0, 0, 0], [0, 4, 4, 4, 0, 0], [0, 0, 0, 0, 5, 5]]


def query(ratings=RATINGS, query_id="q"):
    return graded_on(ratings, RANKINGS, query_id=query_id)


def row_of(ratings, name="cover"):
    """The scores of a bank of just these questions."""
    return measure_named(name).row(query(ratings)).score


def tau(one, other):
    """Kendall's tau_b by scipy; equal fractions are rounded to tie."""
    found = kendalltau(np.round(one, 9), np.round(other, 9)).statistic
    return 0.0 if math.isnan(found) else float(found)


def drawn_by_hand(graded, measure, first, second, again):
    """The rows of these very draws, each asked for by itself."""
    halves = [
        [measure.row(graded.select_items(np.array(one))).score for one in side]
        for side in (first, second)
    ]
    rows = [measure.row(graded.select_items(np.array(one))).score for one in again]
    row = measure.row(graded).score
    moves = row - measure.without_each(graded)
    return DrawnRows(len(graded.item_ids), row, np.array(halves), np.array(rows), moves)


def every_draw(measure):
    """All halves of a query of four, and all its draws with replacement."""
    first = [*itertools.combinations(range(4), 2)]
    second = [tuple({*range(4)} - {*one}) for one in first]
    again = [*itertools.product(range(4), repeat=4)]
    return drawn_by_hand(query(), measure, first, second, again)


@pytest.mark.parametrize(
    "name",
    [
        *("cover", "P@2", "nDCG@2", "RR"),
        pytest.param("alpha_nDCG@2", marks=pytest.mark.long),  # the same, slowly
    ],
)
def test_halves_and_draws_come_to_what_all_of_them_come_to(name) -> None:
    measure = measure_named(name)
    every = every_draw(measure)
    halves = [tau(a, b) for a, b in zip(*every.halves, strict=True)]
    assert len(halves) == 6  # of 4 questions, 2 and the other 2
    whole = Board(every.row, [every], 1)
    assert whole.halves_agree() == pytest.approx(np.mean(halves), abs=1e-7)
    again = [tau(every.row, one) for one in every.again]
    found = stability.taus(every.row, whole.again())
    assert found == pytest.approx(again, abs=1e-7)

    drawn = stability.drawn_rows(query(), measure, 4000)
    board = Board(drawn.row, [drawn], 1)
    assert board.halves_agree() == pytest.approx(np.mean(halves), abs=0.02)
    assert stability.taus(drawn.row, drawn.again).mean() == pytest.approx(
        np.mean(again), abs=0.02
    )


def test_a_half_has_half_of_the_questions_and_the_other_none_of_them() -> None:
    for items in (2, 3, 4, 7):
        first, second, again = stability.drawn_items("q", items, 50, 0)
        assert first.shape == second.shape == (50, items // 2)
        assert again.shape == (50, items)
        for one, other in zip(first.tolist(), second.tolist(), strict=True):
            assert len({*one, *other}) == 2 * (items // 2)
    other = stability.drawn_items("q2", 7, 50, 0)
    assert (other[0] != first).any()
    assert (stability.drawn_items("q", 7, 50, 0)[0] == first).all()


def test_two_banks_differ_by_halves_shrunk_by_the_root_of_their_share() -> None:
    every = every_draw(measure_named("cover"))
    board = Board(every.row, [every], 1)
    apart = every.halves[0] - every.halves[1]
    # By hand: the variance of a half's difference is 2s²/2, of two banks' 2s²/4.
    assert board.differences() == pytest.approx(apart * math.sqrt(2 / 4))
    assert board.differences(more=2) == pytest.approx(apart * math.sqrt(2 / 6))
    assert board.differences(times=2) == pytest.approx(apart * math.sqrt(2 / 8))
    # Over all halves it is twice what a bank's mean varies by: 2 s² / n.
    covered = query().covered(4, 20)
    assert (board.differences() ** 2).mean(axis=0) == pytest.approx(
        2 * covered.var(axis=0, ddof=1) / 4
    )


def test_more_questions_are_all_that_could_come_once_more() -> None:
    measure = measure_named("cover")
    every = every_draw(measure)
    others = [row_of(OTHER)]
    board = Board((every.row + others[0]) / 2, [every], 2)
    before = [round(x, 9) for x in board.score]

    def place(scores):
        return [1 + sum(other > one for other in scores) for one in scores]

    def top_ten(scores, top):
        return {i: p for i, p in enumerate(place(scores)) if p <= top}

    ordered = members = 0
    pairs = [*itertools.combinations_with_replacement(range(4), 2)]
    for pair in pairs:
        bank = [*RATINGS, *(RATINGS[i] for i in pair)]
        after = [round(x, 9) for x in (row_of(bank) + others[0]) / 2]
        here, there = top_ten(before, 3), top_ten(after, 3)
        members += here.keys() != there.keys()
        ordered += here != there
    drawn = np.array(pairs)
    after = board.score + stability.change_by_additions(every.moves, drawn, 2) / 2
    found = stability.top_ten_change(board.score, after, 2, top=3)
    assert found == TopTenChange(2, ordered / 10, members / 10)
    assert 0 < found.members <= found.order
    # The same by the board itself, which looks at the first ten of six.
    assert board.change_of(every.moves, 2) == stability.top_ten_change(
        board.score, after, 2
    )


def test_an_urn_draws_every_set_of_questions_alike() -> None:
    generator = np.random.default_rng(0)
    drawn = np.concatenate(
        [stability.draw_from_urn(generator, 3, 2) for _ in range(40)]
    )
    found = Counter(tuple(sorted(one)) for one in drawn.tolist())
    # By hand: 1/3 · 2/4 for two of a kind, 2 · 1/3 · 1/4 for two kinds: 1/6 each.
    assert len(found) == 6
    assert [n / 40_000 for n in found.values()] == pytest.approx([1 / 6] * 6, abs=0.01)


def test_spearman_brown_steps_a_tau_up() -> None:
    # By hand: tau 1/3 is of r = sin(pi/6) = 1/2, twice as long 2/3, so 2/pi asin 2/3.
    assert step_up(1 / 3, 2) == pytest.approx(2 / math.pi * math.asin(2 / 3))
    assert step_up(0.0, 2) == 0.0
    assert step_up(1.0, 5) == pytest.approx(1.0)
    assert step_up(-1 / 3, 2) == -step_up(1 / 3, 2)
    assert step_up(0.4, 1) == pytest.approx(0.4)


def test_relevant_passages_are_covered_where_an_item_answers_them() -> None:
    judged = graded_on(RATINGS, RANKINGS, judgments=[2, 0, None, 1, 3, 2])
    # By hand: 0, 4 and 5 are judged 2 or more; no question of 5 is rated 4.
    assert stability.covered_passages(judged, 4, 2) == Covered(3, 2)
    assert stability.covered_passages(judged, 4, None) is None
    assert stability.covered_passages(query(), 4, 2) is None


def test_boards_of_fewer_questions_against_a_reference_as_counted_by_hand() -> None:
    graded = [query(), query(OTHER, "other")]
    measure = measure_named("cover")
    reference = np.array([3.0, 1.0, np.nan, 2.0, 0.0, 4.0])
    known = np.isfinite(reference)
    curve = stability.with_fewer_questions(graded, measure, reference, draws=12, seed=3)
    # Of four and three questions; a query keeps what it has.
    sizes = [(size.per_query, size.questions) for size in curve]
    assert sizes == [(1, 2), (2, 4), (3, 6), (4, 7)]
    for size in curve:
        found = []
        for draw in range(12):
            rows = []
            for one in graded:
                order = stability.drawn_order(one.query_id, len(one.item_ids), 12, 3)
                drawn = one.select_items(order[draw][: size.per_query])
                rows.append(measure.row(drawn).score)
            found.append(tau(np.mean(rows, axis=0)[known], reference[known]))
        assert size.expected.tau == pytest.approx(np.mean(found))
    whole = np.mean([measure.row(one).score for one in graded], axis=0)
    last = tau(whole[known], reference[known])
    assert asdict(curve[-1].expected) == pytest.approx(
        {"tau": last, "low": last, "high": last}
    )


def test_the_curve_rises_with_the_questions() -> None:
    generator = np.random.default_rng(0)
    rows = [
        DrawnRows(
            *(items, row),
            row + generator.normal(0, 0.3, (2, 200, 9)),
            *(row + generator.normal(0, 0.2, (200, 9)), np.zeros((items, 9))),
        )
        for items, row in ((4, generator.random(9)), (3, generator.random(9)))
    ]
    board = Board(sum(one.row for one in rows) / 2, rows, 2)
    grown = board.grown((0, 1, 2, 5))
    # By hand: 4 + 3 questions, one more in either query, …, and twice as many.
    assert [one.questions for one in grown] == [7, 9, 11, 14, 17]
    found = [one.expected.tau for one in grown]
    assert found == sorted(found)
    assert grown[0].expected == board.expected


def test_queries_are_halved_as_questions_are() -> None:
    measure = measure_named("cover")
    rows = [measure.row(query([one])).score for one in RATINGS]
    every = every_draw(measure)  # whose board is the mean of these four rows
    found = stability.tau_over_queries(rows, draws=4000)
    board = Board(every.row, [every], 1)
    assert found.tau == pytest.approx(board.expected.tau, abs=0.02)
