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
    "j": "Curate",
    "c": "Checks",
    "r": "Leaderboard",
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

LISTS = "Curate, Judges, Norming, Adjudication, Answers, Export, History"
QUERIES = "Curate, Passages, Judges"

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
            "Curate": "edit the question; saved, a proposal is kept",
            "Checks": "show or fold the evidence",
        },
        ("e", "Enter"),
    ),
    Key(
        "x",
        {
            "Curate": f"{RETIRE.base} or {RESTORE.base} the question, "
            f"{DROP.base} the proposal"
        },
        ("x",),
    ),
    Key(
        "a",
        {"Curate": "keep the proposal", "Passages": "add a question from the passage"},
        ("a",),
    ),
    Key(
        "n",
        {
            "Curate": "new question or nugget, or a list of them",
            "Checks, Norming": "no",
        },
        ("n",),
    ),
    Key("N", {"Curate": "new nugget; in a bank of nuggets, a question"}, ("N",)),
    Key("p", {"Curate, Passages": "have a model propose questions"}, ("p",)),
    Key("m", {"Curate": "note on the question, or flag it"}, ("m",)),
    Key(
        ".",
        {
            "Curate": "the next thing to do, here and then elsewhere",
            "Overview": "the first thing to do next",
        },
        (".",),
    ),
    Key(",", {"Curate": "leave that alone, with a reason"}, (",",)),
    Key("l", {"Curate": "look where people differ, or at a pair to check"}, ("l",)),
    Key(
        "u",
        {
            "Curate, Passages": "undo my latest edit in this query",
            "Export": "undo what was restored",
            "History": "undo the event",
            "Checks, Norming": "unsure",
            "Adjudication": "take back what I decided last",
        },
        ("u",),
    ),
    Key("U", {"Curate": "redo it"}, ("U",)),
    Key("[", {"Curate, Passages": "previous passage"}, ("[",)),
    Key("]", {"Curate, Passages": "next passage"}, ("]",)),
    Key(
        "o",
        {
            "Curate": "open the passage on its page",
            "Passages": "open the passage beside the questions",
            "Answers": "open the passage on its page",
            "Judges, Norming": "vote okay",
        },
        ("o",),
    ),
    Key(
        "i",
        {"Passages": "mark the passage, or words selected, as an ideal answer"},
        ("i",),
    ),
    Key("v", {"Judges, Norming": "vote vital"}, ("v",)),
    Key(
        "y",
        {
            "Curate": "the passage answers the question",
            "Passages, Answers": "call the answer right",
            "Checks, Norming": "yes",
        },
        ("y",),
    ),
    Key("Y", {"Curate": "the passage does not answer it"}, ("Y",)),
    Key(
        "w",
        {
            "Curate": f"say why a question was {RETIRE.past} or {REWORD.past}",
            "Passages, Answers": "call the answer wrong",
            "Judges": "take my vote back",
            "Adjudication": "show who says what, or hide it",
        },
        ("w",),
    ),
    Key("D", {"Curate": "mark the query done and go to the next"}, ("D",)),
    Key("s", {"Curate": "the board under this question alone"}, ("s",)),
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
            "Curate": "order of the questions",
            "Passages": "order of the passages",
            "Export": "tick that something may be missing",
        },
        ("t",),
        "click",
        TICK,
    ),
    Key("T", {"Curate": "which questions the list shows"}, ("T",)),
    Key(
        "b",
        {
            "Curate": "open or close the board",
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
    Key("z", {"Checks, Norming": "take my last answer back"}, ("z",)),
    Key(
        "0 1 2 3",
        {
            "Checks, Norming": "the grade",
            "Adjudication": "decide for this side; 0 takes that back",
            "Curate": "of two texts: 1 mine, 2 theirs, 3 combine",
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
    if page == "Curate":
        here += [(shown, f"in the editor: {does}") for shown, does in IN_THE_EDITOR]
    return {
        "page": page,
        "title": label(page),
        "here": here,
        "elsewhere": elsewhere,
        "words": TERMS,
    }
