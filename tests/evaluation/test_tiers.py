"""A board in tiers of systems that are not significantly worse than their leader."""

from __future__ import annotations

from curator.evaluation.significance import (
    PairTest,
    PairTests,
    rank_ranges,
    tiers,
)


def significant_pairs(*significant: str) -> PairTests:
    """Tests of which only the pairs named, such as ``ad``, are significant."""
    pairs = tuple(PairTest(a, b, 0.1, 0.001, 0.01) for a, b in significant)
    others = (PairTest("a", "b", 0.1, 0.04, 0.06),)
    return PairTests((*pairs, *others), 43, 10_000, exact=False)


def test_a_tier_holds_all_that_are_not_worse_than_its_leader() -> None:
    # By hand: a leads a, b; c is worse than a and leads c, d, though d is not worse
    # than b; e is worse than c too.
    found = tiers("abcde", significant_pairs("ac", "ad", "ae", "be", "ce"))
    assert found == {"a": 1, "b": 1, "c": 2, "d": 2, "e": 3}


def test_a_system_below_a_later_tier_may_belong_to_an_earlier_one() -> None:
    # By hand: b is worse than a, c below it is not.
    assert tiers("abc", significant_pairs("ab")) == {"a": 1, "b": 2, "c": 1}


def test_a_rank_is_what_significant_differences_leave_open() -> None:
    # By hand: a is better than c and d, b than d.
    found = rank_ranges("abcd", significant_pairs("ac", "ad", "bd"))
    assert found == {"a": (1, 2), "b": (1, 3), "c": (2, 4), "d": (3, 4)}
    assert rank_ranges("abc", significant_pairs()) == dict.fromkeys("abc", (1, 3))
    assert rank_ranges("a", PairTests((), 0, 0, exact=False)) == {}
