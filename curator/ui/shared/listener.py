"""The page's one listener: clicks, choices and keys on it become events.

It hears whatever carries ``data-pick="TYPE:NAME"`` or is a ``data-setting``; a key
presses the control that carries it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import streamlit as st

from curator.ui.shared.channel import Component
from curator.ui.shared.view import View


@dataclass(frozen=True, slots=True)
class Key:
    """A key as shown, what it does in words, and how it does it in the browser.

    ``act`` is "next" or "previous" through the elements of ``selector``, "focus" for
    a field, "click" for a control, "help" for the list of keys. Without a selector it
    is the control that carries the key itself (``data-key``). ``pressed`` are the
    keys as browsers name them.
    """

    shown: str
    does: str
    pressed: tuple[str, ...]
    act: str = "click"
    selector: str = ""


QUESTION, QUERY = ".c-question, .c-release, .c-event", ".c-query"

# On the Export page: controls of Streamlit's own, which carry no key.
RELEASE, TICK = (
    ".st-key-release_name input",
    ".st-key-regardless input, .p-order, .q-choice[data-key=t]",
)
FIND = f"{RELEASE}, .p-find"
FILE, RESTORE = ".st-key-file_out button", ".st-key-restore_ask button"

KEYS = (
    Key("j ↓", "next question, or row of a list", ("j", "ArrowDown"), "next", QUESTION),
    Key("k ↑", "previous one", ("k", "ArrowUp"), "previous", QUESTION),
    Key("J", "next query; on Export, next kind of file", ("J",), "next", QUERY),
    Key("K", "previous query", ("K",), "previous", QUERY),
    Key("e Enter", "edit the question; saved, a proposal is kept", ("e", "Enter")),
    Key("x", "retire or restore the question, drop the proposal", ("x",)),
    Key("a", "keep the proposal; on Passages, add a question", ("a",)),
    Key("n", "new question or nugget, or a list of them; on Checks, no", ("n",)),
    Key("N", "new nugget; there, a question", ("N",)),
    Key("p", "have a model propose questions", ("p",)),
    Key("m", "note on the question, or flag it", ("m",)),
    Key(".", "the next thing to do, here and then elsewhere", (".",)),
    Key(",", "leave that alone, with a reason", (",",)),
    Key("l", "look where people differ, or at a pair to check", ("l",)),
    Key(
        "u",
        "undo my latest edit in this query; on History, the event; on Checks, unsure",
        ("u",),
    ),
    Key("U", "redo it", ("U",)),
    Key("[", "previous passage of those changed", ("[",)),
    Key("]", "next one", ("]",)),
    Key("o", "open the passage on its page; on Judges, vote okay", ("o",)),
    Key("i", "mark the passage, or words selected, as an ideal answer", ("i",)),
    Key("v", "on Judges, vote vital", ("v",)),
    Key("y", "on Passages and Answers, call the answer right; on Checks, yes", ("y",)),
    Key("w", "there, call it wrong; on Judges, no vote; on Curate, say why", ("w",)),
    Key("D", "mark the query done and go to the next", ("D",)),
    Key("s", "the board under this question alone", ("s",)),
    Key(
        "f", "find words in passages; on Export, name a release", ("f",), "focus", FIND
    ),
    Key(
        "t",
        "order of questions or passages; there, tick that something may be missing",
        ("t",),
        "click",
        TICK,
    ),
    Key("T", "which questions the list shows", ("T",)),
    Key("b", "turn the order of passages round", ("b",)),
    Key("Esc", "end the search for queries or words", ("Escape",)),
    Key("d", "there, make or download the file shown", ("d",), "click", FILE),
    Key("R", "there, restore the release opened: asks first", ("R",), "click", RESTORE),
    Key("z", "on Checks, take my last answer back", ("z",)),
    Key(
        *("0 1 2 3", "there, the grade; of two texts: 1 mine, 2 theirs, 3 combine"),
        tuple("0123456789"),
    ),
    Key("g", "choose the grader", ("g",), "focus", "[data-setting=grader]"),
    Key("G", "the guidelines, open beside the work or closed", ("G",)),
    Key("/", "search queries", ("/",), "focus", ".st-key-search input"),
    Key("h", "this list of keys", ("h", "?"), "help"),
)

IN_THE_EDITOR = (
    ("Enter", "save"),
    ("Shift+Enter", "new line"),
    ("Esc", "leave, the draft is kept"),
)


LISTENER = Component(
    "listener",
    "shared/connection",
    "shared/drawn",
    "shared/waiting_keys",
    "shared/tips",
    "shared/listener",
)


def listen(view: View) -> None:
    """Listen; a view that changed makes it bring that into sight."""
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    LISTENER.draw(
        selected=[view.query, view.question, view.passage],
        health=f"/{base}/_stcore/health" if base else "/_stcore/health",
        keys=[asdict(key) for key in KEYS],
        editor=IN_THE_EDITOR,
    )
