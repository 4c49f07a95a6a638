"""The first lines of a file as they would be written, without writing it."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

CHARACTERS = 40_000  # no more is made of a file whose lines are long


class EnoughWrittenError(Exception):
    """As many lines were written as somebody wants to see; ends the writing."""


class FirstLines(io.StringIO):
    """A stream that ends whoever writes to it once ``most`` lines are there.

    ``cut`` says that more would have followed.
    """

    def __init__(self, target: Path, most: int) -> None:
        super().__init__(newline="\n")
        self.target = target
        self.cut = False
        self._most = most
        self._lines = 0

    def write(self, text: str, /) -> int:
        """Keep the text, or raise EnoughWrittenError where there is enough of it."""
        if self._lines >= self._most or self.tell() >= CHARACTERS:
            self.cut = self.cut or bool(text)
            raise EnoughWrittenError
        self._lines += text.count("\n")
        return super().write(text)

    def lines(self) -> list[str]:
        """The lines that were written, at most so many, without their ends."""
        return self.getvalue().splitlines()[: self._most]


_wanted: ContextVar[FirstLines | None] = ContextVar("first_lines", default=None)


@contextmanager
def first_lines(target: Path, most: int) -> Iterator[FirstLines]:
    """Within the block what is written to ``target`` goes here, and no further.

    The block ends early, without an error, when the lines are there.
    """
    seen = FirstLines(target, most)
    token = _wanted.set(seen)
    try:
        yield seen
    except EnoughWrittenError:
        pass
    finally:
        _wanted.reset(token)


def wanted_of(target: Path) -> FirstLines | None:
    """Where to write instead of ``target``, if only its first lines are wanted."""
    seen = _wanted.get()
    return seen if seen is not None and seen.target == target else None
