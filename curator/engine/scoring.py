"""Boards, summed from the row of every query that counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from curator.bank.questions import Bank
from curator.engine.matrices import QueryMatrix
from curator.engine.state import State
from curator.errors import EvaluationError, UnknownNameError
from curator.evaluation.leaderboard import Leaderboard, ScoredQueries, leaderboard
from curator.evaluation.measures import Measure
from curator.evaluation.measures.measure import NO_GRADES, Grades, TextMeasure
from curator.evaluation.settings import Settings


def board(
    state: State,
    settings: Settings,
    bank: Bank | None = None,
    *,
    query_id: str | None = None,
    subtopic_id: str | None = None,
) -> Leaderboard:
    """The board of this bank (the workspace's own by default) under these settings."""
    bank = state.bank if bank is None else bank
    if subtopic_id is not None:
        return subtopic_board(state, settings, bank, query_id, subtopic_id)
    if bank is not state.bank:
        return board_of(state, settings, bank, query_id)
    return state.cached(
        ("board", settings, query_id), lambda: board_of(state, settings, bank, query_id)
    )


def board_of(
    state: State, settings: Settings, bank: Bank, query_id: str | None
) -> Leaderboard:
    """The board of this bank, summed anew from its queries' rows."""
    scored = scored_queries(state, settings, bank, query_id)
    if scored.rows or not scored.notes:  # else why there is no board is said
        scored = with_notes(state, settings, scored, query_id)
    return summed(state, settings, scored)


def subtopic_board(
    state: State,
    settings: Settings,
    bank: Bank,
    query_id: str | None,
    subtopic_id: str,
) -> Leaderboard:
    """The board on one subtopic's questions, over the queries that have them."""
    measure = state.measure(settings)
    if isinstance(measure, TextMeasure):
        measure.refuse()
    record = state.grader(settings.grader)
    graded = {
        q: state.graded(record, q, bank.of_query(q), subtopic_id=subtopic_id)
        for q in state.query_ids(query_id)
    }
    matrices = {q: QueryMatrix(one) for q, one in graded.items() if one.item_ids}
    if not matrices:
        raise UnknownNameError(
            f"No active question is in subtopic '{subtopic_id}'. "
            "`curator questions WORKSPACE` lists the subtopics."
        )
    scored = scored_matrices(settings, measure, matrices)
    if not measure.by_query:
        if not scored.rows:
            raise EvaluationError(scored.notes[0])
        scored = replace(scored, notes=())
    scored = replace(scored, grades=scored.grades.without_items, overall=None)
    return summed(state, settings, with_notes(state, settings, scored, query_id))


def summed(state: State, settings: Settings, scored: ScoredQueries) -> Leaderboard:
    """The board of these rows."""
    collection, measure = state.collection, state.measure(settings)
    return leaderboard(settings, measure, collection.systems, collection.pools, scored)


def scored_queries(
    state: State, settings: Settings, bank: Bank, query_id: str | None = None
) -> ScoredQueries:
    """Every query's row under these settings: what all boards are summed from."""
    measure = state.measure(settings)
    if isinstance(measure, TextMeasure):
        from curator.engine.ideals import text_rows

        return text_rows(state, measure, bank, query_id)
    matrices = state.matrices(settings.grader, bank, state.query_ids(query_id))
    scored = scored_matrices(settings, measure, matrices)
    if state.grader(settings.grader).spec.reading.item_kind == "query":
        return replace(scored, grades=scored.grades.without_items)  # it asks none
    return scored


def scored_matrices(
    settings: Settings, measure: Measure, matrices: Mapping[str, QueryMatrix]
) -> ScoredQueries:
    """The rows of those of these queries that count, with what they rest on."""
    no_board, note = measure.left_out(one.graded for one in matrices.values())
    if no_board:
        return ScoredQueries({}, notes=(note,))
    scored = {
        q: matrix.scored(settings, measure)
        for q, matrix in matrices.items()
        if not measure.leaves(matrix.graded)
    }
    total = map(sum, zip(*(one.grades for one in scored.values()), strict=True))
    grades = Grades(*total) if scored else NO_GRADES
    overall = [one.overall for one in scored.values() if one.overall is not None]
    rows, without = measure.over_queries({q: one.row for q, one in scored.items()})
    return ScoredQueries(
        rows,
        grades,
        overall=float(np.mean(overall)) if overall else None,
        notes=tuple(one for one in (note, without) if one),
    )


def with_notes(
    state: State, settings: Settings, scored: ScoredQueries, query_id: str | None
) -> ScoredQueries:
    """The same with sentences to stand beside it: what it does not rest on."""
    notes = list(scored.notes)
    collection, measure = state.collection, state.measure(settings)
    if not collection.systems:
        notes.append(
            "No runs imported: ranks appear after `curator import WORKSPACE --runs`."
        )
    texts = measure.rests_on == "texts"
    if not (scored.rows or scored.notes or texts):
        kind = state.grader(settings.grader).spec.reading.item_kind
        notes.append(
            f"Query '{query_id}' has no kept {kind}, so it leaves every measure."
            if query_id is not None
            else f"No kept {kind} in the bank, so there is nothing to score."
        )
    if measure.depth is None and collection.depth:
        notes.append(
            f"{settings.measure} looks at whole rankings, but the runs here are stored "
            f"to rank {collection.depth}; what lies below counts as empty."
        )
    elif measure.depth is not None and 0 < collection.depth < measure.depth:
        notes.append(
            f"{settings.measure} looks {measure.depth} deep, but the runs here are "
            f"stored to rank {collection.depth}; what lies below "
            f"{'is not compared' if texts else 'counts as empty'}."
        )
    if any(row.upper is None for row in scored.rows.values()):
        notes.append(
            f"{settings.measure} is provisional: grades are missing, and it has no "
            "bounds."
        )
    return replace(scored, notes=tuple(notes))
