"""Measures side by side as rows and cells, and two systems as a list of queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from curator.evaluation.bootstrap import Interval
from curator.evaluation.comparison import MeasurePair, QueryDifference
from curator.evaluation.randomisation import ALPHA, PairTests
from curator.ui.shared import words
from curator.ui.shared.parts import Part, tone_of
from curator.verbs.compare.comparison import Comparison, Significance


@dataclass(frozen=True, slots=True)
class SystemRow:
    """One system: its tier, whether that differs from the row above, (score, rank)."""

    system: str
    tier: str
    parted: bool
    cells: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """A coefficient, its interval beneath; ``title`` says it in words."""

    value: str
    interval: str
    title: str


@dataclass(frozen=True, slots=True)
class DifferenceRow:
    """A query with both scores; ``change`` in the tone of whom it is better for."""

    query_id: str
    name: str
    first: str
    second: str
    change: Part


def system_rows(found: Comparison) -> tuple[SystemRow, ...]:
    """Every system in the order of the first board, its ties as equal ranks."""
    by_system = [{s.system: s for s in one.standings} for one in found.boards]
    tiers = found.significance.tiers if found.significance else {}
    rows = []
    above: int | None = None
    for system in found.systems:
        tier = tiers.get(system)
        cells = []
        for standings in by_system:
            one = standings.get(system)
            score = None if one is None else one.score
            cells.append((words.score(score), "" if one is None else str(one.rank)))
        parted = above is not None and tier != above
        rows.append(
            SystemRow(system, "" if tier is None else str(tier), parted, tuple(cells))
        )
        above = tier
    return tuple(rows)


def matrix_cells(
    pairs: Sequence[MeasurePair], names: Sequence[str]
) -> dict[tuple[int, int], MatrixCell]:
    """Kendall's tau below the diagonal, Spearman's rho above it."""
    cells = {}
    for one in pairs:
        both = f"{names[one.first]} and {names[one.second]}"
        cells[one.second, one.first] = _cell(
            "Kendall", both, one.kendall, one.kendall_interval, one.note
        )
        cells[one.first, one.second] = _cell(
            "Spearman", both, one.spearman, one.spearman_interval, one.note
        )
    return cells


def _cell(
    coefficient: str,
    both: str,
    value: float | None,
    interval: Interval | None,
    note: str,
) -> MatrixCell:
    if value is None:
        return MatrixCell("–", "", f"{both}: {note}")
    low, high = ("", "") if interval is None else _ends(interval)
    said = f"{coefficient} of {both}: {words.score(value)}"
    said += f", 95 % interval {low} to {high}" if interval else ""
    within = f"{low}, {high}" if interval else ""
    return MatrixCell(words.score(value, 2), within, f"{said}. {note}".strip())


def _ends(interval: Interval) -> tuple[str, str]:
    return words.score(interval.low, 2), words.score(interval.high, 2)


def difference_rows(
    queries: Sequence[QueryDifference], names: Mapping[str, str]
) -> tuple[DifferenceRow, ...]:
    """The queries by name, the largest difference first; those without one left out."""
    return tuple(
        DifferenceRow(
            one.query_id,
            names.get(one.query_id, one.query_id),
            words.score(one.first),
            words.score(one.second),
            Part(words.change(one.difference, 3), tone_of(one.difference)),
        )
        for one in queries
        if round(one.difference, 9) != 0
    )


def differ_words(shown: int, all_queries: int, first: str, second: str) -> str:
    """How many queries tell two systems apart."""
    if not shown:
        return f"{first} and {second} have the same score in every query."
    return (
        f"They differ in {shown} of {words.count(all_queries, 'query', 'queries')}. "
        f"Above zero: {first} is better."
    )


def pair_words(tests: PairTests, first: str, second: str) -> str:
    """What the test of two systems says, in one sentence; "" where they have none."""
    for one in tests.pairs:
        if {one.first, one.second} == {first, second}:
            verdict = "significant" if one.significant else "not significant"
            return (
                f"The difference of their means is {words.score(one.difference)}, "
                f"{verdict}: p {p_words(one.p)}, adjusted {p_words(one.adjusted)}."
            )
    return ""


def tests_words(found: Significance) -> str:
    """How many pairs differ significantly, and how that was tested."""
    tests = found.tests
    if not tests.pairs:
        return tests.note
    different = sum(one.significant for one in tests.pairs)
    tiers = words.count(max(found.tiers.values(), default=0), "tier")
    kind = f"all {tests.flips:,}" if tests.exact else f"{tests.flips:,} random"
    return (
        f"{tiers}. {different:,} of {words.count(len(tests.pairs), 'pair')} of systems "
        f"differ significantly (randomisation test, {kind} choices of signs over "
        f"{words.count(tests.queries, 'query', 'queries')}, Holm’s correction, "
        f"adjusted p ≤ {words.score(ALPHA, 2)}). No system is significantly worse than "
        f"the best of its tier. {tests.note}".strip()
    )


def p_words(p: float) -> str:
    """``.012``, ``<.001``."""
    return "<.001" if p < 0.0005 else words.score(p)
