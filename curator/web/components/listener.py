"""The page's one listener: clicks, choices and keys on it become events.

It hears elements with ``data-pick="TYPE:NAME"`` or ``data-setting``; a key
presses the control that carries it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

import streamlit as st

from curator.edit_words import DROP, RESTORE, RETIRE, REWORD
from curator.web.components.channel import Component
from curator.web.components.glossary import TERMS
from curator.web.components.places import PLACES, label
from curator.web.components.tour import tour
from curator.web.components.view import View


@dataclass
class Key:
    """A key as shown, what it does in words, and how it does it in the browser.

    ``does`` is by the names of pages. ``act`` is "go" for a key
    whose next letter names a page, "next" or "previous" through the elements of
    ``selector``, "focus" for a field, "click" for a control, "help" for the list of
    keys. Without a selector it is the control that has the key (``data-key``).
    ``pressed`` are the names of browsers, by default those shown.
    """

    shown: str
    does: Mapping[str, str]
    pressed: tuple[str, ...] = ()
    act: str = "click"
    selector: str = ""

    def __post_init__(self) -> None:
        self.pressed = self.pressed or tuple(self.shown.split())


LETTERS = {
    "o": "Overview",
    "j": "Judge",
    "c": "Check",
    "r": "Ranking",
    "e": "Export",
    "s": "Settings",
}
"""The letters that open a page after ``g``."""
LETTERS_SHOWN = "o overview, j judge, c check, r results, e releases, s settings"
MOST_QUERIES = 300  # that are sent to be found; more are found where they are listed

QUESTION, QUERY = ".c-question, .c-release, .c-event", ".c-query"

# On the Export tab: controls of Streamlit's own, which carry no key.
RELEASE, TICK = (
    ".st-key-release_name input",
    ".st-key-regardless input, .q-choice[data-key=t]",
)
FIND = f"{RELEASE}, .p-find"
FILE, RESTORE_RELEASE = ".st-key-file_out button", ".st-key-restore_ask button"

LISTS = "Judge, Check, Export, History"
EVERYWHERE = ", ".join(PLACES)
QUERIES = "Judge"

KEYS = (
    Key(
        "j ↓",
        {LISTS: "next row"},
        pressed=("j", "ArrowDown"),
        act="next",
        selector=QUESTION,
    ),
    Key(
        "k ↑",
        {LISTS: "previous row"},
        pressed=("k", "ArrowUp"),
        act="previous",
        selector=QUESTION,
    ),
    Key(
        "J",
        {QUERIES: "next query", "Export": "next kind of file"},
        act="next",
        selector=QUERY,
    ),
    Key(
        "K",
        {QUERIES: "previous query", "Export": "previous kind of file"},
        act="previous",
        selector=QUERY,
    ),
    Key(
        "e Enter",
        {
            "Judge": "edit the question; saved, a proposal is kept",
            "Check": "draw the next pairs",
        },
    ),
    Key(
        "x",
        {
            "Judge": f"{RETIRE.base} or {RESTORE.base} the question, "
            f"{DROP.base} the proposal"
        },
    ),
    Key("a", {"Judge": "keep the proposal"}),
    Key(
        "n",
        {
            "Judge": "new question or nugget, or a list; with words selected in the "
            "passage, from these",
            "Check": "no",
        },
    ),
    Key("N", {"Judge": "new nugget; in a bank of nuggets, a question"}),
    Key("p", {"Judge": "have a model propose questions"}),
    Key("P", {"Judge": "have it propose questions from the passage"}),
    Key("L", {"Judge": "open or close the list of passages"}),
    Key("m", {"Judge": "note on the question, or flag it"}),
    Key(
        ".",
        {
            "Judge": "the next thing to do, here and then elsewhere",
            "Check": "the next item, this one later",
            "Overview": "the first thing to do next",
        },
    ),
    Key(",", {"Judge": "leave that alone, with a reason"}),
    Key("l", {"Judge": "look where people differ, or at a pair to check"}),
    Key(
        "u",
        {
            "Judge": "undo my latest edit in this query",
            "History": "undo the event",
            "Check": "unsure",
        },
    ),
    Key("U", {"Judge": "redo it"}),
    Key("[", {"Judge": "previous passage"}),
    Key("]", {"Judge": "next passage"}),
    Key("o", {"Judge, Check": "vote okay"}),
    Key("i", {"Judge": "mark the passage, or words selected, as an ideal answer"}),
    Key("v", {"Judge, Check": "vote vital"}),
    Key(
        "y",
        {
            "Judge": "the passage answers the question, or its answer is right",
            "Check": "yes",
        },
    ),
    Key("Y", {"Judge": "the passage does not answer it"}),
    Key(
        "w",
        {
            "Judge": f"say why a question was {RETIRE.past} or {REWORD.past}, or "
            "call the answer wrong",
            "Check": "show who says what, or hide it",
        },
    ),
    Key("D", {"Judge": "mark the query done and go to the next"}),
    Key("s", {"Judge": "the board under this question alone"}),
    Key(
        "f",
        {"Judge": "find words in passages", "Export": "name a release"},
        act="focus",
        selector=FIND,
    ),
    Key(
        "t",
        {
            "Judge": "order of the questions",
            "Export": "tick that something may be missing",
        },
        act="click",
        selector=TICK,
    ),
    Key("T", {"Judge": "which questions the list shows"}),
    Key(
        "b",
        {
            "Judge": "open or close the board",
            "Check": "samples, certificates, rounds and agreement",
        },
    ),
    Key("Esc", {QUERIES: "end the search for queries or words"}, pressed=("Escape",)),
    Key("d", {"Export": "make or download the file shown"}, act="click", selector=FILE),
    Key(
        "R",
        {"Export": "restore the release opened: asks first"},
        act="click",
        selector=RESTORE_RELEASE,
    ),
    Key("z", {"Check": "take my last answer back"}),
    Key(
        "0 1 2 3",
        {
            "Check": "the grade, or decide for this side",
            "Judge": "of two texts: 1 mine, 2 theirs, 3 combine",
        },
        pressed=tuple("0123456789"),
    ),
    Key("g", {EVERYWHERE: f"then {LETTERS_SHOWN}: go to that page"}, act="go"),
    Key(
        "Ctrl+K",
        {EVERYWHERE: "find a page, query, question, system or action"},
        act="find",
    ),
    Key("G", {QUERIES: "guidelines, beside the work or closed"}),
    Key("/", {QUERIES: "search queries"}, act="focus", selector=".st-key-search input"),
    Key("h ?", {EVERYWHERE: "these keys and words"}, act="help"),
)

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


@cache
def help_on(page: str) -> dict[str, Any]:
    """Return the keys of this page, those of its editor, and the words."""
    keys = [
        (key.shown, does)
        for key in KEYS
        for pages, does in key.does.items()
        if page in pages.split(", ")
    ]
    if page == "Judge":
        keys += [
            (key_text, f"in the editor: {does}") for key_text, does in IN_THE_EDITOR
        ]
    return {"page": page, "title": label(page), "keys": keys, "words": TERMS}
