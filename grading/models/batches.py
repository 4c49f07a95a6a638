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
    """All things in batches, the longest first, each of one padded length only.

    What a thing is padded to therefore depends on itself and not on its neighbours. A
    batch has at most ``max_tokens`` tokens, padding included, but never less than one
    thing, and at most ``MAX_PROMPTS``.
    """
    batches: list[list[Sized[T]]] = []
    width = 0
    for thing in sorted(things, key=lambda thing: (-thing.length, thing.position)):
        if (
            padded_length(thing.length) != width
            or len(batches[-1]) == MAX_PROMPTS
            or (len(batches[-1]) + 1) * width > max_tokens
        ):
            batches.append([])
            width = padded_length(thing.length)
        batches[-1].append(thing)
    return batches
