"""The form of settings that hold for all judges, and what it saves."""

from __future__ import annotations

import re
from typing import Any

from curator.errors import SettingError
from curator.verbs.setup import MAX_HUMAN_FIRST
from curator.web.components import session
from curator.web.components.channel import Component, handles
from curator.workspace import Workspace

FORM = Component("settings_form", "pages/settings/settings_form", verb="set_up")


def draw(saved: dict[str, str]) -> None:
    """Draw the form; what is typed and not saved stays in it."""
    draft = session.current().settings_draft
    FORM.draw(saved=saved, draft=draft, most=MAX_HUMAN_FIRST)


def fields_of(workspace: Workspace) -> dict[str, str]:
    """Return the settings as the form has them: texts, and "yes" or ""."""
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
def typed(*, values: list[str], changed: list[str], save: bool) -> None:
    """Keep what is typed, for its preview, or save the changed fields.

    ``values`` are in the order of the fields. Raises SettingError.
    """
    with session.workspace() as workspace:
        names = list(fields_of(workspace))
        if len(values) != len(names):
            raise SettingError("The page is of another version: reload it.")
        fields = session.current().settings_draft = dict(
            zip(names, values, strict=True)
        )
        if save:
            options = {
                name: option(name, fields[name]) for name in names if name in changed
            }
            workspace.set_up(**options)
            session.current().settings_draft = None


def option(name: str, text: str) -> Any:
    """Return a field's value as ``set_up`` takes it. Raises SettingError."""
    if name == "blind":
        return text == "yes"
    if name in ("title", "guidelines"):
        return text
    if not re.fullmatch(r"-?[0-9]{1,9}", text.strip()):
        label = "Own questions first" if name == "human_first" else "Relevant from"
        raise SettingError(f"“{label}” is a whole number, not “{text.strip()}”.")
    return int(text)
