"""Lists in brackets, of JSON or Python: which of the strings in them are listed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from curator.generation.brackets import Brackets, Entry, brackets_read
from curator.generation.sentences import begins_task, is_finished, is_question

_OPENING = re.compile(
    r"""
    # The rest of a marked line or a row is that line's text, brackets and all.
    ^[ ]* (?: \| | [-*+•][ ] | [*_(\[]* (?:q\w*[ ]?)? \d{1,3} [*_]* [.):\]] )
        (?![*_ ]*[\[{]) [^\n]*
  | (?<!\w) (?P<list>[\[{])
  | (?: ^ | (?<==) ) [ ]* (?P<tuple>\()
    """,
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)
_NUMBER = re.compile(r"(\d{1,3})[.)] +(?=\S)")
_LISTS = ("questions", "nuggets", "facts", "key_facts", "statements", "items")
_TEXTS = ("question", "nugget", "fact", "key_fact", "statement", "text", "content")
# Behind a fact or a question: how important or how hard it is.
_LABELS = ("vital", "okay", "high", "medium", "low", "important", "essential")
# "1. What? 2. Why?", in one string
_RUN_ON = re.compile(r"(?<=[?？.])\s+(?=\d{1,3}[.)]\s)")

_Listed = tuple[int, str]  # which list holds the text, by number


def bracketed_texts(text: str) -> tuple[list[str], bool]:
    """The texts of all lists in brackets, and whether one of them broke off.

    Lists stand anywhere but in numbered or bulleted text. They hold strings, further
    lists, objects with a text each, and objects of lists by theme or of texts by
    number. Where one list asks, a list that asks nothing is none of questions. Where
    all texts are numbered 1, 2, 3, the numbers are left out.
    """
    found: list[_Listed] = []
    cut = False
    place = 0
    while opening := _OPENING.search(text, place):
        place = opening.end()
        if opening["list"] or opening["tuple"]:
            brackets, place, closed = brackets_read(text, place)
            before = len(found)
            # Objects that stand alone, as in JSON lines, are one list: the zeroth.
            found += _texts(brackets, 0 if brackets.closer == "}" else place)
            # Otherwise it was prose in brackets.
            cut |= not closed and (len(found) > before or place == len(text))
    asking = {of for of, said in found if is_question(said)}
    asking |= {of for of, said in found if begins_task(said)} if asking else set()
    return _without_numbers([t for of, t in found if not asking or of in asking]), cut


def _texts(brackets: Brackets, of: int) -> Iterator[_Listed]:
    """The texts that the brackets list, those of brackets in them included.

    ``of`` is the list they belong to; a list in an object or in a list is another one.
    """
    entries = brackets.entries
    if brackets.closer == "}":
        entries = _listed(entries)
    elif pairs := _first_of_pairs(entries):
        entries = pairs
    for key, value in entries:
        if isinstance(value, Brackets):
            yield from _texts(value, of if value.closer == "}" else value.place)
        elif _name((key, value)) in _LISTS:
            yield from ((of, text) for text in _RUN_ON.split(value))
        else:
            yield of, value


def _first_of_pairs(entries: list[Entry]) -> list[Entry]:
    """The first of each pair where the second is its answer or its label; else none.

    Labels are known, or short and the same for several. Of the last pair the second
    may be missing, where the list broke off.
    """
    firsts: list[Entry] = []
    seconds: list[str] = []
    for _, value in entries:
        if isinstance(value, str) or value.closer == "}":
            return []
        texts = [text for _, text in value.entries if isinstance(text, str)]
        broke_off = len(texts) < 2 and value is entries[-1][1]
        if len(value.entries) != len(texts) or not (len(texts) == 2 or broke_off):
            return []
        firsts += value.entries[:1]
        seconds += texts[1:]
    answers = all(is_question(str(first)) for _, first in firsts) and not any(
        is_question(second) or begins_task(second) for second in seconds
    )
    labels = all(second.lower() in _LABELS for second in seconds) or (
        len(set(seconds)) < len(seconds)
        and all(len(second) <= 20 and not is_finished(second) for second in seconds)
    )
    return firsts if seconds and (answers or labels) else []


def _listed(entries: list[Entry]) -> list[Entry]:
    """Those entries of an object that are, or hold, what was asked for.

    The first of these that it has: lists called so, a text called so, lists of any
    name, texts that are numbered or ask. Else its keys that ask.
    """
    lists = [entry for entry in entries if isinstance(entry[1], Brackets)]
    texts = [entry for entry in entries if isinstance(entry[1], str)]
    named = [entry for entry in lists if _name(entry) in _LISTS] or [
        (key, text)
        for key, text in texts
        if _name((key, text)) in _LISTS and is_question(str(text))
    ]
    first = next((name for name in _TEXTS if name in map(_name, texts)), None)
    if named or first:
        return named or [entry for entry in texts if _name(entry) == first]
    return (
        lists
        or [entry for entry in texts if _is_item(*entry)]
        or [(None, key) for key, _ in texts if key and is_question(key)]
    )


def _name(entry: Entry) -> str:
    return (entry[0] or "").lower().replace(" ", "_")


def _is_item(key: str | None, value: str | Brackets) -> bool:
    """Whether a text is an item by its key's number, without a key, or as it asks."""
    numbered = key is None or any(map(str.isdecimal, key))
    return isinstance(value, str) and (numbered or is_question(value))


def _without_numbers(texts: list[str]) -> list[str]:
    marks = [mark for text in texts if (mark := _NUMBER.match(text))]
    numbers = [int(mark[1]) for mark in marks]
    if len(texts) < 2 or numbers != list(range(1, len(texts) + 1)):
        return texts
    return [mark.string[mark.end() :] for mark in marks]
