"""What every model that answers prompts can do, and what a client says of itself."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol


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
    """What the model said to one prompt, as it said it.

    ``cut`` says that the passage did not fit and was cut, ``unfinished`` that there is
    or was more to come: the model stopped at its limit of tokens, or has not said that
    it has ended. Tokens are the model's own count, 0 where it does not say.
    """

    raw: str
    cut: bool = False
    tokens_in: int = 0
    tokens_out: int = 0
    unfinished: bool = False


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


@dataclass(frozen=True, kw_only=True)
class Client:
    """A kind of model that graders rest on, with all that is to be known of it.

    A module of ``grading.models`` has one as its ``CLIENT``, and by that alone it is
    registered. Importing such a module loads nothing heavy.

    ``engine`` is what the responders it makes are marked with (see ``responders``).
    ``names`` are what may be typed for it, a name that ends in <…> with any text there,
    and what each means in plain words; ``aliases`` are other names for graders of it,
    with the name that each stands for. ``extra`` of the package installs what it needs.

    ``paid``: asking may cost money, so it is counted first and asked on somebody's
    word. ``local``: it runs on this machine, and may go on by itself where edits left
    grades missing. ``answers``: it answers prompts in words. ``probabilities``: it says
    how likely each word of its answer was. ``checks``: it judges answers that another
    grader of a workspace gave.

    ``grader`` opens a grader by its name, given ``cache`` and ``prompt`` as
    ``registry.open_grader`` is; no model is loaded. ``stored_name`` is the name, given
    one and the spec it was stored with, that opens the same grader here.
    """

    engine: str
    names: Mapping[str, str]
    extra: str
    paid: bool
    local: bool
    answers: bool
    probabilities: bool
    grader: Callable[..., Any] = field(repr=False)
    checks: bool = False
    aliases: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    stored_name: Callable[[str, Any], str] = field(
        default=lambda name, spec: name, repr=False
    )
