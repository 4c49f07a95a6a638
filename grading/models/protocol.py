"""Interface of models that answer prompts, and faults of incomplete answers.

An answer with a fault has no grade: a list that was cut off might have continued with
another rating, and a server's refusal is not an answer of the model. The fault is
stored in front of the answer's text, so that every parser sees it.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class PromptParts:
    """A prompt in three parts; only the passage in the middle may be cut."""

    before: str
    context: str
    after: str

    @property
    def text(self) -> str:
        return f"{self.before}{self.context}{self.after}"


@dataclass(frozen=True, slots=True)
class Response:
    """A model's answer to one prompt, verbatim.

    ``cut``: the passage did not fit and was cut. ``unfinished``: the answer is not
    complete, because the model reached its token limit or has not ended yet. ``fault``
    is the reason in one line why the answer is invalid ("cut off at the limit of 128
    tokens"), "" for a valid one. Tokens are counted by the server, None if it does not
    report them.
    """

    raw: str
    cut: bool = False
    tokens_in: int | None = None
    tokens_out: int | None = None
    unfinished: bool = False
    fault: str = ""

    @property
    def stored(self) -> str:
        """Text to store: the answer, preceded by its fault if it has one."""
        return with_fault(self.raw, self.fault)


def encodable(text: str) -> str:
    """Replace lone surrogates, which UTF-8 cannot encode, by "?"."""
    return text.encode("utf-8", "replace").decode()


Batch = list[tuple[int, Response]]
"""Responses with the positions of their prompts, in any order."""


class TextModel(Protocol):
    """A loaded or remote model; equal prompts get equal answers."""

    def ask(self, prompts: Sequence[PromptParts]) -> Generator[Batch, None, None]:
        """Yield each prompt's response once, in batches as they are ready.

        An empty batch means that no response is ready yet. Closing the iterator cancels
        the rest. Raises GradingError, after all responses that were ready before.
        """
        ...


MARK = "␄"  # symbol for "end of transmission", which no model or server writes


def with_fault(text: str, fault: str) -> str:
    """Return ``text`` as it is stored, with its fault of one line, or "" for none."""
    return f"{MARK}{fault}{MARK}{text}" if fault else text


def split_fault(stored: str) -> tuple[str, str]:
    """Return (fault, text) of a stored response; "" for a complete answer."""
    if not stored.startswith(MARK):
        return "", stored
    fault, _, text = stored[1:].partition(MARK)
    return fault, text
