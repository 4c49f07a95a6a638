"""``questions``: the bank, with what each question reaches and moves."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from curator.bank.questions import Question, asked
from curator.engine.settings import Chosen, Options, settings_from
from curator.engine.state import State
from curator.errors import EvaluationError
from curator.evaluation.grades import GradedQuery, as_counted
from curator.evaluation.influence import Influence, influences
from curator.evaluation.settings import Settings
from curator.results import Rows


@dataclass(frozen=True)
class QuestionLine:
    """A question with its reach and influence; None where it is not active.

    ``was`` is the influence a retired question would have if it were kept: the mean
    over systems of |change of the measure in this query|. None where one of its grades
    is not known, or no question of the query is kept.
    """

    question: Question
    influence: Influence | None
    was: float | None = None


def questions(
    state: State,
    /,
    settings: Chosen | None = None,
    *,
    query_id: str | None = None,
    **options: Options,
) -> Rows[QuestionLine]:
    """The bank with each question's reach and influence, retired ones included.

    Where nothing is graded, or under a grader of another kind, there is no influence.
    """
    chosen = None
    if settings is not None or state.gradebook.records:
        chosen = settings_from(state, options, settings)
    found = question_lines(state, chosen, query_id=query_id)
    return Rows(found, "curate.question_table")


def question_lines(
    state: State, settings: Settings | None, *, query_id: str | None = None
) -> tuple[QuestionLine, ...]:
    """Every question of the bank (of one query) as it may be shown, in order."""
    return tuple(
        _seen(state, line, settings)
        for one in state.query_ids(query_id)
        for line in state.cached(
            ("lines", settings, one), partial(query_lines, state, settings, one)
        )
    )


def _seen(state: State, line: QuestionLine, settings: Settings | None) -> QuestionLine:
    """The line without votes that are hidden, nor what they move."""
    question = state.viewer.question(line.question)
    measure = settings.measure if settings else ""
    if not state.viewer.may_weigh(question.question_id, measure):
        influence = line.influence and replace(line.influence, influence=None)
        return QuestionLine(question, influence)
    return line if question is line.question else replace(line, question=question)


def query_lines(
    state: State, settings: Settings | None, query_id: str
) -> tuple[QuestionLine, ...]:
    """One query's questions, as in ``question_lines``."""
    found: dict[str, Influence] = {}
    retired: dict[str, float] = {}
    graded = None
    if settings is not None and settings.grader:
        graded = state.matrix(settings.grader, query_id, state.bank)
    if settings is not None and graded is not None and graded.reading != "direct":
        # A measure may mean nothing for this grader.
        with suppress(EvaluationError):
            measured = influences(
                graded,
                state.measure(settings),
                threshold=state.threshold(settings),
                min_relevance=state.collection.min_relevance,
            )
            found = {one.question_id: one for one in measured}
        retired = retired_influences(state, settings, graded)
    return tuple(
        QuestionLine(one, found.get(one.question_id), retired.get(one.question_id))
        for one in state.bank.of_query(query_id)
    )


def retired_influences(
    state: State, settings: Settings, graded: GradedQuery
) -> dict[str, float]:
    """What a query's retired questions would move if they were kept, by id.

    Nothing under a measure of ``ir-measures``: it would be asked once a question.
    """
    pool, measure = graded.pool, state.measure(settings)
    record = state.grader(settings.grader)
    questions = state.bank.of_query(pool.query_id)
    retired = asked("retired", questions, record.spec.reading.item_kind)
    ranked = graded.item_ids and len(pool.top) and pool.size
    if not (retired and ranked) or measure.slow or measure.rests_on == "texts":
        return {}
    here = measure.row(graded).score
    rated = as_counted(state.gradebook.graded(record, pool, retired))
    shares, found = rated.probabilities, {}
    for at, one in enumerate(retired):
        ratings, share = rated.ratings[at], None if shares is None else shares[at]
        if (ratings >= 0).all():
            with_it = graded.with_item(one.question_id, ratings, one.votes, share)
            there = measure.row(with_it)
            found[one.question_id] = float(np.abs(there.score - here).mean())
    return found
