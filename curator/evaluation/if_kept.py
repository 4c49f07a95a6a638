"""What keeping each proposed question of a query would do, all of them in one pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from curator.evaluation.correlation import kendall_tau_b
from curator.evaluation.grades import GradedQuery, graded_labels
from curator.evaluation.impact import (
    SAME_SCORE,
    Move,
    Overtake,
    largest_first,
    nearest_overtake,
)
from curator.evaluation.leaderboard import Leaderboard
from curator.evaluation.measures import Measure
from curator.evaluation.ranks import competition_ranks


@dataclass(frozen=True, slots=True)
class IfKept:
    """What keeping one proposed question would do, with nothing changed.

    ``passages`` answer it; ``systems`` have one of them in the ranks the measure looks
    at. ``labels_rise`` counts the labels that rise or come to be; none can fall.
    ``influence`` is the mean over systems of |change of the measure in this query|,
    None for a query's first question. ``movers`` are the systems whose rank would
    change, largest move first, ``scores_changed`` counts those with another score,
    ``nearest`` is the nearest overtake where no rank moves, and both taus are to the
    official ranks. Nothing but ``missing`` is said where grades of the question are
    missing, nothing of scores where others are.
    """

    question_id: str
    missing: int = 0
    passages: int = 0
    systems: int = 0
    labels_rise: int = 0
    influence: float | None = None
    movers: tuple[Move, ...] | None = None
    scores_changed: int = 0
    nearest: Overtake | None = None
    tau_before: float | None = None
    tau_after: float | None = None
    queries_before: int = 0
    queries_after: int = 0


def if_kept(
    graded: GradedQuery,
    proposed: GradedQuery,
    board: Leaderboard,
    systems: Sequence[str],
    measure: Measure,
    *,
    threshold: int,
    official: Mapping[str, float],
    scored: bool = True,
) -> tuple[IfKept, ...]:
    """What each of ``proposed``'s items would do beside those of ``graded``.

    Both are of one query and pool, ``board`` is that of the bank as it is. A query
    without active items joins the measure with its first. Not ``scored``: nothing is
    said of scores, for a measure that would take too long.
    """
    labels = graded_labels(graded)  # NO_LABEL is below every rating
    correct = proposed.correct(threshold)
    reached = proposed.covered(threshold, measure.depth).sum(axis=1)
    scored = scored and board.known == board.needed and bool(len(graded.pool.top))
    found = []
    for at, question_id in enumerate(proposed.item_ids):
        ratings = proposed.ratings[at]
        missing = int((ratings < 0).sum())
        if missing:
            found.append(IfKept(question_id, missing))
            continue
        rises = ratings > labels
        rises[list(graded.pool.gold_only)] = False  # what has no label cannot rise
        reach = IfKept(
            question_id,
            passages=int(correct[at].sum()),
            systems=int(reached[at]),
            labels_rise=int(rises.sum()),
        )
        after = graded.with_item(question_id, ratings)
        if scored and (board.queries or _joins(graded, after, measure)):
            reach = _moved(reach, graded, after, board, systems, measure, official)
        found.append(reach)
    return tuple(found)


def _joins(graded: GradedQuery, later: GradedQuery, measure: Measure) -> bool:
    """Whether the query counts for the first time with its first item."""
    return not graded.item_ids and not measure.leaves(later)


def _moved(
    reach: IfKept,
    graded: GradedQuery,
    later: GradedQuery,
    board: Leaderboard,
    systems: Sequence[str],
    measure: Measure,
    official: Mapping[str, float],
) -> IfKept:
    """The same with what it does to the whole board; ``later`` is the query after."""
    row = measure.row(later).score
    queries = board.queries
    score_of, rank_of = board.scores(), board.ranks()
    before = np.array([score_of.get(system, 0.0) for system in systems])
    influence = None
    if graded.item_ids:
        here = measure.row(graded).score
        influence = float(np.abs(row - here).mean())
        after = before + (row - here) / queries
        queries_after = queries
    elif not _joins(graded, later, measure):
        after, queries_after = before, queries
    else:
        queries_after = queries + 1
        after = (before * queries + row) / queries_after
    ranks = competition_ranks(after)
    movers = tuple(
        Move(
            system,
            float(before[i]),
            float(after[i]),
            rank_of[system],
            int(ranks[i]),
        )
        for i, system in enumerate(systems)
        if system in rank_of and rank_of[system] != ranks[i]
    )
    common = [i for i, system in enumerate(systems) if system in official]
    truth = [-float(official[systems[i]]) for i in common]
    tau = kendall_tau_b(before[common].tolist(), truth) if queries else None
    return replace(
        reach,
        influence=influence,
        movers=tuple(sorted(movers, key=largest_first)),
        scores_changed=int((np.abs(after - before) > SAME_SCORE).sum()),
        nearest=None if movers else nearest_overtake(systems, before, after),
        tau_before=tau,
        tau_after=kendall_tau_b(after[common].tolist(), truth),
        queries_before=queries,
        queries_after=queries_after,
    )
