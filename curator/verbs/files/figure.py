"""``figure``: plots of the numbers of other functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

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
from curator.verbs.compare import compare, topics
from curator.verbs.judges import pyramid
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
    if kind == "topics" and system is None:
        raise FigureError(
            "Give a system: --system NAME. `curator leaderboard WORKSPACE` lists them."
        )
    one_board: dict[str, Any] = {
        "grader": grader,
        "k": k,
        "min_answered": min_answered,
        "label": label,
    }
    rated = one_board | {"min_rating": min_rating}
    graders = () if grader is None else (grader,)
    if kind in SEVERAL_BOARDS:
        del rated["grader"]
        compared = compare(
            snapshot, measures=measures, graders=graders, questions=questions, **rated
        )
        _refuse_empty(compared.systems, compared.notes)
        if kind == "systems":
            drawing = figures.systems_figure(compared, snapshot.collection.official)
        elif kind == "bump":
            drawing = figures.bump_figure(compared)
        else:
            drawing = figures.correlation_figure(compared)
    elif kind == "validity":
        options: dict[str, Any] = {"min_rating": min_rating, "k": k}
        comparisons = validity(
            snapshot, measures, graders=graders, against=against, **options
        )
        correlations = [row.correlation for row in comparisons]
        drawable = [pair for pair in correlations if pair.kendall is not None]
        _refuse_empty(drawable, [pair.note for pair in correlations])
        drawing = figures.validity_figure(comparisons)
    elif kind == "sweep":
        swept = sweep(snapshot, measures, against=against, **one_board)
        correlations = [row.correlation for row in swept]
        drawable = [pair for pair in correlations if pair.spearman is not None]
        _refuse_empty(drawable, [pair.note for pair in correlations])
        drawing = figures.sweep_figure(swept)
    else:
        pyramids = kind in ("pyramid-stability", "pyramid-zeros")
        usual = DEFAULT_MEASURE if pyramids else None
        measure = next(iter(measure_list(measures)), usual)
        settings = settings_from(snapshot, rated, measure)
        if pyramids:
            judged = pyramid(snapshot, settings)
            _refuse_empty(judged.curves, judged.notes)
            zeros = kind == "pyramid-zeros"
            drawing = figures.pyramid_figure(judged, zeros=zeros)
        elif kind == "questions":
            stable = stability(snapshot, settings, against=against)
            _refuse_empty(stable.fewer, [stable.sentence])
            drawing = figures.fewer_questions_figure(stable)
        elif kind == "topics":
            system_topics = topics(snapshot, str(system), settings)
            _refuse_empty(system_topics.topics, system_topics.notes)
            drawing = figures.topics_figure(system_topics)
        else:
            other = reference_settings(snapshot, settings, against)
            board = leaderboard(snapshot, settings)
            _refuse_empty(board.standings, board.notes)
            drawing = figures.board_figure(board, leaderboard(snapshot, other))
    return drawing.styled(dark=dark)


def _refuse_empty(drawable: object, notes: Sequence[str]) -> None:
    if not drawable:
        reasons = " ".join(dict.fromkeys(filter(None, notes)))
        raise FigureError(reasons or "There is nothing to draw.")
