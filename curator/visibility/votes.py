"""Which votes a judge may see: a question's, once they have voted on it themselves.

Until then the votes of others are left out of banks and of the history, whoever cast
them. Taking one's vote back hides them again. Boards are made of everybody's votes:
a leaderboard says nothing about a single question. A board of another judge's votes
alone waits until all of these may be seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from curator.bank.marks import Importance, Voted
from curator.bank.questions import Bank, Question
from curator.engine.state import Boards
from curator.errors import EvaluationError
from curator.evaluation.measures.pyramid import NUGGET_MEASURES
from curator.evaluation.measures.registry import Measure
from curator.evaluation.what_ifs import WhatIf
from curator.store.history import Event
from curator.verbs.curate.question_rows import QuestionLine
from curator.verbs.history.reading import PassageView, Rated
from curator.visibility import verdicts


def vote_of(question: Question, judge: str) -> Importance | None:
    """The judge's own vote, None without one."""
    for by, vote in question.votes:
        if by == judge:
            return vote
    return None


def hides_votes(question: Question, judge: str) -> bool:
    """Whether others have voted on the question and this judge has not."""
    return bool(question.votes) and vote_of(question, judge) is None


def seen_question(question: Question, judge: str) -> Question:
    """The question as the judge may see it; the very same where nothing is hidden."""
    return replace(question, votes=()) if hides_votes(question, judge) else question


def seen_bank(bank: Bank, judge: str) -> Bank:
    """The bank as the judge may see it; queries where nothing is hidden are shared."""
    seen = {
        query_id: tuple(seen_question(one, judge) for one in questions)
        for query_id, questions in bank.by_query.items()
        if any(hides_votes(one, judge) for one in questions)
    }
    return replace(bank, by_query={**bank.by_query, **seen}) if seen else bank


def seen_boards(boards: Boards, judge: str) -> Boards:
    """The boards over what the judge may see; themselves where that is all.

    What judges agree on is counted over these votes. Verdicts on answers go by the same
    rule. Grades and collection are shared.
    """

    def made() -> Boards:
        bank = seen_bank(boards.bank, judge)
        bank = verdicts.seen_bank(bank, verdicts.judged_by(bank, judge))
        return boards if bank is boards.bank else boards.with_bank(bank)

    return boards.once(("votes seen by", judge), made)


def voted_on(bank: Bank, judge: str) -> frozenset[str]:
    """The ids of the questions, in whatever state, on which the judge has a vote."""
    return frozenset(
        question.question_id
        for question in bank
        if question.votes and vote_of(question, judge) is not None
    )


def seen_past(past: Bank, voted: frozenset[str]) -> Bank:
    """A past bank without votes on what the judge has no vote on now.

    ``voted`` are the ids of the questions on which there is one.
    """
    seen = {
        query_id: tuple(
            one if one.question_id in voted else replace(one, votes=())
            for one in questions
        )
        for query_id, questions in past.by_query.items()
        if any(one.votes and one.question_id not in voted for one in questions)
    }
    return replace(past, by_query={**past.by_query, **seen}) if seen else past


def may_be_seen(event: Event, voted: frozenset[str], judge: str) -> bool:
    """Whether an event tells nothing of a vote that is hidden; my own never are."""
    mark = event.change.mark
    if not isinstance(mark, Voted) or event.by == judge:
        return True
    return mark.question_id in voted


def weighs_votes(measure: str) -> bool:
    """Whether what a question moves under this measure tells how judges voted on it."""
    return measure.strip().lower().partition("(")[0] in NUGGET_MEASURES


def seen_lines(
    lines: Sequence[QuestionLine], measure: str, judge: str
) -> tuple[QuestionLine, ...]:
    """Lines of the bank whose questions are as the judge may see them.

    Under a measure of votes without the influence of what they have no vote on, be
    there votes of others or not.
    """
    telling = weighs_votes(measure)
    return tuple(_seen_line(line, telling, judge) for line in lines)


def seen_what_ifs(
    found: Sequence[WhatIf], measure: str, voted: frozenset[str]
) -> tuple[WhatIf, ...]:
    """Under a measure of votes, what retiring the questions voted on would do."""
    if not weighs_votes(measure):
        return tuple(found)
    return tuple(one for one in found if one.question_id in voted)


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


def refuse_solo(question_id: str, measure: str, voted: frozenset[str]) -> None:
    """Raise EvaluationError where the board under one question tells its votes."""
    if weighs_votes(measure) and question_id not in voted:
        raise EvaluationError(
            f"Under {measure} the board of this question alone would tell how others "
            "voted on it: vote on it first."
        )


def seen_passage(view: PassageView, judge: str) -> PassageView:
    """A passage whose questions are as the judge may see them."""
    return replace(
        view,
        rated=_seen_rated(view.rated, judge),
        retired=_seen_rated(view.retired, judge),
    )


def _seen_line(line: QuestionLine, telling: bool, judge: str) -> QuestionLine:
    question = seen_question(line.question, judge)
    if telling and vote_of(question, judge) is None:
        influence = line.influence and replace(line.influence, influence=None)
        return QuestionLine(question, influence)
    return line if question is line.question else replace(line, question=question)


def _seen_rated(rated: Sequence[Rated], judge: str) -> tuple[Rated, ...]:
    return tuple(
        replace(one, question=seen_question(one.question, judge)) for one in rated
    )
