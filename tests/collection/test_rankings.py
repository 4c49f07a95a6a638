"""From the lines of a run to places in a ranking and to ranks in pools."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.collection.rankings import (
    RankedPassage,
    RunOddities,
    has_trec_eval_order,
    rank_base,
    ranking_from_lines,
)


def ranked(*lines, base=1):
    """(passages in their places, what was odd); lines are (passage, rank[, score])."""
    oddities = RunOddities()
    ranking = ranking_from_lines(
        "bm25",
        "q",
        [RankedPassage(p, rank, *(score or [-rank])) for p, rank, *score in lines],
        base=base,
        oddities=oddities,
    )
    places = [
        None if slot is None or slot.repeats else slot.passage_id
        for slot in ranking.slots
    ]
    return places, oddities


def test_ranks_from_0_are_shifted_by_one_and_the_system_is_named():
    places, odd = ranked(("a", 0), ("b", 1), ("c", 3), base=0)
    assert places == ["a", "b", None, "c"]
    assert odd.shifted_systems == {"bm25"}


@pytest.mark.parametrize(
    ("ranks", "base"), [([1, 2], 1), ([0, 1], 0), ([5], 1), ([], 1)]
)
def test_a_list_counts_from_0_only_if_it_has_a_rank_0(ranks, base):
    assert rank_base([RankedPassage("p", rank, 0.0) for rank in ranks]) == base


def test_a_passage_listed_twice_counts_at_its_best_rank_and_leaves_a_gap():
    places, odd = ranked(("b", 2), ("a", 3), ("a", 1), ("c", 4))
    assert places == ["a", "b", None, "c"]
    assert (odd.duplicates, odd.gaps) == (1, 0)


def test_passages_at_one_rank_go_by_score_and_push_the_rest_down():
    places, odd = ranked(("a", 1, 1.0), ("b", 1, 2.0), ("c", 2, 0.5), ("d", 5, 0.1))
    assert places == ["b", "a", "c", None, "d"]
    # by hand: only a finds its rank taken; c is pushed, d is not
    assert odd.shared_ranks == 1


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([("a", 2.0), ("b", 1.0)], True),
        ([("a", 1.0), ("b", 2.0)], False),
        # trec_eval breaks ties by passage id, the later one in the alphabet first
        ([("b", 1.0), ("a", 1.0)], True),
        ([("a", 1.0), ("b", 1.0)], False),
        ([("a", 1.0)], True),
        ([], True),
    ],
)
def test_trec_eval_orders_by_score_then_by_id_descending(lines, expected):
    in_rank_order = [RankedPassage(p, i, s) for i, (p, s) in enumerate(lines)]
    assert has_trec_eval_order(in_rank_order) is expected


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(1, 6)), max_size=10))
def test_no_passage_is_lost_or_doubled_whatever_the_ranks(lines):
    places, _ = ranked(*lines)
    filled = [p for p in places if p is not None]
    assert sorted(filled) == sorted({p for p, _ in lines})
