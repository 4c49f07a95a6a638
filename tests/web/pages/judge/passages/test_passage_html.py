"""The text of a passage and the steps to others, as HTML."""

from __future__ import annotations

from curator.formats.templates import macro
from curator.verbs.passages.passage import Citation
from curator.web.pages.judge.passages.passage_text import cited_by
from curator.web.pages.judge.passages.passage_text import pieces as pieces_of

pieces = macro("judge/passages/reader.html", "pieces")
steps = macro("judge/passages/reader.html", "steps")
cites = macro("judge/passages/reader.html", "cites")


def test_a_sentence_that_cites_ends_with_the_numbers_of_what_stands_beneath() -> None:
    of = (
        Citation(0, 9, {"d<1>": True}),
        Citation(10, 14, {"d2": False, "d<1>": True}),
    )
    cut = pieces_of("It is red. No.", {3: (0, 10)}, citations=of)
    assert pieces(cut) == (
        "<mark>It is red</mark>" + '<sup class="p-cites">&NoBreak;[1]</sup>'
        "<mark>.</mark><sup>3</sup> No." + '<sup class="p-cites">&NoBreak;[1, 2]</sup>'
    )
    beneath = cites(cited_by(of))
    assert '[1] <span class="c-id">d&lt;1&gt;</span></span>' in beneath
    assert '[2] <span class="c-id">d2</span> <i>no text here</i>' in beneath
