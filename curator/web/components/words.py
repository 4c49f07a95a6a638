"""Numbers, times and counts in words, and sentences in parts, the same everywhere.

A part has a tone, so that words and colours stay apart.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Literal

from curator.bank.questions import RESTRICTED, Question, active, noun_of
from curator.bank.wording import isolated
from curator.collection.pools import Query, WithheldQuery
from curator.tables.forms import (
    bounds,
    change,
    label,
    label_change,
    percent,
    score,
)
from curator.verbs.setup import GraderState

__all__ = ["bounds", "change", "label", "label_change", "percent", "score"]


def noun_under(
    questions: Iterable[Question], graders: Iterable[GraderState], grader: str
) -> str:
    """Return the noun of the items that this grader reads."""
    kinds = (state.item_kind for state in graders if state.name == grader)
    return noun_of(active(questions, next(kinds, "any")))


def why_withheld(query: Query) -> str:
    """Return why this query cannot be edited; "" where its texts are shown."""
    return RESTRICTED if isinstance(query, WithheldQuery) else ""


def answers_it(kind: str) -> str:
    """Return ``answers it``, or ``holds it`` for a nugget."""
    return "holds it" if kind == "nugget" else "answers it"


def answer_it(kind: str) -> str:
    """Return the plural of ``answers_it``."""
    return "hold it" if kind == "nugget" else "answer it"


def influence(value: float | None) -> str:
    """A question's influence: ``.408``, ``0``, or nothing where there is none."""
    if value is None:
        return ""
    if value == 0:
        return "0"
    return "<.001" if value < 0.0005 else score(value)


def count(number: int, singular: str, plural: str | None = None) -> str:
    """``1 label``, ``62 labels``, ``4,700 labels``."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def ratio(share: float | None) -> str:
    """A share in percent, a dash for None."""
    return "–" if share is None else percent(share)


def clock(at: str | None, zone: tzinfo | None) -> str:
    """``10:42`` in this zone, the server's own for None; or nothing."""
    return f"{datetime.fromisoformat(at).astimezone(zone):%H:%M}" if at else ""


def day_and_time(at: str, zone: tzinfo | None) -> str:
    """``2026-03-14 10:42``."""
    return f"{datetime.fromisoformat(at).astimezone(zone):%Y-%m-%d %H:%M}"


def shortened(text: str, length: int = 48) -> str:
    """On one line, cut at ``length`` characters, at a word's end if one is near."""
    line = " ".join(text.split())
    if len(line) <= length:
        return isolated(line)
    cut = line[: length - 1]
    at_word = cut.rpartition(" ")[0]
    words = at_word if len(at_word) > length * 0.7 else cut
    return isolated(words.rstrip() + "…")


def missing_grades(number: int) -> str:
    """``215 grades missing``."""
    return f"{count(number, 'grade')} missing"


Tone = Literal["", "strong", "up", "down", "warning"]

UP, DOWN = "▲", "▼"


@dataclass(frozen=True, slots=True)
class Part:
    """A few words; ``up`` and ``down`` begin with their triangle."""

    text: str
    tone: Tone = ""


Sentence = tuple[Part, ...]


def plain(sentence: Sentence) -> str:
    """The sentence without its tones."""
    return "".join(part.text for part in sentence)


def move(places: int) -> Part:
    """``▲2`` or ``▼3``; a dash for no move."""
    if places == 0:
        return Part("–")
    return Part(f"{UP if places > 0 else DOWN}{abs(places)}", tone_of(places))


def trend(before: float, after: float) -> Part:
    """A bare triangle where the two differ."""
    if before == after:
        return Part("")
    return Part(UP if after > before else DOWN, tone_of(after - before))


def tone_of(change: float) -> Tone:
    """The tone of a change."""
    return "up" if change > 0 else "down" if change < 0 else ""
