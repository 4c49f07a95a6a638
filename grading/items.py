"""What a grader is asked about a passage."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from grading.errors import InvalidItemError

ItemKind = Literal["question", "nugget", "query", "candidate"]


@dataclass(frozen=True)
class Item:
    """One thing to be graded against passages.

    ``choices`` are (letter, text) pairs in the order they are shown. ``candidate`` is
    the answer whose correctness is graded, of the kind *candidate* only. ``text`` is
    None where the text is not published; then ``public_id`` names the item, and only
    then is it looked at.

    Raises InvalidItemError for an item that nothing could be graded by.
    """

    kind: ItemKind
    text: str | None
    choices: tuple[tuple[str, str], ...] = ()
    candidate: str | None = None
    public_id: str | None = None

    def __post_init__(self) -> None:
        if self.kind not in get_args(ItemKind):
            raise InvalidItemError(
                f"Unknown kind of item '{self.kind}'; "
                f"expected one of {', '.join(get_args(ItemKind))}"
            )
        if self.text is None and not self.public_id:
            raise InvalidItemError(
                f"A {self.kind} without text needs a public id; give one or the other"
            )
        if (self.kind == "candidate") != (self.candidate is not None):
            raise InvalidItemError(
                f"An item of kind '{self.kind}' "
                + ("needs" if self.kind == "candidate" else "takes no")
                + " candidate answer; only kind 'candidate' has one"
            )


@dataclass(frozen=True)
class KnownItem(Item):
    """An item of which its content key alone is known: it finds grades, asks nothing.

    ``public_id`` only names it, and its text is withheld.
    """

    key: str = ""


class AllOf(tuple[str, ...]):
    """An answer key of which all answers have to be found, where else any will do.

    No tuple equals it: what is checked by it is checked otherwise.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AllOf) and tuple.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((AllOf, *self))


class KnownAnswers(AllOf):
    """An answer key whose answers are withheld: its one element is its content key."""

    __slots__ = ()


def answer_texts(
    answers: Sequence[str], choices: Sequence[tuple[str, str]]
) -> tuple[str, ...]:
    """An answer key's answers; a letter stands for that choice's text.

    Where a choice's text is itself a letter (vitamins A, B and C), the text counts.
    """
    texts = {letter.strip().lower(): text for letter, text in choices}
    known = {text.strip().lower() for text in texts.values()}
    return tuple(
        one if one.strip().lower() in known else texts.get(one.strip().lower(), one)
        for one in answers
    )
