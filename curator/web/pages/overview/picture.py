"""The bank as a picture: a strip a query, a bar a question, by reach and influence.

Drawn in the browser: Streamlit reads all HTML that a page draws, and takes seconds for
the thousands of bars of a large bank.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

from curator.edit_words import RETIRE, STATES
from curator.verbs.curate.question_rows import QuestionLine
from curator.verbs.overview import Overview
from curator.web.components import words
from curator.web.components.channel import Component

PICTURE = Component("bank_picture", "pages/overview/bank_picture")
MANY = 60  # queries, from which on the picture is smaller
SMALL, LARGE = (240, 96, 15), (440, 128, 22)  # pixels: strip, name, height of a line
WIDEST, NARROWEST = 15, 4  # pixels from bar to bar
MARKS = {"untouched": "", "in work": "◐", "done": "✓", "changed since done": "✎"}
LOOKS = {
    "o-r0": "none",
    "o-r1": "up to a third",
    "o-r2": "up to two thirds",
    "o-r3": "more",
    "o-r4": "all",
    "o-retired": RETIRE.past,
    "o-proposed": "proposed",
    "o-unknown": "not graded",
}


class QuestionBar(NamedTuple):
    """A question's bar: its class, its height in percent, and its description."""

    question_id: str
    css: str
    height: int
    text: str


def draw_picture(overview: Overview) -> None:
    """Draw the picture with its legend."""
    strip, name, row = SMALL if len(overview.queries) > MANY else LARGE
    lines = [line for query in overview.queries for line in query.lines]
    highest = max((moved(line) or 0.0 for line in lines), default=0.0)
    longest = max((len(query.lines) for query in overview.queries), default=1)
    pitch = min(max(strip // max(longest, 1), NARROWEST), WIDEST)
    bars = {
        query.query_id: [
            bar(line, overview.systems, highest)
            for line in sorted(query.lines, key=lambda line: line.number)
        ]
        for query in overview.queries
    }
    looks = {bar.css for row in bars.values() for bar in row}
    reach = "systems reached" if overview.systems else "passages that answer"
    PICTURE.draw(
        strips=[
            {
                "query": query.query_id,
                "name": query.name,
                "state": query.state,
                "mark": MARKS[query.state],
                "bars": bars[query.query_id],
            }
            for query in overview.queries
        ],
        size=[pitch, min(longest, strip // pitch), name, row],
        legend=[(css, text) for css, text in LOOKS.items() if css in looks],
        about=f"height: influence · colour: {reach}",
    )


def moved(line: QuestionLine) -> float | None:
    """Return the question's influence, or what it would be if it were kept."""
    return line.influence.influence if line.influence else line.influence_if_kept


def bar(line: QuestionLine, systems: int, highest: float) -> QuestionBar:
    """Return a question's bar; its height is the root of its share of the highest."""
    question, moves, reach = line.question, moved(line), line.influence
    height = round(100 * sqrt(moves / highest)) if moves and highest else 0
    css, text = f"o-{question.state}", STATES[question.state]
    if question.state == "kept":
        css, text = "o-unknown", LOOKS["o-unknown"]
    if reach is not None and reach.known < reach.needed:
        text = f"{reach.known:,} of {words.count(reach.needed, 'grade')} known"
    elif reach is not None:
        reached = (
            (reach.systems, systems) if systems else (reach.passages, reach.needed)
        )
        css = f"o-r{reach_class(*reached)}"
        text = f"answered by {words.count(reach.passages, 'passage')}"
        if systems:
            text += f", {reach.systems:,} of {words.count(systems, 'system')}"
    if moves is not None:
        text += f", influence {words.influence(moves)}"
    title = words.shortened(question.title, 160)
    full_text = f"{line.number}. {title} — {text}"
    return QuestionBar(question.question_id, css, height, full_text)


def reach_class(reached: int, most: int) -> int:
    """Return the class of a reach: 0 none, 1 to 3 by thirds, 4 all."""
    if not reached or reached >= most:
        return 4 if reached else 0
    return 1 + (3 * reached > most) + (3 * reached > 2 * most)
