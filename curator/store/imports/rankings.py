"""Rankings that a file brought, beside those that the workspace holds.

A ranking is kept as passage numbers and scores by rank. A run says all of it; a file of
graded passages holds only the ranks whose texts were to be had, and the run itself, or
another such file, fills the others. What both say must agree but for the scores, which
such files make up: ranks count.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import compress
from sqlite3 import Connection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from curator.collection.rankings import Ranking
from curator.errors import ImportConflictError
from curator.formats.parsed_import import ParsedImport
from curator.formats.text.notices import counted
from curator.store.imports.subtopics import Topics

HERE = "in this workspace"
RankArrays = tuple[NDArray[np.int32], NDArray[np.float64]]
"""Passage numbers and scores by rank, as the ranking table keeps them."""

BESIDE = (
    f"with other scores than {HERE}, which stay: ranks count",
    f"shorter than {HERE}, where the ranks below stay",
    f"longer than {HERE}, which takes the ranks below",
    f"with open ranks that are filled {HERE}, and stay so",
    f"with ranks that were open {HERE}, now filled",
)
"""What a ranking says otherwise without contradicting."""


def write_rankings(
    connection: Connection,
    parsed: ParsedImport,
    passages: dict[str, int],
    topics: Topics,
) -> tuple[dict[str, int], list[str]]:
    """How many systems and rankings were new or fuller, and notices.

    ``passages`` are numbers by id. Raises ImportConflictError where the file ranks
    otherwise than the workspace, before anything is written of its rankings.
    """
    beside: Counter[str] = Counter()
    rows: defaultdict[str, list[tuple[Any, ...]]] = defaultdict(list)
    for ranking in parsed.rankings:
        new = ranking_arrays(ranking, passages)
        table = topics.table("ranking", ranking.query_id)
        place = topics.place(ranking.query_id)
        stored = connection.execute(
            f"SELECT passages, scores FROM {table} WHERE query_id = ? "
            "AND system = (SELECT number FROM system WHERE system = ?)"
            f"{' AND subtopic_id = ?' * (len(place) - 1)}",
            (place[0], ranking.system, *place[1:]),
        ).fetchone()
        if stored is not None:
            old = (
                np.frombuffer(stored[0], dtype="<i4"),
                np.frombuffer(stored[1], dtype="<f8"),
            )
            _refuse_contradiction(parsed.source, ranking, old, new, passages)
            new, remarks = _joined(old, new)
            beside.update(remarks)
            if np.array_equal(new[0], old[0]):
                continue
        numbers, scores = new
        rows[table].append(
            (ranking.system, *place, numbers.tobytes(), scores.tobytes())
        )
    systems = connection.executemany(
        "INSERT INTO system (system) VALUES (?) ON CONFLICT DO NOTHING",
        [(name,) for name in dict.fromkeys(one.system for one in parsed.rankings)],
    )
    for table, of_table in rows.items():
        places = ", ?" * (len(of_table[0]) - 1)
        connection.executemany(
            f"INSERT OR REPLACE INTO {table} VALUES "
            f"((SELECT number FROM system WHERE system = ?){places})",
            of_table,
        )
    return (
        {"systems": max(systems.rowcount, 0), "rankings": sum(map(len, rows.values()))},
        [f"{counted(beside[s], 'ranking')} {s}." for s in BESIDE if beside[s]],
    )


def ranking_arrays(ranking: Ranking, passages: dict[str, int]) -> RankArrays:
    """(numbers, scores) by rank as the ranking table keeps them."""
    numbers = np.zeros(len(ranking.slots), dtype="<i4")
    scores = np.full(len(ranking.slots), np.nan, dtype="<f8")
    for i, slot in enumerate(ranking.slots):
        if slot is not None:
            number = passages[slot.passage_id]
            numbers[i] = -number if slot.repeats else number
            scores[i] = slot.score
    return numbers, scores


def _refuse_contradiction(
    source: str,
    ranking: Ranking,
    old: RankArrays,
    new: RankArrays,
    passages: dict[str, int],
) -> None:
    """Raise ImportConflictError where the two cannot both be right.

    A rank that one leaves open contradicts nothing: runs are written with open ranks
    too, where a text was not to be had.
    """
    numbers = _stacked(old[0], new[0], 0)
    ranked = numbers != 0
    apart = ranked.all(axis=0) & (numbers[0] != numbers[1])
    joined = np.where(ranked[0], *numbers)
    of_passages = joined[joined > 0]
    there = here = 0
    if apart.any():
        rank = int(apart.argmax())
        other, passage = np.abs(numbers[:, rank]).tolist()
        if other == passage:  # listed first by the one, again by the other
            there, here = ((numbers == passage).argmax(axis=1) + 1).tolist()
    elif len(np.unique(of_passages)) < len(of_passages):
        ranks: dict[int, int] = {}
        for rank, passage in enumerate(joined.tolist(), start=1):
            if passage > 0 and (first := ranks.setdefault(passage, rank)) != rank:
                there, here = (first, rank) if ranked[0][first - 1] else (rank, first)
                break
    else:
        return
    ids = {number: passage_id for passage_id, number in passages.items()}
    difference = (
        f"'{ids[passage]}' is at rank {here} in the file and at rank {there} in the "
        "workspace"
        if here
        else f"at rank {rank + 1} is '{ids[passage]}' in the file and '{ids[other]}' "
        "in the workspace"
    )
    raise ImportConflictError(
        source,
        f"system '{ranking.system}' ranks query '{ranking.query_id}' otherwise in this "
        f"workspace: {difference}. Give a changed run a new name.",
        (ranking.query_id, ranking.system, ids[passage]),
    )


def _joined(old: RankArrays, new: RankArrays) -> tuple[RankArrays, Iterable[str]]:
    """What both say, ``old`` where both speak; and which of ``BESIDE`` is true."""
    numbers = _stacked(old[0], new[0], 0)
    scores = _stacked(old[1], new[1], np.nan)
    ranked = numbers != 0
    depth = min(len(old[0]), len(new[0]))
    remarks = (
        (ranked.all(axis=0) & (scores[0] != scores[1])).any(),
        len(new[0]) == depth < len(old[0]),
        len(old[0]) == depth < len(new[0]),
        ((numbers[0] > 0) & ~ranked[1])[:depth].any(),
        (ranked[1] & ~ranked[0])[:depth].any(),
    )
    joined = (np.where(ranked[0], *numbers), np.where(ranked[0], *scores))
    return joined, compress(BESIDE, remarks)


def _stacked(old: NDArray[Any], new: NDArray[Any], nothing: float) -> NDArray[Any]:
    """Both as the rows of one array, filled up to the deeper one's depth."""
    rows = np.full((2, max(len(old), len(new))), nothing, dtype=old.dtype)
    rows[0, : len(old)], rows[1, : len(new)] = old, new
    return rows
