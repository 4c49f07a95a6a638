"""Ideal answers in a passage: where they are marked in its text. PURE."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from curator.bank.marks import Ideal
from curator.errors import EditError
from curator.ui.passages.passage_rows import Piece

Span = tuple[int, int | None]


def spans_of(ideals: Iterable[Ideal], passage_id: str | None) -> tuple[Span, ...]:
    """The spans of this passage that are marked; (0, None) is the whole passage."""
    return tuple((one.start, one.end) for one in ideals if one.passage_id == passage_id)


def said(spans: Sequence[Span]) -> str:
    """``ideal answer`` of a whole passage, ``ideal answer in it`` of words in one."""
    if not spans:
        return ""
    whole = any(end is None for _, end in spans)
    return "ideal answer" if whole else "ideal answer in it"


def with_ideals(pieces: Sequence[Piece], spans: Sequence[Span]) -> tuple[Piece, ...]:
    """The pieces cut where marked words begin and end; together they are the text.

    Of a whole passage no word is marked. What is cut apart keeps its answers, and goes
    on where more of the same follows.
    """
    marked = [(start, end) for start, end in spans if end is not None]
    if not marked:
        return tuple(pieces)
    found: list[Piece] = []
    at = 0
    for piece in pieces:
        end = at + len(piece.text)
        edges = {one for span in marked for one in span if at < one < end}
        cuts = sorted({at, end, *edges}) if piece.text else []
        for low, high in pairwise(cuts):
            found.append(
                replace(
                    piece,
                    text=piece.text[low - at : high - at],
                    ideal=any(start <= low < stop for start, stop in marked),
                    goes_on=piece.goes_on or high < end,
                )
            )
        at = end
    return tuple(found)


def located(text: str, span: Span, words: str) -> Span:
    """Where these words of the text stand, at best at this very span.

    A browser may show other blanks and line ends than the text has. Raises EditError
    where they are not in the text.
    """
    start, end = span
    if end is None or text[start:end] == words:
        return span
    places = _places(text, words)
    if not places:
        raise EditError(
            "The words selected are not in this passage: select them again."
        )
    return min(places, key=lambda place: abs(place[0] - start))


def _places(text: str, words: str) -> list[tuple[int, int]]:
    """Every place of the words in the text, however their blanks are written."""
    pattern = r"\s+".join(map(re.escape, words.split()))
    if not pattern:
        return []
    return [found.span() for found in re.finditer(pattern, text)]
