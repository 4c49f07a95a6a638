"""A system's ranking of a query, and what is odd about a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class RankedPassage:
    """One line of a run: where a system put a passage, and with what score."""

    passage_id: str
    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class Slot:
    """What stands at one rank. A later listing of a passage keeps its slot as a gap."""

    passage_id: str
    score: float
    repeats: bool = False


@dataclass(frozen=True)
class Ranking:
    """A system's slots for one query, best first; None where nothing stands."""

    system: str
    query_id: str
    slots: tuple[Slot | None, ...]


@dataclass
class RunOddities:
    """What was noticed while ranks were read; counts that an import reports."""

    shifted_systems: set[str] = field(default_factory=set)
    gaps: int = 0
    duplicates: int = 0
    lists: int = 0
    lists_in_other_score_order: int = 0
    shared_ranks: int = 0


def rank_base(lines: Sequence[RankedPassage]) -> int:
    """The rank a system starts counting from: 0 for a 0-based run, else 1.

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
    """The ranking in which every passage stands at its best rank.

    A passage listed twice counts at its best rank and leaves a gap at the later one.
    Two passages at one rank keep their order of score and push the rest down, so
    that no passage is lost. Ranks without a line stay empty.
    """
    ordered = sorted(lines, key=lambda line: (line.rank, -line.score))
    slots: list[Slot | None] = []
    seen: set[str] = set()
    for line in ordered:
        position = line.rank - base
        while len(slots) < position:
            slots.append(None)
            oddities.gaps += 1
        repeats = line.passage_id in seen
        oddities.duplicates += repeats
        seen.add(line.passage_id)
        slots.append(Slot(line.passage_id, line.score, repeats))
    oddities.shared_ranks += sum(a.rank == b.rank for a, b in pairwise(ordered))
    oddities.lists += 1
    oddities.lists_in_other_score_order += not in_trec_eval_order(ordered)
    if base == 0:
        oddities.shifted_systems.add(system)
    return Ranking(system, query_id, tuple(slots))


def merged_ranking(
    parts: Sequence[tuple[NDArray[np.int32], NDArray[np.float64]]],
    places_by_id: Callable[[NDArray[np.int64]], NDArray[np.int64]],
) -> NDArray[np.int64]:
    """Passage numbers by rank: each at its best rank in any of these rankings.

    A part is (passage numbers, scores) by rank, as the store has them: 0 where nothing
    stands, negative where a passage is listed again. Passages at one rank stand by
    their best score there, then by id, which no order of imports changes, and push the
    rest down, as ``ranking_from_lines`` has it; ranks that nothing is left at stay
    empty. ``places_by_id`` gives each number's place among the pool's ids, negative for
    a passage outside, which comes last.
    """
    numbers = np.concatenate([one.astype(np.int64) for one, _ in parts])
    scores = np.concatenate([one for _, one in parts])
    ranks = np.concatenate([np.arange(len(one)) for one, _ in parts])
    stands = numbers > 0
    numbers, scores, ranks = numbers[stands], scores[stands], ranks[stands]
    order = np.lexsort((-scores, ranks))
    _, first = np.unique(numbers[order], return_index=True)
    best = order[first]
    at = places_by_id(numbers[best])
    best = best[np.lexsort((numbers[best], at, at < 0, -scores[best], ranks[best]))]
    places = np.arange(len(best))
    places += np.maximum.accumulate(np.maximum(ranks[best] - places, 0))
    merged = np.zeros(places[-1] + 1 if len(places) else 0, dtype=np.int64)
    merged[places] = numbers[best]
    return merged


def in_trec_eval_order(lines: Sequence[RankedPassage]) -> bool:
    """Whether trec_eval would read the lines in this order.

    It ignores ranks: by score, highest first, ties by passage id, descending.
    """
    return all(
        (a.score, a.passage_id) > (b.score, b.passage_id) for a, b in pairwise(lines)
    )
