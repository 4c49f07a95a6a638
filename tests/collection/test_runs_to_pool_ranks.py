"""Runs with gaps, repeats and ranks from 0, as they stand in a workspace's pools."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from curator import Workspace
from curator.collection.pools import GAP, Collection, Pool
from tests.samples.workspaces import write_lines

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
