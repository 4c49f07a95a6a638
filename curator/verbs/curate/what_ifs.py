"""``what_ifs``: what retiring each question of a query would do, before anyone does."""

from __future__ import annotations

import numpy as np

from curator.engine.scoring import board
from curator.engine.state import State
from curator.evaluation.settings import Settings
from curator.evaluation.what_ifs import WhatIf
from curator.evaluation.what_ifs import what_ifs as evaluated

__all__ = ["WhatIf", "what_ifs"]


def what_ifs(state: State, query_id: str, settings: Settings) -> tuple[WhatIf, ...]:
    """What retiring each kept question of the query would do; changes nothing.

    Equal to the impact of each retirement (tested), and computed once for a state of
    the workspace. Empty under a grader of queries, which asks no questions.
    """
    key = ("what_ifs", settings, query_id)
    found = state.cached(key, lambda: computed(state, query_id, settings))
    if not state.viewer.is_judge:
        return found
    weigh = state.viewer.may_weigh
    return tuple(one for one in found if weigh(one.question_id, settings.measure))


def computed(state: State, query_id: str, settings: Settings) -> tuple[WhatIf, ...]:
    """``what_ifs``, computed anew."""
    state.query_ids(query_id)  # refuses an unknown query
    if not settings.grader:
        return ()
    sheet = state.matrix(settings.grader, query_id, state.bank)
    graded = sheet.graded
    if not graded.item_ids or graded.reading == "direct":
        return ()
    measure = state.measure(settings)
    said = measure.previewed
    return evaluated(
        graded,
        board(state, settings),
        state.collection.systems,
        row=sheet.scored(settings, measure).row.score if said else np.zeros(0),
        without_each=measure.without_each(graded) if said else None,
        official=state.collection.official,
    )
