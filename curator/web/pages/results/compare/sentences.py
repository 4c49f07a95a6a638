"""Sentences of the tabs Compare and One system.

Files and the command line have a note for each board and each pair of boards; a page of
seven measures has each reason once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from curator.evaluation.comparison import MeasurePair
from curator.evaluation.leaderboard import Leaderboard
from curator.evaluation.significance import ALPHA, PairTests
from curator.tables.leaderboard import open_ranks, rank_cells
from curator.verbs.compare.comparison import Comparison, Significance, SystemTopics
from curator.web.components import words

BY_CHANCE = 1e-9  # scores that differ by no more are equal


def compared_notes(found: Comparison) -> tuple[str, ...]:
    """Sentences about the boards, then about their correlations."""
    notes = [
        *board_notes(found.boards),
        *open_ranks(found.boards),
        *undefined_notes(found.pairs, found.boards),
    ]
    if any(one.apart for one in found.pairs):
        notes.append(apart_note(found.boards))
    return tuple(dict.fromkeys(notes))


def board_notes(boards: Sequence[Leaderboard]) -> list[str]:
    """What boards say of themselves; what several say alike is said of all at once."""
    alike: dict[str, list[str]] = defaultdict(list)
    for board in boards:
        own = f"{board.settings.measure} "
        for note in board.notes:
            subject = [board.settings.measure] if note.startswith(own) else []
            alike[note.removeprefix(own)] += subject
    return [
        f"{'Each of ' if len(names) > 1 else ''}{listed(names)} {rest}".lstrip()
        for rest, names in alike.items()
    ]


def undefined_notes(
    pairs: Sequence[MeasurePair], boards: Sequence[Leaderboard]
) -> list[str]:
    """Why coefficients or intervals are missing, with all pairs that are without."""
    names = [board.settings.measure for board in boards]
    alike: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for one in pairs:
        both = f"{names[one.first]} and {names[one.second]}: "
        if one.why:
            about = [(one.first, one.second)] if one.why.startswith(both) else []
            alike[one.why.removeprefix(both)] += about
    return [
        f"{pairs_named(about, names)}: {why}" if about else why
        for why, about in alike.items()
    ]


def pairs_named(pairs: Sequence[tuple[int, int]], names: Sequence[str]) -> str:
    """``every pair with RR``, where all of a measure's pairs are among them."""
    every = [
        i
        for i in range(len(names))
        if sum(i in pair for pair in pairs) == len(names) - 1 > 1
    ]
    rest = [f"{names[i]} and {names[j]}" for i, j in pairs if not {i, j} & {*every}]
    if every:
        rest.insert(0, f"Every pair with {listed([names[i] for i in every], 'or')}")
    return "; ".join(rest)


def apart_note(boards: Sequence[Leaderboard]) -> str:
    """On how many queries measures rest, where some pair is correlated over fewer."""
    resting: dict[int, list[str]] = defaultdict(list)
    for board in sorted(boards, key=lambda one: one.queries):
        resting[board.queries].append(board.settings.measure)
    parts = [
        f"{listed(names)} {'rest' if len(names) > 1 else 'rests'} on "
        f"{words.count(queries, 'query', 'queries')}"
        for queries, names in resting.items()
    ]
    most, names = [*resting.items()][-1]
    if len(parts) > 1 and len(names) > 1:
        parts[-1] = f"the other {len(names)} on {most:,}"
    rests = "; ".join(parts)
    return f"Two measures are correlated over the queries that both score: {rests}."


def listed(names: Sequence[str], last: str = "and") -> str:
    """``a, b and c``."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {last} {names[-1]}"


def matrix_cells(
    pairs: Sequence[MeasurePair], names: Sequence[str]
) -> dict[tuple[int, int], tuple[str, str, str]]:
    """By row and column: a coefficient, its interval, and both in words.

    Kendall's tau below the diagonal, Spearman's rho above it.
    """
    cells = {}
    for one in pairs:
        both = f"{names[one.first]} and {names[one.second]}"
        kendall = "Kendall", one.kendall, one.kendall_interval
        spearman = "Spearman", one.spearman, one.spearman_interval
        for place, (coefficient, value, interval) in (
            ((one.second, one.first), kendall),
            ((one.first, one.second), spearman),
        ):
            if value is None:
                cells[place] = ("–", "", f"{both}: {one.note}")
                continue
            title, within = f"{coefficient} of {both}: {words.score(value)}", ""
            if interval is not None:
                low, high = words.score(interval.low, 2), words.score(interval.high, 2)
                title += f", 95 % interval {low} to {high}"
                within = f"{low}, {high}"
            cells[place] = words.score(value, 2), within, f"{title}. {one.note}".strip()
    return cells


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
        f"adjusted p ≤ {words.score(ALPHA, 2)}); before it the share of pairs is "
        f"{words.score(tests.discriminative_power, 2)} (discriminative power). No "
        f"system is significantly worse than the best of its tier. {tests.note}".strip()
    )


def p_words(p: float) -> str:
    """``.012``, ``<.001``."""
    return "<.001" if p < 0.0005 else words.score(p)


def rank_words(found: SystemTopics) -> str:
    """``rank 4 of 37 · P@20 .567 ± .031``."""
    if found.board_row is None:
        return "no board"
    one = found.board_row
    error = "" if one.stderr is None else f" ± {words.score(one.stderr)}"
    systems = words.count(found.systems, "system")
    score = f"{words.score(one.score)}{error}"
    if not found.board.complete:
        score = words.bounds(one.lower, one.upper, one.score)
    rank = rank_cells(found.board)[one.system]
    return f"rank {rank} of {systems} · {found.settings.measure} {score}"


def summary_words(found: SystemTopics) -> str:
    """In how many topics it is above and below the median, the best and the last."""
    topics = found.topics
    if found.systems < 2:
        return "It is the only system here, so there is nothing to hold it against."
    above = sum(one.above_median > BY_CHANCE for one in topics)
    below = sum(one.above_median < -BY_CHANCE for one in topics)
    apart = [one for one in topics if one.maximum > one.minimum + BY_CHANCE]
    best = sum(one.score >= one.maximum - BY_CHANCE for one in apart)
    last = sum(one.score <= one.minimum + BY_CHANCE for one in apart)
    sentence = (
        f"Above the median of all systems in {above} of "
        f"{words.count(len(topics), 'query', 'queries')}, below it in {below}. "
    )
    if not apart:
        return f"{sentence}All systems tie in every query."
    sentence += f"Best or tied for best in {best}, last or tied for last in {last}"
    tied = len(topics) - len(apart)
    return f"{sentence}; in {tied} more all systems tie." if tied else f"{sentence}."


def against_words(tests: PairTests, system: str) -> str:
    """Which systems it differs from significantly; why there is no test without one."""
    own = [one for one in tests.pairs if system in (one.first, one.second)]
    if not own:
        return tests.note
    better = sum(one.significant and one.first == system for one in own)
    worse = sum(one.significant and one.second == system for one in own)
    if not better and not worse:
        return (
            f"Not significantly different from any other system. {tests.note}".strip()
        )
    return (
        f"Significantly better than {words.count(better, 'system')}, significantly "
        f"worse than {worse} (randomisation tests, Holm’s correction). {tests.note}"
    ).strip()
