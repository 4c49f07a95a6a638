"""Sentences of the tabs Compare and One system."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from curator.evaluation.comparison import MeasurePair
from curator.evaluation.significance import PairTests
from curator.tables.leaderboard import rank_cells
from curator.verbs.compare import Significance, SystemTopics
from curator.web.components import words

BY_CHANCE = 1e-9  # scores that differ by no more are equal


def matrix_cells(
    pairs: Sequence[MeasurePair], names: Sequence[str]
) -> dict[tuple[int, int], Markup]:
    """Return a coefficient with its interval by row and column.

    Kendall's tau below the diagonal, Spearman's rho above it.
    """
    cells = {}
    cell = Markup('<span title="{}">{}<small>{}</small></span>')
    for pair in pairs:
        both = f"{names[pair.first]} and {names[pair.second]}"
        for place, coefficient, value, interval in (
            ((pair.second, pair.first), "Kendall", pair.kendall, pair.kendall_interval),
            (
                *((pair.first, pair.second), "Spearman"),
                *(pair.spearman, pair.spearman_interval),
            ),
        ):
            within = ""
            if interval is not None:
                ends = (interval.low, interval.high)
                within = ", ".join(words.score(end, 2) for end in ends)
            about = f"{coefficient} of {both}: {words.score(value)}. {pair.note}"
            cells[place] = cell.format(about.strip(), words.score(value, 2), within)
    return cells


def pair_words(tests: PairTests, first: str, second: str) -> str:
    """Return the test of two systems in one sentence; "" without one."""
    for test in tests.pairs:
        if {test.first, test.second} == {first, second}:
            verdict = "significant" if test.significant else "not significant"
            return (
                f"The difference of their means is {words.score(test.difference)}, "
                f"{verdict}: p {words.score(test.p)}, adjusted "
                f"{words.score(test.adjusted)}."
            )
    return ""


def tests_words(tested: Significance) -> str:
    """Count the pairs that differ significantly, and describe the test."""
    tests = tested.tests
    if not tests.pairs:
        return tests.note
    different = sum(pair.significant for pair in tests.pairs)
    tiers = words.count(max(tested.tiers.values()), "tier")
    kind = f"all {tests.flips:,}" if tests.exact else f"{tests.flips:,} random"
    return (
        f"{tiers}: no system is significantly worse than the best of its tier. "
        f"{different:,} of {words.count(len(tests.pairs), 'pair')} of systems differ "
        f"significantly (randomisation test, {kind} choices of signs over "
        f"{words.count(tests.queries, 'query', 'queries')}, Holm’s correction, 95 %); "
        f"before the correction {words.score(tests.discriminative_power, 2)} of them "
        f"(discriminative power). {tests.note}".strip()
    )


def rank_words(comparison: SystemTopics) -> str:
    """``rank 4 of 37 · P@20 .567 ± .031``."""
    row = comparison.board_row
    if row is None:
        return "no board"
    score = words.bounds(row.lower, row.upper, row.score)
    if comparison.board.complete:
        error = "" if row.stderr is None else f" ± {words.score(row.stderr)}"
        score = f"{words.score(row.score)}{error}"
    rank = rank_cells(comparison.board)[row.system]
    systems = words.count(comparison.systems, "system")
    return f"rank {rank} of {systems} · {comparison.settings.measure} {score}"


def summary_words(comparison: SystemTopics) -> str:
    """Count the queries in which it is above and below the median, best and last."""
    topics = comparison.topics
    above = sum(topic.above_median > BY_CHANCE for topic in topics)
    below = sum(topic.above_median < -BY_CHANCE for topic in topics)
    apart = [topic for topic in topics if topic.maximum > topic.minimum + BY_CHANCE]
    best = sum(topic.score >= topic.maximum - BY_CHANCE for topic in apart)
    last = sum(topic.score <= topic.minimum + BY_CHANCE for topic in apart)
    return (
        f"Above the median of all systems in {above} of "
        f"{words.count(len(topics), 'query', 'queries')}, below it in {below}. Best or "
        f"tied for best in {best}, last or tied for last in {last}; all systems tie in "
        f"{len(topics) - len(apart)}."
    )


def against_words(tests: PairTests, system: str) -> str:
    """Count the systems it differs from significantly."""
    pairs = [test for test in tests.pairs if test.significant]
    better = sum(test.first == system for test in pairs)
    worse = sum(test.second == system for test in pairs)
    sentence = (
        f"Significantly better than {words.count(better, 'system')}, significantly "
    )
    sentence += f"worse than {worse} (randomisation tests, Holm’s correction). "
    return f"{sentence if tests.pairs else ''}{tests.note}".strip()
