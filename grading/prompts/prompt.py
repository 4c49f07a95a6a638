"""A prompt: the words a model is given about one item and one passage."""

from __future__ import annotations

import re
from dataclasses import dataclass

from grading.errors import InvalidPromptError, UngradableItemError
from grading.items import Item, ItemKind
from grading.responders import ReadingKind

CONTEXT = "context"
ITEM_KINDS: tuple[ItemKind, ...] = ("question", "nugget", "query")

_PLACEHOLDER = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Prompt:
    """A published or custom prompt; its text is part of what identifies a grader.

    ``template`` holds ``{context}`` once and one of ``{question}``, ``{nugget}`` and
    ``{query}`` at least once; every other brace is a brace. ``reading`` and ``parser``
    say what its responses mean (see ``readings``). ``source`` is where it was
    published. ``name`` is how a grader's name asks for it.

    Raises InvalidPromptError for a template without its placeholders.
    """

    name: str
    template: str
    reading: ReadingKind
    parser: str
    source: str

    def __post_init__(self) -> None:
        found = _PLACEHOLDER.findall(self.template)
        if found.count(CONTEXT) != 1 or len({*found} & {*ITEM_KINDS}) != 1:
            raise InvalidPromptError(
                f"Prompt '{self.name}' needs {{context}} once and one of "
                f"{', '.join(f'{{{kind}}}' for kind in ITEM_KINDS)}"
            )

    @property
    def item_kind(self) -> ItemKind:
        """The kind of item it asks about."""
        return next(kind for kind in ITEM_KINDS if f"{{{kind}}}" in self.template)

    def around(self, item: Item) -> tuple[str, str]:
        """What stands before and after the passage when this item is asked about.

        Braces in the item's text stay what they are. Raises UngradableItemError where
        the text is not published.
        """
        if item.text is None:
            raise UngradableItemError(
                f"The text of {item.kind} '{item.public_id}' is not published, and "
                f"prompt '{self.name}' needs it; import the text or use its imported "
                "grades"
            )
        before, after = self.template.split(f"{{{CONTEXT}}}")
        placeholder, text = f"{{{self.item_kind}}}", item.text.strip()
        return before.replace(placeholder, text), after.replace(placeholder, text)
