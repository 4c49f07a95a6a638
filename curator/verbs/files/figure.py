"""``figure``: the numbers of other verbs, drawn."""

from __future__ import annotations

from collections.abc import Sequence

from curator.engine.settings import Named, reference_settings, settings_from, several
from curator.engine.state import State
from curator.errors import FigureError
from curator.evaluation.settings import (
    DEFAULT_K,
    DEFAULT_MEASURE,
    DEFAULT_MIN_ANSWERED,
    OFFICIAL,
)
from curator.figures import Drawing
from curator.tables import figures
from curator.verbs.compare.comparison import compare, topics
from curator.verbs.judges.boards import pyramid_curves
from curator.verbs.leaderboard.leaderboard import leaderboard, sweep
from curator.verbs.stability.stability import stability
from curator.verbs.validity.validity import validity

KINDS = {
    "sweep": "correlation with a reference at every minimum rating",
    "scatter": "the board's scores over official ranks or judgments:…",
    "bump": "ranks under each measure",
    "systems": "scores with standard errors under each measure, in official order",
    "correlations": "Kendall's tau between measures",
    "validity": "Kendall's tau with a reference by measure, grader and label rule",
    "topics": "one system's score in each topic against all systems'",
    "questions": "Kendall's tau with a reference for 1, 2, … questions a query",
    "pyramid-stability": "pyramids of 1, 2, … judges against single judges' boards",
    "pyramid-zeros": "in how many queries the median system scores 0 under them",
}


SEVERAL_BOARDS = ("bump", "correlations", "systems")


def figure(
    state: State,
    kind: str,
    measures: Named | Sequence[Named] = (),
    *,
    grader: str | None = None,
    min_rating: int | None = None,
    k: int = DEFAULT_K,
    min_answered: int = DEFAULT_MIN_ANSWERED,
    label: str | None = None,
    against: str = OFFICIAL,
    system: str | None = None,
    dark: bool = False,
    questions: Sequence[str] = (),
) -> Drawing:
    """A figure of one of KINDS, to be made into SVG, PNG or PDF.

    A kind that is of one board takes the first measure, without any that of the first
    board; pyramids take their depth from Cover. ``system``
    is whose topics, ``min_answered`` how many items a relevant passage answers,
    ``label`` the rule that makes labels; ``questions`` names groups of questions for
    the kinds that take several boards. Raises FigureError for another kind, for topics
    without a system, and where there is nothing to draw.
    """
    if kind not in KINDS:
        raise FigureError(f"No figure '{kind}'. There are: {', '.join(KINDS)}.")
    if questions and kind not in SEVERAL_BOARDS:
        raise FigureError(
            f"Groups of questions are for {', '.join(SEVERAL_BOARDS)}, not for {kind}."
        )
    if kind in SEVERAL_BOARDS:
        graders = () if grader is None else (grader,)
        compared = compare(
            state,
            measures=measures,
            graders=graders,
            min_rating=min_rating,
            k=k,
            min_answered=min_answered,
            label=label,
            questions=questions,
        )
        _refuse_empty(compared.systems, compared.notes)
        if kind == "systems":
            official = state.collection.official
            return figures.systems_figure(compared, official, dark=dark)
        make = figures.bump_figure if kind == "bump" else figures.correlation_figure
        return make(compared, dark=dark)
    if kind == "validity":
        held = validity(
            state,
            measures,
            graders=() if grader is None else grader,
            against=against,
            min_rating=min_rating,
            k=k,
        )
        drawable = any(getattr(one.found, "kendall", None) is not None for one in held)
        _refuse_empty(drawable, [one.found.note for one in held if one.found.note])
        return figures.validity_figure(held, dark=dark)
    if kind == "sweep":
        swept = sweep(
            state,
            measures,
            grader=grader,
            k=k,
            min_answered=min_answered,
            label=label,
            against=against,
        )
        points = [found.spearman for one in swept for found in one.points.values()]
        drawable = any(one is not None for one in points)
        _refuse_empty(drawable, [one.note for one in swept if one.note])
        return figures.sweep_figure(swept, dark=dark)
    pyramids = kind in ("pyramid-stability", "pyramid-zeros")
    usual = DEFAULT_MEASURE if pyramids else None
    measure = next(iter(several(measures)), usual)
    options = {
        "grader": grader,
        "min_rating": min_rating,
        "k": k,
        "min_answered": min_answered,
        "label": label,
    }
    settings = settings_from(state, options, measure)
    if pyramids:
        curves = pyramid_curves(state, settings)
        _refuse_empty(curves.sizes, curves.notes)
        zeros = kind == "pyramid-zeros"
        draw = figures.zeros_figure if zeros else figures.stability_figure
        return draw(curves, dark=dark)
    if kind == "questions":
        stable = stability(state, settings, against=against)
        _refuse_empty(stable.fewer, [stable.sentence])
        return figures.fewer_questions_figure(stable, dark=dark)
    if kind == "topics":
        if system is None:
            raise FigureError(
                "Say whose topics: --system NAME, as `curator leaderboard WORKSPACE` "
                "lists them."
            )
        found = topics(state, system, settings)
        _refuse_empty(found.topics, found.notes)
        return figures.topics_figure(found, dark=dark)
    reference = leaderboard(state, reference_settings(state, settings, against))
    board = leaderboard(state, settings)
    _refuse_empty(board.standings, board.notes)
    return figures.board_figure(board, reference, dark=dark)


def _refuse_empty(drawable: object, notes: Sequence[str]) -> None:
    """Raise FigureError with what the board says of why it is empty, in one line."""
    if not drawable:
        raise FigureError(" ".join(dict.fromkeys(notes)) or "There is nothing to draw.")
