"""What retiring each question of a query would do, all of them in one pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from curator.evaluation.correlation import kendall_tau_b
from curator.evaluation.grades import GradedQuery, graded_labels, labels_without_each
from curator.evaluation.impact import (
    SAME_SCORE,
    Move,
    Overtake,
    largest_first,
    nearest_overtake,
)
from curator.evaluation.leaderboard import Leaderboard
from curator.evaluation.ranks import competition_ranks


@dataclass(frozen=True, slots=True)
class WhatIf:
    """What retiring one question would do, with nothing changed.

    ``labels_fall`` counts the labels that fall or are gone; none can rise. ``movers``
    are the systems whose rank would change, largest move first, ``scores_changed``
    counts those with another score, ``nearest`` is the nearest overtake where no rank
    moves, and both taus are to the official ranks. ``movers`` is None, and of the rest
    nothing is said, where ``missing`` grades leave ranks open, and for a measure that
    would take too long.
    """

    question_id: str
    labels_fall: int
    movers: tuple[Move, ...] | None = None
    scores_changed: int = 0
    nearest: Overtake | None = None
    tau_before: float | None = None
    tau_after: float | None = None
    queries_before: int = 0
    queries_after: int = 0
    missing: int = 0


def labels_that_fall(graded: GradedQuery) -> NDArray[np.int64]:
    """(items,): how many labels of the query fall, or are gone, without that item."""
    falls = labels_without_each(graded) < graded_labels(graded)
    return np.asarray(falls.sum(axis=1), dtype=np.int64)


def what_ifs(
    graded: GradedQuery,
    board: Leaderboard,
    systems: Sequence[str],
    *,
    row: NDArray[np.float64],
    without_each: NDArray[np.float64] | None,
    official: Mapping[str, float],
) -> tuple[WhatIf, ...]:
    """What the retirement of each item of one query would do to the whole board.

    ``row`` (systems,) and ``without_each`` (items, systems) are the query's scores as
    the bank is and without each item; None for a measure that is not to be asked. A
    query whose only item goes leaves the measure: NaN stands for its scores.
    """
    falls = labels_that_fall(graded)
    missing = board.needed - board.known
    if missing or without_each is None or not board.standings:
        return tuple(
            WhatIf(item_id, int(falls[i]), missing=missing)
            for i, item_id in enumerate(graded.item_ids)
        )
    score_of = board.scores()
    rank_of = board.ranks()
    before = np.array([score_of[system] for system in systems])
    ranks_before = np.array([rank_of[system] for system in systems])
    after = scores_without_each(before, row, without_each, board.queries)
    gone = np.asarray(np.isnan(without_each).any(axis=1))
    changed = np.abs(after - before) > SAME_SCORE
    common = [i for i, system in enumerate(systems) if system in official]
    truth = [-float(official[systems[i]]) for i in common]
    tau_before = kendall_tau_b(before[common].tolist(), truth)
    found = []
    for item, item_id in enumerate(graded.item_ids):
        queries_after = board.queries - int(gone[item])
        if not queries_after:  # a board of nobody
            found.append(
                WhatIf(item_id, int(falls[item]), (), queries_before=board.queries)
            )
            continue
        ranks = competition_ranks(after[item])
        movers = tuple(
            Move(
                systems[i],
                float(before[i]),
                float(after[item, i]),
                int(ranks_before[i]),
                int(ranks[i]),
            )
            for i in np.flatnonzero(ranks != ranks_before).tolist()
        )
        found.append(
            WhatIf(
                question_id=item_id,
                labels_fall=int(falls[item]),
                movers=tuple(sorted(movers, key=largest_first)),
                scores_changed=int(changed[item].sum()),
                nearest=None
                if movers
                else nearest_overtake(systems, before, after[item]),
                tau_before=tau_before,
                tau_after=kendall_tau_b(after[item, common].tolist(), truth)
                if movers
                else tau_before,
                queries_before=board.queries,
                queries_after=queries_after,
            )
        )
    return tuple(found)


def scores_without_each(
    board: NDArray[np.float64],
    row: NDArray[np.float64],
    without_each: NDArray[np.float64],
    queries: int,
) -> NDArray[np.float64]:
    """(items, systems): the mean over queries without each item of one query.

    An item without which the query has no score takes it with it, out of the mean;
    NaN if that was the last.
    """
    rest = board * queries - row
    left = rest / (queries - 1) if queries > 1 else np.full_like(rest, np.nan)
    return np.where(
        np.isnan(without_each), left, board + (without_each - row) / queries
    )
