"""The page's one listener: clicks, choices and keys on it become events.

It hears whatever carries ``data-pick="TYPE:NAME"`` or is a ``data-setting``; a key
presses the control that carries it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import streamlit as st

from curator.edit_words import DROP, RESTORE, RETIRE, REWORD
from curator.web.components.channel import Component
from curator.web.components.glossary import TERMS
from curator.web.components.places import PLACES, label
from curator.web.components.tour import tour
from curator.web.components.view import View


@dataclass(frozen=True, slots=True)
class Key:
    """A key as shown, what it does in words, and how it does it in the browser.

    ``does`` says it for every page, or by the names of the pages where it does
    anything.
    ``act`` is "go" for a key whose next letter names a page, "next" or "previous"
    through the elements of ``selector``, "focus" for a field, "click" for a control,
    "help" for the list of keys. Without a selector it is the control that carries the
    key itself (``data-key``). ``pressed`` are the
    keys as browsers name them.
    """

    shown: str
    does: str | Mapping[str, str]
    pressed: tuple[str, ...]
    act: str = "click"
    selector: str = ""


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
    ".st-key-regardless input, .p-order, .q-choice[data-key=t]",
)
FIND = f"{RELEASE}, .p-find"
FILE, RESTORE_RELEASE = ".st-key-file_out button", ".st-key-restore_ask button"

LISTS = "Judge, Norming, Disagreements, Answers, Export, History"
QUERIES = "Judge, Passages"

KEYS = (
    Key("j ↓", {LISTS: "next row"}, ("j", "ArrowDown"), "next", QUESTION),
    Key("k ↑", {LISTS: "previous row"}, ("k", "ArrowUp"), "previous", QUESTION),
    Key(
        "J",
        {QUERIES: "next query", "Export": "next kind of file"},
        ("J",),
        "next",
        QUERY,
    ),
    Key(
        "K",
        {QUERIES: "previous query", "Export": "previous kind of file"},
        ("K",),
        "previous",
        QUERY,
    ),
    Key(
        "e Enter",
        {
            "Judge": "edit the question; saved, a proposal is kept",
            "Check": "show or fold the evidence",
        },
        ("e", "Enter"),
    ),
    Key(
        "x",
        {
            "Judge": f"{RETIRE.base} or {RESTORE.base} the question, "
            f"{DROP.base} the proposal"
        },
        ("x",),
    ),
    Key(
        "a",
        {"Judge": "keep the proposal", "Passages": "add a question from the passage"},
        ("a",),
    ),
    Key(
        "n",
        {
            "Judge": "new question or nugget, or a list of them",
            "Check, Norming": "no",
        },
        ("n",),
    ),
    Key("N", {"Judge": "new nugget; in a bank of nuggets, a question"}, ("N",)),
    Key("p", {"Judge, Passages": "have a model propose questions"}, ("p",)),
    Key("m", {"Judge": "note on the question, or flag it"}, ("m",)),
    Key(
        ".",
        {
            "Judge": "the next thing to do, here and then elsewhere",
            "Overview": "the first thing to do next",
        },
        (".",),
    ),
    Key(",", {"Judge": "leave that alone, with a reason"}, (",",)),
    Key("l", {"Judge": "look where people differ, or at a pair to check"}, ("l",)),
    Key(
        "u",
        {
            "Judge, Passages": "undo my latest edit in this query",
            "History": "undo the event",
            "Check, Norming": "unsure",
            "Disagreements": "take back what I decided last",
        },
        ("u",),
    ),
    Key("U", {"Judge": "redo it"}, ("U",)),
    Key("[", {"Judge, Passages": "previous passage"}, ("[",)),
    Key("]", {"Judge, Passages": "next passage"}, ("]",)),
    Key(
        "o",
        {
            "Judge, Norming": "vote okay",
            "Passages": "open the passage beside the questions",
            "Answers": "open the passage on its page",
        },
        ("o",),
    ),
    Key(
        "i",
        {"Passages": "mark the passage, or words selected, as an ideal answer"},
        ("i",),
    ),
    Key("v", {"Judge, Norming": "vote vital"}, ("v",)),
    Key(
        "y",
        {
            "Judge": "the passage answers the question",
            "Passages, Answers": "call the answer right",
            "Check, Norming": "yes",
        },
        ("y",),
    ),
    Key("Y", {"Judge": "the passage does not answer it"}, ("Y",)),
    Key(
        "w",
        {
            "Judge": f"say why a question was {RETIRE.past} or {REWORD.past}",
            "Passages, Answers": "call the answer wrong",
            "Disagreements": "show who says what, or hide it",
        },
        ("w",),
    ),
    Key("D", {"Judge": "mark the query done and go to the next"}, ("D",)),
    Key("s", {"Judge": "the board under this question alone"}, ("s",)),
    Key(
        "f",
        {"Passages": "find words in passages", "Export": "name a release"},
        ("f",),
        "focus",
        FIND,
    ),
    Key(
        "t",
        {
            "Judge": "order of the questions",
            "Passages": "order of the passages",
            "Export": "tick that something may be missing",
        },
        ("t",),
        "click",
        TICK,
    ),
    Key("T", {"Judge": "which questions the list shows"}, ("T",)),
    Key(
        "b",
        {
            "Judge": "open or close the board",
            "Passages": "turn the order round",
        },
        ("b",),
    ),
    Key("Esc", {QUERIES: "end the search for queries or words"}, ("Escape",)),
    Key("d", {"Export": "make or download the file shown"}, ("d",), "click", FILE),
    Key(
        "R",
        {"Export": "restore the release opened: asks first"},
        ("R",),
        "click",
        RESTORE_RELEASE,
    ),
    Key("z", {"Check, Norming": "take my last answer back"}, ("z",)),
    Key(
        "0 1 2 3",
        {
            "Check, Norming": "the grade",
            "Disagreements": "decide for this side; 0 takes that back",
            "Judge": "of two texts: 1 mine, 2 theirs, 3 combine",
        },
        tuple("0123456789"),
    ),
    Key("g", f"then {LETTERS_SHOWN}: go to that page", ("g",), "go"),
    Key("Ctrl+K", "find a page, query, question, system or action", ()),
    Key("G", {QUERIES: "guidelines, beside the work or closed"}, ("G",)),
    Key("/", {QUERIES: "search queries"}, ("/",), "focus", ".st-key-search input"),
    Key("h ?", "these keys and words", ("h", "?"), "help"),
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


def help_on(page: str) -> dict[str, Any]:
    """The keys of this page, those of others with their pages, the editor's, words."""
    here: list[tuple[str, str]] = []
    elsewhere: list[tuple[str, str]] = []
    for key in KEYS:
        said = {"": key.does} if isinstance(key.does, str) else key.does
        for pages, does in said.items():
            if not pages or page in pages.split(", "):
                here.append((key.shown, does))
            else:
                tabs = [PLACES[name].tab for name in pages.split(", ")]
                elsewhere.append((key.shown, f"{', '.join(tabs)}: {does}"))
    if page == "Judge":
        here += [(shown, f"in the editor: {does}") for shown, does in IN_THE_EDITOR]
    return {
        "page": page,
        "title": label(page),
        "here": here,
        "elsewhere": elsewhere,
        "words": TERMS,
    }
