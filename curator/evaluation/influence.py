"""What one question does: whom it reaches, what it moves, what if it were not so.

For all questions of a query at once: the influence of each that is kept, what its
retirement would do, and what keeping a proposed one would.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from curator.collection.pools import UNJUDGED
from curator.evaluation.correlation import kendall_tau_b
from curator.evaluation.grades import (
    GradedQuery,
    graded_labels,
    labels_without_each,
)
from curator.evaluation.impact import (
    SAME_SCORE,
    Move,
    Overtake,
    largest_first,
    nearest_overtake,
)
from curator.evaluation.leaderboard import Leaderboard
from curator.evaluation.measures import Measure
from curator.evaluation.measures.measure import Scores
from curator.evaluation.ranks import competition_ranks
from curator.evaluation.settings import SAME_LABEL


@dataclass(frozen=True, slots=True)
class Influence:
    """A question's reach and influence within its query.

    ``passages`` answer it; ``systems`` have one of them in the ranks the measure
    looks at; ``nonrelevant_share`` of those officially judged are judged
    non-relevant (None without judgments or their threshold). ``influence`` is the
    mean over systems of |change of the measure in this query| without the question,
    None for a query's only question, and under a measure of texts, which no question
    moves. ``known`` and ``needed`` count its grades.
    """

    question_id: str
    passages: int
    systems: int
    nonrelevant_share: float | None
    influence: float | None
    known: int
    needed: int


def influences(
    graded: GradedQuery,
    measure: Measure,
    *,
    threshold: int,
    min_relevance: int | None,
) -> tuple[Influence, ...]:
    """Reach and influence of every active item of a query, in one pass."""
    if not graded.item_ids:
        return ()
    correct = graded.correct(threshold)
    judgments = graded.pool.judgments
    judged = correct & (judgments != UNJUDGED)
    nonrelevant = judged & (judgments < (min_relevance or 0))
    moves = np.full((len(graded.item_ids), 1), np.nan)
    if len(graded.pool.top) and measure.rests_on != "texts":
        moves = np.abs(measure.without_each(graded) - measure.row(graded).score)
        moves[moves <= SAME_SCORE] = 0  # what rounding does
    columns = (
        correct.sum(axis=1),
        graded.covered(threshold, measure.depth).sum(axis=1),
        nonrelevant.sum(axis=1),
        judged.sum(axis=1),
        moves.mean(axis=1),
        (graded.ratings >= 0).sum(axis=1) - graded.aside,
    )
    needed = graded.pool.size - graded.aside
    lines = zip(graded.item_ids, *(one.tolist() for one in columns), strict=True)
    return tuple(
        Influence(
            question_id,
            passages,
            systems,
            bad / of if of and min_relevance is not None else None,
            None if math.isnan(move) else move,
            known,
            needed,
        )
        for question_id, passages, systems, bad, of, move, known in lines
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardChange:
    """What one edit to a query would do to the whole board, with nothing changed.

    ``movers`` are the systems whose rank would change, largest move first,
    ``scores_changed`` counts those with another score, ``nearest`` is the nearest
    overtake where no rank moves, and both taus are to the official ranks. ``movers``
    is None, and of the rest nothing is said, where missing grades leave ranks open,
    and for a measure that would take too long.
    """

    movers: tuple[Move, ...] | None = None
    scores_changed: int = 0
    nearest: Overtake | None = None
    tau_before: float | None = None
    tau_after: float | None = None
    queries_before: int = 0
    queries_after: int = 0


@dataclass(frozen=True, slots=True)
class WhatIf(BoardChange):
    """What retiring one question would do.

    ``labels_fall`` counts the labels that fall or are gone, ``labels_rise`` those that
    rise, as a mean may. ``missing`` counts the grades that the board lacks.
    """

    question_id: str
    labels_fall: int
    labels_rise: int = 0
    missing: int = 0


@dataclass(frozen=True, slots=True)
class IfKept(BoardChange):
    """What keeping one proposed question would do.

    ``passages`` answer it; ``systems`` have one of them in the ranks the measure looks
    at. ``labels_rise`` counts the labels that rise or come to be, ``labels_fall`` those
    that fall, as a mean may. ``influence`` is the mean over systems of |change of the
    measure in this query|, None for a query's first question. Nothing but ``missing``
    is said where grades of the question are missing.
    """

    question_id: str
    missing: int = 0
    passages: int = 0
    systems: int = 0
    labels_rise: int = 0
    labels_fall: int = 0
    influence: float | None = None


Changed = TypeVar("Changed", WhatIf, IfKept)


class _Before:
    """The board as it is, in the order of the systems' names."""

    def __init__(
        self, board: Leaderboard, systems: Sequence[str], official: Mapping[str, float]
    ) -> None:
        scores, ranks = board.scores(), board.ranks()
        self.queries = board.queries
        self.systems = systems
        self.scores = np.array([scores.get(system, 0.0) for system in systems])
        self._ranks = [ranks.get(system) for system in systems]
        self._common = [i for i, system in enumerate(systems) if system in official]
        self._truth = [-float(official[systems[i]]) for i in self._common]
        self._tau = self._tau_of(self.scores) if board.queries else None

    def changed(self, one: Changed, after: Scores, queries: int) -> Changed:
        """The same with what these scores, of so many queries, would change."""
        columns = (
            self.systems,
            self.scores.tolist(),
            after.tolist(),
            self._ranks,
            competition_ranks(after).tolist(),
        )
        moves = itertools.starmap(Move, zip(*columns, strict=True))
        movers = [m for m in moves if m.rank_before and m.rank_before != m.rank_after]
        same_order = bool(self.queries) and not movers
        nearest = None
        if not movers:
            nearest = nearest_overtake(self.systems, self.scores, after)
        return replace(
            one,
            movers=tuple(sorted(movers, key=largest_first)),
            scores_changed=int((np.abs(after - self.scores) > SAME_SCORE).sum()),
            nearest=nearest,
            tau_before=self._tau,
            tau_after=self._tau if same_order else self._tau_of(after),
            queries_before=self.queries,
            queries_after=queries,
        )

    def _tau_of(self, scores: Scores) -> float | None:
        return kendall_tau_b(scores[self._common].tolist(), self._truth)


def what_ifs(
    graded: GradedQuery,
    board: Leaderboard,
    systems: Sequence[str],
    *,
    row: Scores,
    without_each: NDArray[np.float64] | None,
    official: Mapping[str, float],
) -> tuple[WhatIf, ...]:
    """What the retirement of each item of one query would do to the whole board.

    ``row`` (systems,) and ``without_each`` (items, systems) are the query's scores as
    the bank is and without each item; None for a measure that is not to be asked. A
    query whose only item goes leaves the measure: NaN stands for its scores.
    """
    rule = board.settings.rule
    labels = graded_labels(graded, rule)
    moved = labels_without_each(graded, rule) - labels
    falls = (moved < -SAME_LABEL).sum(axis=1).tolist()
    rises = (moved > SAME_LABEL).sum(axis=1).tolist()
    missing = board.needed - board.known
    found = [
        WhatIf(*one, missing) for one in zip(graded.item_ids, falls, rises, strict=True)
    ]
    if missing or without_each is None or not board.standings:
        return tuple(found)
    before = _Before(board, systems, official)
    queries = board.queries
    gone = np.asarray(np.isnan(without_each).any(axis=1))
    left = (before.scores * queries - row) / max(queries - 1, 1)
    after = np.where(
        np.isnan(without_each), left, before.scores + (without_each - row) / queries
    )
    return tuple(
        # A board of nobody where the last query leaves.
        replace(one, movers=(), queries_before=queries)
        if gone[i] and queries == 1
        else before.changed(one, after[i], queries - int(gone[i]))
        for i, one in enumerate(found)
    )


def if_kept(
    graded: GradedQuery,
    proposed: GradedQuery,
    board: Leaderboard,
    systems: Sequence[str],
    measure: Measure,
    *,
    threshold: int,
    official: Mapping[str, float],
) -> tuple[IfKept, ...]:
    """What each of ``proposed``'s items would do beside those of ``graded``.

    Both are of one query and pool, ``board`` is that of the bank as it is. A query
    without active items joins the measure with its first.
    """
    rule = board.settings.rule
    labels = graded_labels(graded, rule)  # NO_LABEL is below every rating
    passages = proposed.correct(threshold).sum(axis=1).tolist()
    reached = proposed.covered(threshold, measure.depth).sum(axis=1).tolist()
    complete = board.known == board.needed and bool(len(graded.pool.top))
    before = _Before(board, systems, official)
    found = []
    for at, question_id in enumerate(proposed.item_ids):
        ratings = proposed.ratings[at]
        missing = int((ratings < 0).sum())
        if missing:
            found.append(IfKept(question_id, missing))
            continue
        own = None if proposed.probabilities is None else proposed.probabilities[at]
        cited = None if proposed.cited is None else proposed.cited[at]
        after = graded.with_item(question_id, ratings, probabilities=own, cited=cited)
        moved = graded_labels(after, rule) - labels
        rises, falls = (moved > SAME_LABEL).sum(), (moved < -SAME_LABEL).sum()
        one = IfKept(
            *(question_id, 0, passages[at], reached[at]), int(rises), int(falls)
        )
        joins = not graded.item_ids and not measure.leaves(after)
        if measure.previewed and complete and (board.queries or joins):
            row, scores, queries = (
                measure.row(after).score,
                before.scores,
                board.queries,
            )
            if graded.item_ids:
                move = row - measure.row(graded).score
                move[np.abs(move) <= SAME_SCORE] = 0
                one = replace(one, influence=float(np.abs(move).mean()))
                scores = scores + move / queries
            elif joins:
                queries += 1
                scores = (scores * board.queries + row) / queries
            one = before.changed(one, scores, queries)
        found.append(one)
    return tuple(found)
