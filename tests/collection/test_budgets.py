"""A budget selects passages by rank, by judgment and by lot, always the same ones."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.collection.budgets import Budget, selected
from curator.errors import BudgetError
from tests.samples.tiny_exams import pool_of

# Two systems over p0 to p5; the second has a gap at rank 1. p5 is judged 0.
POOL = pool_of(
    [[0, 1, 2], [None, 2, 3]], 6, judgments=[None, None, None, None, None, 0]
)


def positions(budget: Budget | None, pool=POOL) -> list[int]:
    return np.flatnonzero(selected(pool, budget)).tolist()


@pytest.mark.parametrize(
    ("depth", "expected"),
    [
        (1, [0, 5]),  # by hand: p0 leads, the other's first rank is a gap; p5 is judged
        (2, [0, 1, 2, 5]),
        (3, [0, 1, 2, 3, 5]),
        (9, [0, 1, 2, 3, 5]),  # p4 stands in no ranking
    ],
)
def test_a_depth_selects_the_ranked_and_the_judged(depth, expected):
    assert positions(Budget(depth=depth)) == expected


def by_lot(left: list[int], seed: int) -> list[int]:
    """The documented order, made here once more."""
    return sorted(left, key=lambda at: sha256(f"{seed}\nq\np{at}".encode()).hexdigest())


@pytest.mark.parametrize("seed", [0, 1, 7])
def test_a_sample_is_the_first_by_the_documented_hash_of_what_the_depth_leaves(seed):
    assert positions(Budget(None, 2, seed)) == sorted(by_lot([*range(6)], seed)[:2])
    drawn = by_lot([1, 2, 3, 4], seed)[:3]
    assert positions(Budget(1, 3, seed)) == sorted([0, 5, *drawn])


def test_every_passage_is_drawn_about_as_often():
    # by hand: 10 of 40 in each of 400 draws makes 100 for each passage; the standard
    # deviation of a binomial with these is sqrt(400 · 1/4 · 3/4) = 8.7, and 5 are 43
    pool = pool_of([], 40)
    times = sum(selected(pool, Budget(None, 10, s)).astype(int) for s in range(400))
    assert times.sum() == 4000
    assert (abs(times - 100) < 43).all()


def test_passages_of_a_gold_article_are_selected_under_any_budget():
    pool = replace(POOL, gold=(4,), gold_only=(4,))
    assert positions(Budget(depth=1), pool) == [0, 4, 5]
    assert len(positions(Budget(None, 1, 0), pool)) == 2


@given(
    size=st.integers(0, 30),
    depth=st.none() | st.integers(1, 5),
    samples=st.lists(st.integers(1, 40), min_size=2, max_size=2),
    seed=st.integers(-5, 5),
)
def test_a_larger_sample_holds_the_smaller(size, depth, samples, seed):
    pool = pool_of([[*range(0, size, 3)]], size)
    first = selected(pool, Budget(depth)) if depth else np.zeros(size, bool)
    less, more = (
        selected(pool, Budget(depth, sample, seed)) for sample in sorted(samples)
    )
    assert (first <= less).all()
    assert (less <= more).all()
    left = size - int(first.sum())
    assert [int((one & ~first).sum()) for one in (less, more)] == [
        min(sample, left) for sample in sorted(samples)
    ]


def test_what_no_budget_can_be_is_refused_in_one_line():
    for wrong in ((0, None, None), (None, -1, None), (3, None, 1), (None, 1, 2**70)):
        with pytest.raises(BudgetError):
            Budget.from_options(*wrong)
    assert Budget.from_options(None, None) is None
    assert Budget.from_options(None, 5) == Budget(None, 5, 0)
    assert Budget.from_options(10, 5, 3).description == (
        "top 10 and judged, 5 drawn of the others (seed 3)"
    )
