"""``if_kept``: what keeping each proposed question of a query would do."""

from __future__ import annotations

from dataclasses import dataclass, replace

from curator.engine.gradebook import GraderRecord
from curator.engine.scoring import board
from curator.engine.state import State
from curator.evaluation.grades import gold_apart
from curator.evaluation.if_kept import IfKept
from curator.evaluation.if_kept import if_kept as evaluated
from curator.evaluation.settings import Settings

__all__ = ["IfKept", "Proposed", "if_kept"]


@dataclass(frozen=True)
class Proposed:
    """What keeping each proposal of a query would do, under these settings."""

    settings: Settings
    proposals: tuple[IfKept, ...]


def if_kept(state: State, query_id: str, settings: Settings) -> Proposed:
    """What keeping each proposal would do, under the grader that knows it.

    A grader that has not seen the proposals is replaced by one of vectors that has
    graded all of them, and what is said is then of that one's own board. Computed once
    for a state of the workspace.
    """
    key = ("if_kept", settings, query_id)
    return state.cached(key, lambda: computed(state, query_id, settings))


def computed(state: State, query_id: str, settings: Settings) -> Proposed:
    """``if_kept``, computed anew."""
    state.query_ids(query_id)  # refuses an unknown query
    if not settings.grader:
        return Proposed(settings, ())
    found = _under(state, query_id, settings)
    if any(one.missing for one in found.proposals):
        for record in state.gradebook.records:
            if record.spec.computed and record.name != settings.grader:
                instead = _under(state, query_id, _with_grader(settings, record))
                if not any(one.missing for one in instead.proposals):
                    return instead
    return found


def _with_grader(settings: Settings, record: GraderRecord) -> Settings:
    return replace(settings, grader=record.name)


def _under(state: State, query_id: str, settings: Settings) -> Proposed:
    record = state.grader(settings.grader)
    kind = record.spec.reading.item_kind
    graded = state.matrix(settings.grader, query_id, state.bank).graded
    proposed = [
        question
        for question in state.bank.of_query(query_id)
        if question.state == "proposed" and question.kind == kind
    ]
    if not proposed or graded.reading == "direct" or not graded.pool.size:
        return Proposed(settings, ())
    measure = state.measure(settings)
    return Proposed(
        settings,
        evaluated(
            graded,
            gold_apart(state.gradebook.graded(record, graded.pool, proposed)),
            board(state, settings),
            state.collection.systems,
            measure,
            threshold=state.threshold(settings),
            official=state.collection.official,
            scored=measure.previewed,
        ),
    )
