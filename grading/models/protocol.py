"""What every model that answers prompts can do."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Protocol

from grading.faults import with_fault


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
    """The model's answer to one prompt, word for word.

    ``cut`` says that the passage did not fit and was cut, ``unfinished`` that there is
    or was more to come: the model stopped at its limit of tokens, or goes on. ``fault``
    says in one line why this is no whole answer ("cut off at the limit of 128
    tokens"); "" for a whole one. Tokens are the server's count, None where it does not
    say.
    """

    raw: str
    cut: bool = False
    tokens_in: int | None = None
    tokens_out: int | None = None
    unfinished: bool = False
    fault: str = ""

    @property
    def stored(self) -> str:
        """The text to store: the answer, after its fault if it has one."""
        return with_fault(self.raw, self.fault)


def encodable(text: str) -> str:
    """``text`` with "?" for half a surrogate pair, which UTF-8 does not have."""
    return text.encode("utf-8", "replace").decode()


Batch = list[tuple[int, Response]]
"""Responses with the positions of their prompts, in any order."""


class TextModel(Protocol):
    """A loaded model or a line to one. The same prompt always gets the same answer."""

    def ask(self, prompts: Sequence[Asked]) -> Generator[Batch, None, None]:
        """Each prompt's response once, batch by batch as they are ready.

        An empty batch says that there is nothing yet. Closing the iterator ends the
        asking; what was yielded stands. An error comes after everything that was ready
        before it. Raises GradingError.
        """
        ...
