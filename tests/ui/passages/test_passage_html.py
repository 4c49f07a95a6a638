"""A passage looks the same in the reader and in the list of a pool."""

from __future__ import annotations

from curator.formats.templates import macro
from curator.ui.passages.passage_text import Piece

pieces = macro("passages/passages.html", "pieces")
steps = macro("passages/passages.html", "steps")


def test_stretches_that_answer_are_marked_with_the_questions_they_answer() -> None:
    found = pieces([Piece("A <b>. ", ()), Piece("It is & was.", (2, 11))])
    assert found == "A &lt;b&gt;. <mark>It is &amp; was.</mark><sup>2,11</sup>"


def test_a_step_leads_to_its_passage_or_nowhere() -> None:
    before, after = steps(None, 'p"2', css="p-step").split("</button>")[:2]
    assert 'data-key="["' in before
    assert before.endswith(" disabled>[")
    assert 'class="p-step"' in after
    assert 'data-pick="passage:p&#34;2"' in after
    assert "disabled" not in after
    assert "class=" not in steps("p1", "p2")
