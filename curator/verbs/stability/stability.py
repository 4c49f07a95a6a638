"""``stability``: how far the ranks rest on which questions were asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from curator.engine import scoring
from curator.engine.question_groups import grades_of_group
from curator.engine.settings import (
    Chosen,
    Options,
    board_settings,
    reference_name,
    reference_settings,
)
from curator.engine.state import State
from curator.errors import EvaluationError
from curator.evaluation.correlation import SeedError
from curator.evaluation.grades import GradedQuery
from curator.evaluation.leaderboard import by_topic, mean_scores
from curator.evaluation.measures import Measure
from curator.evaluation.settings import JUDGMENTS, Settings
from curator.evaluation.stability import (
    DRAWS,
    FEW_DRAWS,
    Board,
    Change,
    Covered,
    Expected,
    FewerQuestions,
    Figures,
    Grown,
    covered,
    drawn_rows,
    interval,
    of_rows,
    taus,
    with_fewer_questions,
)
from curator.formats.text.notices import counted, missing_grades
from curator.results import Result

MORE = 2
MOST = 1000  # more questions
FEWEST_DRAWS, MOST_DRAWS = 10, 10_000
GROWN = (0, 1, 2, 5)  # questions more in every query, of the curve
ENOUGH_QUERIES = 4  # to ask what others would do
ALL_TIE = "All systems have the same score, so there is no order to be stable."


class DrawsError(EvaluationError):
    """Too few draws say nothing, and too many never end."""


@dataclass(frozen=True, slots=True)
class QueryStability:
    """How stable one query's own board is, and what more questions in it would do.

    ``expected`` and ``change`` are None where it has a single question.
    """

    query_id: str
    questions: int
    expected: Expected | None
    change: Change | None
    covered: Covered | None


@dataclass(frozen=True)
class Stability(Result[QueryStability], table="stability.stability_tables"):
    """How stable the board under these settings is if other questions had been asked.

    Of one query where ``query_id`` is one: its own board, and what more questions in it
    would do to that of the collection. ``figures`` are None where nothing can be said,
    and ``sentence`` says why. ``grown`` is the curve: two banks of each size. ``fewer``
    is that of boards of fewer questions ``against`` a reference, where one was named.
    """

    settings: Settings
    sentence: str
    figures: Figures | None = None
    grown: tuple[Grown, ...] = ()
    queries: tuple[QueryStability, ...] = ()
    query_id: str | None = None
    notes: tuple[str, ...] = ()
    against: str = ""
    fewer: tuple[FewerQuestions, ...] = ()


def stability(
    state: State,
    /,
    settings: Chosen | None = None,
    *,
    query_id: str | None = None,
    draws: int | None = None,
    more: int = MORE,
    seed: int = 0,
    by: str | None = None,
    against: str | None = None,
    **options: Options,
) -> Stability:
    """How alike the boards of this bank and of others of its size are expected to be.

    Under any measure that rests on grades: 200 draws, 20 where each is scored by
    itself. ``more`` questions are added in every query, or in ``query_id``. With a
    reference, ``against``, also how well boards of 1, 2, … questions a query correlate
    with it. Raises UnknownNameError for a query that is not there, DrawsError and
    SeedError for numbers out of range, EvaluationError where there is no such
    reference.
    """
    chosen = board_settings(state, options, settings, by)
    state.query_ids(query_id)
    if seed < 0:
        raise SeedError(f"seed is {seed}; expected 0 or more.")
    if not 1 <= more <= MOST:
        raise DrawsError(f"more is {more}; expected 1 to {MOST:,} questions.")
    if draws is not None and not FEWEST_DRAWS <= draws <= MOST_DRAWS:
        raise DrawsError(
            f"draws is {draws}; expected {FEWEST_DRAWS} to {MOST_DRAWS:,}."
        )
    key = ("stability", chosen, query_id, draws, more, seed)
    stable = state.cached(
        key, lambda: _stability(state, chosen, query_id, draws, more, seed)
    )
    if against is None:
        return stable
    reference = reference_settings(state, chosen, against, options, by)
    scores = scoring.board(state, reference).scores()
    systems = state.collection.systems
    if len({scores[system] for system in systems if system in scores}) < 2:
        raise EvaluationError(f"{against} gives no order of systems to hold boards to.")
    name = reference_name(state, against)
    if stable.figures is None:
        return replace(stable, against=name)
    measure, graded = _graded(state, chosen)
    fewer = with_fewer_questions(
        [
            query
            for name, query in graded.items()
            if query.known == query.needed and query_id in (None, name)
        ],
        measure,
        np.array([scores.get(system, np.nan) for system in systems]),
        stable.figures.draws,
        seed,
    )
    return replace(stable, against=name, fewer=fewer)


def _stability(
    state: State,
    settings: Settings,
    query_id: str | None,
    draws: int | None,
    more: int,
    seed: int,
) -> Stability:
    measure, every = _graded(state, settings)
    asked = every
    if query_id is not None:
        asked = {q: one for q, one in every.items() if q == query_id}
    said = _why_not(state, settings, measure, asked)
    if said:
        return Stability(settings, said, query_id=query_id)
    graded = {q: one for q, one in every.items() if one.known == one.needed}
    asked = {q: one for q, one in graded.items() if q in asked}
    one_by_one = type(measure).of_each is Measure.of_each
    draws = draws or (FEW_DRAWS if one_by_one else DRAWS)
    rows = [measure.scored(one).row for one in graded.values()]
    drawn_from = {
        q: state.kept.drawn.get(
            (q, measure, draws, seed),
            (one,),
            partial(drawn_rows, one, measure, draws, seed),
        )
        for q, one in asked.items()
        if len(one.item_ids) > 1
    }
    whole = Board(mean_scores(rows).score, [*drawn_from.values()], len(rows))
    board = whole if query_id is None else drawn_from[query_id].board
    if not np.ptp(board.score):
        return Stability(settings, ALL_TIE, query_id=query_id)
    threshold, relevant = state.threshold(settings), state.collection.min_relevance
    lines = []
    for q, one in asked.items():
        expected, changes, found = None, None, drawn_from.get(q)
        if found is not None:
            expected = found.board.expected
            changes = whole.change_of(found.moves, more, seed)
        covers = covered(one, threshold, relevant)
        lines.append(QueryStability(q, len(one.item_ids), expected, changes, covers))
    if query_id is None:
        change = whole.change(more, seed)
    else:
        change = whole.change_of(drawn_from[query_id].moves, more, seed)
    known = [one.covered for one in lines if one.covered is not None]
    others = query_id is None and len(rows) >= ENOUGH_QUERIES
    figures = Figures(
        *(sum(one.questions for one in lines), len(lines)),
        board.expected,
        board.halves_agree(),
        interval(taus(board.score, board.again())),
        change,
        of_rows([one.score for one in rows], draws, seed) if others else None,
        Covered(sum(x.relevant for x in known), sum(x.covered for x in known))
        if known
        else None,
        len(lines) - len(drawn_from),
        draws,
        len(every) - len(graded),
    )
    return Stability(
        *(settings, figures.sentence, figures, board.grown(GROWN), tuple(lines)),
        query_id,
        _notes(figures),
    )


def _graded(state: State, settings: Settings) -> tuple[Measure, dict[str, GradedQuery]]:
    """The measure, and the grades of the queries or subtopics that it counts."""
    measure = state.measure(settings)
    if settings.grader == JUDGMENTS or measure.rests_on == "texts":
        return measure, {}
    if settings.by == "subtopic":
        graded = by_topic(state.matrices_of_subtopics(settings.grader, state.bank))
    else:
        graded = state.matrices(settings.grader, state.bank, state.query_ids())
    graded = grades_of_group(state, settings, graded)
    return measure, {q: one for q, one in graded.items() if not measure.leaves(one)}


def _why_not(
    state: State,
    settings: Settings,
    measure: Measure,
    asked: Mapping[str, GradedQuery],
) -> str:
    """Why nothing can be said of the queries ``asked``, "" where it can."""
    what = settings.measure
    if settings.grader == JUDGMENTS or measure.rests_on == "texts":
        return f"{what} rests on no questions, so others would change nothing."
    if state.grader(settings.grader).spec.reading.kind == "direct":
        return (
            f"{settings.grader} grades passages as a whole and asks no questions, so "
            "others would change nothing."
        )
    if not measure.by_query:
        return (
            f"{what} is no mean over queries, so nothing is said of how stable it is; "
            "ask for another measure, such as cover."
        )
    if not all(state.viewer.may_weigh(q.question_id, what) for q in state.bank):
        return "What others voted is not shown yet, nor what rests on it."
    if len(state.collection.systems) < 2:
        return "With fewer than two systems there is no order to be stable."
    whole = [one for one in asked.values() if one.known == one.needed]
    if asked and not whole:
        needed = sum(one.needed for one in asked.values())
        missing = needed - sum(one.known for one in asked.values())
        return (
            f"{missing_grades(missing, needed)}, so nothing is said of how stable the "
            "board is."
        )
    if not any(len(one.item_ids) > 1 for one in whole):
        return "It takes two kept questions of a query to say what others would do."
    return ""


def _notes(figures: Figures) -> tuple[str, ...]:
    """How to read the figures."""
    found = [
        f"From {counted(figures.draws, 'draw')}. tau: Kendall's, between this board "
        "and that of another bank of as many questions from the same source, with 95 % "
        "of such banks between low and high; order and members: how probable it is "
        f"that {figures.change.more} more questions change the top ten of the board, "
        "and who is in it."
    ]
    if figures.single:
        has = "has a single question" if figures.single == 1 else "have a single one"
        found.append(
            f"{counted(figures.single, 'query')} {has}, which tells nothing of others: "
            "taken as it is."
        )
    return tuple(found)
