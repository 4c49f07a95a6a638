"""``leaderboard`` and ``scores``: every system's score, over queries and in each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from curator.bank.questions import Kind, active
from curator.engine import scoring
from curator.engine.settings import Options, settings_from
from curator.engine.state import State
from curator.errors import EvaluationError
from curator.evaluation.comparison import require_system
from curator.evaluation.leaderboard import Leaderboard, ScoredQueries
from curator.evaluation.measures.rouge import Rouge
from curator.evaluation.settings import Settings


def leaderboard(
    state: State,
    /,
    settings: Settings | None = None,
    *,
    query_id: str | None = None,
    subtopic_id: str | None = None,
    **options: Options,
) -> Leaderboard:
    """The board under these settings, or under ``settings(**options)``.

    Over one query only, or over one subtopic's questions, where asked.
    """
    chosen = settings_from(state, options, settings)
    return scoring.board(state, chosen, query_id=query_id, subtopic_id=subtopic_id)


@dataclass(frozen=True)
class ScoreTable:
    """Scores by (system, query or ``query/subtopic``), with the measure's name."""

    settings: Settings
    scores: Mapping[tuple[str, str], float]
    systems: tuple[str, ...]

    def of_system(self, system: str) -> ScoreTable:
        """The scores of one system. Raises UnknownNameError."""
        require_system(system, self.systems)
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
        scored = scoring.scored_queries(state, settings, state.bank)
        if not scored.rows or not state.collection.systems:
            raise EvaluationError(scoring.notes(state, settings, scored, None)[0])
    elif by == "subtopic":
        scored = scored_subtopics(state, settings)
    else:
        raise EvaluationError(f"Scores are by query or by subtopic, not by '{by}'.")
    return ScoreTable(
        settings,
        {
            (system, topic): float(row.score[i])
            for i, system in enumerate(state.collection.systems)
            for topic, row in scored.rows.items()
        },
        state.collection.systems,
    )


def scored_subtopics(state: State, settings: Settings) -> ScoredQueries:
    """A row per ``query/subtopic`` with an active item."""
    measure = state.measure(settings)
    if isinstance(measure, Rouge):
        measure.refuse()
    record = state.grader(settings.grader)
    kind: Kind = "nugget" if record.spec.reading.item_kind == "nugget" else "question"
    asked = dict.fromkeys(
        (query_id, one.subtopic_id)
        for query_id in state.query_ids()
        for one in active(state.bank.of_query(query_id), kind)
    )
    graded = {
        f"{q}/{s}": state.graded(record, q, state.bank.of_query(q), subtopic_id=s)
        for q, s in asked
        if s is not None
    }
    graded = {topic: one for topic, one in graded.items() if one.item_ids}
    if not graded:
        raise EvaluationError("No kept question of this bank belongs to a subtopic.")
    scored = scoring.scored_by(measure, graded)
    if not scored.rows:
        raise EvaluationError(scored.notes[0])
    return scored
