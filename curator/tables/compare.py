"""Measures side by side, systems held against each other, and one system's topics."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from curator.evaluation.measures import title
from curator.evaluation.settings import OFFICIAL
from curator.formats.text.notices import counted
from curator.results import FILE, PAGE, to_json
from curator.tables.forms import bounds, score
from curator.tables.leaderboard import (
    board_json,
    open_ranks,
    rank_cell,
    rank_cells,
    ranks_json,
    rests_on,
)
from curator.tables.settings import board_names, settings_words
from curator.tables.table import Column, Table, columns, opened, record, toned

if TYPE_CHECKING:
    from curator.evaluation.comparison import MeasurePair
    from curator.evaluation.leaderboard import Leaderboard
    from curator.verbs.compare import (
        ComparedQuery,
        Comparison,
        Significance,
        SystemDifferences,
        SystemTopics,
    )


def comparison_tables(compared: Comparison) -> list[Table]:
    """Scores and ranks, correlations, and the tests and queries that were asked for.

    The value of the first is all of it.
    """
    tables = [replace(score_and_rank_table(compared), value=_value(compared))]
    if compared.pairs:
        names = board_names([row.settings for row in compared.boards])
        tables.append(_correlations(compared.pairs, names))
    tables.append(_error_bars(compared))
    if compared.significance is not None:
        tables += [
            _tiers(compared.boards[0], compared.significance),
            significance_table(compared.significance),
        ]
    if compared.between is not None:
        tables.append(difference_table(compared.between))
    return tables


def score_and_rank_table(compared: Comparison) -> Table:
    """Every system's score and rank on each board; on pages in tiers."""
    names = board_names([row.settings for row in compared.boards])
    tiers = compared.significance.tiers if compared.significance else {}
    layout = [Column("system", str, link="system")]
    if tiers:
        layout.append(Column("tier", tiers.get, only=PAGE))
    for name, board in zip(names, compared.boards, strict=True):
        scores, ranks = board.scores(), rank_cells(board)
        page = _score_and_rank(board)
        layout += [
            Column(name, scores.get, title=title(name), page=page),
            Column("rank", ranks.get, f"{name} rank", only=FILE),
        ]
        if not board.complete:
            for end in ("lower", "upper"):
                ends = {row.system: getattr(row, end) for row in board.standings}
                layout.append(Column(end, ends.get, f"{name} {end}", only=FILE))
    caption = "\n".join(map(rests_on, compared.boards))
    notes = [*compared.notes, *open_ranks(compared.boards)]
    return Table(layout, compared.systems, caption, notes, part=tiers.get)


def _error_bars(compared: Comparison) -> Table:
    names = board_names([board.settings for board in compared.boards])
    rows = [
        [name, board.overlapping_pairs(), math.comb(len(board.standings), 2)]
        for name, board in zip(names, compared.boards, strict=True)
    ]
    caption = "Pairs of systems whose standard-error bars overlap"
    return Table.of(["measure", "overlapping", "pairs"], rows, caption)


def _score_and_rank(board: Leaderboard) -> Callable[[str], Markup]:
    """Each system's score or the range that it lies in, and its rank."""
    rows, ranks = {row.system: row for row in board.standings}, rank_cells(board)

    def cell(system: str) -> Markup:
        row, text = rows.get(system), ""
        if row and board.settings.grader != OFFICIAL:  # whose scores are its ranks
            text = bounds(row.lower, row.upper, row.score)
            text = score(row.score) if board.complete else text
        return Markup("{} <small>{}</small>").format(text, ranks.get(system, ""))

    return cell


def _value(compared: Comparison) -> dict[str, object]:
    settings = [board.settings.to_json() for board in compared.boards]
    return {
        "measures": [
            board_json(board) | {"overlapping_pairs": board.overlapping_pairs()}
            for board in compared.boards
        ],
        "correlations": [
            to_json(pair)
            | {"first": settings[pair.first], "second": settings[pair.second]}
            for pair in compared.pairs
        ],
        **to_json(record(compared, "significance", "between", "notes")),
    }


def _correlations(pairs: Sequence[MeasurePair], names: Sequence[str]) -> Table:
    ends = "kendall from=kendall_interval.low to=kendall_interval.high"
    layout = [
        Column("measure", lambda pair: names[pair.first]),
        Column("and", lambda pair: names[pair.second]),
        *columns(f"queries {ends} {ends.replace('kendall', 'spearman')}"),
    ]
    caption = (
        "Correlation of the boards; 95 % intervals over 1,000 resamples of queries"
    )
    return Table(layout, pairs, caption)


def _tiers(board: Leaderboard, tested: Significance) -> Table:
    ranges = tested.rank_ranges or {row.system: (row.rank, row.rank) for row in board}
    layout = [
        Column("tier", lambda row: tested.tiers[row.system]),
        Column("rank"),
        Column("ranks", lambda row: rank_cell(row.rank, ranges.get(row.system))),
        *(Column("system"), Column(tested.settings.measure, "score")),
    ]
    caption = (
        "Tiers: no system is significantly worse than the best of its tier "
        "(adjusted p ≤ .05); ranks: those that the tests leave open"
    )
    return Table(layout, board.standings, caption)


def significance_table(tested: Significance) -> Table:
    """Every two systems with their difference and its p."""
    flips = f"{tested.tests.flips:,}"
    flips = f"all {flips}" if tested.tests.exact else f"{flips} random"
    caption = (
        f"Randomisation tests · {settings_words(tested.settings)} · "
        f"{counted(tested.tests.queries, 'query', 'queries')} · {flips} choices of "
        "signs"
    )
    if (power := tested.tests.discriminative_power) is not None:
        caption += f"\nDiscriminative power {power:.4f}: share of pairs with p ≤ .05"
    spec = "system=first and=second difference p adjusted_p=adjusted"
    return Table(columns(spec), tested.tests.pairs, caption)


def difference_table(
    between: SystemDifferences, names: Mapping[str, str] = MappingProxyType({})
) -> Table:
    """The queries on which two systems differ; ``names`` of the queries on pages."""
    layout = [
        Column("query", "query_id", page=_query_named(names)),
        Column(between.first, "first", title="First", help=between.first),
        Column(between.second, "second", title="Second", help=between.second),
        Column("difference", page=lambda query: toned(query.difference)),
    ]
    caption = f"Queries that differ most · {settings_words(between.settings)}"
    return Table(layout, between.queries, caption)


def _query_named(names: Mapping[str, str]) -> Callable[[Any], Markup]:
    return lambda row: opened(
        "curate", row.query_id, names.get(row.query_id, row.query_id)
    )


def topic_table(
    topics: SystemTopics, names: Mapping[str, str] = MappingProxyType({})
) -> Table:
    """Make a table of one system's scores by query, with the range of all systems.

    ``names`` of the queries on pages, where all systems' scores are a bar.
    """
    complete, row = topics.board.complete, topics.board_row
    place: dict[str, Any] = {"rank": row and row.rank, "score": row and row.score}
    if not complete:
        place |= ranks_json(topics.board).get(topics.system, {})
    value = {
        "settings": topics.settings.to_json(),
        **{"system": topics.system, **place, "systems": topics.systems},
        **to_json(record(topics, "topics", "notes")),
    }
    rank = rank_cells(topics.board).get(topics.system)
    caption = (
        f"{topics.system} · {'no rank' if rank is None else f'rank {rank}'} of "
        f"{counted(topics.systems, 'system')} · {settings_words(topics.settings)}"
    )
    measure = topics.settings.measure
    end = max([1.0, *(topic.maximum for topic in topics.topics)])
    axis = Markup('<span class="s-axis"><span>0</span><span>{}</span></span>').format(
        f"{end:.2f}".rstrip("0").rstrip(".")
    )
    layout = [
        Column("query", "query_id", page=_query_named(names)),
        Column("range", title=axis, page=lambda topic: _bar(topic, end), only=PAGE),
        Column(measure, "score", title=title(measure)),
        Column("rank", lambda topic: rank_cell(topic.rank, topic.rank_range)),
        *(Column(name, only=FILE) for name in ("minimum", "median", "maximum")),
        Column(
            *("over median", "above_median", "over_median", "To median"),
            page=lambda topic: toned(topic.above_median),
        ),
        Column("ranking", page=_ranking_link, only=PAGE),
    ]
    if not complete:
        layout += [Column(end, only=FILE) for end in ("lower", "upper")]
    notes = [*topics.notes, *open_ranks([topics.board])]
    return Table(layout, topics.topics, caption, notes, value)


def _ranking_link(topic: ComparedQuery) -> Markup:
    return opened("ranking", topic.query_id, "passages")


def _bar(topic: ComparedQuery, end: float) -> Markup:
    """From the lowest score to the highest, the median a tick, the system a dot."""

    def at(value: float) -> float:
        return round(100 * min(max(value / end, 0.0), 1.0), 1)

    low, high = at(topic.minimum), at(topic.maximum)
    over = round(topic.above_median, 9)
    return Markup(
        '<span class="s-bar" role="img" aria-label="{words}" title="{words}">'
        '<i style="left:{low}%;width:{width:.1f}%"></i><u style="left:{median}%"></u>'
        '<b class="c-{tone}" style="left:{score}%"></b></span>'
    ).format(
        words=(
            f"{score(topic.score)}; all systems {score(topic.minimum)} to "
            f"{score(topic.maximum)}, median {score(topic.median)}"
        ),
        low=low,
        width=max(high - low, 0.5),
        median=at(topic.median),
        score=at(topic.score),
        tone="up" if over > 0 else "down" if over < 0 else "",
    )
