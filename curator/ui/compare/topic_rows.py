"""One system's topics as rows: bars of all systems' range with this one's mark."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from curator.evaluation.randomisation import PairTests
from curator.ui.shared import words
from curator.ui.shared.parts import Part, tone_of
from curator.verbs.compare.topics import SystemTopics

BY_CHANCE = 1e-9  # scores that differ by no more are equal


@dataclass(frozen=True, slots=True)
class TopicRow:
    """A query: where minimum, median, maximum and the score lie, in percent."""

    query_id: str
    name: str
    score: str
    rank: str
    low: float
    middle: float
    high: float
    at: float
    change: Part
    title: str


def topic_rows(found: SystemTopics, names: Mapping[str, str]) -> tuple[TopicRow, ...]:
    """The topics in the order given, on an axis from 0 to the highest score."""
    top = axis_end(found)

    def at(value: float) -> float:
        return round(100 * min(max(value / top, 0.0), 1.0), 1)

    return tuple(
        TopicRow(
            query_id=one.query_id,
            name=names.get(one.query_id, one.query_id),
            score=words.score(one.score),
            rank=str(one.rank),
            low=at(one.minimum),
            middle=at(one.median),
            high=at(one.maximum),
            at=at(one.score),
            change=Part(
                words.change(round(one.over_median, 9), 3),
                tone_of(round(one.over_median, 9)),
            ),
            title=(
                f"{words.score(one.score)}; all systems {words.score(one.minimum)} to "
                f"{words.score(one.maximum)}, median {words.score(one.median)}"
            ),
        )
        for one in found.topics
    )


def axis_end(found: SystemTopics) -> float:
    """The right end of the bars' axis: 1, or the highest score where that is above."""
    return max([1.0, *(one.maximum for one in found.topics)])


def axis_end_words(found: SystemTopics) -> str:
    """``1``, ``1.2``, ``1.33``: that end to two decimals."""
    return f"{axis_end(found):.2f}".rstrip("0").rstrip(".")


def standing_words(found: SystemTopics) -> str:
    """``rank 4 of 37 · P@20 .567 ± .031``."""
    if found.standing is None:
        return "no board"
    one = found.standing
    error = "" if one.stderr is None else f" ± {words.score(one.stderr)}"
    systems = words.count(found.systems, "system")
    score = f"{found.settings.measure} {words.score(one.score)}{error}"
    return f"rank {one.rank} of {systems} · {score}"


def summary_words(found: SystemTopics) -> str:
    """In how many topics it is above and below the median, the best and the last."""
    topics = found.topics
    if found.systems < 2:
        return "It is the only system here, so there is nothing to hold it against."
    above = sum(one.over_median > BY_CHANCE for one in topics)
    below = sum(one.over_median < -BY_CHANCE for one in topics)
    best = sum(
        one.score >= one.maximum - BY_CHANCE and one.maximum > one.minimum + BY_CHANCE
        for one in topics
    )
    last = sum(
        one.score <= one.minimum + BY_CHANCE and one.maximum > one.minimum + BY_CHANCE
        for one in topics
    )
    tied = sum(one.maximum <= one.minimum + BY_CHANCE for one in topics)
    said = (
        f"Above the median of all systems in {above} of "
        f"{words.count(len(topics), 'query', 'queries')}, below it in {below}. "
    )
    if tied == len(topics):
        return f"{said}All systems tie in every query."
    said += f"Best or tied for best in {best}, last or tied for last in {last}"
    return f"{said}; in {tied} more all systems tie." if tied else f"{said}."


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
