"""Places in a JSON text, as positions of characters, sought once something is wrong.

Reading JSON keeps no places. An error about a file of many lines is to name one all
the same, so the text is gone through again; for a good file none of this is done.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

Key = str | int
"""What leads from a value to one inside it: an object's key or a list's index."""

_DECODER = json.JSONDecoder()
_BLANKS = re.compile(r"[ \t\r\n]*")
_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\]:]|[^\s{}\[\]:,"]+', re.DOTALL)
_BEGINNING = 2  # levels of a damaged value that ``beginning`` shows


def line_at(text: str, position: int) -> int:
    """The line, from 1, of the character at a position."""
    return text.count("\n", 0, position) + 1


def place_of(text: str, keys: Sequence[Key]) -> int:
    """Where the entry begins that these keys lead to, an object's with its key.

    Where they lead nowhere, the innermost value that they did lead to.
    """
    found, value = _after_blanks(text, 0), _after_blanks(text, 0)
    for wanted in keys:
        for key, entry, inside in _entries(text, value):
            if key == wanted:
                found, value = entry, inside
                break
        else:
            break
    return found


def beginning(text: str) -> Any:
    """The value of a text that is no JSON further down, as far as it can be read."""
    return _beginning(text, _after_blanks(text, 0), _BEGINNING)


def place_of_second(text: str, name: str) -> int:
    """Where an object names this key for the second time; 0 where none does."""
    open_objects: list[set[str] | None] = []
    last = 0, ""
    for position, token in _tokens(text):
        if token in ("{", "["):
            open_objects.append(set() if token == "{" else None)
        elif token in ("}", "]"):
            open_objects.pop()
        elif token == ":" and open_objects and (keys := open_objects[-1]) is not None:
            key = json.loads(last[1], strict=False)
            if key == name and key in keys:
                return last[0]
            keys.add(key)
        last = position, token
    return 0


def place_of_token(text: str, fits: Callable[[str], bool]) -> int:
    """Where the first token stands, a string with its quotes, that fits; or 0."""
    return next((at for at, token in _tokens(text) if fits(token)), 0)


def deepest_place(text: str) -> int:
    """Where the value begins that is nested the deepest."""
    depth = most = place = 0
    for position, token in _tokens(text):
        depth += (token in ("{", "[")) - (token in ("}", "]"))
        if depth > most:
            most, place = depth, position
    return place


def _tokens(text: str) -> Iterator[tuple[int, str]]:
    return ((token.start(), token[0]) for token in _TOKEN.finditer(text))


def _after_blanks(text: str, position: int) -> int:
    blanks = _BLANKS.match(text, position)
    return position if blanks is None else blanks.end()


def _entries(text: str, start: int) -> Iterator[tuple[Key, int, int]]:
    """(key, where the entry begins, where its value does) of an object or list.

    Ends where it is no JSON any more; a value that is damaged comes last.
    """
    opens = text[start : start + 1]
    if opens not in ("{", "["):
        return
    position, number = _after_blanks(text, start + 1), 0
    while True:
        entry = position
        key: Any = number
        try:
            if opens == "{":
                key, position = _DECODER.raw_decode(text, position)
                position = _after_blanks(text, position)
                if not isinstance(key, str) or text[position : position + 1] != ":":
                    return
                position = _after_blanks(text, position + 1)
            elif text[position : position + 1] == "]":
                return
            yield key, entry, position
            _, position = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError):
            return
        position = _after_blanks(text, position)
        if text[position : position + 1] != ",":
            return
        position, number = _after_blanks(text, position + 1), number + 1


def _beginning(text: str, start: int, levels: int) -> Any:
    try:
        return _DECODER.raw_decode(text, start)[0]
    except (ValueError, RecursionError):
        opens = text[start : start + 1]
    if not levels or opens not in ("{", "["):
        return None
    found = {
        key: _beginning(text, value, levels - 1)
        for key, _, value in _entries(text, start)
    }
    return found if opens == "{" else list(found.values())
