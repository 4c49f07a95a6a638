"""From the lines of a run to places in a ranking and to ranks in pools."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator import Workspace
from curator.collection.pools import GAP, Collection, Pool
from curator.collection.rankings import (
    RankedPassage,
    RunOddities,
    has_trec_eval_order,
    rank_base,
    ranking_from_lines,
)
from tests.samples.workspaces import write_lines


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


RUNS = {
    # ranks from 0 in q1; in q2 nothing stands at 0, and it is shifted all the same
    "zero": "q1 Q0 a 0 9 zero\nq1 Q0 b 1 8 zero\nq2 Q0 c 1 7 zero\n",
    "gap": "q1 Q0 a 1 9 gap\nq1 Q0 b 3 8 gap\n",
    "twice": "q1 Q0 a 1 9 twice\nq1 Q0 b 2 8 twice\nq1 Q0 a 3 7 twice\n",
}


def test_every_passage_stands_at_its_1_based_best_rank(tmp_path: Path) -> None:
    queries = [{"query_id": query, "title": query.upper()} for query in ("q1", "q2")]
    passages = [{"passage_id": one, "text": f"Text of {one}."} for one in "abc"]
    (tmp_path / "runs").mkdir()
    for system, lines in RUNS.items():
        (tmp_path / "runs" / f"{system}.run").write_text(lines)
    with Workspace.open(tmp_path / "odd.db", create=True) as workspace:
        workspace.import_(
            queries=write_lines(tmp_path / "queries.jsonl", queries),
            passages=write_lines(tmp_path / "passages.jsonl", passages),
            runs=tmp_path / "runs",
        )
        collection = workspace.collection()
    found = {}
    for query_id, pool in collection.pools.items():
        for system, slots in zip(collection.systems, pool.top.tolist(), strict=True):
            named = ["-" if slot == GAP else pool.passage_ids[slot] for slot in slots]
            found[query_id, system] = "".join(named).rstrip("-")
    assert found == {
        ("q1", "zero"): "ab",
        ("q2", "zero"): "-c",
        ("q1", "gap"): "a-b",
        ("q2", "gap"): "",
        ("q1", "twice"): "ab",
        ("q2", "twice"): "",
    }


def test_a_pool_says_how_large_and_how_deep_it_is() -> None:
    top = np.array([[0, GAP, 1]], dtype=np.int32)
    pool = Pool("q", ("a", "b"), top, np.zeros(2, dtype=np.int16))
    assert (pool.size, pool.depth) == (2, 3)
    assert pool.top_k(2).tolist() == [[0, GAP]]
    assert pool.top_k(9).shape == (1, 3)
    assert pool.top_k(None) is pool.top
    assert Collection("", (), (), {"q": pool}).depth == 3
    assert Collection("", (), (), {}).depth == 0
