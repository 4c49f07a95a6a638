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
from curator.engine.settings import Chosen, Options, settings_from
from curator.engine.state import State
from curator.errors import UnknownNameError
from curator.evaluation.impact import Impact, Move
from curator.results import Result, Rows
from curator.verbs.curate.impact import between


@dataclass(frozen=True)
class LeftOut(Result[Move], table="curate.left_out_table"):
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


def leave_out(
    state: State, /, system: str, settings: Chosen | None = None, **options: Options
) -> LeftOut:
    """The board without the kept questions that rest on this system's passages alone.

    A question rests on a passage if it was proposed from it; the passage is a system's
    alone if nobody else ranks it where the measure looks. Raises UnknownNameError, and
    EvaluationError where that would tell a judge votes that are hidden.
    """
    chosen = settings_from(state, options, settings)
    if system not in state.collection.systems:
        raise UnknownNameError(
            f"No system '{system}' here. There are: "
            f"{', '.join(state.collection.systems) or 'none'}."
        )

    def without() -> LeftOut:
        depth = state.measure(chosen).depth
        questions = tuple(q for q, owner in _owned(state, depth) if owner == system)
        retired = [Retire(question.question_id) for question in questions]
        after, _ = apply_edits(state.bank, retired, judge="")
        impact = between(state, state.bank, after, chosen, noise=False)
        return LeftOut(system, depth, questions, impact)

    found = state.cached(("leave out", system, chosen), without)
    ids = (question.question_id for question in found.questions)
    state.viewer.refuse_weighing(ids, chosen.measure)
    return found


def leave_out_each(
    state: State, /, settings: Chosen | None = None, **options: Options
) -> Rows[LeftOut]:
    """The same for every system that has questions of its own, in their order.

    Under measures of votes a judge sees those alone whose questions they voted on.
    """
    settings = settings_from(state, options, settings)
    depth = state.measure(settings).depth
    may, owned = state.viewer.may_weigh, _owned(state, depth)
    having = {system for _, system in owned}
    having -= {s for q, s in owned if not may(q.question_id, settings.measure)}
    systems = (system for system in state.collection.systems if system in having)
    found = (leave_out(state, system, settings) for system in systems)
    return Rows(found, "curate.own_question_table")


def grounded_questions(state: State) -> int:
    """How many kept questions were proposed from a passage."""
    return len(_grounded(state))


def _owned(state: State, depth: int | None) -> list[tuple[Question, str]]:
    """Kept questions that rest on one system's passages alone, with that system."""

    def found() -> list[tuple[Question, str]]:
        owned = []
        for question, passage_id in _grounded(state):
            pool = state.collection.pools[question.query_id]
            if passage_id not in pool.passage_ids:
                continue
            having = pool.top_k(depth) == pool.passage_ids.index(passage_id)
            systems = np.flatnonzero(having.any(axis=1))
            if len(systems) == 1:
                owned.append((question, state.collection.systems[systems[0]]))
        return owned

    return state.cached(("owned", depth), found)


def _grounded(state: State) -> list[tuple[Question, str]]:
    """Kept questions that were proposed from a passage, with its id."""
    found = []
    for question in state.bank:
        if question.state == "kept" and '"passage"' in question.provenance:
            passage_id = json.loads(question.provenance).get("passage")
            if isinstance(passage_id, str):
                found.append((question, passage_id))
    return found
