"""A sentence in parts, each with a tone, so that words and colours stay apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

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


def tone_mark(tone: Tone) -> Part:
    """The bare triangle of a tone; nothing for the others."""
    marks = {"up": UP, "down": DOWN}
    return Part(marks.get(tone, ""), tone)
