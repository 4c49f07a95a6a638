"""``leave_out``: the board without the questions that only one system raised.

A question generated from a passage favours systems that retrieve the passage. Like the
leave-one-run-out test of pooled judgments, this leaves out a system's own questions.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np

from curator.bank.edits import Retire, apply_edits
from curator.bank.questions import Question
from curator.errors import UnknownNameError
from curator.evaluation.impact import Impact, SystemMove
from curator.results import Result, Rows
from curator.snapshot.settings import BoardChoice, OptionValue, settings_from
from curator.snapshot.snapshot import Snapshot, cached_in_snapshot
from curator.verbs.curate.impact import compare_banks


@dataclass(frozen=True)
class LeaveOneOut(Result[SystemMove], table="curate.left_out_table"):
    """The change without the questions generated from one system's passages alone.

    ``questions`` are these, ``impact`` is that of retiring them all. ``depth`` is the
    number of ranks that count, as in the measure; None for all.
    """

    system: str
    depth: int | None
    questions: tuple[Question, ...]
    impact: Impact

    @property
    def rank(self) -> tuple[int | None, int | None]:
        """The system's rank with these questions, and without."""
        for move in self.impact.moves:
            if move.system == self.system:
                return move.rank_before, move.rank_after
        return None, None


def leave_out(
    snapshot: Snapshot,
    /,
    system: str,
    settings: BoardChoice | None = None,
    **options: OptionValue,
) -> LeaveOneOut:
    """Compute the board without the kept questions from this system's passages alone.

    A question belongs to the passage it was generated from; the passage is a system's
    own if no other system ranks it within the measure's depth. Raises UnknownNameError,
    and EvaluationError where the result would reveal hidden votes to a judge.
    """
    chosen = settings_from(snapshot, options, settings)
    if system not in snapshot.collection.systems:
        raise UnknownNameError(
            f"No system '{system}' here. Available: "
            f"{', '.join(snapshot.collection.systems) or 'none'}."
        )

    def compute() -> LeaveOneOut:
        depth = snapshot.measure(chosen).depth
        owned = _single_system_questions(snapshot, depth)
        questions = tuple(question for question, owner in owned if owner == system)
        retired = [Retire(question.question_id) for question in questions]
        after, _ = apply_edits(snapshot.bank, retired, judge="")
        impact = compare_banks(snapshot, snapshot.bank, after, chosen, noise=False)
        return LeaveOneOut(system, depth, questions, impact)

    left_out = snapshot.cached(("leave out", system, chosen), compute)
    ids = (question.question_id for question in left_out.questions)
    snapshot.viewer.refuse_hidden_effects(ids, chosen.measure)
    return left_out


def leave_out_each(
    snapshot: Snapshot, /, settings: BoardChoice | None = None, **options: OptionValue
) -> Rows[LeaveOneOut]:
    """Run ``leave_out`` for every system with a question only it raised.

    Under measures that use votes, a judge sees only systems on whose questions they
    voted.
    """
    settings = settings_from(snapshot, options, settings)
    depth = snapshot.measure(settings).depth
    owned = _single_system_questions(snapshot, depth)
    hidden = {
        owner
        for question, owner in owned
        if not snapshot.viewer.shows_effect(question.question_id, settings.measure)
    }
    owners = {owner for _, owner in owned} - hidden
    systems = filter(owners.__contains__, snapshot.collection.systems)
    results = (leave_out(snapshot, system, settings) for system in systems)
    return Rows(results, "curate.own_question_table")


def grounded_questions(snapshot: Snapshot) -> int:
    return len(_grounded(snapshot))


@cached_in_snapshot
def _single_system_questions(
    snapshot: Snapshot, depth: int | None
) -> list[tuple[Question, str]]:
    """Kept questions from one system's passages alone, with that system."""
    owned = []
    for question, passage_id in _grounded(snapshot):
        pool = snapshot.collection.pools[question.query_id]
        if passage_id not in pool.passage_ids:
            continue
        ranked = pool.top_k(depth) == pool.passage_ids.index(passage_id)
        systems = np.flatnonzero(ranked.any(axis=1))
        if len(systems) == 1:
            owned.append((question, snapshot.collection.systems[systems[0]]))
    return owned


def _grounded(snapshot: Snapshot) -> list[tuple[Question, str]]:
    """Kept questions that were generated from a passage, with its id."""
    grounded = []
    for question in snapshot.bank:
        if question.state == "kept" and '"passage"' in question.provenance:
            passage_id = json.loads(question.provenance).get("passage")
            if isinstance(passage_id, str):
                grounded.append((question, passage_id))
    return grounded
