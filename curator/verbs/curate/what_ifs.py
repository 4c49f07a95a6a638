"""``what_ifs`` and ``if_kept``: what each retirement or keeping of a query would do."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from curator.engine.scoring import board
from curator.engine.state import State
from curator.evaluation import influence
from curator.evaluation.grades import gold_apart
from curator.evaluation.influence import IfKept, WhatIf
from curator.evaluation.settings import Settings

__all__ = ["IfKept", "Proposed", "WhatIf", "if_kept", "what_ifs"]


def what_ifs(state: State, query_id: str, settings: Settings) -> tuple[WhatIf, ...]:
    """What retiring each kept question of the query would do; changes nothing.

    Equal to the impact of each retirement (tested), and computed once for a state of
    the workspace. Empty under a grader of queries, which asks no questions.
    """
    key = ("what_ifs", settings, query_id)
    found = state.cached(key, lambda: _what_ifs(state, query_id, settings))
    if not state.viewer.is_judge:
        return found
    weigh = state.viewer.may_weigh
    return tuple(one for one in found if weigh(one.question_id, settings.measure))


def _what_ifs(state: State, query_id: str, settings: Settings) -> tuple[WhatIf, ...]:
    state.query_ids(query_id)  # refuses an unknown query
    if not settings.grader:
        return ()
    graded = state.matrix(settings.grader, query_id, state.bank)
    if not graded.item_ids or graded.reading == "direct":
        return ()
    measure = state.measure(settings)
    moves = measure.previewed
    return influence.what_ifs(
        graded,
        board(state, settings),
        state.collection.systems,
        row=measure.scored(graded).row.score if moves else np.zeros(0),
        without_each=measure.without_each(graded) if moves else None,
        official=state.collection.official,
    )


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

    def computed() -> Proposed:
        state.query_ids(query_id)  # refuses an unknown query
        if not settings.grader:
            return Proposed(settings, ())
        found = _under(state, query_id, settings)
        for record in state.gradebook.records if _missing(found) else ():
            if record.spec.computed and record.name != settings.grader:
                instead = _under(state, query_id, replace(settings, grader=record.name))
                if not _missing(instead):
                    return instead
        return found

    return state.cached(("if_kept", settings, query_id), computed)


def _missing(found: Proposed) -> bool:
    return any(one.missing for one in found.proposals)


def _under(state: State, query_id: str, settings: Settings) -> Proposed:
    record = state.grader(settings.grader)
    kind = record.spec.reading.item_kind
    graded = state.matrix(settings.grader, query_id, state.bank)
    proposed = [
        question
        for question in state.bank.of_query(query_id)
        if question.state == "proposed" and question.kind == kind
    ]
    if not proposed or graded.reading == "direct" or not graded.pool.size:
        return Proposed(settings, ())
    return Proposed(
        settings,
        influence.if_kept(
            graded,
            gold_apart(state.gradebook.graded(record, graded.pool, proposed)),
            board(state, settings),
            state.collection.systems,
            state.measure(settings),
            threshold=state.threshold(settings),
            official=state.collection.official,
        ),
    )
