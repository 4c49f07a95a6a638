"""A passage's text: the stretches that answer, and those marked as ideal answers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from curator.bank.marks import Ideal
from curator.errors import EditError
from curator.verbs.passages.passage import Citation

Span = tuple[int, int | None]
"""Where an ideal answer stands in a passage; (0, None) is the whole passage."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text, and the numbers of the questions it answers.

    ``ideal`` where people marked it as an ideal answer; it ``goes_on`` where the next
    piece belongs to the same answer. It ends with what it ``cites``, by number.
    """

    text: str
    answers: tuple[int, ...] = ()
    ideal: bool = False
    goes_on: bool = False
    cites: tuple[int, ...] = ()


def pieces(
    text: str,
    spans: Mapping[int, tuple[int, int]],
    marked: Sequence[Span] = (),
    citations: Sequence[Citation] = (),
) -> tuple[Piece, ...]:
    """Cut the text where answers and ideal answers begin and end.

    ``spans`` maps a question's number to its answering stretch. ``citations`` are
    numbered, at the ends of their sentences.
    """
    ideals = [(start, end) for start, end in marked if end is not None]
    ends = {0, len(text), *(end for span in spans.values() for end in span)}
    marks = {at for span in ideals for at in span if at < len(text)}
    numbers = {cited: number for number, cited in enumerate(cited_by(citations), 1)}
    cites = {c.end: tuple(sorted(numbers[i] for i in c.cited)) for c in citations}
    return tuple(
        Piece(
            text[low:high],
            tuple(sorted(n for n, (a, b) in spans.items() if a <= low < b)),
            ideal=any(start <= low < end for start, end in ideals),
            goes_on=high not in ends,
            cites=cites.get(high, ()),
        )
        for low, high in pairwise(sorted(ends | marks | cites.keys()))
    )


def cited_by(citations: Iterable[Citation]) -> dict[str, bool]:
    """Return the cited ids by number, and True if the text is in the workspace."""
    return {cited: here for c in citations for cited, here in c.cited.items()}


def spans_of(ideals: Iterable[Ideal], passage_id: str | None) -> tuple[Span, ...]:
    """Return the marked spans of this passage."""
    return tuple((i.start, i.end) for i in ideals if i.passage_id == passage_id)


def ideal_words(spans: Sequence[Span]) -> str:
    """Return ``ideal answer`` or ``ideal answer in it``; "" without spans."""
    if any(end is None for _, end in spans):
        return "ideal answer"
    return "ideal answer in it" if spans else ""


def located(text: str, span: Span, words: str) -> Span:
    """Return the place of these words in the text, the nearest to the span.

    A browser may have other blanks and line ends. Raises EditError if there is none.
    """
    start, end = span
    if end is None or text[start:end] == words:
        return span
    pattern = r"\s+".join(map(re.escape, words.split()))
    places = [match.span() for match in re.finditer(pattern, text)] if pattern else []
    if not places:
        raise EditError(
            "The words selected are not in this passage: select them again."
        )
    return min(places, key=lambda place: abs(place[0] - start))
