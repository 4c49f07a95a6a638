"""``pool_to_depth``: the passages in the top ranks of the runs, for assessors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from curator.collection.pools import GAP
from curator.errors import EvaluationError
from curator.formats.text.notices import counted
from curator.results import Rows
from curator.snapshot.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class RetrievedPassage:
    """A pool passage with the number of runs that retrieve it and its best rank."""

    query_id: str
    passage_id: str
    runs: int
    best_rank: int


def pool_to_depth(
    snapshot: Snapshot, /, depth: int, *, query_id: str | None = None
) -> Rows[RetrievedPassage]:
    """Return the passages within the first ``depth`` ranks of any run, by best rank.

    Ranks whose passages have no text are left out and counted in a note. Raises
    UnknownNameError, and EvaluationError for a depth below 1.
    """
    if depth < 1:
        raise EvaluationError(f"A pool has a depth of 1 or more, not {depth}.")
    rows: list[RetrievedPassage] = []
    missing = 0
    for name in snapshot.query_ids(query_id):
        pool = snapshot.collection.pools[name]
        top = pool.top_k(depth)
        filled = top != GAP
        missing += int(pool.retrieved(depth).sum() - filled.sum())
        runs = np.bincount(top[filled], minlength=pool.size)
        best_rank = np.full(pool.size, depth)
        np.minimum.at(best_rank, top[filled], np.nonzero(filled)[1] + 1)
        passages = [
            RetrievedPassage(
                query_id=name,
                passage_id=pool.passage_ids[place],
                runs=int(runs[place]),
                best_rank=int(best_rank[place]),
            )
            for place in np.flatnonzero(runs)
        ]
        rows += sorted(
            passages, key=lambda row: (row.best_rank, -row.runs, row.passage_id)
        )
    left_out = f"{counted(missing, 'rank')} of passages without a text left out."
    return Rows(rows, RetrievedPassage, [left_out] if missing else [])
