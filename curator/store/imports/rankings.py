"""Merging imported rankings with those of the workspace.

A ranking is stored as passage numbers and scores by rank. A run file is complete; a
file of graded passages has only the ranks whose texts were available, and the run or
another such file fills the others. Both must agree except for the scores, which such
files make up: ranks count.
"""

from __future__ import annotations

from collections import defaultdict
from sqlite3 import Connection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from curator.collection.rankings import Ranking
from curator.errors import ImportConflictError
from curator.formats.parsed_import import ParsedImport
from curator.formats.text.notices import Oddities
from curator.store.imports.topics import Topics

RankArrays = tuple[NDArray[np.int32], NDArray[np.float64]]
"""Passage numbers and scores by rank, as stored in the ranking table."""


def write_rankings(
    connection: Connection,
    parsed: ParsedImport,
    passages: dict[str, int],
    topics: Topics,
    odd: Oddities,
) -> dict[str, int]:
    """Return how many systems and rankings are new or extended.

    ``passages`` are numbers by id. Raises ImportConflictError if the file contradicts
    the workspace, before any ranking of it is written.
    """
    rows: defaultdict[str, list[tuple[Any, ...]]] = defaultdict(list)
    for ranking in parsed.rankings:
        numbers, scores = ranking_arrays(ranking, passages)
        table = topics.table("ranking", ranking.query_id)
        place = topics.place(ranking.query_id)
        subtopic_condition = " AND subtopic_id = ?" if len(place) > 1 else ""
        stored = connection.execute(
            f"SELECT passages, scores FROM {table} WHERE query_id = ? "
            "AND system = (SELECT number FROM system WHERE system = ?)"
            f"{subtopic_condition}",
            (place[0], ranking.system, *place[1:]),
        ).fetchone()
        if stored is not None:
            both_numbers = _stacked(np.frombuffer(stored[0], "<i4"), numbers, 0)
            both_scores = _stacked(np.frombuffer(stored[1], "<f8"), scores, np.nan)
            _refuse_contradiction(parsed.source, ranking, both_numbers, passages)
            depth = len(stored[0]) // 4
            is_same = depth == len(numbers) and all(
                np.array_equal(old, new, equal_nan=True)
                for old, new in (both_numbers, both_scores)
            )
            odd.count("rankings", not is_same)
            is_ranked = both_numbers[0] != 0
            numbers = np.where(is_ranked, *both_numbers)
            scores = np.where(is_ranked, *both_scores)
            if np.array_equal(numbers, both_numbers[0][:depth]):
                continue
        rows[table].append(
            (ranking.system, *place, numbers.tobytes(), scores.tobytes())
        )
    systems = connection.executemany(
        "INSERT INTO system (system) VALUES (?) ON CONFLICT DO NOTHING",
        [
            (name,)
            for name in dict.fromkeys(ranking.system for ranking in parsed.rankings)
        ],
    )
    for table, table_rows in rows.items():
        placeholders = ", ?" * (len(table_rows[0]) - 1)
        connection.executemany(
            f"INSERT OR REPLACE INTO {table} VALUES "
            f"((SELECT number FROM system WHERE system = ?){placeholders})",
            table_rows,
        )
    return {
        "systems": max(systems.rowcount, 0),
        "rankings": sum(map(len, rows.values())),
    }


def ranking_arrays(ranking: Ranking, passages: dict[str, int]) -> RankArrays:
    """Return (numbers, scores) by rank as stored in the ranking table."""
    numbers = np.zeros(len(ranking.slots), dtype="<i4")
    scores = np.full(len(ranking.slots), np.nan, dtype="<f8")
    for position, slot in enumerate(ranking.slots):
        if slot is not None:
            number = passages[slot.passage_id]
            numbers[position] = -number if slot.repeats else number
            scores[position] = slot.score
    return numbers, scores


def _refuse_contradiction(
    source: str,
    ranking: Ranking,
    numbers: NDArray[Any],
    passages: dict[str, int],
) -> None:
    """Raise ImportConflictError if both rows of passage numbers cannot be right.

    An empty rank contradicts nothing: runs, too, are written with empty ranks for
    missing texts.
    """
    ranked = numbers != 0
    differs = ranked.all(axis=0) & (numbers[0] != numbers[1])
    merged = np.where(ranked[0], *numbers)
    ids = {number: passage_id for passage_id, number in passages.items()}
    if differs.any():
        rank = int(differs.argmax())
        other, passage = np.abs(numbers[:, rank]).tolist()
        difference = (
            f"at rank {rank + 1} is '{ids[passage]}' in the file and '{ids[other]}' "
            "in the workspace"
        )
    else:
        first_listings, counts = np.unique(merged[merged > 0], return_counts=True)
        if (counts == 1).all():
            return
        other = passage = int(first_listings[counts > 1][0])
    if other == passage:  # at two ranks
        stored_rank, file_rank = ((numbers == passage).argmax(axis=1) + 1).tolist()
        difference = (
            f"'{ids[passage]}' is at rank {file_rank} in the file and at rank "
            f"{stored_rank} in the workspace"
        )
    raise ImportConflictError(
        source,
        f"system '{ranking.system}' ranks query '{ranking.query_id}' differently in "
        f"this workspace: {difference}. Give a changed run a new name.",
        (ranking.query_id, ranking.system, ids[passage]),
    )


def _stacked(old: NDArray[Any], new: NDArray[Any], fill_value: float) -> NDArray[Any]:
    """Stack both in one array, filled up to the deeper one's depth."""
    rows = np.full((2, max(len(old), len(new))), fill_value, dtype=old.dtype)
    rows[0, : len(old)], rows[1, : len(new)] = old, new
    return rows
