"""What differs between two banks under one grader: labels, scores and ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from curator.evaluation.grades import GradedQuery
from curator.evaluation.labels import NO_LABEL, graded_labels
from curator.evaluation.leaderboard import Leaderboard
from curator.evaluation.settings import Settings


@dataclass(frozen=True, slots=True)
class LabelChange:
    """A passage whose graded label differs; None where there is no label.

    A query that left the measure has no labels at all.
    """

    query_id: str
    passage_id: str
    before: int | None
    after: int | None


@dataclass(frozen=True, slots=True)
class Move:
    """A system's score and rank on both boards; None where it has no score."""

    system: str
    score_before: float | None
    score_after: float | None
    rank_before: int | None
    rank_after: int | None

    @property
    def places(self) -> int:
        """Ranks gained; negative for ranks lost, 0 where one side has none."""
        if self.rank_before is None or self.rank_after is None:
            return 0
        return self.rank_before - self.rank_after

    @property
    def change(self) -> float:
        """Score gained; 0 where one side has none."""
        if self.score_before is None or self.score_after is None:
            return 0.0
        return self.score_after - self.score_before


@dataclass(frozen=True)
class Impact:
    """Everything that differs between two banks under the same settings.

    ``missing`` counts grades that the later bank needs and nobody has,
    ``missing_before`` those of the earlier one; ``labels`` lists the graded labels
    that differ, ``moves`` every system, best after first.
    """

    settings: Settings
    missing: int
    labels: tuple[LabelChange, ...]
    moves: tuple[Move, ...]
    queries_before: int
    queries_after: int
    missing_before: int = 0

    @property
    def movers(self) -> tuple[Move, ...]:
        """The systems whose rank changed, largest move first."""
        moved = [move for move in self.moves if move.places]
        return tuple(sorted(moved, key=lambda m: (-abs(m.places), m.rank_after or 0)))


def changed_labels(
    before: GradedQuery | None, after: GradedQuery | None
) -> tuple[LabelChange, ...]:
    """The passages of one query whose graded label differs, in pool order.

    None, and a query without active items, is a query outside the measure.
    """
    known = before or after
    if known is None:
        return ()
    pool = known.pool
    nothing = np.full(pool.size, NO_LABEL, dtype=np.int8)
    old = nothing if before is None else graded_labels(before)
    new = nothing if after is None else graded_labels(after)
    return tuple(
        LabelChange(
            pool.query_id,
            pool.passage_ids[i],
            None if old[i] == NO_LABEL else int(old[i]),
            None if new[i] == NO_LABEL else int(new[i]),
        )
        for i in np.flatnonzero(old != new)
    )


def impact_of(
    before: Leaderboard, after: Leaderboard, labels: Sequence[LabelChange]
) -> Impact:
    """The impact between two boards under the same settings."""
    old: Mapping[str, tuple[float, int]] = {
        s.system: (s.score, s.rank) for s in before.standings
    }
    new = {s.system: (s.score, s.rank) for s in after.standings}
    nowhere = (None, None)
    moves = tuple(
        Move(
            system=system,
            score_before=old.get(system, nowhere)[0],
            score_after=new.get(system, nowhere)[0],
            rank_before=old.get(system, nowhere)[1],
            rank_after=new.get(system, nowhere)[1],
        )
        for system in (*new, *(s for s in old if s not in new))
    )
    return Impact(
        settings=after.settings,
        missing=after.needed - after.known,
        labels=tuple(labels),
        moves=moves,
        queries_before=before.queries,
        queries_after=after.queries,
        missing_before=before.needed - before.known,
    )
