"""A system's ranking of a query, and irregularities of a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class RankedPassage:
    """A line of a run: a passage's rank and score."""

    passage_id: str
    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class Slot:
    """A passage at one rank. A repeated passage keeps its slot as a gap."""

    passage_id: str
    score: float
    repeats: bool = False


@dataclass(frozen=True)
class Ranking:
    """A system's slots for one query, best first; None for an empty rank."""

    system: str
    query_id: str
    slots: tuple[Slot | None, ...]


@dataclass
class RunOddities:
    """Irregularities found while reading ranks; counts for an import's report."""

    shifted_systems: set[str] = field(default_factory=set)
    gaps: int = 0
    duplicates: int = 0
    lists: int = 0
    lists_in_other_score_order: int = 0
    shared_ranks: int = 0


def rank_base(lines: Sequence[RankedPassage]) -> int:
    """Return the first rank of a system: 0 for a 0-based run, else 1.

    Source: six DL19 runs as published start at 0; everything here is 1-based.
    """
    return 0 if any(line.rank == 0 for line in lines) else 1


def ranking_from_lines(
    system: str,
    query_id: str,
    lines: Sequence[RankedPassage],
    *,
    base: int,
    oddities: RunOddities,
) -> Ranking:
    """Return the ranking with every passage at its best rank.

    A passage listed twice counts at its best rank and leaves a gap at the later one.
    Two passages at one rank keep their order of score and push the rest down, so
    that no passage is lost. Ranks without a line stay empty.
    """
    ordered = sorted(lines, key=lambda line: (line.rank, -line.score))
    slots: list[Slot | None] = []
    ranked_ids: set[str] = set()
    for line in ordered:
        position = line.rank - base
        while len(slots) < position:
            slots.append(None)
            oddities.gaps += 1
        repeats = line.passage_id in ranked_ids
        oddities.duplicates += repeats
        ranked_ids.add(line.passage_id)
        slots.append(Slot(line.passage_id, line.score, repeats))
    oddities.shared_ranks += sum(
        line.rank == next_line.rank for line, next_line in pairwise(ordered)
    )
    oddities.lists += 1
    oddities.lists_in_other_score_order += not has_trec_eval_order(ordered)
    if base == 0:
        oddities.shifted_systems.add(system)
    return Ranking(system, query_id, tuple(slots))


def merged_ranking(
    parts: Sequence[tuple[NDArray[np.int32], NDArray[np.float64]]],
    places_by_id: Callable[[NDArray[np.int64]], NDArray[np.int64]],
) -> NDArray[np.int64]:
    """Return passage numbers by rank: each at its best rank in any of these rankings.

    A part is (passage numbers, scores) by rank, as in the store: 0 for an empty rank,
    negative for a repeated passage. Passages at one rank are sorted by their best score
    there, then by id, so that the order of imports does not matter, and push the others
    down, as in ``ranking_from_lines``; ranks without passages stay empty.
    ``places_by_id`` gives each number's place among the pool's ids, negative for a
    passage outside, which comes last.
    """
    numbers = np.concatenate(
        [part_numbers.astype(np.int64) for part_numbers, _ in parts]
    )
    scores = np.concatenate([part_scores for _, part_scores in parts])
    ranks = np.concatenate([np.arange(len(part_numbers)) for part_numbers, _ in parts])
    is_first = numbers > 0
    numbers, scores, ranks = numbers[is_first], scores[is_first], ranks[is_first]
    order = np.lexsort((-scores, ranks))
    _, first = np.unique(numbers[order], return_index=True)
    best = order[first]
    id_places = places_by_id(numbers[best])
    best = best[
        np.lexsort(
            (numbers[best], id_places, id_places < 0, -scores[best], ranks[best])
        )
    ]
    places = np.arange(len(best))
    places += np.maximum.accumulate(np.maximum(ranks[best] - places, 0))
    merged = np.zeros(places[-1] + 1 if len(places) else 0, dtype=np.int64)
    merged[places] = numbers[best]
    return merged


def has_trec_eval_order(lines: Sequence[RankedPassage]) -> bool:
    """Return True if trec_eval would read the lines in this order.

    It ignores ranks and sorts by descending score, then by descending passage id.
    """
    return all(
        (line.score, line.passage_id) > (next_line.score, next_line.passage_id)
        for line, next_line in pairwise(lines)
    )
