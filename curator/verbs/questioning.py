"""``questions``: the bank, with what each question reaches and moves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from curator.bank.questions import Question
from curator.boards import Boards
from curator.errors import EvaluationError
from curator.evaluation.influence import Influence, influences
from curator.evaluation.settings import Settings


@dataclass(frozen=True)
class QuestionLine:
    """A question with its reach and influence; None where it is not active."""

    question: Question
    influence: Influence | None


def question_lines(
    boards: Boards, settings: Settings | None, *, query_id: str | None = None
) -> tuple[QuestionLine, ...]:
    """Every question of the bank (of one query), retired ones included, in order.

    Without settings, or under a grader of another kind, there is no influence.
    """
    lines: list[QuestionLine] = []
    for one in boards.query_ids(query_id):
        found: Mapping[str, Influence] = {}
        if settings is not None:
            found = query_influences(boards, settings, one)
        lines += [
            QuestionLine(question, found.get(question.question_id))
            for question in boards.bank.of_query(one)
        ]
    return tuple(lines)


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
