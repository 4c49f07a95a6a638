"""``figure``: plots of the numbers of other functions."""

from __future__ import annotations

from collections.abc import Sequence

from curator.errors import FigureError
from curator.evaluation.settings import (
    DEFAULT_K,
    DEFAULT_MEASURE,
    DEFAULT_MIN_ANSWERED,
    OFFICIAL,
)
from curator.figures import Drawing
from curator.snapshot.settings import (
    MeasureOrName,
    measure_list,
    reference_settings,
    settings_from,
)
from curator.snapshot.snapshot import Snapshot
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
    snapshot: Snapshot,
    kind: str,
    measures: MeasureOrName | Sequence[MeasureOrName] = (),
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
    """Draw one of KINDS, for output as SVG, PNG or PDF.

    A kind with one board uses the first measure, by default that of the first board;
    pyramids take their depth from Cover. Raises FigureError for an unknown kind, for
    topics without a system, and where there is nothing to draw.

    Args:
        questions (--questions GROUP): Only question, nugget, written, proposed,
            imported, by:NAME or import:N; repeat for several boards.
        system (NAME): System of kind topics.
        dark: Draw on a dark background, for slides.
    """
    if kind not in KINDS:
        raise FigureError(f"No figure '{kind}'. Available: {', '.join(KINDS)}.")
    if questions and kind not in SEVERAL_BOARDS:
        raise FigureError(
            f"Groups of questions are for {', '.join(SEVERAL_BOARDS)}, not for {kind}."
        )
    if kind in SEVERAL_BOARDS:
        graders = () if grader is None else (grader,)
        compared = compare(
            snapshot,
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
            official = snapshot.collection.official
            return figures.systems_figure(compared, official).styled(dark=dark)
        make = figures.bump_figure if kind == "bump" else figures.correlation_figure
        return make(compared).styled(dark=dark)
    if kind == "validity":
        comparisons = validity(
            snapshot,
            measures,
            graders=() if grader is None else grader,
            against=against,
            min_rating=min_rating,
            k=k,
        )
        drawable = any(
            getattr(entry.correlation, "kendall", None) is not None
            for entry in comparisons
        )
        _refuse_empty(
            drawable,
            [entry.correlation.note for entry in comparisons if entry.correlation.note],
        )
        return figures.validity_figure(comparisons).styled(dark=dark)
    if kind == "sweep":
        swept = sweep(
            snapshot,
            measures,
            grader=grader,
            k=k,
            min_answered=min_answered,
            label=label,
            against=against,
        )
        points = [point.spearman for line in swept for point in line.points.values()]
        drawable = any(point is not None for point in points)
        _refuse_empty(drawable, [line.note for line in swept if line.note])
        return figures.sweep_figure(swept).styled(dark=dark)
    pyramids = kind in ("pyramid-stability", "pyramid-zeros")
    usual = DEFAULT_MEASURE if pyramids else None
    measure = next(iter(measure_list(measures)), usual)
    options = {
        "grader": grader,
        "min_rating": min_rating,
        "k": k,
        "min_answered": min_answered,
        "label": label,
    }
    settings = settings_from(snapshot, options, measure)
    if pyramids:
        curves = pyramid_curves(snapshot, settings)
        _refuse_empty(curves.sizes, curves.notes)
        zeros = kind == "pyramid-zeros"
        draw = figures.zeros_figure if zeros else figures.stability_figure
        return draw(curves).styled(dark=dark)
    if kind == "questions":
        stable = stability(snapshot, settings, against=against)
        _refuse_empty(stable.fewer, [stable.sentence])
        return figures.fewer_questions_figure(stable).styled(dark=dark)
    if kind == "topics":
        if system is None:
            raise FigureError(
                "Give a system: --system NAME. `curator leaderboard WORKSPACE` lists "
                "them."
            )
        system_topics = topics(snapshot, system, settings)
        _refuse_empty(system_topics.topics, system_topics.notes)
        return figures.topics_figure(system_topics).styled(dark=dark)
    reference = leaderboard(snapshot, reference_settings(snapshot, settings, against))
    board = leaderboard(snapshot, settings)
    _refuse_empty(board.standings, board.notes)
    return figures.board_figure(board, reference).styled(dark=dark)


def _refuse_empty(drawable: object, notes: Sequence[str]) -> None:
    if not drawable:
        raise FigureError(" ".join(dict.fromkeys(notes)) or "There is nothing to draw.")
