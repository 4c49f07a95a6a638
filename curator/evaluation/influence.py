"""Effects of single questions: reach, influence, retirement, addition."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from curator.collection.pools import UNJUDGED
from curator.evaluation.correlation import kendall_tau_b
from curator.evaluation.grades import GradedQuery, graded_labels, labels_without_each
from curator.evaluation.impact import (
    SAME_SCORE,
    Overtake,
    SystemMove,
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
    """Reach and influence of a question within its query.

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
    """Compute reach and influence of every active item of a query in one pass."""
    if not graded.item_ids:
        return ()
    correct = graded.correct(threshold)
    judgments = graded.pool.judgments
    judged = correct & (judgments != UNJUDGED)
    nonrelevant = judged & (judgments < (min_relevance or 0))
    moves = np.full((len(graded.item_ids), 1), np.nan)
    if len(graded.pool.top) and measure.based_on != "texts":
        moves = np.abs(measure.without_each(graded) - measure.row(graded).score)
        moves[moves <= SAME_SCORE] = 0  # rounding errors
    answering = correct.sum(axis=1).tolist()
    systems = graded.covered(threshold, measure.depth).sum(axis=1).tolist()
    judged_counts = judged.sum(axis=1).tolist()
    graded_pairs = ((graded.ratings >= 0).sum(axis=1) - graded.uncounted).tolist()
    shares = (nonrelevant.sum(axis=1) / np.maximum(judged.sum(axis=1), 1)).tolist()
    influence = moves.mean(axis=1).tolist()
    return tuple(
        Influence(
            question_id,
            answering[at],
            systems[at],
            shares[at] if judged_counts[at] and min_relevance is not None else None,
            None if math.isnan(influence[at]) else influence[at],
            graded_pairs[at],
            graded.pool.size - graded.uncounted,
        )
        for at, question_id in enumerate(graded.item_ids)
    )


@dataclass(frozen=True, slots=True)
class Preview:
    """Effect of retiring one question, or of keeping a proposed one.

    ``missing`` counts the grades that the board lacks, or those of the proposal, of
    which nothing else is known then. ``passages`` answer the proposal; ``systems`` have
    one of them in the ranks the measure looks at; ``influence`` is the mean over
    systems of the absolute change of the measure in this query, None for a query's
    first question. ``labels_fall`` counts the labels that fall or are gone,
    ``labels_rise`` those that rise or appear.

    ``movers`` are the systems whose rank would change, largest move first,
    ``scores_changed`` counts those with another score, ``nearest`` is the nearest
    overtake if no rank moves, and both taus are to the official ranks. ``movers`` is
    None, and what follows it is empty, if missing grades leave ranks open, and for a
    measure that would take too long.
    """

    question_id: str
    missing: int = 0
    passages: int = 0
    systems: int = 0
    labels_rise: int = 0
    labels_fall: int = 0
    influence: float | None = None
    movers: tuple[SystemMove, ...] | None = None
    scores_changed: int = 0
    nearest: Overtake | None = None
    tau_before: float | None = None
    tau_after: float | None = None
    queries_before: int = 0
    queries_after: int = 0


class _CurrentBoard:
    """The current board, in the order of the systems' names."""

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

    def add_changes(self, preview: Preview, after: Scores, queries: int) -> Preview:
        """Add to a preview the changes by these scores over so many queries."""
        moves = map(
            SystemMove,
            self.systems,
            self.scores.tolist(),
            after.tolist(),
            self._ranks,
            competition_ranks(after).tolist(),
        )
        movers = [m for m in moves if m.rank_before and m.rank_before != m.rank_after]
        same_order = bool(self.queries) and not movers
        nearest = None
        if not movers:
            nearest = nearest_overtake(self.systems, self.scores, after)
        return replace(
            preview,
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


def retire_previews(
    graded: GradedQuery,
    board: Leaderboard,
    systems: Sequence[str],
    *,
    row: Scores,
    without_each: NDArray[np.float64] | None,
    official: Mapping[str, float],
) -> tuple[Preview, ...]:
    """Compute the effect of retiring each item of one query on the whole board.

    ``row`` (systems,) and ``without_each`` (items, systems) are the query's scores with
    the current bank and without each item; None for a measure without previews. A query
    that loses its only item is not in the mean: its scores are then NaN.
    """
    rule = board.settings.rule
    labels = graded_labels(graded, rule)
    moved = labels_without_each(graded, rule) - labels
    falls = (moved < -SAME_LABEL).sum(axis=1).tolist()
    rises = (moved > SAME_LABEL).sum(axis=1).tolist()
    missing = board.needed - board.known
    previews = [
        Preview(question_id, missing, labels_fall=fall, labels_rise=rise)
        for question_id, fall, rise in zip(graded.item_ids, falls, rises, strict=True)
    ]
    if missing or without_each is None or not board.standings:
        return tuple(previews)
    before = _CurrentBoard(board, systems, official)
    queries = board.queries
    leaves = np.asarray(np.isnan(without_each).any(axis=1))
    means_without_query = (before.scores * queries - row) / max(queries - 1, 1)
    after = np.where(
        np.isnan(without_each),
        means_without_query,
        before.scores + (without_each - row) / queries,
    )
    return tuple(
        # The board is empty once the last query leaves.
        replace(preview, movers=(), queries_before=queries)
        if leaves[i] and queries == 1
        else before.add_changes(preview, after[i], queries - int(leaves[i]))
        for i, preview in enumerate(previews)
    )


def keep_previews(
    graded: GradedQuery,
    proposed: GradedQuery,
    board: Leaderboard,
    systems: Sequence[str],
    measure: Measure,
    *,
    threshold: int,
    official: Mapping[str, float],
) -> tuple[Preview, ...]:
    """Compute the effect of adding each item of ``proposed`` to those of ``graded``.

    Both are of one query and pool; ``board`` is the current one. A query without active
    items joins the measure with its first.
    """
    rule = board.settings.rule
    labels = graded_labels(graded, rule)  # NO_LABEL is below every rating
    passages = proposed.correct(threshold).sum(axis=1).tolist()
    reached = proposed.covered(threshold, measure.depth).sum(axis=1).tolist()
    complete = board.known == board.needed and bool(len(graded.pool.top))
    before = _CurrentBoard(board, systems, official)
    previews = []
    for at, question_id in enumerate(proposed.item_ids):
        missing = int((proposed.ratings[at] < 0).sum())
        if missing:
            previews.append(Preview(question_id, missing))
            continue
        after = graded.with_item(proposed, at)
        moved = graded_labels(after, rule) - labels
        rises, falls = (moved > SAME_LABEL).sum(), (moved < -SAME_LABEL).sum()
        preview = Preview(
            question_id, 0, passages[at], reached[at], int(rises), int(falls)
        )
        joins = not graded.item_ids and not measure.excludes(after)
        if measure.previewed and complete and (board.queries or joins):
            row = measure.row(after).score
            scores, queries = before.scores, board.queries
            if graded.item_ids:
                move = row - measure.row(graded).score
                move[np.abs(move) <= SAME_SCORE] = 0
                preview = replace(preview, influence=float(np.abs(move).mean()))
                scores = scores + move / queries
            elif joins:
                queries += 1
                scores = (scores * board.queries + row) / queries
            preview = before.add_changes(preview, scores, queries)
        previews.append(preview)
    return tuple(previews)
