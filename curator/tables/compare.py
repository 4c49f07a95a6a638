"""Measures side by side, systems held against each other, and one system's topics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from curator.formats.text.notices import counted
from curator.tables.leaderboard import rests_on
from curator.tables.settings import settings_json, settings_words
from curator.tables.table import Column, Table

if TYPE_CHECKING:
    from curator.evaluation.comparison import MeasurePair
    from curator.evaluation.leaderboard import Leaderboard
    from curator.evaluation.settings import Settings
    from curator.verbs.compare.comparison import Between, Comparison, Significance
    from curator.verbs.compare.topics import SystemTopics


def column_names(settings: Sequence[Settings]) -> list[str]:
    """A measure's name for each, with its grader's where there are several."""
    several = len({one.grader for one in settings}) > 1
    return [f"{s.measure} · {s.grader}" if several else s.measure for s in settings]


def comparison_tables(compared: Comparison) -> list[Table]:
    """Scores and ranks, correlations, and the tests and queries that were asked for.

    The value of the first is all of it.
    """
    names = column_names([one.settings for one in compared.boards])
    tables = [_scores(compared, names)]
    if compared.pairs:
        tables.append(_correlations(compared.pairs, names))
    if compared.significance is not None:
        tables += [
            _tiers(compared.boards[0], compared.significance),
            _tests(compared.significance),
        ]
    if compared.between is not None:
        tables.append(_between(compared.between))
    return tables


def _scores(compared: Comparison, names: Sequence[str]) -> Table:
    columns = [Column("system", lambda system: system)]
    for name, board in zip(names, compared.boards, strict=True):
        scores, ranks = board.scores(), board.ranks()
        columns += [Column(name, scores.get), Column("rank", ranks.get)]
    caption = "\n".join(map(rests_on, compared.boards))
    return Table(columns, compared.systems, caption, compared.notes, _value(compared))


def _value(compared: Comparison) -> dict[str, object]:
    tested, between = compared.significance, compared.between
    settings = [settings_json(one.settings) for one in compared.boards]
    return {
        "measures": [
            {
                "settings": settings_json(one.settings),
                "queries": one.queries,
                "grades": {"needed": one.needed, "known": one.known},
                "systems": [
                    {
                        "system": standing.system,
                        "score": standing.score,
                        "stderr": standing.stderr,
                        "rank": standing.rank,
                    }
                    for standing in one.standings
                ],
            }
            for one in compared.boards
        ],
        "correlations": [
            {
                "first": settings[one.first],
                "second": settings[one.second],
                "systems": one.systems,
                "queries": one.queries,
                "kendall": one.kendall,
                "kendall_interval": _ends(one.kendall_interval),
                "spearman": one.spearman,
                "spearman_interval": _ends(one.spearman_interval),
                "note": one.note,
            }
            for one in compared.pairs
        ],
        "significance": tested
        and {
            "settings": settings_json(tested.settings),
            "queries": tested.tests.queries,
            "flips": tested.tests.flips,
            "exact": tested.tests.exact,
            "tiers": tested.tiers,
            "pairs": [
                asdict(one) | {"significant": one.significant}
                for one in tested.tests.pairs
            ],
        },
        "between": between
        and {
            "settings": settings_json(between.settings),
            "systems": [between.first, between.second],
            "queries": [asdict(one) for one in between.queries],
        },
        "notes": list(compared.notes),
    }


def _ends(interval: Any) -> list[float] | None:
    return None if interval is None else [interval.low, interval.high]


def _correlations(pairs: Sequence[MeasurePair], names: Sequence[str]) -> Table:
    columns = [
        Column("measure", lambda one: names[one.first]),
        Column("and", lambda one: names[one.second]),
        Column("queries"),
    ]
    for name in ("kendall", "spearman"):
        columns += [
            Column(name),
            Column("from", f"{name}_interval.low"),
            Column("to", f"{name}_interval.high"),
        ]
    caption = (
        "Correlation of the boards; 95 % intervals over 1,000 resamples of queries"
    )
    return Table(columns, pairs, caption)


def _tiers(board: Leaderboard, tested: Significance) -> Table:
    columns = [
        Column("tier", lambda one: tested.tiers[one.system]),
        *(Column("rank"), Column("system"), Column(tested.settings.measure, "score")),
    ]
    caption = (
        "Tiers: no system is significantly worse than the best of its tier "
        "(adjusted p ≤ .05)"
    )
    return Table(columns, board.standings, caption)


def _tests(tested: Significance) -> Table:
    flips = f"{tested.tests.flips:,}"
    flips = f"all {flips}" if tested.tests.exact else f"{flips} random"
    caption = (
        f"Randomisation tests · {settings_words(tested.settings)} · "
        f"{counted(tested.tests.queries, 'query', 'queries')} · {flips} choices of "
        "signs"
    )
    columns = [
        *(Column("system", "first"), Column("and", "second"), Column("difference")),
        *(Column("p"), Column("adjusted p", "adjusted")),
    ]
    return Table(columns, tested.tests.pairs, caption)


def _between(between: Between) -> Table:
    columns = [
        *(Column("query", "query_id"), Column(between.first, "first")),
        *(Column(between.second, "second"), Column("difference")),
    ]
    caption = f"Queries that differ most · {settings_words(between.settings)}"
    return Table(columns, between.queries, caption)


def topic_table(topics: SystemTopics) -> Table:
    """Every query's score of one system beside what all systems got there."""
    standing = topics.standing
    value = {
        "settings": settings_json(topics.settings),
        "system": topics.system,
        "rank": standing.rank if standing else None,
        "score": standing.score if standing else None,
        "systems": topics.systems,
        "topics": [asdict(one) for one in topics.topics],
        "notes": list(topics.notes),
    }
    place = "no rank" if standing is None else f"rank {standing.rank}"
    caption = (
        f"{topics.system} · {place} of {counted(topics.systems, 'system')} · "
        f"{settings_words(topics.settings)}"
    )
    columns = [
        *(Column("query", "query_id"), Column(topics.settings.measure, "score")),
        *(Column("rank"), Column("minimum"), Column("median"), Column("maximum")),
        Column("over median", "over_median"),
    ]
    return Table(columns, topics.topics, caption, topics.notes, value)
