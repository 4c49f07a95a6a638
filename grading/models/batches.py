"""Batches of things of like length, so that little is padded."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")

BUCKET = 16  # lengths are padded to a multiple of this
MAX_PROMPTS = 64  # a process that is killed loses one batch at most


@dataclass(frozen=True, slots=True)
class Sized(Generic[T]):
    """A thing, its length in tokens and its position among all."""

    position: int
    length: int
    value: T


def padded_length(length: int) -> int:
    """``length`` rounded up to the next multiple of ``BUCKET``."""
    return -(-length // BUCKET) * BUCKET


def length_batches(
    things: Sequence[Sized[T]], *, max_tokens: int
) -> list[list[Sized[T]]]:
    """All things in batches, the longest first.

    A batch has at most ``max_tokens`` tokens, padding included, but never less than
    one thing, and at most ``MAX_PROMPTS``.
    """
    batches: list[list[Sized[T]]] = []
    room = 0
    for thing in sorted(things, key=lambda thing: (-thing.length, thing.position)):
        width = padded_length(thing.length)
        if not batches or width > room or len(batches[-1]) == MAX_PROMPTS:
            batches.append([])
            room = max_tokens
        batches[-1].append(thing)
        room -= width
    return batches
