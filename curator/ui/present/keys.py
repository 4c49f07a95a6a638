"""The keyboard: what each key does, and the control it presses."""

from __future__ import annotations

from dataclasses import dataclass


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


QUESTION, QUERY = ".c-question", ".c-query"

KEYS = (
    Key("j ↓", "next question", ("j", "ArrowDown"), "next", QUESTION),
    Key("k ↑", "previous question", ("k", "ArrowUp"), "previous", QUESTION),
    Key("J", "next query", ("J",), "next", QUERY),
    Key("K", "previous query", ("K",), "previous", QUERY),
    Key("e Enter", "edit the question", ("e", "Enter")),
    Key("x", "retire or restore the question", ("x",)),
    Key("n", "new question, or a list of them", ("n",)),
    Key("u", "undo my latest edit in this query", ("u",)),
    Key("U", "redo it", ("U",)),
    Key("[", "previous passage of those changed", ("[",)),
    Key("]", "next one", ("]",)),
    Key("o", "open the passage on its page", ("o",)),
    Key("D", "mark the query done and go to the next", ("D",)),
    Key("s", "the board under this question alone", ("s",)),
    Key("a", "add a question from a passage (Passages)", ("a",)),
    Key("1 2 3", "of two texts: keep mine, keep theirs, combine", ("1", "2", "3")),
    Key("g", "choose the grader", ("g",), "focus", "[data-setting=grader]"),
    Key("/", "search queries", ("/",), "focus", ".st-key-search input"),
    Key("h", "this list of keys", ("h", "?"), "help"),
)

IN_THE_EDITOR = (
    ("Enter", "save"),
    ("Shift+Enter", "new line"),
    ("Esc", "leave, the draft is kept"),
)
