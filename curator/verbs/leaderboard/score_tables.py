"""``scores``: one score per system and query, or per system and subtopic."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from curator.bank.questions import Kind, active
from curator.engine.scored_queries import leaves, left_out, scored_queries
from curator.engine.scoring import notes, refuse_texts
from curator.engine.settings import Options, settings_from
from curator.engine.state import State
from curator.errors import EvaluationError, UnknownNameError
from curator.evaluation.measures.n_exam import NExam, over_gold
from curator.evaluation.measures.registry import Measure
from curator.evaluation.rows import Row
from curator.evaluation.score_matrix import unknown_system
from curator.evaluation.settings import Settings


@dataclass(frozen=True)
class ScoreTable:
    """Scores by (system, query or ``query/subtopic``), with the measure's name."""

    settings: Settings
    scores: Mapping[tuple[str, str], float]
    systems: tuple[str, ...]

    def of_system(self, system: str) -> ScoreTable:
        """The scores of one system. Raises UnknownNameError."""
        if system not in self.systems:
            raise UnknownNameError(unknown_system(system, self.systems))
        own = {at: score for at, score in self.scores.items() if at[0] == system}
        return ScoreTable(self.settings, own, (system,))


def scores(
    state: State,
    /,
    settings: Settings | None = None,
    *,
    by: str = "query",
    **options: Options,
) -> ScoreTable:
    """One score per system and query (or subtopic), as trec_eval -q prints."""
    settings = settings_from(state, options, settings)
    if by == "query":
        scored = scored_queries(state, settings, state.bank)
        rows = scored.rows
        if not rows or not state.collection.systems:
            measure = state.measure(settings)
            why = notes(state, settings, measure, rows, None)
            raise EvaluationError((*scored.notes, *why)[0])
    elif by == "subtopic":
        rows = subtopic_rows(state, settings, state.measure(settings))
    else:
        raise EvaluationError(f"Scores are by query or by subtopic, not by '{by}'.")
    return ScoreTable(
        settings,
        {
            (system, topic): float(row.score[i])
            for i, system in enumerate(state.collection.systems)
            for topic, row in rows.items()
        },
        state.collection.systems,
    )


def subtopic_rows(state: State, settings: Settings, measure: Measure) -> dict[str, Row]:
    """A row per ``query/subtopic`` with an active item."""
    refuse_texts(measure)
    record = state.grader(settings.grader)
    kind: Kind = "nugget" if record.spec.reading.item_kind == "nugget" else "question"
    rows = {}
    asked = []
    for query_id in state.query_ids():
        questions = state.bank.of_query(query_id)
        for subtopic_id in subtopics_of(q.subtopic_id for q in active(questions, kind)):
            graded = state.graded(record, query_id, questions, subtopic_id=subtopic_id)
            asked += [graded] if graded.item_ids else []
            if graded.item_ids and not leaves(measure, graded):
                rows[f"{query_id}/{subtopic_id}"] = measure.row(graded)
    if not asked:
        raise EvaluationError("No kept question of this bank belongs to a subtopic.")
    no_board, note = left_out(measure, asked)
    if no_board or not rows:
        raise EvaluationError(note)
    return over_gold(rows) if isinstance(measure, NExam) else rows


def subtopics_of(ids: Iterable[str | None]) -> list[str]:
    """The distinct subtopic ids, in order of appearance."""
    return [one for one in dict.fromkeys(ids) if one is not None]
