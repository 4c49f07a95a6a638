"""Whether a text asks, whether it is whole, and what it is without its markup."""

from __future__ import annotations

import re

_CLOSING = " \"'”’»」』`*_)]}"
_QUESTION_MARKS = ("?", "？", "؟", "՞", "፧")
_ENDS = (*_QUESTION_MARKS, ".", "!", "…", "。", "！", "।")
_GREEK_QUESTION_MARKS = (";", "\u037e")
_GREEK = re.compile(r"[\u0370-\u037d\u0384-\u03ff\u1f00-\u1fff]")

_WRAPS = (("__", "__"), *zip("*_`\"'“‘«「", "*_`\"'”’»」", strict=True))
_STARTS = tuple(start for start, _ in _WRAPS)
_MOST_WRAPS = 4  # around one text
_BOLD = re.compile(r"\*\*([^*]+)\*\*")

# "Discuss the synthesis of alkynes." and "Is coal renewable? Justify your answer."
_TASKS = (
    "analy[sz]e|compare|contrast|define|describe|discuss|evaluate|explain|explore|"
    "identify|illustrate|justify|outline|summari[sz]e"
)
_BEGINS_TASK = re.compile(
    rf"[*_(]*(?:{_TASKS}|assume|choose|cite|consider|give|include|list|name|provide|"
    r"refer|select|show|state|support|use)\b",
    re.IGNORECASE,
)
_TASK = re.compile(
    rf"(?: (?:{_TASKS})\ \S+\ \S+ | [^?]{{8,}} \? [ ] (?:{_TASKS}|provide|give)\ )",
    re.VERBOSE | re.IGNORECASE,
)


def is_question(text: str) -> bool:
    """Whether the text ends in a question mark of any script, a semicolon in Greek.

    Quotes, brackets and markup may follow it.
    """
    said = text.rstrip(_CLOSING)
    greek = said.endswith(_GREEK_QUESTION_MARKS) and _GREEK.search(said) is not None
    return greek or said.endswith(_QUESTION_MARKS)


def begins_task(text: str) -> bool:
    """Whether the text begins as a task does: "Justify your answer." """
    return _BEGINS_TASK.match(text) is not None


def sets_task(text: str) -> bool:
    """Whether the text is surely a task of some words, or a question with a task."""
    return _TASK.match(text) is not None


def is_finished(text: str) -> bool:
    """Whether the text ends as a sentence does, so that nothing is missing."""
    return is_question(text) or text.rstrip(_CLOSING).endswith(_ENDS)


def without_markup(text: str) -> str:
    """The stripped text without bold, and without quotes or markup all around it.

    A comma after a quoted text goes with the quotes.
    """
    text = _BOLD.sub(r"\1", text).strip()
    for _ in range(_MOST_WRAPS):
        inside = _inside(text) or _inside(text.rstrip(", "))
        if inside is None:
            break
        text = inside
    return text


def _inside(text: str) -> str | None:
    """The text between one pair of quotes or markup, None without such a pair."""
    if not text.startswith(_STARTS):
        return None
    for start, end in _WRAPS:
        if text.startswith(start) and text.endswith(end):
            inside = text[len(start) : -len(end)]
            if inside and start not in inside and end not in inside:
                return inside.strip()
    return None
