"""JSON in and out, stricter than Python's: no NaN, no key twice, no half characters."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NoReturn

from curator.formats.text.records import Place, described

# Escapes that may stand for a NUL or for half a character; emoji are two such halves.
_SUSPECT = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")
_BROKEN = re.compile("[\0\ud800-\udfff]")
_LONG_NUMBER = 1000  # characters; no shorter one is refused by Python

# What is missed before a text or an object that begins a line is missed at the end of
# the line above.
_MISSED = ("Expecting ',' delimiter", "Expecting ':' delimiter")


class JsonError(ValueError):
    """A text that is no JSON, or that other programs would read otherwise.

    ``message`` is the rest of an error's. ``position`` finds the character that is
    wrong, which takes another reading of the text.
    """

    def __init__(self, message: str, position: Callable[[], int]) -> None:
        super().__init__(message)
        self.message = message
        self.position = position


class _RefusedError(ValueError):
    """JSON that Python would read; says what is wrong, and finds it in the text."""

    def __init__(self, message: str, place: Callable[[str], int]) -> None:
        super().__init__(message)
        self.place = place


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _RefusedError(
                    f"names {described(key)} twice in one object",
                    partial(place_of_second, name=key),
                )
            seen.add(key)
    return record


def _refuse_constant(constant: str) -> NoReturn:
    raise _RefusedError(
        f"holds {constant}, which is no JSON number",
        partial(place_of_token, fits=constant.__eq__),
    )


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_refuse_constant)


def json_read(text: str) -> Any:
    """The value of a JSON text. Raises JsonError."""
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise _no_json(text, error) from None
    except RecursionError:
        raise JsonError(
            "nests lists or objects too deeply to be read.",
            partial(deepest_place, text),
        ) from None
    except _RefusedError as error:
        raise JsonError(
            f"{error}; correct the file.", partial(error.place, text)
        ) from None
    except ValueError:
        raise JsonError(
            "holds a number of thousands of digits.",
            partial(
                place_of_token,
                text,
                lambda token: len(token) > _LONG_NUMBER and token[0] != '"',
            ),
        ) from None
    if _SUSPECT.search(text):
        _refuse_broken_characters(text, value)
    return value


def json_value(place: Place, text: str) -> Any:
    """The value of one line of JSON. Raises the place's error."""
    try:
        return json_read(text)
    except JsonError as error:
        raise place.error(error.message) from None


def json_text(place: Place, value: object, *, in_order: bool = False) -> str:
    """The value as compact JSON, keys sorted, so that equal values are equal texts.

    ``in_order`` leaves the keys as they stand, for a record that goes out again.
    """
    try:
        return json.dumps(
            value, allow_nan=False, sort_keys=not in_order, separators=(",", ":")
        )
    except RecursionError:
        raise place.error("nests lists or objects too deeply to be kept.") from None
    except ValueError:
        raise place.error("holds a number too large to be kept.") from None


def json_line(value: object) -> str:
    """The value as one line to write, its line feed included.

    One line to every reader: some split at what Unicode calls a line separator, so
    these three characters are written as escapes.
    """
    line = json.dumps(value, ensure_ascii=False, allow_nan=False)
    for separator in ("\x85", "\u2028", "\u2029"):
        if separator in line:
            line = line.replace(separator, f"\\u{ord(separator):04x}")
    return line + "\n"


def _no_json(text: str, error: json.JSONDecodeError) -> JsonError:
    """The error in words, at the end of a line where that lacks what is missed."""
    before, near = text[: error.pos].rstrip(), text[error.pos : error.pos + 20]
    if error.msg.startswith("Invalid control character"):
        message = (
            f"is not JSON at column {error.colno}: {described(near[0])} stands in a "
        )
        message += "text; write it as an escape, or close the text's quotes."
        return JsonError(message, lambda: error.pos)
    if not text[error.pos :].strip():
        message = f"is not JSON: {error.msg} at its end; it may be cut."
        return JsonError(message, lambda: len(before))
    begins_a_line = "\n" in text[len(before) : error.pos]
    if begins_a_line and error.msg in _MISSED and near.startswith(('"', "{")):
        message = f"is not JSON at its end: {error.msg}, before {described(near)}."
        return JsonError(message, lambda: len(before))
    message = f"is not JSON at column {error.colno}: {error.msg}, before"
    return JsonError(f"{message} {described(near)}.", lambda: error.pos)


def _refuse_broken_characters(text: str, value: object) -> None:
    stack = [value]
    while stack:
        current = stack.pop()
        if isinstance(current, str):
            if broken := _BROKEN.search(current):
                what = (
                    "a NUL" if broken[0] == "\0" else "half a character (a surrogate)"
                )
                raise JsonError(
                    f"{described(current)} holds {what}; correct the text.",
                    partial(_place_of_text, text, current),
                )
        elif isinstance(current, list):
            stack.extend(current)
        elif isinstance(current, dict):
            stack.extend(current)
            stack.extend(current.values())


def _place_of_text(text: str, value: str) -> int:
    """Where a text stands that is written with escapes."""
    return place_of_token(
        text, lambda token: token.startswith('"') and json.loads(token) == value
    )


Key = str | int
"""What leads from a value to one inside it: an object's key or a list's index."""

_PLAIN_DECODER = json.JSONDecoder()
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
                key, position = _PLAIN_DECODER.raw_decode(text, position)
                position = _after_blanks(text, position)
                if not isinstance(key, str) or text[position : position + 1] != ":":
                    return
                position = _after_blanks(text, position + 1)
            elif text[position : position + 1] == "]":
                return
            yield key, entry, position
            _, position = _PLAIN_DECODER.raw_decode(text, position)
        except (ValueError, RecursionError):
            return
        position = _after_blanks(text, position)
        if text[position : position + 1] != ",":
            return
        position, number = _after_blanks(text, position + 1), number + 1


def _beginning(text: str, start: int, levels: int) -> Any:
    try:
        return _PLAIN_DECODER.raw_decode(text, start)[0]
    except (ValueError, RecursionError):
        opens = text[start : start + 1]
    if not levels or opens not in ("{", "["):
        return None
    found = {
        key: _beginning(text, value, levels - 1)
        for key, _, value in _entries(text, start)
    }
    return found if opens == "{" else list(found.values())
