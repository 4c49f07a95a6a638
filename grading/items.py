"""Items that passages are graded for: questions, nuggets, queries, candidates."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from grading.errors import InvalidItemError

ItemKind = Literal["question", "nugget", "query", "candidate"]


@dataclass(frozen=True)
class Item:
    """An item that passages are graded for.

    ``choices`` are (letter, text) pairs in the order they are shown. ``candidate`` is
    the answer whose correctness is graded, for the kind *candidate* only. ``text`` is
    None if it is not published; only then ``public_id`` identifies the item.

    Raises InvalidItemError for an inconsistent item.
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
            needs = "needs a" if self.kind == "candidate" else "takes no"
            raise InvalidItemError(
                f"An item of kind '{self.kind}' {needs} candidate answer; only kind "
                "'candidate' has one"
            )


@dataclass(frozen=True)
class KeyOnlyItem(Item):
    """An item with only its content key: it identifies grades, but cannot be graded.

    Its text is withheld; ``public_id`` is only a name.
    """

    key: str = ""


class AllOf(tuple[str, ...]):
    """An answer key of which all answers are required, not only one.

    It never equals a plain tuple, since it is checked differently.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AllOf) and tuple.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((AllOf, *self))


class KeyOnlyAnswers(AllOf):
    """An answer key whose answers are withheld; its one element is its content key."""

    __slots__ = ()


def answer_texts(
    answers: Sequence[str], choices: Sequence[tuple[str, str]]
) -> tuple[str, ...]:
    """Return the texts of an answer key's answers, that of the choice for a letter.

    If the text of a choice is a letter (vitamins A, B and C), the text counts.
    """
    texts = {letter.strip().lower(): text for letter, text in choices}
    choice_texts = {text.strip().lower() for text in texts.values()}

    def text_of(answer: str) -> str:
        name = answer.strip().lower()
        return answer if name in choice_texts else texts.get(name, answer)

    return tuple(map(text_of, answers))
