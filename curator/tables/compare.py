"""Measures side by side, systems held against each other, and one system's topics."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from curator.formats.text.notices import counted
from curator.tables.leaderboard import board_said
from curator.tables.table import Cell, Shown, said, settings_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from curator.evaluation.bootstrap import Interval
    from curator.evaluation.comparison import MeasurePair
    from curator.evaluation.settings import Settings
    from curator.verbs.compare.comparison import Between, Comparison, Significance
    from curator.verbs.compare.topics import SystemTopics


def column_names(settings: Sequence[Settings]) -> list[str]:
    """A measure's name for each, with its grader's where there are several."""
    several = len({one.grader for one in settings}) > 1
    return [f"{s.measure} · {s.grader}" if several else s.measure for s in settings]


def comparison(found: Comparison) -> list[Shown]:
    """Scores and ranks, correlations, and the tests and queries that were asked for.

    The value of the first is all of it.
    """
    names = column_names([one.settings for one in found.boards])
    shown = [_scores(found, names)]
    if found.pairs:
        shown.append(_correlations(found.pairs, names))
    if found.significance is not None:
        shown += [_tiers(found, found.significance), _tests(found.significance)]
    if found.between is not None:
        shown.append(_between(found.between))
    return shown


def _scores(found: Comparison, names: Sequence[str]) -> Shown:
    by_system = [{s.system: s for s in one.standings} for one in found.boards]
    headings = ["system", *(h for name in names for h in (name, "rank"))]
    rows: list[list[Cell]] = []
    for system in found.systems:
        row: list[Cell] = [system]
        for standings in by_system:
            one = standings.get(system)
            row += [None, None] if one is None else [one.score, one.rank]
        rows.append(row)
    caption = "\n".join(board_said(one) for one in found.boards)
    return Shown(_value(found), headings, rows, caption, found.notes)


def _value(found: Comparison) -> dict[str, object]:
    value: dict[str, object] = {
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
            for one in found.boards
        ],
        "correlations": [_pair_json(pair, found) for pair in found.pairs],
        "significance": None,
        "between": None,
        "notes": list(found.notes),
    }
    tested, between = found.significance, found.between
    if tested is not None:
        value["significance"] = {
            "settings": settings_json(tested.settings),
            "queries": tested.tests.queries,
            "flips": tested.tests.flips,
            "exact": tested.tests.exact,
            "tiers": tested.tiers,
            "pairs": [
                {**asdict(one), "significant": one.significant}
                for one in tested.tests.pairs
            ],
        }
    if between is not None:
        value["between"] = {
            "settings": settings_json(between.settings),
            "systems": [between.first, between.second],
            "queries": [asdict(one) for one in between.queries],
        }
    return value


def _pair_json(pair: MeasurePair, found: Comparison) -> dict[str, object]:
    return {
        "first": settings_json(found.boards[pair.first].settings),
        "second": settings_json(found.boards[pair.second].settings),
        "systems": pair.systems,
        "queries": pair.queries,
        "kendall": pair.kendall,
        "kendall_interval": _ends(pair.kendall_interval),
        "spearman": pair.spearman,
        "spearman_interval": _ends(pair.spearman_interval),
        "note": pair.note,
    }


def _ends(interval: Interval | None) -> list[float] | None:
    return None if interval is None else [interval.low, interval.high]


def _correlations(pairs: Sequence[MeasurePair], names: Sequence[str]) -> Shown:
    rows: list[list[Cell]] = []
    for one in pairs:
        kendall, spearman = one.kendall_interval, one.spearman_interval
        rows.append(
            [
                names[one.first],
                names[one.second],
                one.queries,
                one.kendall,
                kendall.low if kendall else None,
                kendall.high if kendall else None,
                one.spearman,
                spearman.low if spearman else None,
                spearman.high if spearman else None,
            ]
        )
    headings = ["measure", "and", "queries"]
    headings += ["kendall", "from", "to", "spearman", "from", "to"]
    caption = (
        "Correlation of the boards; 95 % intervals over 1,000 resamples of queries"
    )
    return Shown(None, headings, rows, caption)


def _tiers(found: Comparison, tested: Significance) -> Shown:
    rows: list[list[Cell]] = [
        [tested.tiers[one.system], one.rank, one.system, one.score]
        for one in found.boards[0].standings
    ]
    caption = (
        "Tiers: no system is significantly worse than the best of its tier "
        "(adjusted p ≤ .05)"
    )
    return Shown(
        None, ["tier", "rank", "system", tested.settings.measure], rows, caption
    )


def _tests(tested: Significance) -> Shown:
    rows: list[list[Cell]] = [
        [one.first, one.second, one.difference, one.p, one.adjusted]
        for one in tested.tests.pairs
    ]
    flips = f"{tested.tests.flips:,}"
    flips = f"all {flips}" if tested.tests.exact else f"{flips} random"
    caption = (
        f"Randomisation tests · {said(tested.settings)} · "
        f"{counted(tested.tests.queries, 'query', 'queries')} · {flips} choices of "
        "signs"
    )
    return Shown(
        None, ["system", "and", "difference", "p", "adjusted p"], rows, caption
    )


def _between(between: Between) -> Shown:
    rows: list[list[Cell]] = [
        [one.query_id, one.first, one.second, one.difference] for one in between.queries
    ]
    caption = f"Queries that differ most · {said(between.settings)}"
    headings = ["query", between.first, between.second, "difference"]
    return Shown(None, headings, rows, caption)


def topics(found: SystemTopics) -> Shown:
    """Every query's score of one system beside what all systems got there."""
    value = {
        "settings": settings_json(found.settings),
        "system": found.system,
        "rank": found.standing.rank if found.standing else None,
        "score": found.standing.score if found.standing else None,
        "systems": found.systems,
        "topics": [asdict(one) for one in found.topics],
        "notes": list(found.notes),
    }
    rows: list[list[Cell]] = [
        [t.query_id, t.score, t.rank, t.minimum, t.median, t.maximum, t.over_median]
        for t in found.topics
    ]
    headings = ["query", found.settings.measure, "rank"]
    headings += ["minimum", "median", "maximum", "over median"]
    place = "no rank" if found.standing is None else f"rank {found.standing.rank}"
    caption = (
        f"{found.system} · {place} of {counted(found.systems, 'system')} · "
        f"{said(found.settings)}"
    )
    return Shown(value, headings, rows, caption, found.notes)
