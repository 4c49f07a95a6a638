"""The bank as a picture: a strip a query, a bar a question, by reach and influence.

Drawn in the browser: Streamlit looks through what HTML a page draws, and takes seconds
for the thousands of bars of a large bank.
"""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple

from curator.edit_words import RETIRE, STATES
from curator.verbs.curate.question_rows import QuestionLine
from curator.verbs.overview.overview import Overview
from curator.web.components import words
from curator.web.components.channel import Component

PICTURE = Component("bank_picture", "pages/overview/bank_picture")
MANY = 60  # queries, from which on all is smaller
WIDEST, NARROWEST = 15, 4  # pixels from bar to bar
REACHES = ("none", "up to a third", "up to two thirds", "more", "all")
MARKS = {"untouched": "", "in work": "◐", "done": "✓", "changed since done": "✎"}


class Size(NamedTuple):
    """In pixels: what a strip may take, what its name has at least, a line of bars."""

    strip: int
    name: int
    line: int


FEW_QUERIES, MANY_QUERIES = Size(440, 128, 22), Size(240, 96, 15)


class QuestionBar(NamedTuple):
    """A question: how it looks, how high it is in percent, and what is said of it."""

    question_id: str
    css: str
    height: int
    says: str


def draw_picture(overview: Overview) -> None:
    """The picture with its legend, for few queries and for many."""
    size = MANY_QUERIES if len(overview.queries) > MANY else FEW_QUERIES
    lines = [line for one in overview.queries for line in one.lines]
    highest = max((moved(line) or 0.0 for line in lines), default=0.0)
    longest = max((len(one.lines) for one in overview.queries), default=1)
    pitch = min(max(size.strip // max(longest, 1), NARROWEST), WIDEST)
    strips: list[dict[str, Any]] = []
    for one in overview.queries:
        in_order = sorted(one.lines, key=lambda line: line.number)
        bars = [bar(line, overview.systems, highest) for line in in_order]
        named = {"query": one.query_id, "name": one.name}
        strips.append(
            named | {"state": one.state, "mark": MARKS[one.state], "bars": bars}
        )
    there = {bar.css for strip in strips for bar in strip["bars"]}
    PICTURE.draw(
        strips=strips,
        size=[pitch, min(longest, size.strip // pitch), size.name, size.line],
        legend=[(css, said) for css, said in LOOKS.items() if css in there],
        about="height: influence · colour: "
        + ("systems reached" if overview.systems else "passages that answer"),
    )


def moved(line: QuestionLine) -> float | None:
    """The question's influence, or what it would be if it were kept."""
    return line.influence.influence if line.influence else line.influence_if_kept


def bar(line: QuestionLine, systems: int, highest: float) -> QuestionBar:
    """One question's bar, as high as the root of its share of the highest influence."""
    question, moves = line.question, moved(line)
    height = round(100 * sqrt(moves / highest)) if moves and highest else 0
    css, said = f"o-{question.state}", STATES[question.state]
    found = line.influence
    if question.state == "kept" and found is None:
        css, said = "o-unknown", "no figures under this grader"
    elif found is not None and found.known < found.needed:
        css = "o-unknown"
        said = f"{found.known:,} of {words.count(found.needed, 'grade')} known"
    elif found is not None:
        reach, most = found.systems, systems
        if not systems:
            reach, most = found.passages, found.needed
        css = f"o-r{reach_class(reach, most)}"
        answer = "answers" if found.passages == 1 else "answer"
        said = f"{words.count(found.passages, 'passage')} {answer} it"
        if systems:
            said += f", {found.systems:,} of {words.count(systems, 'system')}"
    if moves is not None:
        would = "moves" if question.state == "kept" else "would move"
        said += f", {would} scores by {words.influence(moves)}"
    text = words.shortened(question.title, 160)
    return QuestionBar(
        question.question_id, css, height, f"{line.number}. {text} — {said}"
    )


def reach_class(reached: int, most: int) -> int:
    """Which of ``REACHES`` so many of so many are."""
    if not reached:
        return 0
    if reached >= most:
        return 4
    return 1 if 3 * reached <= most else 2 if 3 * reached <= 2 * most else 3


LOOKS = {f"o-r{number}": said for number, said in enumerate(REACHES)} | {
    "o-retired": RETIRE.past,
    "o-proposed": "proposed",
    "o-unknown": "not graded",
}
