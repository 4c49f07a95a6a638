"""Boards, summed from per-query rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from curator.bank.questions import Bank
from curator.engine.scored_queries import leaves, left_out, scored_queries
from curator.engine.state import State
from curator.errors import UnknownNameError
from curator.evaluation.leaderboard import Leaderboard, leaderboard
from curator.evaluation.measures.n_exam import ExamRow, NExam, over_gold
from curator.evaluation.measures.registry import Measure
from curator.evaluation.measures.rouge.measure import Rouge
from curator.evaluation.rows import Row
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
    key = (settings, query_id)
    if key not in state.leaderboards:
        state.leaderboards[key] = board_of(state, settings, bank, query_id)
    return state.leaderboards[key]


def board_of(
    state: State, settings: Settings, bank: Bank, query_id: str | None
) -> Leaderboard:
    """The board of this bank, summed anew from its queries' rows."""
    measure = state.measure(settings)
    scored = scored_queries(state, settings, bank, query_id)
    pools = state.collection.pools
    sentences = notes(state, settings, measure, scored.rows, query_id)
    if scored.notes and not scored.rows:
        sentences = ()  # why there is no board is said; nothing else matters then
    summed = leaderboard(
        settings,
        state.collection.systems,
        scored.rows,
        {q: pools[q] for q in scored.rows},
        needed=scored.needed,
        known=scored.known,
        depth=measure.depth,
        notes=(*scored.notes, *sentences),
        overall=scored.overall,
        starred=isinstance(measure, NExam),
    )
    return replace(
        summed, questions=scored.questions, questions_graded=scored.questions_graded
    )


def subtopic_board(
    state: State,
    settings: Settings,
    bank: Bank,
    query_id: str | None,
    subtopic_id: str,
) -> Leaderboard:
    """The board on one subtopic's questions, over the queries that have them."""
    measure = state.measure(settings)
    refuse_texts(measure)
    record = state.grader(settings.grader)
    graded = {
        q: state.graded(record, q, bank.of_query(q), subtopic_id=subtopic_id)
        for q in state.query_ids(query_id)
    }
    graded = {q: one for q, one in graded.items() if one.item_ids}
    if not graded:
        raise UnknownNameError(
            f"No active question is in subtopic '{subtopic_id}'. "
            "`curator questions WORKSPACE` lists the subtopics."
        )
    no_board, note = left_out(measure, graded.values())
    graded = {
        q: one for q, one in graded.items() if not no_board and not leaves(measure, one)
    }
    rows = {q: measure.row(one) for q, one in graded.items()}
    grades = [(one.needed, one.known) for one in graded.values()]
    if isinstance(measure, NExam):
        exams = [row for row in rows.values() if isinstance(row, ExamRow)]
        rows, grades = over_gold(rows), [(row.needed, row.known) for row in exams]
    return leaderboard(
        settings,
        state.collection.systems,
        rows,
        state.collection.pools,
        needed=sum(needed for needed, _ in grades),
        known=sum(known for _, known in grades),
        depth=measure.depth,
        notes=(
            *([note] if note else []),
            *notes(state, settings, measure, rows, query_id),
        ),
        starred=isinstance(measure, NExam),
    )


def notes(
    state: State,
    settings: Settings,
    measure: Measure,
    rows: Mapping[str, Row],
    query_id: str | None,
) -> tuple[str, ...]:
    """Sentences to stand beside the board: what it does not rest on."""
    said = []
    collection = state.collection
    if not collection.systems:
        said.append(
            "No runs imported: ranks appear after `curator import WORKSPACE --runs`."
        )
    by_texts = isinstance(measure, Rouge)  # which says for itself whom it leaves out
    if not (rows or by_texts or hasattr(measure, "left_out")) and not isinstance(
        measure, NExam
    ):
        kind = state.grader(settings.grader).spec.reading.item_kind
        said.append(
            f"Query '{query_id}' has no kept {kind}, so it leaves every measure."
            if query_id is not None
            else f"No kept {kind} in the bank, so there is nothing to score."
        )
    if measure.depth is None and collection.depth:
        said.append(
            f"{settings.measure} looks at whole rankings, but the runs here are stored "
            f"to rank {collection.depth}; what lies below counts as empty."
        )
    elif measure.depth is not None and 0 < collection.depth < measure.depth:
        said.append(
            f"{settings.measure} looks {measure.depth} deep, but the runs here are "
            f"stored to rank {collection.depth}; what lies below "
            f"{'is not compared' if by_texts else 'counts as empty'}."
        )
    if any(row.upper is None for row in rows.values()):
        said.append(
            f"{settings.measure} is provisional: grades are missing, and it has no "
            "bounds."
        )
    return tuple(said)


def refuse_texts(measure: Measure) -> None:
    """Raise EvaluationError for ROUGE: texts stand in no subtopic."""
    if isinstance(measure, Rouge):
        measure.refuse()
