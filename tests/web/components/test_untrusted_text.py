"""HTML and Markdown in passages, questions and names stand on the page as text."""

from __future__ import annotations

from pathlib import Path

from curator.web.components import html
from curator.web.components.words import Part
from curator.web.server import HERE
from tests.samples.hand_made import HOSTILE_QUESTION
from tests.web.conftest import OpenApp, page_html, question_rows

ESCAPED = "&lt;script&gt;window.hurt=1&lt;/script&gt;"


def test_a_passage_full_of_html_is_escaped_and_a_question_is_data(
    open_app: OpenApp, hand_made: Path
) -> None:
    app = open_app(hand_made, question="q1/b", passage="p1")
    shown = page_html(app)
    assert shown.count(ESCAPED) == 2  # the passage opened, the question asked of it
    assert "<script" not in shown
    assert "<img" not in shown
    # The browser makes text of it, and of nothing else (elements.js).
    assert question_rows(app)["q1/b"]["text"] == HOSTILE_QUESTION
    scripts = "".join(path.read_text("utf-8") for path in HERE.rglob("*.js"))
    for maker in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write"):
        assert maker not in scripts


def test_every_part_of_a_sentence_is_escaped_in_every_tone() -> None:
    for tone in ("", "strong", "up", "down", "warning"):
        assert "<i" not in html.part(Part("<i>", tone))
