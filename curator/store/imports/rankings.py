"""Rankings that a file brought, beside those that the workspace holds.

A ranking is kept as passage numbers and scores by rank. A run says all of it; a file of
graded passages holds only the ranks whose texts were to be had, and the run itself, or
another such file, fills the others. What both say must agree but for the scores, which
such files make up: ranks count.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from curator.collection.rankings import Ranking
from curator.errors import ImportConflictError
from curator.formats.parsed_import import ParsedImport
from curator.formats.text.notices import counted

HERE = "in this workspace"
Connection = sqlite3.Connection
RankArrays = tuple[NDArray[np.int32], NDArray[np.float64]]
"""Passage numbers and scores by rank, as the ranking table keeps them."""


def write_rankings(
    connection: Connection, parsed: ParsedImport, passages: dict[str, int]
) -> tuple[dict[str, int], list[str]]:
    """How many systems and rankings were new or fuller, and notices.

    ``passages`` are numbers by id. Raises ImportConflictError where the file ranks
    otherwise than the workspace, before anything is written of its rankings.
    """
    beside = _Beside()
    systems = _systems(connection)
    rows: list[tuple[Ranking, bytes, bytes]] = []
    for ranking in parsed.rankings:
        new = ranking_arrays(ranking, passages)
        stored = connection.execute(
            "SELECT passages, scores FROM ranking WHERE query_id = ? AND system = ?",
            (ranking.query_id, systems.get(ranking.system)),
        ).fetchone()
        if stored is not None:
            old = (
                np.frombuffer(stored[0], dtype="<i4"),
                np.frombuffer(stored[1], dtype="<f8"),
            )
            apart = contradiction(old, new)
            if apart is not None:
                raise _conflict(connection, parsed.source, ranking, apart)
            new = beside.joined(old, new)
            if np.array_equal(new[0], old[0]):
                continue
        rows.append((ranking, new[0].tobytes(), new[1].tobytes()))
    names = dict.fromkeys(ranking.system for ranking in parsed.rankings)
    missing = [(name,) for name in names if name not in systems]
    connection.executemany("INSERT INTO system (system) VALUES (?)", missing)
    systems = _systems(connection)
    connection.executemany(
        "INSERT OR REPLACE INTO ranking VALUES (?,?,?,?)",
        [
            (systems[ranking.system], ranking.query_id, numbers, scores)
            for ranking, numbers, scores in rows
        ],
    )
    return {"systems": len(missing), "rankings": len(rows)}, beside.notices()


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


@dataclass(frozen=True)
class Contradiction:
    """What stands at one rank, or one passage and its two ranks."""

    there: int
    here: int
    rank: int = 0
    passage: int = 0


def contradiction(old: RankArrays, new: RankArrays) -> Contradiction | None:
    """Where the two cannot both be right; None if they can.

    A rank that one leaves open contradicts nothing: runs are written with open ranks
    too, where a text was not to be had.
    """
    numbers = _stacked(old[0], new[0], 0)
    ranked = numbers != 0
    apart = ranked.all(axis=0) & (numbers[0] != numbers[1])
    if apart.any():
        rank = int(apart.argmax())
        there, here = np.abs(numbers[:, rank]).tolist()
        if there == here:  # listed first by the one, again by the other
            return Contradiction(*_best_ranks(numbers, there), passage=there)
        return Contradiction(there, here, rank + 1)
    joined = np.where(ranked[0], numbers[0], numbers[1])
    passages = joined[joined > 0]
    if len(np.unique(passages)) == len(passages):
        return None
    ranks: dict[int, int] = {}
    for rank, number in enumerate(joined.tolist(), start=1):
        if number > 0 and (first := ranks.setdefault(number, rank)) != rank:
            there, here = (first, rank) if ranked[0][first - 1] else (rank, first)
            return Contradiction(there, here, passage=number)
    return None


def _best_ranks(numbers: NDArray[Any], passage: int) -> tuple[int, int]:
    """Where both say that this passage stands first."""
    there, here = (numbers == passage).argmax(axis=1).tolist()
    return there + 1, here + 1


@dataclass
class _Beside:
    """How many rankings say otherwise what does not contradict."""

    other_scores: int = 0
    shorter: int = 0
    longer: int = 0
    left_open: int = 0
    filled: int = 0

    def joined(self, old: RankArrays, new: RankArrays) -> RankArrays:
        """What both say, ``old`` where both speak."""
        numbers = _stacked(old[0], new[0], 0)
        scores = _stacked(old[1], new[1], np.nan)
        ranked = numbers != 0
        self.other_scores += bool((ranked.all(axis=0) & (scores[0] != scores[1])).any())
        depth = min(len(old[0]), len(new[0]))
        self.shorter += len(new[0]) == depth < len(old[0])
        self.longer += len(old[0]) == depth < len(new[0])
        self.left_open += bool(((numbers[0] > 0) & ~ranked[1])[:depth].any())
        self.filled += bool((ranked[1] & ~ranked[0])[:depth].any())
        return (
            np.where(ranked[0], numbers[0], numbers[1]),
            np.where(ranked[0], scores[0], scores[1]),
        )

    def notices(self) -> list[str]:
        """Sentences about them."""
        sentences = (
            (
                self.other_scores,
                f"with other scores than {HERE}, which stay: ranks count",
            ),
            (self.shorter, f"shorter than {HERE}, where the ranks below stay"),
            (self.longer, f"longer than {HERE}, which takes the ranks below"),
            (self.left_open, f"with open ranks that are filled {HERE}, and stay so"),
            (self.filled, f"with ranks that were open {HERE}, now filled"),
        )
        return [f"{counted(n, 'ranking')} {what}." for n, what in sentences if n]


def _stacked(old: NDArray[Any], new: NDArray[Any], nothing: float) -> NDArray[Any]:
    """Both as the rows of one array, filled up to the deeper one's depth."""
    rows = np.full((2, max(len(old), len(new))), nothing, dtype=old.dtype)
    rows[0, : len(old)], rows[1, : len(new)] = old, new
    return rows


def _systems(connection: Connection) -> dict[str, int]:
    rows = connection.execute("SELECT system, number FROM system")
    return dict(rows.fetchall())


def _conflict(
    connection: Connection, source: str, ranking: Ranking, apart: Contradiction
) -> ImportConflictError:
    numbers = (apart.passage, apart.here, apart.there)
    rows = connection.execute(
        "SELECT number, passage_id FROM passage WHERE number IN (?, ?, ?)", numbers
    )
    ids = dict(rows.fetchall())
    named = {number: f"'{one}'" for number, one in ids.items()}
    if apart.passage:
        difference = (
            f"{named[apart.passage]} is at rank {apart.here} in the file and at rank "
            f"{apart.there} in the workspace"
        )
    else:
        difference = (
            f"at rank {apart.rank} is {named[apart.here]} in the file and "
            f"{named[apart.there]} in the workspace"
        )
    about: tuple[str, ...] = (ranking.query_id, ranking.system)
    if number := apart.passage or apart.here:
        about += (ids[number],)
    return ImportConflictError(
        source,
        f"system '{ranking.system}' ranks query '{ranking.query_id}' otherwise in this "
        f"workspace: {difference}. Give a changed run a new name.",
        about,
    )
