"""Verb results as figures.

Each says beneath under which settings it was made.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from curator.evaluation.leaderboard import BoardRow
from curator.evaluation.measures import title as measure_title
from curator.evaluation.settings import DEFAULT_LABEL, OFFICIAL
from curator.figures import (
    Drawing,
    ValueInterval,
    box_plot,
    bump_chart,
    intervals,
    line_plot,
    matrix,
    ranges,
    scatter,
)
from curator.tables.answers import UNFINISHED
from curator.tables.leaderboard import rank_cells
from curator.tables.passages import rouge_words
from curator.tables.settings import RULES, board_names, settings_words, shared_words
from curator.tables.validity import validity_words

if TYPE_CHECKING:
    from curator.evaluation.leaderboard import Leaderboard
    from curator.evaluation.releases import FrozenScore
    from curator.evaluation.settings import Settings
    from curator.verbs.answers.ava_training import TrainingStatus
    from curator.verbs.compare import Comparison, SystemTopics
    from curator.verbs.history import PastBoard
    from curator.verbs.judges import Pyramid
    from curator.verbs.leaderboard.leaderboard import BoardCorrelation
    from curator.verbs.passages.rouge_agreement import RougeAgreement
    from curator.verbs.stability.stability import Stability


COEFFICIENTS = {"Spearman": "spearman", "Kendall": "kendall", "τAP": "tau_ap"}
QUANTILES = ("lowest", "first_quartile", "median", "third_quartile", "highest")
TOP = 1.02  # of an axis that ends at 1, so that a marker there is whole


def sweep_figure(rows: Sequence[BoardCorrelation]) -> Drawing:
    """The coefficients over the minimum rating; of several measures, named by both."""
    settings = [row.settings for row in rows]
    measures = dict.fromkeys(chosen.measure for chosen in settings)
    series: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for row in rows:
        of = "" if len(measures) == 1 else f"{row.settings.measure} "
        for name, field in COEFFICIENTS.items():
            value = getattr(row.correlation, field)
            if value is not None:
                series[of + name].append((row.settings.min_rating, value))
    against = ", ".join(dict.fromkeys(row.against for row in rows))
    return _correlation_lines(
        f"{', '.join(measures)} against {against}",
        "minimum rating",
        "correlation",
        series,
        shared_words(settings, rating=False),
    )


def _correlation_lines(
    title: str,
    x_label: str,
    y_label: str,
    series: Mapping[str, Sequence[tuple[float, float]]],
    about: str,
) -> Drawing:
    """Draw lines on an axis from 0, or below the lowest value, to 1."""
    lowest = min((y for line in series.values() for _, y in line), default=0.0)
    y_range = min(0.0, lowest - 0.05), TOP
    drawing = line_plot(title, x_label, y_label, series, y_range=y_range)
    return drawing.styled(about=about)


def board_figure(
    board: Leaderboard, reference: Leaderboard, *, width: float = 6.4
) -> Drawing:
    """Draw each system's score over that on the other board, or its official rank."""
    settings, name = board.settings, reference.settings.measure
    if reference.settings.grader == OFFICIAL:
        ranks = {system: abs(rank) for system, rank in reference.scores().items()}
        name = "official ranks" if name == OFFICIAL else name
        return ranks_figure(settings, board.scores(), ranks, name, width=width)
    across = reference.scores()
    return ranks_figure(settings, board.scores(), across, name, name, width=width)


def ranks_figure(
    settings: Settings,
    scores: Mapping[str, float],
    across: Mapping[str, float],
    name: str = "official ranks",
    label: str = "official rank",
    *,
    width: float = 6.4,
) -> Drawing:
    """Draw each system's score over its official rank, or over another score."""
    points = {
        system: (across[system], score)
        for system, score in scores.items()
        if system in across
    }
    title = f"{settings.measure} against {name}"
    drawing = scatter(title, label, settings.measure, points, width)
    return drawing.styled(about=settings_words(settings))


def scores_figure(
    settings: Settings,
    rows: Sequence[BoardRow | FrozenScore],
    *,
    bounds: bool = False,
) -> Drawing:
    """Draw each system's score with its standard error, the best first.

    With ``bounds`` also the scores that are possible with missing grades.
    """
    possible = {
        (row.system, "possible"): (math.nan, row.lower, row.upper)
        for row in rows
        if bounds and isinstance(row, BoardRow)
    }
    error = "standard error" if possible else ""
    scores = {(row.system, error): _with_error(row) for row in rows}
    return intervals(
        "Scores ± standard errors",
        {settings.measure: scores | possible},
        [row.system for row in rows],
        [error, "possible"] if possible else [],
    ).styled(about=settings_words(settings))


def bump_figure(
    compared: Comparison,
    *,
    about: str = "",
    title: str = "Ranks",
    widest: float | None = None,
) -> Drawing:
    """Draw each system's rank on every board, at most ``widest`` inches across.

    Ranks that missing grades can change have hollow markers.
    """
    settings = [board.settings for board in compared.boards]
    names = [measure_title(name) for name in board_names(settings)]
    about = about or shared_words(settings)
    return _ranks_figure(title, names, compared.boards, compared.systems, about, widest)


def history_figure(
    past_boards: Sequence[PastBoard], *, about: str = "", widest: float | None = None
) -> Drawing:
    """Draw each system's rank over time, as ``bump_figure``."""
    boards = [past.board for past in past_boards]
    systems = dict.fromkeys(
        row.system for board in reversed(boards) for row in board.standings
    )
    names = [past.label for past in past_boards]
    about = about or settings_words(boards[-1].settings)
    return _ranks_figure("Ranks over time", names, boards, systems, about, widest)


def _ranks_figure(
    title: str,
    names: Sequence[str],
    boards: Sequence[Leaderboard],
    systems: Collection[str],
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

    settings = [board.settings for board in compared.boards]
    panels = {
        name: {(row.system, ""): _with_error(row) for row in board.standings}
        for name, board in zip(board_names(settings), compared.boards, strict=True)
        if board.settings.measure != OFFICIAL
    }
    order = "in official order" if ranked else "in the order of the first"
    systems = sorted(compared.systems, key=place) if ranked else compared.systems
    drawing = intervals(f"Scores ± standard errors, {order}", panels, systems)
    return drawing.styled(about=shared_words(settings))


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
    first = correlations[0]
    lines = [line for line in correlations if line.against == first.against]
    labelled = {
        line.settings.measure for line in lines if line.settings.label != DEFAULT_LABEL
    }
    panels: dict[str, dict[tuple[str, str], ValueInterval]] = defaultdict(dict)
    rows, rules = [], []
    for line in lines:
        chosen, correlation = line.settings, line.correlation
        panel = panels[measure_title(chosen.measure)]
        rows.append(names.get(chosen.grader, chosen.grader))
        rules.append(RULES[chosen.label])
        rule = rules[-1] if chosen.measure in labelled else ""
        tau = correlation.kendall
        if tau is not None:
            ends = correlation.kendall_interval
            low, high = (ends.low, ends.high) if ends else (None, None)
            panel[rows[-1], rule] = tau, low, high
    of = "the official ranks" if first.against == OFFICIAL else first.against
    rows, rules = [*dict.fromkeys(rows)], [*dict.fromkeys(rules)]
    drawing = intervals(f"Kendall’s τ with {of}", panels, rows, rules, widest)
    return drawing.styled(about=validity_words([first]))


def topics_figure(system_topics: SystemTopics, *, title: str = "") -> Drawing:
    """The system's score in each topic against the range and median of all."""
    return ranges(
        title or f"{system_topics.system} by topic",
        system_topics.settings.measure,
        {
            topic.query_id: (topic.minimum, topic.median, topic.maximum, topic.score)
            for topic in system_topics.topics
        },
    ).styled(about=settings_words(system_topics.settings))


def pyramid_figure(pyramid: Pyramid, *, zeros: bool = False) -> Drawing:
    """Mean τ of pyramids of so many judges with every judge's own board.

    With ``zeros`` the share of queries in which the median system scores 0. Source: Lin
    & Demner-Fushman 2006, figures 2 and 3.
    """
    if zeros:
        title, name = "Queries with a median score of 0", "share"
        y_label, lowest = "share of queries", 0.0
        points = [(float(at.judges), at.zero_medians) for at in pyramid.curves]
    else:
        title, name = "Pyramids against single judges’ boards", "mean τ"
        y_label = "mean Kendall’s τ"
        curve = [(float(at.judges), at.tau) for at in pyramid.curves]
        points = [(judges, tau) for judges, tau in curve if tau is not None]
        lowest = min((tau - 0.03 for _, tau in points), default=0.0)
    y_range = min(0.0, lowest) - 0.02, TOP
    series = {name: points}
    drawing = line_plot(
        title, "judges in the pyramid", y_label, series, y_range=y_range
    )
    return drawing.styled(about=settings_words(pyramid.settings))


def fewer_questions_figure(stable: Stability) -> Drawing:
    """Draw the correlation with a reference by the number of questions a query."""
    series = {
        name: [(size.per_query, getattr(size.expected, field)) for size in stable.fewer]
        for name, field in (("mean τ", "tau"), ("2.5 %", "low"), ("97.5 %", "high"))
    }
    return _correlation_lines(
        f"{stable.settings.measure} against {stable.against}",
        "questions in each query",
        "Kendall’s τ",
        series,
        settings_words(stable.settings),
    )


def rouge_figure(agreement: RougeAgreement, measure: str) -> Drawing:
    """The scores of one measure by judgment, as boxes from lowest to highest.

    Source: Keikha, Park & Croft 2014, figure 1.
    """
    by_name = {scores.measure: scores.levels for scores in agreement.measures}
    graded = "grade" if agreement.choice.highlights else "judgment"
    boxes = {
        str(level.judgment): [getattr(level, quantile) for quantile in QUANTILES]
        for level in by_name[measure]
    }
    drawing = box_plot(f"{measure} by {graded}", graded, measure, boxes)
    return drawing.styled(about=rouge_words(agreement))


def training_figure(training: TrainingStatus, *, dark: bool = False) -> Drawing:
    """Loss over steps, and precision, recall and F1 on dev."""
    names = {"loss": "loss", "F1": "f1", "precision": "precision", "recall": "recall"}
    series = {
        name: [
            (float(point.step), value)
            for point in training.curve
            if (value := getattr(point, field)) is not None
        ]
        for name, field in names.items()
    }
    about, card = UNFINISHED, training.card
    if card is not None:
        parts = [card.configuration, card.encoder, f"seed {card.seed}"]
        parts += [
            f"{name.replace('_', ' ')} {card.settings[name]}"
            for name in ("learning_rate", "batch_size", "max_tokens", "inclusion")
            if name in card.settings
        ]
        about = " · ".join(filter(None, parts))
    if training.saved_step is not None:
        about += f" · kept: step {training.saved_step}"
    title = f"Training of {training.name}"
    drawing = line_plot(title, "step", "loss, and results on dev", series)
    return drawing.styled(about=about, dark=dark)
