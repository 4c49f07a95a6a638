"""Differences between two banks under one grader: labels, scores and ranks.

A move is within noise if one label read differently would undo it. Standard errors over
queries are ten times larger than the effect of one edit, so "within one standard error"
would call every move noise. The smallest possible difference is another label of one
passage, so the test is: is there one label (for Cover one grade), in any
query of the measure, that would move the system back to its rank, or beyond?
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from curator.evaluation.grades import NO_LABEL, GradedQuery, graded_labels, open_labels
from curator.evaluation.leaderboard import BoardRow, Leaderboard
from curator.evaluation.measures.measure import Measure, Scores
from curator.evaluation.ranks import TIE_TOLERANCE
from curator.evaluation.settings import (
    BEST_RATING,
    SAME_LABEL,
    LabelRule,
    Settings,
    correct_from,
)
from curator.results import Result

if TYPE_CHECKING:
    from curator.evaluation.releases import FrozenScore

# Far below the effect of one label on a mean, far above that of rounding.
SAME_SCORE = 1e-12


@dataclass(frozen=True, slots=True)
class LabelChange:
    """A passage whose graded label differs; None for no label or an uncertain one.

    A query that left the measure has no labels at all, and missing grades leave open
    what they could still raise.
    """

    query_id: str
    passage_id: str
    before: float | None
    after: float | None


@dataclass(frozen=True, slots=True)
class SystemMove:
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


def largest_first(move: SystemMove) -> tuple[int, int]:
    """Sort key of movers: the largest move first, then by the later rank."""
    return (-abs(move.places), move.rank_after or 0)


@dataclass(frozen=True)
class Impact(Result[SystemMove], table="curate.impact_table"):
    """All differences between two banks under the same settings.

    ``missing`` counts grades that the later bank needs and no grader gave,
    ``missing_before`` those of the earlier one; ``labels`` has the graded labels that
    differ, ``listing`` those to show, None for all, ``moves`` every
    system, best after first, ranked by known grades. ``within_noise`` names the movers
    that one label read differently would bring back. ``boards`` are the earlier and the
    later one.
    """

    settings: Settings
    missing: int
    labels: tuple[LabelChange, ...]
    moves: tuple[SystemMove, ...]
    queries_before: int
    queries_after: int
    missing_before: int = 0
    within_noise: frozenset[str] = frozenset()
    boards: tuple[Leaderboard, ...] = field(default=(), compare=False, repr=False)
    listing: tuple[LabelChange, ...] | None = None

    @property
    def listed(self) -> tuple[LabelChange, ...]:
        """The changed labels to list; means shift in all passages of a query."""
        return self.labels if self.listing is None else self.listing

    @property
    def complete(self) -> bool:
        """True if no grade is missing on either side."""
        return not (self.missing or self.missing_before)

    @property
    def movers(self) -> tuple[SystemMove, ...]:
        """The systems whose rank changed, largest move first.

        Empty if grades are missing, because ranks are then unknown.
        """
        if not self.complete:
            return ()
        moved = [move for move in self.moves if move.places]
        return tuple(sorted(moved, key=largest_first))

    @property
    def scores_changed(self) -> int:
        """Number of systems whose score changed."""
        return sum(abs(move.change) > SAME_SCORE for move in self.moves)


@dataclass(frozen=True, slots=True)
class Overtake:
    """A system just below another; ``gap`` is the score between them."""

    behind: str
    ahead: str
    gap: float


def nearest_overtake(
    systems: Sequence[str],
    before: NDArray[np.float64] | None,
    after: NDArray[np.float64],
) -> Overtake | None:
    """Find the pair of systems closest to an overtake, by the later scores.

    Of the pairs that the edit brought closer the one with the smallest gap; of all
    pairs where it brought none closer, or without ``before``. Ties have no gap. Of
    equal gaps the one highest on the board. None where no two scores differ.
    """
    order = np.argsort(-after, kind="stable")
    after = after[order]
    gaps = after[:, None] - after  # [ahead, behind]
    apart = gaps > TIE_TOLERANCE
    if before is not None:
        before = before[order]
        shrunk = apart & (gaps < before[:, None] - before - SAME_SCORE)
        apart = shrunk if shrunk.any() else apart
    if not apart.any():
        return None
    closest = np.where(apart, gaps, np.inf)
    # Gaps that differ in their last bits only are equal.
    first = int(np.argmax(closest <= closest.min() + SAME_SCORE))
    ahead, behind = divmod(first, len(after))
    return Overtake(
        systems[order[behind]], systems[order[ahead]], float(gaps[ahead, behind])
    )


def overtake_of(moves: Sequence[SystemMove]) -> Overtake | None:
    """Return the nearest overtake among the systems on both boards."""
    both = [
        (move.system, move.score_before, move.score_after)
        for move in moves
        if move.score_before is not None and move.score_after is not None
    ]
    if not both:
        return None
    systems, before, after = zip(*both, strict=True)
    return nearest_overtake(systems, np.array(before), np.array(after))


def changed_labels(
    before: GradedQuery, after: GradedQuery, rule: LabelRule = BEST_RATING
) -> tuple[LabelChange, ...]:
    """List the passages of one query whose known label differs, in pool order.

    A label that missing grades could still raise is None.
    """
    pool = after.pool
    old, new = (graded_labels(graded, rule) for graded in (before, after))
    differ = np.flatnonzero(np.abs(new - old) > SAME_LABEL)
    old[open_labels(before, rule)] = NO_LABEL
    new[open_labels(after, rule)] = NO_LABEL
    # A mean may change with every passage, so there can be hundreds.
    ids = [pool.passage_ids[i] for i in differ.tolist()]
    return tuple(
        LabelChange(
            pool.query_id,
            passage_id,
            None if was == NO_LABEL else was,
            None if now == NO_LABEL else now,
        )
        for passage_id, was, now in zip(
            ids, old[differ].tolist(), new[differ].tolist(), strict=True
        )
    )


def notable_changes(
    before: GradedQuery,
    after: GradedQuery,
    changes: Sequence[LabelChange],
    settings: Settings,
) -> list[LabelChange]:
    """Select the changes of a query's labels that readers should see.

    These cross the threshold, or are of a passage that answers other items than before.
    """
    cut = correct_from(after.reading, settings.min_rating)
    relevant = settings.relevant_from(after.reading) - SAME_LABEL
    old, new = (
        dict(zip(graded.item_ids, graded.correct(cut), strict=True))
        for graded in (before, after)
    )
    answers_others = np.zeros(after.pool.size, dtype=np.bool_)
    for item in old.keys() | new.keys():
        answers_others |= old.get(item, False) != new.get(item, False)
    notable = {after.pool.passage_ids[at] for at in np.flatnonzero(answers_others)}

    def is_relevant(label: float | None) -> bool:
        return label is not None and label >= relevant

    return [
        change
        for change in changes
        if change.passage_id in notable
        or is_relevant(change.before) != is_relevant(change.after)
    ]


def moves_between(
    before: Iterable[BoardRow | FrozenScore], after: Iterable[BoardRow | FrozenScore]
) -> tuple[SystemMove, ...]:
    """Pair the systems of two boards, in the order of the later board."""
    old, new = (
        {line.system: (line.score, line.rank) for line in board}
        for board in (before, after)
    )
    moves = []
    for system in new | old:
        score_before, rank_before = old.get(system, (None, None))
        score_after, rank_after = new.get(system, (None, None))
        moves.append(
            SystemMove(system, score_before, score_after, rank_before, rank_after)
        )
    return tuple(moves)


def impact_of(
    before: Leaderboard, after: Leaderboard, labels: Sequence[LabelChange]
) -> Impact:
    """Compute the impact between two boards under the same settings."""
    return Impact(
        settings=after.settings,
        missing=after.needed - after.known,
        labels=tuple(labels),
        moves=moves_between(before.standings, after.standings),
        queries_before=before.queries,
        queries_after=after.queries,
        missing_before=before.needed - before.known,
        boards=(before, after),
    )


@dataclass(frozen=True, eq=False)
class Flips:
    """A query's flips: ``changes`` is (flips, systems), of the scores in the query."""

    changes: NDArray[np.float64]

    @cached_property
    def reach(self) -> float:
        """Largest change of two systems' distance by one flip; 0 without flips."""
        changes = self.changes
        apart = changes.max(axis=1) - changes.min(axis=1) if changes.size else changes
        return float(apart.max(initial=0.0))


def flips_of(graded: GradedQuery, measure: Measure) -> Flips | None:
    """Compute the changes of a query's row by one label read differently, cached."""

    def computed() -> Flips | None:
        changes = measure.flips(graded)
        return None if changes is None else Flips(changes)

    return graded.cached(("flips", measure), computed)


def moves_within_noise(
    movers: Sequence[SystemMove],
    systems: Sequence[str],
    scores: Scores,
    flips_by_query: Iterable[Flips | None],
    queries: int,
) -> frozenset[str]:
    """Select the movers that one flip brings back to their rank, or beyond.

    ``scores`` (systems,) are the means over ``queries`` of the later board, and the
    flips those of its queries, the edited ones best first: the search stops when every
    mover has been brought back. Exact: every flip of every query is tried, but only on
    the systems that are near enough. Empty as soon as the flips of one query are not
    available (None).
    """
    place = {system: i for i, system in enumerate(systems)}
    moved = [move for move in movers if move.places]
    undone: set[str] = set()
    for flips in flips_by_query if moved else ():
        if flips is None:
            return frozenset()
        for move in moved:
            if move.system not in undone and _is_undone(
                move, place[move.system], scores, flips, queries
            ):
                undone.add(move.system)
        if len(undone) == len(moved):
            break
    return frozenset(undone)


def _is_undone(
    move: SystemMove, place: int, scores: Scores, flips: Flips, queries: int
) -> bool:
    """Return True if one flip brings the system at this place back to its rank."""
    ahead, reach = scores - scores[place], flips.reach / queries
    rose = move.places > 0  # which is undone by enough systems passing it

    def back(above: int) -> bool:
        before = move.rank_before or 0
        return 1 + above >= before if rose else 1 + above <= before

    # Could a change of so much between two systems be enough at all?
    nearest = ahead + reach if rose else ahead - reach
    if not reach or not back(int(np.count_nonzero(nearest > TIE_TOLERANCE))):
        return False
    # The others stay ahead, or behind, under any single flip.
    near = np.abs(ahead) <= reach + TIE_TOLERANCE
    surely = int(np.count_nonzero(ahead[~near] > 0))
    system_change = flips.changes[:, place, None]
    then = ahead[near] + (flips.changes[:, near] - system_change) / queries
    above = (then > TIE_TOLERANCE).sum(axis=1) + surely
    return back(int(above.max() if rose else above.min()))
