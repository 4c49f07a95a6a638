"""``leave_out``: the board without the questions that only one system raised.

A question that was asked for because of a passage favours whoever retrieved it. As
runs are left out of a pool to see whether they could have been judged without having
been in it, a system's own questions are left out here.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np

from curator.bank.edits import Retire, apply_edits
from curator.bank.questions import Question
from curator.collection.pools import Pool
from curator.engine.state import State
from curator.errors import UnknownNameError
from curator.evaluation.impact import Impact
from curator.evaluation.settings import Settings
from curator.verbs.curate.impact import between


@dataclass(frozen=True)
class LeftOut:
    """What changes without the questions that rest on one system's passages alone.

    ``questions`` are these, ``impact`` is that of retiring them all. ``depth`` is how
    many ranks count, those that the measure looks at; None for all.
    """

    system: str
    depth: int | None
    questions: tuple[Question, ...]
    impact: Impact

    @property
    def rank(self) -> tuple[int | None, int | None]:
        """The system's own rank with these questions, and without."""
        for move in self.impact.moves:
            if move.system == self.system:
                return move.rank_before, move.rank_after
        return None, None


def leave_out(state: State, system: str, settings: Settings) -> LeftOut:
    """The board without the kept questions that rest on this system's passages alone.

    A question rests on a passage if it was proposed from it; the passage is a system's
    alone if nobody else ranks it where the measure looks. Raises UnknownNameError.
    """
    if system not in state.collection.systems:
        raise UnknownNameError(
            f"No system '{system}' here. There are: "
            f"{', '.join(state.collection.systems) or 'none'}."
        )
    return state.cached(
        ("leave out", system, settings), lambda: _without(state, system, settings)
    )


def leave_out_each(state: State, settings: Settings) -> tuple[LeftOut, ...]:
    """The same for every system that has questions of its own, in their order."""
    depth = state.measure(settings).depth
    having = {system for _, system in _owned(state, depth)}
    return tuple(
        leave_out(state, system, settings)
        for system in state.collection.systems
        if system in having
    )


def grounded_questions(state: State) -> int:
    """How many kept questions were proposed from a passage."""
    return len(_grounded(state))


def _without(state: State, system: str, settings: Settings) -> LeftOut:
    depth = state.measure(settings).depth
    questions = tuple(q for q, owner in _owned(state, depth) if owner == system)
    retired = [Retire(question.question_id) for question in questions]
    after, _ = apply_edits(state.bank, retired, judge="")
    impact = between(state, state.bank, after, settings, noise=False)
    return LeftOut(system, depth, questions, impact)


def _owned(state: State, depth: int | None) -> list[tuple[Question, str]]:
    """Kept questions that rest on one system's passages alone, with that system."""
    return state.cached(("owned", depth), lambda: _found_owned(state, depth))


def _found_owned(state: State, depth: int | None) -> list[tuple[Question, str]]:
    found = []
    for question, passage_id in _grounded(state):
        pool = state.collection.pools[question.query_id]
        ranked = _ranked_by(pool, passage_id, depth)
        if len(ranked) == 1:
            found.append((question, state.collection.systems[ranked[0]]))
    return found


def _grounded(state: State) -> list[tuple[Question, str]]:
    """Kept questions that were proposed from a passage, with its id."""
    found = []
    for question in state.bank:
        if question.state != "kept" or '"passage"' not in question.provenance:
            continue
        passage_id = json.loads(question.provenance).get("passage")
        if isinstance(passage_id, str):
            found.append((question, passage_id))
    return found


def _ranked_by(pool: Pool, passage_id: str, depth: int | None) -> list[int]:
    """The numbers of the systems that have the passage within these ranks."""
    if passage_id not in pool.passage_ids:
        return []
    position = pool.passage_ids.index(passage_id)
    return np.flatnonzero((pool.top_k(depth) == position).any(axis=1)).tolist()
