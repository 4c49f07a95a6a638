"""A prompt: the words a model is given about one item and one passage."""

from __future__ import annotations

import re
from dataclasses import dataclass

from grading.errors import InvalidPromptError, UngradableItemError
from grading.items import Item, ItemKind
from grading.responders import CHOICES, ReadingKind

CONTEXT = "context"
ITEM_KINDS: tuple[ItemKind, ...] = ("question", "nugget", "query")
CHOICES_VERSION = "lines/1"  # bump when choices would be shown otherwise

PLACEHOLDER = re.compile(r"\{(\w+)\}")
CHOICES_LINE = re.compile(r"\n.*\{choices\}.*|\A.*\{choices\}.*\n?")
"""A line with ``{choices}``, and the line end that goes with it."""


@dataclass(frozen=True)
class Prompt:
    """A published or custom prompt; its text is part of what identifies a grader.

    ``template`` holds ``{context}`` once and one of ``{question}``, ``{nugget}`` and
    ``{query}`` at least once. ``{choices}`` stands for a question's choices, a line
    each with its letter, "A) carbon dioxide"; for a question without any, the whole
    line goes. Every other brace is a brace, and with ``literal`` those of ``{choices}``
    too, as in graders stored before there were choices. ``reading`` and ``parser`` say
    what its responses mean (see ``readings``). ``source`` is where it was published.
    ``name`` is how a grader's name asks for it.

    Raises InvalidPromptError for a template without its placeholders.
    """

    name: str
    template: str
    reading: ReadingKind
    parser: str
    source: str
    literal: bool = False

    def __post_init__(self) -> None:
        found = PLACEHOLDER.findall(self.template)
        if found.count(CONTEXT) != 1 or len({*found} & {*ITEM_KINDS}) != 1:
            raise InvalidPromptError(
                f"Prompt '{self.name}' needs {{context}} once and one of "
                f"{', '.join(f'{{{kind}}}' for kind in ITEM_KINDS)}"
            )

    @property
    def item_kind(self) -> ItemKind:
        """The kind of item it asks about."""
        return next(kind for kind in ITEM_KINDS if f"{{{kind}}}" in self.template)

    @property
    def shows_choices(self) -> bool:
        """Whether questions are asked with their choices."""
        return not self.literal and f"{{{CHOICES}}}" in self.template

    def render(self, item: Item) -> tuple[str, str]:
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
        template = self.template
        texts: dict[str, str] = {self.item_kind: item.text.strip()}
        if self.shows_choices:
            texts[CHOICES] = "\n".join(f"{one}) {text}" for one, text in item.choices)
            if not item.choices:
                template = CHOICES_LINE.sub("", template)
        # In one pass: what stands in braces in a text stays there.
        before, after = (
            PLACEHOLDER.sub(lambda name: texts.get(name[1], name[0]), part)
            for part in template.split(f"{{{CONTEXT}}}")
        )
        return before, after
