"""The form of what holds for all who judge, and what it saves."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

from curator.errors import SettingError
from curator.verbs.setup.settings import MAX_HUMAN_FIRST
from curator.web.components import session
from curator.web.components.channel import Component, handles
from curator.workspace import Workspace

FORM = Component("settings_form", "pages/settings/settings_form", verb="set_up")
FIELDS = ("title", "guidelines", "blind", "human_first", "min_relevance")
NUMBERS = {
    "human_first": "How many questions a judge writes first",
    "min_relevance": "The judgment from which a passage is relevant",
}


def draw(saved: dict[str, str]) -> None:
    """The form over what is saved; what is typed and not saved stays in it."""
    FORM.draw(
        saved=saved,
        draft=session.current().settings_draft,
        most=MAX_HUMAN_FIRST,
    )


def fields_of(workspace: Workspace) -> dict[str, str]:
    """What is set, as the form has it: texts, and "yes" or ""."""
    collection = workspace.collection()
    relevance = collection.min_relevance
    return {
        "title": collection.title,
        "guidelines": collection.guidelines or "",
        "blind": "yes" if collection.blind else "",
        "human_first": str(collection.human_first),
        "min_relevance": "" if relevance is None else str(relevance),
    }


@handles("settings")
def typed(
    *,
    title: str,
    guidelines: str,
    blind: Literal["yes", ""],
    human_first: str,
    min_relevance: str,
    changed: list[str],
    save: bool,
) -> None:
    """Keep what is typed, for its preview, or save the fields that were changed."""
    values = (title, guidelines, blind, human_first, min_relevance)
    fields = session.current().settings_draft = dict(zip(FIELDS, values, strict=True))
    if save:
        options = options_of({name: fields[name] for name in FIELDS if name in changed})
        with session.workspace() as workspace:
            workspace.set_up(**options)
        session.current().settings_draft = None


def options_of(changes: Mapping[str, str]) -> dict[str, Any]:
    """What ``set_up`` is given for these fields. Raises SettingError."""
    options: dict[str, Any] = dict(changes)
    if "blind" in changes:
        options["blind"] = changes["blind"] == "yes"
    for name in NUMBERS.keys() & changes.keys():
        given = changes[name].strip()
        if not re.fullmatch(r"-?[0-9]{1,9}", given):
            raise SettingError(f"{NUMBERS[name]} is a whole number, not “{given}”.")
        options[name] = int(given)
    return options
