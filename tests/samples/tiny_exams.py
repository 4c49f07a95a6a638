"""Queries small enough to score by hand, and random ones for laws."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import strategies as st

from curator.bank.edits import apply_edits
from curator.bank.questions import Bank, active
from curator.collection.pools import GAP, UNJUDGED, Pool
from curator.evaluation.correlation import kendall_tau_b
from curator.evaluation.grades import NO_LABEL, GradedQuery
from curator.evaluation.impact import Impact, changed_labels, impact_of, overtake_of
from curator.evaluation.influence import Preview
from curator.evaluation.leaderboard import Leaderboard, ScoredQueries, leaderboard
from curator.evaluation.measures import Measure, measure_for
from curator.evaluation.measures.measure import NO_GRADES, Grades, Row
from curator.evaluation.settings import Settings

DEPTH = 5  # of random rankings


def pool_of(
    rankings: Sequence[Sequence[int | None]],
    size: int,
    *,
    query_id: str = "q",
    judgments: Sequence[int | None] | None = None,
) -> Pool:
    """A pool p0, p1, …; each ranking lists positions, None where nothing stands."""
    depth = max((len(ranking) for ranking in rankings), default=0)
    top = np.full((len(rankings), depth), GAP, dtype=np.int32)
    for system, ranking in enumerate(rankings):
        for rank, position in enumerate(ranking):
            top[system, rank] = GAP if position is None else position
    judged = [UNJUDGED if j is None else j for j in judgments or [None] * size]
    return Pool(
        query_id,
        tuple(f"p{i}" for i in range(size)),
        top,
        np.array(judged, dtype=np.int16),
    )


def graded_on(
    ratings: Sequence[Sequence[int | None]],
    rankings: Sequence[Sequence[int | None]],
    *,
    size: int | None = None,
    query_id: str = "q",
    judgments: Sequence[int | None] | None = None,
    reading: str = "rated",
) -> GradedQuery:
    """Grades by item (rows) and passage (columns), None where unknown."""
    size = len(ratings[0]) if size is None else size
    matrix = np.array(
        [[-1 if r is None else r for r in row] for row in ratings], dtype=np.int8
    ).reshape(len(ratings), size)
    return GradedQuery(
        pool_of(rankings, size, query_id=query_id, judgments=judgments),
        tuple(f"{query_id}/{i}" for i in range(len(ratings))),
        matrix,
        reading,
    )


def measure_named(name: str, min_rating: int = 4, k: int = 20, label="max"):
    """The measure of this name under a rated grader."""
    return measure_for(Settings("tiny", name, min_rating, k, label=label), "rated")


def scores_of(graded: GradedQuery, name: str, min_rating: int = 4, k: int = 20):
    """Every system's score in one query, as a list."""
    return measure_named(name, min_rating, k).row(graded).score.tolist()


def without_item(graded: GradedQuery, item: int) -> GradedQuery:
    """The query's grades as if that item were not in the bank."""
    return GradedQuery(
        graded.pool,
        graded.item_ids[:item] + graded.item_ids[item + 1 :],
        np.delete(graded.ratings, item, axis=0),
        graded.reading,
    )


def scored(measure: Measure, graded: Sequence[GradedQuery]) -> ScoredQueries:
    """These queries' rows, with how many grades they rest on."""
    rows = {one.query_id: measure.row(one) for one in graded}
    grades = [measure.grades(one, rows[one.query_id]) for one in graded]
    return ScoredQueries(rows, Grades(*np.sum([NO_GRADES, *grades], axis=0).tolist()))


@dataclass(frozen=True)
class Exam:
    """Pools and grades by (query, text): what a board needs beside the bank."""

    pools: dict[str, Pool]
    grades: dict[tuple[str, str], list[int]]
    systems: tuple[str, ...]

    def graded(self, bank: Bank, query_id: str) -> GradedQuery:
        """The query's grades on the bank's active items, looked up by text."""
        pool = self.pools[query_id]
        items = active(bank.questions_of(query_id), "question")
        unknown = [-1] * pool.size
        rows = [self.grades.get((query_id, item.text), unknown) for item in items]
        return GradedQuery(
            pool,
            tuple(item.question_id for item in items),
            np.array(rows, dtype=np.int8).reshape(len(items), pool.size),
            "rated",
        )

    def rows(self, bank: Bank, settings: Settings) -> dict[str, Row]:
        """Rows of the queries that have an active item."""
        measure = measure_for(settings, "rated")
        graded = {q: self.graded(bank, q) for q in self.pools}
        return {q: measure.row(one) for q, one in graded.items() if one.item_ids}

    def board(self, bank: Bank, settings: Settings) -> Leaderboard:
        """The board of this bank."""
        measure = measure_for(settings, "rated")
        graded = [self.graded(bank, q) for q in self.pools]
        found = scored(measure, [one for one in graded if one.item_ids])
        return leaderboard(settings, measure, self.systems, self.pools, found)

    def impact(self, before: Bank, after: Bank, settings: Settings) -> Impact:
        """What differs between two banks."""
        labels = []
        for query_id in self.pools:
            old, new = self.graded(before, query_id), self.graded(after, query_id)
            labels += changed_labels(old, new, settings.rule)
        return impact_of(
            self.board(before, settings), self.board(after, settings), labels
        )

    def edited(self, bank: Bank, *edits) -> Bank:
        """The bank after these edits."""
        return apply_edits(bank, edits, judge="ann")[0]


def in_bytes(size: int) -> st.SearchStrategy[bytes]:
    """So many bytes to make something of.

    Hypothesis takes longer over a draw than a measure does over a query, and as long
    over many bytes as over one number. They shrink to zeros.
    """
    return st.binary(min_size=size, max_size=size)


def rankings(drawn: bytes, size: int) -> list[list[int | None]]:
    """Rankings of a pool with gaps, one for each ``DEPTH + 1`` bytes.

    The first byte says how long it is; no passage occurs twice in one.
    """
    made = []
    for start in range(0, len(drawn), DEPTH + 1):
        length, *places = drawn[start : start + DEPTH + 1]
        seen: set[int] = set()
        ranking: list[int | None] = []
        for byte in places[: length % (DEPTH + 1)]:
            place = byte // 2 % size
            is_gap = byte % 2 == 0 or place in seen
            ranking.append(None if is_gap else place)
            seen |= set() if is_gap else {place}
        made.append(ranking)
    return made


@st.composite
def graded_queries(
    draw,
    *,
    items: int = 4,
    passages: int = 4,
    systems: int | None = None,
    unknowns: int | None = None,
    query_id: str = "q",
):
    """A random query: 1 to ``items`` items, pools of 1 to ``passages``.

    ``unknowns`` caps how many grades are missing; None for any number.
    """
    size = draw(st.integers(1, passages))
    number = draw(st.integers(1, items))
    count = draw(st.integers(1, 4)) if systems is None else systems
    cells = number * size
    drawn = draw(in_bytes(1 + 2 * cells + count * (DEPTH + 1)))
    how_many, drawn = drawn[0], drawn[1:]
    ratings, marks, drawn = drawn[:cells], drawn[cells : 2 * cells], drawn[2 * cells :]
    flat = [byte % 6 for byte in ratings]
    most = cells if unknowns is None else min(unknowns, cells)
    for cell in sorted(range(cells), key=marks.__getitem__)[: how_many % (most + 1)]:
        flat[cell] = -1 - marks[cell] % 2  # never asked, unreadable
    matrix = [flat[i * size : (i + 1) * size] for i in range(number)]
    return graded_on(matrix, rankings(drawn, size), query_id=query_id)


def any_correct(graded, threshold):
    """(passages,): 1 where any item is correct, 0 where none is, NO_LABEL if unknown.

    Source: Farzi & Dietz 2024, equation 2, pair by pair.
    """
    labels = []
    for passage, ratings in enumerate(graded.ratings.T.tolist()):
        known = [rating for rating in ratings if rating >= 0]
        aside = not known or passage in graded.pool.uncounted
        labels.append(NO_LABEL if aside else int(max(known) >= threshold))
    return labels


def assert_says(one: Preview, impact: Impact, official=None) -> None:
    """What an edit would do to a board, said before anything changes, is its impact."""
    queries = impact.queries_before, impact.queries_after
    assert (one.queries_before, one.queries_after) == queries
    if not impact.queries_before:
        return  # nobody had a score or rank that could differ
    assert [(m.system, m.rank_before, m.rank_after) for m in one.movers] == [
        (m.system, m.rank_before, m.rank_after) for m in impact.movers
    ]
    for ours, theirs in zip(one.movers, impact.movers, strict=True):
        assert ours.score_before == pytest.approx(theirs.score_before, abs=1e-12)
        assert ours.score_after == pytest.approx(theirs.score_after, abs=1e-12)
    assert one.scores_changed == impact.scores_changed
    if not impact.queries_after:
        return
    for ours, side in ((one.tau_before, "before"), (one.tau_after, "after")):
        if official:
            scores = [getattr(m, f"score_{side}") for m in impact.moves]
            theirs = kendall_tau_b(scores, [-official[m.system] for m in impact.moves])
            assert ours == (None if theirs is None else pytest.approx(theirs))
    if not impact.movers:
        nearest = overtake_of(impact.moves)
        assert (one.nearest is None) == (nearest is None)
        if nearest is not None:
            assert one.nearest.gap == pytest.approx(nearest.gap, abs=1e-12)
