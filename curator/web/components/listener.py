"""The page's one listener: clicks, choices and keys on it become events.

It hears elements with ``data-pick="TYPE:NAME"`` or ``data-setting``; a key
presses the control that carries it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

import streamlit as st

from curator.web.components.channel import Component
from curator.web.components.places import PLACES, label, read_table
from curator.web.components.view import View
from curator.web.server import TOUR_VARIABLE


@dataclass(frozen=True)
class Key:
    """A key by its name in lists, its effect by pages, and how the browser does it.

    ``act`` is "go" for a key whose next letter names a page, "next" or "previous"
    through the elements of ``selector``, "focus" for a field, "click" for a control,
    "help" for the list of keys. Without a selector it is the control that has the key
    (``data-key``). ``pressed`` are the names of browsers.
    """

    name: str
    does: dict[str, str]
    pressed: tuple[str, ...]
    act: str
    selector: str


LETTERS = {
    "o": "Overview",
    "j": "Judge",
    "c": "Check",
    "r": "Ranking",
    "e": "Export",
    "s": "Settings",
}
"""The letters that open a page after ``g``."""
LETTERS_SHOWN = ", ".join(
    f"{letter} {PLACES[page].area.lower()}" for letter, page in LETTERS.items()
)
MOST_QUERIES = 300  # that are sent to be found; more are found where they are listed


def read_keys() -> list[Key]:
    """Read ``keys.csv``: a line for each key and the pages that have it, or "all"."""
    keys: dict[str, Key] = {}
    for row in read_table("keys", letters=LETTERS_SHOWN):
        name, pages = row["key"], row["pages"]
        pressed = tuple((row["pressed"] or name).split())
        new = Key(name, {}, pressed, row["act"] or "click", row["selector"])
        pages = ", ".join(PLACES) if pages == "all" else pages
        keys.setdefault(name, new).does[pages] = row["does"]
    return list(keys.values())


KEYS = read_keys()
TERMS = tuple((row["term"], row["meaning"]) for row in read_table("glossary"))
"""The words of Curator, for the list of keys and docs/glossary.md."""
STOPS = read_table("tour")
"""The steps of the tour, each of a page, next to a control."""
IN_THE_EDITOR = (
    ("Enter", "save"),
    ("Shift+Enter", "new line"),
    ("Esc", "leave, the draft is kept"),
)


LISTENER = Component(
    "listener",
    "components/connection",
    "components/drawn",
    "components/page_change",
    "components/waiting_keys",
    "components/tips",
    "components/tour",
    "components/find",
    "components/listener",
)


KEYS_DATA = [asdict(key) for key in KEYS]


def listen(view: View, page: str, find: Mapping[str, Any]) -> None:
    """Listen; a view that changed makes it bring that into sight.

    ``find`` lists what Ctrl+K finds: pages and queries with their names, systems.
    """
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    LISTENER.draw(
        selected=[view.query, view.question, view.passage],
        health=f"/{base}/_stcore/health" if base else "/_stcore/health",
        keys=KEYS_DATA,
        letters=LETTERS,
        find=find,
        help=help_on(page),
        tour=tour(page),
    )


def tour(page: str) -> dict[str, Any]:
    """Return the steps and the page.

    On the demo the tour begins by itself, once: on Overview, which opens first, or on
    its own first page. A link to another page leads there.
    """
    begins = page in ("Overview", STOPS[0]["page"])
    return {
        "stops": STOPS,
        "page": page,
        "offered": begins and bool(os.environ.get(TOUR_VARIABLE)),
    }


@cache
def help_on(page: str) -> dict[str, Any]:
    """Return the keys of this page, those of its editor, and the words."""
    keys = [
        (key.name, does)
        for key in KEYS
        for pages, does in key.does.items()
        if page in pages.split(", ")
    ]
    if page == "Judge":
        keys += [
            (key_text, f"in the editor: {does}") for key_text, does in IN_THE_EDITOR
        ]
    return {"page": page, "title": label(page), "keys": keys, "words": TERMS}
