"""``questions``: the bank, with what each question reaches and moves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from curator.bank.questions import Question
from curator.engine.settings import Options, settings_from
from curator.engine.state import State
from curator.errors import EvaluationError
from curator.evaluation.grades import gold_apart
from curator.evaluation.influence import Influence, influences
from curator.evaluation.settings import Settings


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
    settings: Settings | None = None,
    *,
    query_id: str | None = None,
    **options: Options,
) -> tuple[QuestionLine, ...]:
    """The bank with each question's reach and influence, retired ones included.

    Where nothing is graded, or under a grader of another kind, there is no influence.
    """
    if settings is None and state.gradebook.records:
        settings = settings_from(state, options)
    return question_lines(state, settings, query_id=query_id)


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
    found: Mapping[str, Influence] = {}
    retired: Mapping[str, float] = {}
    if settings is not None and settings.grader:
        found = query_influences(state, settings, query_id)
        retired = retired_influences(state, settings, query_id)
    return tuple(
        QuestionLine(
            question,
            found.get(question.question_id),
            retired.get(question.question_id),
        )
        for question in state.bank.of_query(query_id)
    )


def query_influences(
    state: State, settings: Settings, query_id: str
) -> dict[str, Influence]:
    """Influence by question id of one query's active questions."""
    matrix = state.matrix(settings.grader, query_id, state.bank)
    if matrix.reading == "direct":
        return {}
    try:
        measured = influences(
            matrix,
            state.measure(settings),
            threshold=state.threshold(settings),
            min_relevance=state.collection.min_relevance,
        )
    except EvaluationError:  # a measure that means nothing for this grader
        return {}
    return {one.question_id: one for one in measured}


def retired_influences(
    state: State, settings: Settings, query_id: str
) -> dict[str, float]:
    """What a query's retired questions would move if they were kept, by id.

    Nothing under a measure of ``ir-measures``: it would be asked once a question.
    """
    record = state.grader(settings.grader)
    kind = record.spec.reading.item_kind
    retired = [
        question
        for question in state.bank.of_query(query_id)
        if question.state == "retired" and question.kind == kind
    ]
    measure = state.measure(settings)
    graded = state.matrix(settings.grader, query_id, state.bank)
    pool = graded.pool
    if (
        not (retired and graded.item_ids and len(pool.top) and pool.size)
        or measure.slow
        or measure.rests_on == "texts"
        or graded.reading == "direct"
    ):
        return {}
    here = measure.row(graded).score
    found = {}
    for one, ratings in zip(
        retired,
        gold_apart(state.gradebook.graded(record, pool, retired)).ratings,
        strict=True,
    ):
        if (ratings < 0).any():
            continue
        with_it = graded.with_item(one.question_id, ratings, one.votes)
        there = measure.row(with_it).score
        found[one.question_id] = float(np.abs(there - here).mean())
    return found
