"""``questions``: the bank, with what each question reaches and moves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from curator.bank.questions import Question
from curator.engine.state import Boards
from curator.errors import EvaluationError
from curator.evaluation.grades import gold_apart
from curator.evaluation.influence import Influence, influences
from curator.evaluation.measures.any_measure import AnyMeasure
from curator.evaluation.measures.registry import rests_on_grades
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


def question_lines(
    boards: Boards, settings: Settings | None, *, query_id: str | None = None
) -> tuple[QuestionLine, ...]:
    """Every question of the bank (of one query), retired ones included, in order.

    Without settings, or under a grader of another kind, there is no influence.
    """
    return tuple(
        line
        for one in boards.query_ids(query_id)
        for line in boards.once(
            ("lines", settings, one), partial(query_lines, boards, settings, one)
        )
    )


def query_lines(
    boards: Boards, settings: Settings | None, query_id: str
) -> tuple[QuestionLine, ...]:
    """One query's questions, as in ``question_lines``."""
    found: Mapping[str, Influence] = {}
    retired: Mapping[str, float] = {}
    if settings is not None and settings.grader:
        found = query_influences(boards, settings, query_id)
        retired = retired_influences(boards, settings, query_id)
    return tuple(
        QuestionLine(
            question,
            found.get(question.question_id),
            retired.get(question.question_id),
        )
        for question in boards.bank.of_query(query_id)
    )


def query_influences(
    boards: Boards, settings: Settings, query_id: str
) -> dict[str, Influence]:
    """Influence by question id of one query's active questions."""
    sheet = boards.sheet(settings.grader, query_id, boards.bank)
    if sheet.graded.reading == "direct":
        return {}
    try:
        measured = influences(
            sheet.graded,
            boards.measure(settings),
            threshold=boards.threshold(settings),
            min_relevance=boards.collection.min_relevance,
        )
    except EvaluationError:  # a measure that means nothing for this grader
        return {}
    return {one.question_id: one for one in measured}


def retired_influences(
    boards: Boards, settings: Settings, query_id: str
) -> dict[str, float]:
    """What a query's retired questions would move if they were kept, by id.

    Nothing under a measure of ``ir-measures``: it would be asked once a question.
    """
    record = boards.grader(settings.grader)
    kind = record.spec.reading.item_kind
    retired = [
        question
        for question in boards.bank.of_query(query_id)
        if question.state == "retired" and question.kind == kind
    ]
    measure = boards.measure(settings)
    graded = boards.sheet(settings.grader, query_id, boards.bank).graded
    pool = graded.pool
    if (
        not (retired and graded.item_ids and len(pool.top) and pool.size)
        or isinstance(measure, AnyMeasure)
        or not rests_on_grades(measure)
        or graded.reading == "direct"
    ):
        return {}
    here = measure.row(graded).score
    found = {}
    for one, ratings in zip(
        retired,
        gold_apart(boards.gradebook.graded(record, pool, retired)).ratings,
        strict=True,
    ):
        if (ratings < 0).any():
            continue
        with_it = replace(
            graded,
            item_ids=(*graded.item_ids, one.question_id),
            ratings=np.vstack([graded.ratings, ratings]),
            votes=(*graded.votes, one.votes),
        )
        there = measure.row(with_it).score
        found[one.question_id] = float(np.abs(there - here).mean())
    return found
