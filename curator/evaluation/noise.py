"""Which moves one label read differently would undo: they are within noise.

Standard errors over queries are ten times larger than what one edit does, so "within
one standard error" would call every move noise. A grader that reads one passage
otherwise is the smallest thing that can be different, so that is what is asked: is
there one label (for Cover one grade), in any query of the measure, that would put the
system back where it was, or beyond?
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from curator.evaluation.impact import Move
from curator.evaluation.measures.measure import Scores
from curator.evaluation.ranks import TIE_TOLERANCE


@dataclass(frozen=True, eq=False)
class Flips:
    """A query's flips. ``reach`` is the furthest any of them moves two systems apart.

    ``changes`` is (flips, systems), of the query's own scores.
    """

    changes: NDArray[np.float64]
    reach: float

    @classmethod
    def of(cls, changes: NDArray[np.float64]) -> Flips:
        """The flips with their reach, 0 where there is none."""
        apart = changes.max(axis=1) - changes.min(axis=1) if changes.size else changes
        return cls(changes, float(apart.max(initial=0.0)))


def moves_within_noise(
    movers: Sequence[Move],
    systems: Sequence[str],
    scores: Scores,
    flips_by_query: Iterable[Flips | None],
    queries: int,
) -> frozenset[str]:
    """The systems of those movers that one flip brings back to their rank, or beyond.

    ``scores`` (systems,) are the means over ``queries`` of the later board, and the
    flips those of its queries, the edited ones best first: the search stops where
    every mover has been brought back. Exact: every flip of every query is tried, but
    only on the systems that are near enough for it. Empty as soon as one query's
    flips are not offered (None).
    """
    place = {system: i for i, system in enumerate(systems)}
    open_moves = [
        _Open(m.system, place[m.system], m.rank_before, m.places > 0)
        for m in movers
        if m.rank_before is not None and m.places
    ]
    found: set[str] = set()
    for flips in flips_by_query if open_moves else ():
        if flips is None:
            return frozenset()
        reach = flips.reach / queries
        for one in list(open_moves):
            ahead = scores - scores[one.place]
            if one.within(ahead, reach) and one.restored(ahead, flips, queries):
                found.add(one.system)
                open_moves.remove(one)
        if not open_moves:
            break
    return frozenset(found)


@dataclass(frozen=True, slots=True)
class _Open:
    """A mover not yet brought back; a rise is undone by enough systems passing it."""

    system: str
    place: int
    rank_before: int
    rose: bool

    def within(self, ahead: Scores, reach: float) -> bool:
        """Whether a change of ``reach`` between two systems could be enough."""
        if not reach:
            return False
        nearest = ahead + reach if self.rose else ahead - reach
        return self._back(int(np.count_nonzero(nearest > TIE_TOLERANCE)))

    def restored(self, ahead: Scores, flips: Flips, queries: int) -> bool:
        """Whether one of these flips brings it back."""
        # The others are ahead, or behind, whatever one flip does.
        near = np.abs(ahead) <= flips.reach / queries + TIE_TOLERANCE
        surely = int(np.count_nonzero(ahead[~near] > 0))
        own = flips.changes[:, self.place, None]
        then = ahead[near] + (flips.changes[:, near] - own) / queries
        above = (then > TIE_TOLERANCE).sum(axis=1) + surely
        return self._back(int(above.max() if self.rose else above.min()))

    def _back(self, above: int) -> bool:
        rank = 1 + above
        return rank >= self.rank_before if self.rose else rank <= self.rank_before
