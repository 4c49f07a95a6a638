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
    """The text cut where answers and marked words begin and end; together it is whole.

    ``spans`` maps a question's number to its answering stretch. Of a whole passage
    marked no word is. ``citations`` stand by number at the ends of their sentences.
    """
    ideals = [(start, end) for start, end in marked if end is not None]
    ends = {0, len(text), *(end for span in spans.values() for end in span)}
    marks = {at for span in ideals for at in span if at < len(text)}
    numbers = {one: at for at, one in enumerate(cited_by(citations), 1)}
    cites = {one.end: tuple(sorted(numbers[i] for i in one.cited)) for one in citations}
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
    """What these cite in the order of their numbers, and whether its text is here."""
    return {one: here for each in citations for one, here in each.cited.items()}


def spans_of(ideals: Iterable[Ideal], passage_id: str | None) -> tuple[Span, ...]:
    """The spans of this passage that are marked."""
    return tuple((one.start, one.end) for one in ideals if one.passage_id == passage_id)


def ideal_words(spans: Sequence[Span]) -> str:
    """``ideal answer`` of a whole passage, ``ideal answer in it`` of words in one."""
    if not spans:
        return ""
    whole = any(end is None for _, end in spans)
    return "ideal answer" if whole else "ideal answer in it"


def located(text: str, span: Span, words: str) -> Span:
    """Where these words of the text stand, at best at this very span.

    A browser may show other blanks and line ends than the text has. Raises EditError
    where they are not in the text.
    """
    start, end = span
    if end is None or text[start:end] == words:
        return span
    pattern = r"\s+".join(map(re.escape, words.split()))
    places = [found.span() for found in re.finditer(pattern, text)] if pattern else []
    if not places:
        raise EditError(
            "The words selected are not in this passage: select them again."
        )
    return min(places, key=lambda place: abs(place[0] - start))
