"""What every model that answers prompts can do."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Asked:
    """One prompt in three parts; only the passage in the middle may be cut."""

    before: str
    context: str
    after: str

    @property
    def text(self) -> str:
        """The whole prompt."""
        return f"{self.before}{self.context}{self.after}"


@dataclass(frozen=True, slots=True)
class Response:
    """What the model answered to one prompt, word for word.

    ``cut`` says that the passage did not fit and was cut, ``unfinished`` that there is
    or was more to come: the model stopped at its limit of tokens, or has not said that
    it has ended. Tokens are the model's own count, 0 where it does not say.
    """

    raw: str
    cut: bool = False
    tokens_in: int = 0
    tokens_out: int = 0
    unfinished: bool = False


def encodable(text: str) -> str:
    """``text`` with "?" for half a surrogate pair, which UTF-8 does not have."""
    return text.encode("utf-8", "replace").decode()


Batch = list[tuple[int, Response]]
"""Responses with the positions of their prompts, in any order."""


class TextModel(Protocol):
    """A loaded model or a line to one. The same prompt always gets the same answer."""

    def ask(self, prompts: Sequence[Asked]) -> Generator[Batch, None, None]:
        """Each prompt's response once, batch by batch as they are ready.

        Closing the iterator ends the asking; what was yielded stands. An error comes
        after everything that was ready before it. Raises GradingError.
        """
        ...
