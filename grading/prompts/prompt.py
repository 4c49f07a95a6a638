"""Prompts about one item and one passage."""

from __future__ import annotations

import re
from dataclasses import dataclass

from grading.errors import InvalidPromptError, UngradableItemError
from grading.items import Item, ItemKind
from grading.responders import CHOICES, ReadingKind

CONTEXT = "context"
ITEM_KINDS: tuple[ItemKind, ...] = ("question", "nugget", "query")
CHOICES_VERSION = "lines/1"  # bump when choices would be shown differently

PLACEHOLDER = re.compile(r"\{(\w+)\}")
CHOICES_LINE = re.compile(r"\n.*\{choices\}.*|\A.*\{choices\}.*\n?")
"""A line with ``{choices}``, and its line end."""


@dataclass(frozen=True)
class Prompt:
    """A published or custom prompt; its text is part of a grader's identity.

    ``template`` contains ``{context}`` once and one of ``{question}``, ``{nugget}`` and
    ``{query}`` at least once. ``{choices}`` is replaced by a question's choices, one
    per line, "A) carbon dioxide"; for a question without choices its line is removed.
    Other braces are kept, and with ``literal`` also ``{choices}``, as in graders stored
    before choices were supported. ``reading`` and ``parser`` define how responses
    become grades (see ``readings``). ``source`` is its publication. ``name`` is its
    part of a grader's name.

    Raises InvalidPromptError for a template without its placeholders.
    """

    name: str
    template: str
    reading: ReadingKind
    parser: str
    source: str
    literal: bool = False

    def __post_init__(self) -> None:
        names = PLACEHOLDER.findall(self.template)
        if names.count(CONTEXT) != 1 or len({*names} & {*ITEM_KINDS}) != 1:
            raise InvalidPromptError(
                f"Prompt '{self.name}' needs {{context}} once and one of "
                f"{', '.join(f'{{{kind}}}' for kind in ITEM_KINDS)}"
            )

    @property
    def item_kind(self) -> ItemKind:
        """The kind of item that it is about."""
        return next(kind for kind in ITEM_KINDS if f"{{{kind}}}" in self.template)

    @property
    def shows_choices(self) -> bool:
        """Return True if it shows the choices of questions."""
        return not self.literal and f"{{{CHOICES}}}" in self.template

    def render(self, item: Item) -> tuple[str, str]:
        """Return the texts before and after the passage for an item.

        Braces in the item's text are kept. Raises UngradableItemError if the text is
        not published.
        """
        if item.text is None:
            raise UngradableItemError(
                f"The text of {item.kind} '{item.public_id}' is not published, and "
                f"prompt '{self.name}' needs it; import the text or use its imported "
                "grades"
            )
        template = self.template
        texts: dict[str, str] = {self.item_kind: item.text.strip()}
        if self.shows_choices:
            texts[CHOICES] = "\n".join(
                f"{letter}) {text}" for letter, text in item.choices
            )
            if not item.choices:
                template = CHOICES_LINE.sub("", template)
        # In one pass, so that braces in a text are not replaced.
        before, after = (
            PLACEHOLDER.sub(lambda name: texts.get(name[1], name[0]), part)
            for part in template.split(f"{{{CONTEXT}}}")
        )
        return before, after
