"""Verb results as figures.

Each says beneath under which settings it was made.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from curator.evaluation.correlation import Correlation
from curator.evaluation.measures import title as measure_title
from curator.evaluation.settings import DEFAULT_LABEL, OFFICIAL
from curator.figures import (
    Drawing,
    ValueInterval,
    box_plot,
    bump_chart,
    error_bars,
    intervals,
    line_plot,
    matrix,
    ranges,
    scatter,
    training_curves,
)
from curator.tables.answers import UNFINISHED
from curator.tables.leaderboard import rank_cells
from curator.tables.passages import rouge_words
from curator.tables.settings import RULES, board_names, settings_words, shared_words
from curator.tables.validity import validity_words

if TYPE_CHECKING:
    from curator.evaluation.leaderboard import BoardRow, Leaderboard
    from curator.evaluation.releases import FrozenScore, Release
    from curator.verbs.answers.ava_training import TrainingStatus
    from curator.verbs.compare.comparison import Comparison, SystemTopics
    from curator.verbs.history.history import PastBoard
    from curator.verbs.judges.boards import PyramidCurves
    from curator.verbs.leaderboard.leaderboard import BoardCorrelation, Sweep
    from curator.verbs.passages.rouge_agreement import RougeAgreement
    from curator.verbs.stability.stability import Stability


JUDGES = "judges in the pyramid"  # across
COEFFICIENTS = {"Spearman": "spearman", "Kendall": "kendall", "τAP": "tau_ap"}
TOP = 1.02  # of an axis that ends at 1, so that a marker there is whole


def sweep_figure(sweeps: Sequence[Sweep]) -> Drawing:
    """The coefficients over the minimum rating; of several measures, named by both."""
    series: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for sweep in sweeps:
        of = "" if len(sweeps) == 1 else f"{sweep.settings.measure} "
        for name, field in COEFFICIENTS.items():
            series[of + name] += [
                (rating, value)
                for rating, at in sweep.points.items()
                if (value := getattr(at, field)) is not None
            ]
    lowest = min((y for line in series.values() for _, y in line), default=0.0)
    measures = ", ".join(dict.fromkeys(sweep.settings.measure for sweep in sweeps))
    against = ", ".join(dict.fromkeys(sweep.against for sweep in sweeps))
    return line_plot(
        f"{measures} against {against}",
        "minimum rating",
        "correlation",
        series,
        y_range=(min(0.0, lowest - 0.05), TOP),
    ).styled(about=shared_words([sweep.settings for sweep in sweeps], rating=False))


def board_figure(
    board: Leaderboard, reference: Leaderboard, *, width: float = 6.4
) -> Drawing:
    """Draw each system's score over that on the other board, or its official rank."""
    other = reference.settings.measure
    ranks = reference.settings.grader == OFFICIAL
    across = {s: abs(x) if ranks else x for s, x in reference.scores().items()}
    points = {
        row.system: (across[row.system], row.score)
        for row in board.standings
        if row.system in across
    }
    measure = board.settings.measure
    title = f"{measure} against {'official ranks' if other == OFFICIAL else other}"
    label = "official rank" if ranks else other
    drawing = scatter(title, label, measure, points, width)
    return drawing.styled(about=settings_words(board.settings))


def frozen_figure(frozen: Release) -> Drawing:
    """Each system's frozen score with its standard error, the best first."""
    return intervals(
        "Scores ± standard errors",
        {
            frozen.settings.measure: {
                (row.system, ""): _with_error(row) for row in frozen.board
            }
        },
        [one.system for one in frozen.board],
        [],
    ).styled(about=settings_words(frozen.settings))


def against_figure(frozen: Release, official: Mapping[str, float]) -> Drawing:
    """Each system's frozen score over its official rank."""
    measure = frozen.settings.measure
    points = {
        one.system: (abs(official[one.system]), one.score)
        for one in frozen.board
        if one.system in official
    }
    title = f"{measure} against official ranks"
    drawing = scatter(title, "official rank", measure, points)
    return drawing.styled(about=settings_words(frozen.settings))


def bump_figure(
    found: Comparison,
    *,
    about: str = "",
    title: str = "Ranks",
    widest: float | None = None,
) -> Drawing:
    """Draw each system's rank on every board, at most ``widest`` inches across.

    Ranks that missing grades can change have hollow markers.
    """
    settings = [board.settings for board in found.boards]
    return _ranks_figure(
        title,
        [measure_title(name) for name in board_names(settings)],
        found.boards,
        found.systems,
        about=about or shared_words(settings),
        widest=widest,
    )


def history_figure(
    past_boards: Sequence[PastBoard],
    *,
    about: str = "",
    widest: float | None = None,
) -> Drawing:
    """Draw each system's rank over time, at most ``widest`` inches across.

    Ranks that missing grades can change have hollow markers.
    """
    boards = [past.board for past in past_boards]
    systems = dict.fromkeys(
        row.system for board in reversed(boards) for row in board.standings
    )
    return _ranks_figure(
        "Ranks over time",
        [past.label for past in past_boards],
        boards,
        tuple(systems),
        about=about or settings_words(boards[-1].settings),
        widest=widest,
    )


def _ranks_figure(
    title: str,
    names: Sequence[str],
    boards: Sequence[Leaderboard],
    systems: Sequence[str],
    *,
    about: str,
    widest: float | None,
) -> Drawing:
    on_boards = [board.ranks() for board in boards]
    ranks = {system: [rank.get(system) for rank in on_boards] for system in systems}
    provisional = {
        (system, column)
        for column, board in enumerate(boards)
        for system, cell in rank_cells(board).items()
        if not isinstance(cell, int)
    }
    if provisional:
        about += " · hollow: missing grades can change the rank"
    return bump_chart(title, names, ranks, widest, provisional).styled(about=about)


def systems_figure(compared: Comparison, official: Mapping[str, float]) -> Drawing:
    """Each system's scores with standard errors, systems by their official ranks.

    A system without one stands where its score on the first board would. Source: Farzi
    & Dietz 2024, Figure 2.
    """
    scores = compared.boards[0].scores()
    ranked = sorted(official.keys() & scores, key=lambda system: official[system])

    def place(system: str) -> float:
        if system in official:
            return ranked.index(system)
        return sum(scores[other] > scores[system] for other in ranked) - 0.5

    names = board_names([board.settings for board in compared.boards])
    series = {
        name: {row.system: _with_error(row) for row in board.standings}
        for name, board in zip(names, compared.boards, strict=True)
        if board.settings.measure != OFFICIAL
    }
    order = "in official order" if ranked else "in the order of the first"
    return error_bars(
        f"Scores ± standard errors, {order}",
        "score",
        sorted(compared.systems, key=place) if ranked else compared.systems,
        series,
    ).styled(about=shared_words([board.settings for board in compared.boards]))


def _with_error(row: BoardRow | FrozenScore) -> ValueInterval:
    """The score and the ends of its standard-error bar."""
    if row.stderr is None:
        return row.score, None, None
    return row.score, row.score - row.stderr, row.score + row.stderr


def correlation_figure(compared: Comparison) -> Drawing:
    """Kendall's tau between every two boards."""
    names = board_names([board.settings for board in compared.boards])
    values: list[list[float | None]] = [
        [1.0 if i == j else None for j in range(len(names))] for i in range(len(names))
    ]
    for pair in compared.pairs:
        values[pair.first][pair.second] = pair.kendall
        values[pair.second][pair.first] = pair.kendall
    about = shared_words([board.settings for board in compared.boards])
    return matrix("Kendall’s τ between boards", names, values).styled(about=about)


def validity_figure(
    correlations: Sequence[BoardCorrelation],
    *,
    names: Mapping[str, str] = MappingProxyType({}),
    widest: float = 9.0,
) -> Drawing:
    """Kendall's tau with one reference: a row a grader, a panel a measure.

    Of several references the first one's. ``names`` are graders' shorter ones.
    """
    against = correlations[0].against
    lines = [line for line in correlations if line.against == against]
    measures = dict.fromkeys(line.settings.measure for line in lines)
    labelled = {
        line.settings.measure for line in lines if line.settings.label != DEFAULT_LABEL
    }
    panels: dict[str, dict[tuple[str, str], ValueInterval]] = {
        line: {} for line in measures
    }
    for line in lines:
        of, its = line.settings, line.correlation
        if not isinstance(its, Correlation) or its.kendall is None:
            continue
        lies = its.kendall_interval
        row = names.get(of.grader, of.grader)
        panels[of.measure][row, RULES[of.label] if of.measure in labelled else ""] = (
            *(its.kendall, None if lies is None else lies.low),
            None if lies is None else lies.high,
        )
    first = lines[0]
    return intervals(
        f"Kendall’s τ with {'the official ranks' if against == OFFICIAL else against}",
        {measure_title(measure): panel for measure, panel in panels.items()},
        [*dict.fromkeys(names.get(g, g) for g in (o.settings.grader for o in lines))],
        [*dict.fromkeys(RULES[line.settings.label] for line in lines)],
        widest,
    ).styled(about=validity_words([first]))


def topics_figure(system_topics: SystemTopics, *, title: str = "") -> Drawing:
    """The system's score in each topic against the range and median of all."""
    topics = system_topics.topics
    return ranges(
        title or f"{system_topics.system} by topic",
        system_topics.settings.measure,
        [topic.query_id for topic in topics],
        [topic.minimum for topic in topics],
        [topic.median for topic in topics],
        [topic.maximum for topic in topics],
        [topic.score for topic in topics],
    ).styled(about=settings_words(system_topics.settings))


def stability_figure(curves: PyramidCurves) -> Drawing:
    """Mean τ between pyramids of so many judges and every judge's own board.

    Source: Lin & Demner-Fushman 2006, figure 2.
    """
    points = [(float(at.judges), at.tau) for at in curves.sizes if at.tau is not None]
    return line_plot(
        *("Pyramids against single judges’ boards", JUDGES, "mean Kendall’s τ"),
        {"mean τ": points},
        y_range=(min([-0.02, *(tau - 0.05 for _, tau in points)]), TOP),
    ).styled(about=settings_words(curves.settings))


def fewer_questions_figure(stable: Stability) -> Drawing:
    """Draw the correlation with a reference by the number of questions a query."""
    series = {
        name: [(size.per_query, getattr(size.expected, field)) for size in stable.fewer]
        for name, field in (("mean τ", "tau"), ("2.5 %", "low"), ("97.5 %", "high"))
    }
    lowest = min(value for line in series.values() for _, value in line)
    return line_plot(
        f"{stable.settings.measure} against {stable.against}",
        "questions in each query",
        "Kendall’s τ",
        series,
        y_range=(min(0.0, lowest - 0.05), TOP),
    ).styled(about=settings_words(stable.settings))


def zeros_figure(curves: PyramidCurves) -> Drawing:
    """Share of the queries in which the median system scores 0, by number of judges.

    Source: Lin & Demner-Fushman 2006, figure 3.
    """
    return line_plot(
        *("Queries with a median score of 0", JUDGES, "share of queries"),
        {"share": [(float(at.judges), at.zero_medians) for at in curves.sizes]},
        y_range=(-0.02, TOP),
    ).styled(about=settings_words(curves.settings))


def rouge_figure(agreement: RougeAgreement, measure: str) -> Drawing:
    """The scores of one measure by judgment, as boxes from lowest to highest.

    Source: Keikha, Park & Croft 2014, figure 1.
    """
    by_name = {scores.measure: scores.levels for scores in agreement.measures}
    graded = "grade" if agreement.choice.highlights else "judgment"
    boxes = {
        str(level.judgment): (
            level.lowest,
            level.first_quartile,
            level.median,
            level.third_quartile,
            level.highest,
        )
        for level in by_name[measure]
    }
    drawing = box_plot(f"{measure} by {graded}", graded, measure, boxes)
    return drawing.styled(about=rouge_words(agreement))


def training_figure(training: TrainingStatus, *, dark: bool = False) -> Drawing:
    """Loss over steps, and precision, recall and F1 on dev."""

    def over_steps(field: str) -> list[tuple[float, float]]:
        values = [(point.step, getattr(point, field)) for point in training.curve]
        return [(step, value) for step, value in values if value is not None]

    about, card = UNFINISHED, training.card
    if card is not None:
        parts = [card.configuration, card.encoder, f"seed {card.seed}"]
        parts += [
            f"{name.replace('_', ' ')} {card.settings[name]}"
            for name in ("learning_rate", "batch_size", "max_tokens", "inclusion")
            if name in card.settings
        ]
        about = " · ".join(filter(None, parts))
    names = {"F1": "f1", "precision": "precision", "recall": "recall"}
    results = {name: over_steps(field) for name, field in names.items()}
    return training_curves(
        f"Training of {training.name}",
        over_steps("loss"),
        {name: points for name, points in results.items() if points},
        kept=training.saved_step,
    ).styled(about=about, dark=dark)
