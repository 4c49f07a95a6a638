"""``stability``: dependence of the ranks on the choice of questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from curator.errors import EvaluationError
from curator.evaluation.correlation import seeded
from curator.evaluation.grades import GradedQuery
from curator.evaluation.leaderboard import by_topic, mean_scores
from curator.evaluation.measures import Measure
from curator.evaluation.settings import JUDGMENTS, Settings
from curator.evaluation.stability import (
    DRAWS,
    FEW_DRAWS,
    Board,
    Covered,
    Expected,
    ExpectedAtSize,
    Figures,
    TopTenChange,
    covered_passages,
    drawn_rows,
    interval,
    tau_over_queries,
    taus,
    with_fewer_questions,
)
from curator.formats.text.notices import counted, missing_grades
from curator.results import HIDDEN, Result, column
from curator.snapshot import scoring
from curator.snapshot.question_groups import grades_of_group
from curator.snapshot.settings import (
    BoardChoice,
    OptionValue,
    board_settings,
    reference_name,
    reference_settings,
)
from curator.snapshot.snapshot import Snapshot

DEFAULT_MORE = 2
MAX_MORE = 1000  # more questions
MIN_DRAWS, MAX_DRAWS = 10, 10_000
GROWTH = (0, 1, 2, 5)  # questions more in every query, of the curve
MIN_QUERIES = 4  # minimum to estimate the effect of other queries
ALL_TIE = "All systems have the same score, so there is no order to be stable."


@dataclass(frozen=True, slots=True)
class QueryStability:
    """Stability of a query's own board, and the effect of more questions in it.

    ``expected`` and ``change`` are None for a query with a single question.
    """

    query_id: str
    questions: int
    expected: Expected | None
    change: TopTenChange | None
    covered: Covered | None


@dataclass(frozen=True)
class Stability(Result[QueryStability], table="validity.stability_tables"):
    """Stability of the board under these settings with other questions.

    For one query if ``query_id`` is given: its own board, and the effect of more
    questions in it on the collection's board. ``figures`` are None where they cannot be
    computed, and ``sentence`` gives the reason. ``grown`` is the curve: two banks of
    each size. ``fewer`` is the curve of boards of fewer questions ``against`` a
    reference, if one was named.
    """

    settings: Settings
    sentence: str
    figures: Figures | None = field(default=None, metadata=column(json="stability"))
    grown: tuple[ExpectedAtSize, ...] = ()
    queries: tuple[QueryStability, ...] = ()
    query_id: str | None = None
    notes: tuple[str, ...] = field(default=(), metadata=HIDDEN)
    against: str = field(default="", metadata=column(json_if=bool))
    fewer: tuple[ExpectedAtSize, ...] = field(default=(), metadata=column(json_if=bool))


def stability(
    snapshot: Snapshot,
    /,
    settings: BoardChoice | None = None,
    *,
    query_id: str | None = None,
    draws: int | None = None,
    more: int = DEFAULT_MORE,
    seed: int = 0,
    by: str | None = None,
    against: str | None = None,
    **options: OptionValue,
) -> Stability:
    """Estimate how stable ranks are under other questions.

    For each query the expected correlation of its board with the board of as many other
    questions, and the probability that more questions in it change the top ten of the
    whole board; then the same for the whole board, and the effect of more questions in
    every query. Raises UnknownNameError for an unknown query, EvaluationError
    for numbers out of range and for an unknown reference.

    Args:
        draws (N): Number of draws of questions. [200; 20 for slow measures]
        more (N): Number of further questions per query.
        against (NAME): Also correlate boards of 1, 2, … questions per query with
            official, judgments:… or grader:….
    """
    chosen = board_settings(snapshot, options, settings, by)
    snapshot.query_ids(query_id)
    seeded(seed)  # raises an error for an invalid seed
    if not 1 <= more <= MAX_MORE:
        raise EvaluationError(f"more is {more}; expected 1 to {MAX_MORE:,} questions.")
    if draws is not None and not MIN_DRAWS <= draws <= MAX_DRAWS:
        limits = f"{MIN_DRAWS} to {MAX_DRAWS:,}"
        raise EvaluationError(f"draws is {draws}; expected {limits}.")
    key = ("stability", chosen, query_id, draws, more, seed)
    stable = snapshot.cached(
        key, lambda: _stability(snapshot, chosen, query_id, draws, more, seed)
    )
    if against is None:
        return stable
    reference = reference_settings(snapshot, chosen, against, options, by)
    scores = scoring.board(snapshot, reference).scores()
    systems = snapshot.collection.systems
    if len({scores[system] for system in systems if system in scores}) < 2:
        raise EvaluationError(f"{against} has no order of systems to compare with.")
    name = reference_name(snapshot, against)
    if stable.figures is None:
        return replace(stable, against=name)
    measure, graded = _graded(snapshot, chosen)
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
    snapshot: Snapshot,
    settings: Settings,
    query_id: str | None,
    draws: int | None,
    more: int,
    seed: int,
) -> Stability:
    measure, all_graded = _graded(snapshot, settings)
    names = [name for name in all_graded if query_id in (None, name)]
    reason = _undefined_reason(
        snapshot, settings, measure, [all_graded[name] for name in names]
    )
    if reason:
        return Stability(settings, reason, query_id=query_id)
    graded = {
        name: query for name, query in all_graded.items() if query.known == query.needed
    }
    selected = {name: graded[name] for name in names if name in graded}
    one_by_one = type(measure).scores_of_draws is Measure.scores_of_draws
    draws = draws or (FEW_DRAWS if one_by_one else DRAWS)
    rows = [measure.scored(query).row for query in graded.values()]
    drawn = {
        name: snapshot.caches.drawn_scores.get(
            (name, measure, draws, seed),
            (query,),
            partial(drawn_rows, query, measure, draws, seed),
        )
        for name, query in selected.items()
        if len(query.item_ids) > 1
    }
    full_board = Board(mean_scores(rows).score, [*drawn.values()], len(rows))
    board = full_board if query_id is None else drawn[query_id].board
    if not np.ptp(board.score):
        return Stability(settings, ALL_TIE, query_id=query_id)
    threshold = snapshot.threshold(settings)
    lines = [
        QueryStability(
            name,
            len(query.item_ids),
            drawn[name].board.expected if name in drawn else None,
            full_board.change_of(drawn[name].moves, more, seed)
            if name in drawn
            else None,
            covered_passages(query, threshold, snapshot.collection.min_relevance),
        )
        for name, query in selected.items()
    ]
    if query_id is None:
        change = full_board.change(more, seed)
    else:
        change = full_board.change_of(drawn[query_id].moves, more, seed)
    covers = [line.covered for line in lines if line.covered is not None]
    total_cover = None
    if covers:
        relevant = sum(cover.relevant for cover in covers)
        total_cover = Covered(relevant, sum(cover.covered for cover in covers))
    others = query_id is None and len(rows) >= MIN_QUERIES
    figures = Figures(
        sum(line.questions for line in lines),
        len(lines),
        board.expected,
        board.halves_agree(),
        interval(taus(board.score, board.again())),
        change,
        tau_over_queries([row.score for row in rows], draws, seed) if others else None,
        total_cover,
        len(lines) - len(drawn),
        draws,
        len(all_graded) - len(graded),
    )
    return Stability(
        settings,
        figures.sentence,
        figures,
        board.grown(GROWTH),
        tuple(lines),
        query_id,
        _notes(figures),
    )


def _graded(
    snapshot: Snapshot, settings: Settings
) -> tuple[Measure, dict[str, GradedQuery]]:
    measure = snapshot.measure(settings)
    if settings.grader == JUDGMENTS or measure.based_on == "texts":
        return measure, {}
    if settings.by == "subtopic":
        graded = by_topic(
            snapshot.matrices_of_subtopics(settings.grader, snapshot.bank)
        )
    else:
        graded = snapshot.matrices(settings.grader, snapshot.bank, snapshot.query_ids())
    graded = grades_of_group(snapshot, settings, graded)
    return measure, {
        name: query for name, query in graded.items() if not measure.excludes(query)
    }


def _undefined_reason(
    snapshot: Snapshot,
    settings: Settings,
    measure: Measure,
    queries: Sequence[GradedQuery],
) -> str:
    measure_name = settings.measure
    if settings.grader == JUDGMENTS or measure.based_on == "texts":
        return f"{measure_name} uses no questions, so others would change nothing."
    if snapshot.grader(settings.grader).spec.reading.kind == "direct":
        return (
            f"{settings.grader} grades passages as a whole and asks no questions, so "
            "others would change nothing."
        )
    if not measure.by_query:
        return (
            f"{measure_name} is no mean over queries, so its stability cannot be "
            "estimated; choose another measure, such as cover."
        )
    if not all(
        snapshot.viewer.shows_effect(question.question_id, measure_name)
        for question in snapshot.bank
    ):
        return "Others' votes, and figures that use them, are hidden until you vote."
    if len(snapshot.collection.systems) < 2:
        return "With fewer than two systems there is no order to be stable."
    complete = [query for query in queries if query.known == query.needed]
    if queries and not complete:
        needed = sum(query.needed for query in queries)
        missing = needed - sum(query.known for query in queries)
        return (
            f"{missing_grades(missing, needed)}, so the stability of the board cannot "
            "be estimated."
        )
    if not any(len(query.item_ids) > 1 for query in complete):
        return "Stability needs a query with two kept questions or more."
    return ""


def _notes(figures: Figures) -> tuple[str, ...]:
    notes = [
        f"From {counted(figures.draws, 'draw')}. tau: Kendall's, between this board "
        "and that of another bank of as many questions from the same source, with 95 % "
        "of such banks between low and high; order and members: how probable it is "
        f"that {figures.change.more} more questions change the top ten of the board, "
        "and who is in it."
    ]
    notes.append(
        "Stable is not valid: how far people's labels agree is what `curator trust` "
        "tells."
    )
    if figures.single:
        number = counted(figures.single, "query", "queries")
        notes.append(f"The same in every draw: {number} with a single question.")
    return tuple(notes)
