"""``questions``: the bank, with what each question reaches and moves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from curator.bank.edits.adjudicate import decided_vote
from curator.bank.marks import Note
from curator.bank.questions import Question, asked
from curator.engine.settings import Chosen, Options, default_settings
from curator.engine.state import State
from curator.errors import EvaluationError
from curator.evaluation.grades import GradedQuery, as_counted
from curator.evaluation.influence import Influence, influences
from curator.evaluation.settings import Settings
from curator.results import Rows
from curator.store.question_history import in_order_of_arrival


@dataclass(frozen=True)
class QuestionLine:
    """A question with its reach and influence; None where it is not active.

    ``was`` is the influence a retired question would have if it were kept: the mean
    over systems of |change of the measure in this query|. None where one of its grades
    is not known, or no question of the query is kept. ``number`` is what every page
    calls it by, ``notes`` are what judges noted on it. ``gold`` says whether the
    query's gold article answers it, None where that is not known or there is none.
    ``weight`` is that in the pyramid of all judges, in [0, 1]; None without a vote, or
    where all are okay.
    """

    question: Question
    influence: Influence | None
    was: float | None = None
    number: int = 0
    notes: tuple[Note, ...] = ()
    gold: bool | None = None
    weight: float | None = None


def question_numbers(state: State, query_id: str) -> dict[str, int]:
    """The number that every page calls a question of the query by, from 1 on, by id.

    In the order in which they first came in, whoever looks: a question keeps its number
    through every edit, retired or not, and one that an undo took out leaves its number
    free for its return.
    """

    def found() -> dict[str, int]:
        ids = in_order_of_arrival(state.with_texts.connection, query_id)
        return {question_id: number for number, question_id in enumerate(ids, 1)}

    return state.cached(("numbers", query_id), found)


def numbers_of(lines: Iterable[QuestionLine]) -> dict[str, int]:
    """The numbers of these questions by their ids."""
    return {line.question.question_id: line.number for line in lines}


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
    chosen = default_settings(state, options, settings)
    lines = weighed(state, question_lines(state, chosen, query_id=query_id))
    return Rows(lines, "curate.question_table")


def question_lines(
    state: State, settings: Settings | None, *, query_id: str | None = None
) -> tuple[QuestionLine, ...]:
    """Every question of the bank (of one query) as it may be shown, in order."""
    return tuple(
        _seen(state, line, settings)
        for one in state.query_ids(query_id)
        for line in query_lines(state, settings, one)
    )


def weighed(state: State, lines: Iterable[QuestionLine]) -> list[QuestionLine]:
    """Add the weights of the pyramid of all judges.

    Source: Lin & Demner-Fushman 2006, section 4: the judges who call it vital, divided
    by the largest such number among the query's kept questions of its kind.
    """
    lines = list(lines)
    decisions = state.decisions(state.bank)
    vital: dict[str, int] = {}
    largest: Counter[tuple[str, str]] = Counter()
    for question in (line.question for line in lines):
        if question.votes and question.state == "kept":
            decided = decided_vote(question, decisions.get(question.query_id, ()))
            count = sum((decided or vote) == "vital" for _, vote in question.votes)
            vital[question.question_id] = count
            of = question.query_id, question.kind
            largest[of] = max(largest[of], count)
    return [
        replace(line, weight=vital[line.question.question_id] / most)
        if line.question.question_id in vital
        and (most := largest[line.question.query_id, line.question.kind])
        else line
        for line in lines
    ]


def _seen(state: State, line: QuestionLine, settings: Settings | None) -> QuestionLine:
    """The line without votes that are hidden, nor what they move."""
    question = state.viewer.question(line.question)
    measure = settings.measure if settings else ""
    if not state.viewer.may_weigh(question.question_id, measure):
        influence = line.influence and replace(line.influence, influence=None)
        return replace(line, question=question, influence=influence, was=None)
    return line if question is line.question else replace(line, question=question)


def query_lines(
    state: State, settings: Settings | None, query_id: str
) -> tuple[QuestionLine, ...]:
    """One query's questions, as in ``question_lines``; kept until these change."""
    graded: GradedQuery | None = None
    grades: tuple[object, ...] = ()
    if settings is not None and settings.grader:
        graded = state.matrix(settings.grader, query_id, state.bank)
        grades = state.gradebook.made_of(state.grader(settings.grader), query_id)
    bank, pool = state.bank, state.collection.pools[query_id]
    return state.kept.lines.get(
        (settings, query_id),
        (graded, *grades, bank.of_query(query_id), bank.notes_of(query_id), pool),
        partial(_query_lines, state, settings, query_id, graded),
    )


def _query_lines(
    state: State,
    settings: Settings | None,
    query_id: str,
    graded: GradedQuery | None,
) -> tuple[QuestionLine, ...]:
    found: dict[str, Influence] = {}
    retired: dict[str, float] = {}
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
    numbers, notes = question_numbers(state, query_id), state.bank.notes_of(query_id)
    gold: dict[str, bool] = {}
    if settings is not None and graded is not None and graded.reading != "direct":
        gold = graded.answered_by_gold(state.threshold(settings))
    return tuple(
        QuestionLine(
            one,
            found.get(one.question_id),
            retired.get(one.question_id),
            numbers.get(one.question_id, 0),
            tuple(note for note in notes if note.question_id == one.question_id),
            gold.get(one.question_id),
        )
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
            held = decided_vote(one, state.decisions(state.bank).get(pool.query_id, ()))
            cited = None if rated.cited is None else rated.cited[at]
            with_it = graded.with_item(
                *(one.question_id, ratings, one.votes, share),
                decided=held,
                cited=cited,
            )
            there = measure.row(with_it)
            found[one.question_id] = float(np.abs(there.score - here).mean())
    return found
