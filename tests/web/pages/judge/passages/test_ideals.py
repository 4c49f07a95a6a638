"""Ideal answers in the reader, as data."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from curator.bank.marks import Ideal
from curator.formats.templates import macro
from curator.web.pages.judge.passages.passage_text import (
    Piece,
    pieces,
    spans_of,
)


def test_marked_words_are_cut_out_and_an_answer_keeps_one_number() -> None:
    text = "It is red. It falls."
    found = pieces(text, {4: (0, 10)}, [(6, 13)])
    assert found == (
        Piece("It is ", (4,), goes_on=True),
        Piece("red.", (4,), ideal=True),
        Piece(" It", (), ideal=True, goes_on=True),
        Piece(" falls."),
    )
    assert macro("judge/passages/reader.html", "pieces")(found) == (
        '<mark>It is </mark><mark><span class="p-ideal">red.</span></mark><sup>4</sup>'
        '<span class="p-ideal"> It</span> falls.'
    )


SPANS = st.tuples(st.integers(0, 12), st.integers(0, 12))


@given(st.text("ab ", max_size=12), st.lists(SPANS, max_size=3), SPANS)
def test_the_pieces_together_are_the_text(
    text: str, marks: list[tuple[int, int]], answer: tuple[int, int]
) -> None:
    inside = [(a, b) for a, b in marks if a < b <= len(text)]
    low, high = (min(one, len(text)) for one in sorted(answer))
    found = pieces(text, {1: (low, high)}, inside)
    assert "".join(piece.text for piece in found) == text
    marked = [piece.ideal for piece in found for _ in piece.text]
    assert marked == [any(a <= i < b for a, b in inside) for i in range(len(text))]


def test_only_the_passages_own_marks_are_its() -> None:
    many = (Ideal("p1"), Ideal("p2", 3, 5))
    assert spans_of(many, "p2") == ((3, 5),)
    assert spans_of(many, None) == ()
