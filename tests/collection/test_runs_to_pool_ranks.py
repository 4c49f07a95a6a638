"""Odd runs imported into a workspace: what stands in the pool's ranks."""

import json

import numpy as np
import pytest

from curator import Workspace
from curator.collection.pools import GAP, Collection, Pool

RUNS = {
    # ranks from 0 in q1; in q2 nothing stands at 0, and it is shifted all the same
    "zero": "q1 Q0 a 0 9 zero\nq1 Q0 b 1 8 zero\nq2 Q0 c 1 7 zero\n",
    # a gap at rank 2
    "gap": "q1 Q0 a 1 9 gap\nq1 Q0 b 3 8 gap\n",
    # passage a twice
    "twice": "q1 Q0 a 1 9 twice\nq1 Q0 b 2 8 twice\nq1 Q0 a 3 7 twice\n",
}


@pytest.fixture
def collection(tmp_path):
    (tmp_path / "queries.jsonl").write_text(
        "".join(
            json.dumps({"query_id": q, "title": q.upper()}) + "\n" for q in ("q1", "q2")
        )
    )
    (tmp_path / "passages.jsonl").write_text(
        "".join(
            json.dumps({"passage_id": p, "text": f"Text of {p}."}) + "\n" for p in "abc"
        )
    )
    (tmp_path / "runs").mkdir()
    for system, lines in RUNS.items():
        (tmp_path / "runs" / f"{system}.run").write_text(lines)
    with Workspace.open(tmp_path / "odd.db", create=True) as workspace:
        workspace.import_(
            queries=tmp_path / "queries.jsonl",
            passages=tmp_path / "passages.jsonl",
            runs=tmp_path / "runs",
        )
        return workspace.collection()


def slots(collection, query_id, system):
    """Passage ids by rank, None at a gap, trailing gaps left out."""
    pool = collection.pools[query_id]
    top = pool.top[collection.systems.index(system)].tolist()
    named = [None if slot == GAP else pool.passage_ids[slot] for slot in top]
    while named and named[-1] is None:
        named.pop()
    return named


@pytest.mark.parametrize(
    ("query_id", "system", "expected"),
    [
        ("q1", "zero", ["a", "b"]),
        ("q2", "zero", [None, "c"]),
        ("q1", "gap", ["a", None, "b"]),
        ("q1", "twice", ["a", "b"]),
        ("q2", "gap", []),  # skipped
    ],
)
def test_every_passage_stands_at_its_1_based_best_rank(
    collection, query_id, system, expected
):
    assert slots(collection, query_id, system) == expected


def test_a_pool_says_how_large_and_how_deep_it_is():
    top = np.array([[0, GAP, 1]], dtype=np.int32)
    pool = Pool("q", ("a", "b"), top, np.zeros(2, dtype=np.int16))
    assert (pool.size, pool.depth) == (2, 3)
    assert pool.top_k(2).tolist() == [[0, GAP]]
    assert pool.top_k(9).shape == (1, 3)
    assert pool.top_k(None) is pool.top
    assert Collection("", (), (), {"q": pool}).depth == 3
    assert Collection("", (), (), {}).depth == 0
