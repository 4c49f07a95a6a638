"""Under a grader that answers, its own words are marked and quoted."""

from __future__ import annotations

from pathlib import Path

from tests.samples.hand_made import HOSTILE
from tests.samples.local_grader import ANSWERING, grade
from tests.web.conftest import ESCAPED, OpenApp, page_html

SAID = {
    ("q1/a", "p1"): "Because",
    ("q1/b", "p1"): f"no such words {HOSTILE}",
    ("q1/c", "p1"): "unanswerable",
}


def test_an_answer_is_marked_where_it_stands_and_quoted(
    open_app: OpenApp, hand_made: Path
) -> None:
    grade(hand_made, ANSWERING, SAID)
    app = open_app(hand_made, query="q1", passage="p1", grader=ANSWERING)
    html = page_html(app)
    assert "<mark>Because</mark><sup>1</sup>" in html
    assert "<q>Because</q>" in html
    assert "<q>no such words &lt;script&gt;" in html
    assert html.count(ESCAPED) == 3  # the passage, its answer and the question
    assert HOSTILE not in html
