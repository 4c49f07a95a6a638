"""Which votes a judge may see: a question's, once they have voted on it themselves.

Until then the votes of others are left out of banks and of the history, whoever cast
them. Taking one's vote back hides them again. A board of another judge's votes alone
waits until all of these may be seen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from curator.bank.marks import Importance
from curator.bank.questions import Bank, Question
from curator.errors import EvaluationError
from curator.evaluation.measures.pyramid import NUGGET_MEASURES
from curator.evaluation.measures.registry import Measure


def vote_of(question: Question, judge: str) -> Importance | None:
    """The judge's own vote, None without one."""
    return dict(question.votes).get(judge)


def hides_votes(question: Question, judge: str) -> bool:
    """Whether others have voted on the question and this judge has not."""
    return bool(question.votes) and vote_of(question, judge) is None


def seen_question(question: Question, judge: str) -> Question:
    """The question as the judge may see it; the very same where nothing is hidden."""
    return replace(question, votes=()) if hides_votes(question, judge) else question


def seen_bank(bank: Bank, judge: str) -> Bank:
    """The bank as the judge may see it; queries where nothing is hidden are shared."""
    return _without_votes(bank, lambda one: hides_votes(one, judge))


def seen_past(past: Bank, voted: frozenset[str]) -> Bank:
    """A past bank without votes on what the judge has no vote on now.

    ``voted`` are the ids of the questions on which there is one.
    """
    return _without_votes(
        past, lambda one: bool(one.votes) and one.question_id not in voted
    )


def voted_on(bank: Bank, judge: str) -> frozenset[str]:
    """The ids of the questions, in whatever state, on which the judge has a vote."""
    return frozenset(one.question_id for one in bank if vote_of(one, judge) is not None)


def weighs_votes(measure: str) -> bool:
    """Whether what a question moves under this measure tells how judges voted on it."""
    return measure.strip().lower().partition("(")[0] in NUGGET_MEASURES


def refuse_judge(bank: Bank, measure: Measure, judge: str) -> None:
    """Raise EvaluationError for a measure of another judge's votes that are hidden."""
    other = getattr(measure, "judge", None)
    if other in (None, judge):
        return
    hidden = any(
        hides_votes(one, judge) and vote_of(one, str(other)) is not None for one in bank
    )
    if hidden:
        raise EvaluationError(
            f"{measure.name} shows the votes of {other} alone: vote yourself on every "
            f"question that {other} has voted on, then it is shown."
        )


def _without_votes(bank: Bank, hides: Callable[[Question], bool]) -> Bank:
    """The bank without the votes of some questions; itself where these are none."""
    seen = {
        query_id: tuple(
            replace(one, votes=()) if hides(one) else one for one in questions
        )
        for query_id, questions in bank.by_query.items()
        if any(map(hides, questions))
    }
    return replace(bank, by_query={**bank.by_query, **seen}) if seen else bank
