"""JSON in and out, stricter than Python's: no NaN, no key twice, no half characters.

A file holds a value a line, or is one value over any number of lines.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from curator.errors import InputFileError, TooLargeError
from curator.formats import limits
from curator.formats.text.lines import TextLines
from curator.formats.text.records import FileLocation, Record, described, error_at

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
    wrong in the text, which takes another reading of it.
    """

    def __init__(self, message: str, position: Callable[[str], int]) -> None:
        super().__init__(message)
        self.message = message
        self.position = position


class JsonSizeError(JsonError):
    """A text of JSON that holds more than is read of one."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) != len(pairs):
        times = Counter(key for key, _ in pairs)
        twice = next(key for key, number in times.items() if number > 1)
        raise JsonError(
            f"names {described(twice)} twice in one object; correct the file.",
            partial(place_of_second, name=twice),
        )
    return record


def _refuse_constant(constant: str) -> NoReturn:
    raise JsonError(
        f"holds {constant}, which is not a JSON number; correct the file.",
        partial(place_of_token, fits=constant.__eq__),
    )


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_refuse_constant)


def loads(text: str) -> Any:
    """As ``json.loads``, but a text of too many values raises JsonError at once."""
    refuse_many_values(text)
    return json.loads(text)


def json_read(text: str) -> Any:
    """The value of a JSON text. Raises JsonError."""
    refuse_many_values(text)
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise _no_json(text, error) from None
    except RecursionError:
        message = "nests lists or objects too deeply to be read."
        raise JsonError(message, deepest_place) from None
    except JsonError:
        raise
    except ValueError:
        raise JsonError(
            "holds a number of thousands of digits.",
            partial(
                place_of_token,
                fits=lambda token: len(token) > _LONG_NUMBER and token[0] != '"',
            ),
        ) from None
    _refuse_long_text(text, value)
    if _SUSPECT.search(text):
        _refuse_broken_characters(text)
    return value


def refuse_many_values(text: str) -> None:
    """Raise JsonError before memory is taken for more values than may be."""
    most = limits.current().values
    # A value is opened by one of these or follows a comma; texts hold commas as well,
    # so they are taken out where these are many.
    if len(text) > most and _marks(text) > most and _marks(_TEXT.sub("", text)) > most:
        message = limits.beyond(
            "values", "holds more than {} texts, numbers, lists and objects; split it"
        )
        raise JsonSizeError(message, lambda _: 0)


def _marks(text: str) -> int:
    return sum(map(text.count, ",[{"))


def _refuse_long_text(text: str, value: Any) -> None:
    most = limits.current().text
    left = [value] if len(text) > most else []
    while left:
        one = left.pop()
        if isinstance(one, dict):
            left += one
            left += one.values()
        elif isinstance(one, list):
            left += one
        elif isinstance(one, str) and len(one) > most:
            message = limits.beyond(
                "text", f"holds {described(one)}, longer than {{}} characters; split it"
            )
            raise JsonSizeError(
                message,
                partial(
                    place_of_token,
                    fits=lambda token: len(token) > most and token[0] == '"',
                ),
            )


def json_value(place: FileLocation, text: str) -> Any:
    """The value of one line of JSON. Raises the place's error."""
    try:
        return json_read(text)
    except JsonSizeError as error:
        raise TooLargeError(str(place.error(error.message))) from None
    except JsonError as error:
        raise place.error(error.message) from None


def json_text(place: FileLocation, value: object, *, in_order: bool = False) -> str:
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
    position = error.pos
    message = f"is not JSON at column {error.colno}: "
    begins_a_line = "\n" in text[len(before) : error.pos]
    if error.msg.startswith("Invalid control character"):
        message += f"{described(near[0])} is inside a text; write it as an escape, or "
        message += "close the text's quotes."
    elif not text[error.pos :].strip() or error.msg.startswith("Unterminated"):
        position = len(text.rstrip())
        column = position - text.rfind("\n", 0, position) - 1
        message = f"is not JSON: it breaks off after column {column}; it may be cut."
    elif begins_a_line and error.msg in _MISSED and near.startswith(('"', "{")):
        position = len(before)
        message = f"is not JSON at its end: {error.msg}, before {described(near)}."
    else:
        message += f"{error.msg}, before {described(near)}."
    return JsonError(message, lambda _: position)


def _refuse_broken_characters(text: str) -> None:
    for token in _TEXT.finditer(text):
        value = json.loads(token[0]) if _SUSPECT.search(token[0]) else ""
        if broken := _BROKEN.search(value):
            what = "a NUL" if broken[0] == "\0" else "half a character (a surrogate)"
            message = f"{described(value)} holds {what}; correct the text."
            raise JsonError(message, partial(place_of_token, fits=token[0].__eq__))


Key = str | int
"""What leads from a value to one inside it: an object's key or a list's index."""

# Possessive, or each escape of a long text would be kept to be tried again.
_QUOTED = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_TEXT = re.compile(_QUOTED, re.DOTALL)
_TOKEN = re.compile(
    rf'(?P<key>{_QUOTED})(?=\s*:)|{_QUOTED}|[{{}}\[\],]|[^\s{{}}\[\]:,"]+|".*',
    re.DOTALL,
)
_CLOSING = {"{": "}", "[": "]"}


def _tokens(text: str) -> Iterator[tuple[re.Match[str], list[Key]]]:
    """What keys, values and brackets there are, also where a text is no JSON any more.

    Each with the keys that lead to it, in a list that changes as this goes on; those
    of an object's key are its value's. In an object ``""`` stands for a missing key.
    """
    keys: list[Key] = []
    for token in _TOKEN.finditer(text):
        match token[0]:
            case ",":
                keys[-1:] = [k + 1 if isinstance(k, int) else "" for k in keys[-1:]]
            case "{" | "[" as opens:
                yield token, keys
                keys.append("" if opens == "{" else 0)
            case "}" | "]":
                del keys[-1:]
                yield token, keys
            case key if token["key"] and keys:
                with suppress(ValueError):
                    keys[-1] = json.loads(key, strict=False)
                yield token, keys
            case _:
                yield token, keys


def line_at(text: str, position: int) -> int:
    """The line, from 1, of the character at a position."""
    return text.count("\n", 0, position) + 1


def place_of(text: str, keys: Sequence[Key]) -> int:
    """Return the position of the entry at these keys, an object's with its key.

    Where they lead nowhere, the innermost value that they did lead to.
    """
    place, led = 0, -1
    for token, here in _tokens(text):
        if len(here) == led + 1 and here == list(keys[: led + 1]):
            place, led = token.start(), led + 1
            if led == len(keys):
                break
    return place


def place_of_second(text: str, name: str) -> int:
    """Return the position of an object's second use of this key, or 0."""
    seen = set()
    for token, keys in _tokens(text):
        if token["key"] and keys[-1:] == [name]:
            if (path := tuple(keys)) in seen:
                return token.start()
            seen.add(path)
    return 0


def place_of_token(text: str, fits: Callable[[str], bool]) -> int:
    """Return the position of the first matching token (strings in quotes), or 0."""
    return next((one.start() for one, _ in _tokens(text) if fits(one[0])), 0)


def deepest_place(text: str) -> int:
    """Return the position of the most deeply nested value."""
    places = ((len(keys), -token.start()) for token, keys in _tokens(text))
    return -max(places, default=(0, 0))[1]


def beginning(text: str) -> Any:
    """The value of a text that is no JSON further down, as far as it can be read."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        damage = error.pos
    except (ValueError, RecursionError):
        return None
    read, still_open = 0, ""
    for token, keys in _tokens(text):
        if token.end() > damage:
            break
        if not token["key"] and keys[-1:] != [""]:
            read = token.end()
            outer = ("]" if isinstance(key, int) else "}" for key in reversed(keys))
            still_open = _CLOSING.get(token[0], "") + "".join(outer)
    return json.loads(text[:read] + still_open) if read else None


# Files


@dataclass(frozen=True)
class JsonDocument:
    """A place in a document: the whole, or what ``keys`` lead to.

    Its line is sought only when an error names it. Errors begin with ``name``.
    """

    path: Path
    text: str
    keys: tuple[Key, ...] = ()
    name: str = ""

    def at(self, *keys: Key) -> JsonDocument:
        """The place to which these keys lead from here."""
        return replace(self, keys=self.keys + keys)

    def error(self, message: str) -> InputFileError:
        """The error whose ``message`` says what is wrong here, with the line."""
        line = line_at(self.text, place_of(self.text, self.keys))
        name = f"{self.name}: " if self.name else ""
        return error_at(self.path, line, name + message)

    def value(self) -> Any:
        """The whole document's value. Raises InputFileError, with the line."""
        try:
            return json_read(self.text)
        except JsonError as error:
            line = line_at(self.text, error.position(self.text))
            refused = error_at(self.path, line, error.message)
            if isinstance(error, JsonSizeError):
                refused = TooLargeError(str(refused))
            raise refused from None


def is_document(whole: str) -> bool:
    """Return True if a JSON text is one value over several lines.

    So it is where the first line is right as far as it goes and others follow. But
    where the second is an object by itself, and the whole is no JSON, it is the first
    of several objects that is cut.
    """
    lines = (line for line in whole.split("\n") if line.strip())
    first, second = next(lines, ""), next(lines, None)
    if second is None or not _is_json(first, cut=True):
        return False
    is_object = second.lstrip().startswith("{") and _is_json(second)
    return not is_object or _is_json(whole)


def _is_json(text: str, *, cut: bool = False) -> bool:
    try:
        loads(text)
    except json.JSONDecodeError as error:
        return cut and error.pos >= len(text.rstrip())
    except (ValueError, RecursionError):
        return False
    return not cut


def line_record(lines: TextLines, text: str) -> Record:
    """The object that a line is. Raises InputFileError."""
    return Record(lines, json_value(lines, text), "the line")


def json_records(lines: TextLines) -> Iterator[Record]:
    """The objects of a file in order, one a line or one in all.

    Raises InputFileError.
    """
    whole = lines.whole()
    if is_document(whole):
        document = JsonDocument(lines.path, whole)
        yield Record(document, document.value(), "the file")
        return
    for text in lines.lines_of(whole):
        yield line_record(lines, text)


def first_value(path: Path) -> Any:
    """The first JSON value of a file, None where there is none to be read.

    Of a value over many lines that is damaged further down it is what stands before.
    A pipe gives its content only once, so none of it is read.
    """
    try:
        return leading_value(path)
    except TooLargeError:
        return None
    except InputFileError:
        try:
            return beginning(TextLines(path, expected="JSON").whole())
        except InputFileError:
            return None


def leading_value(path: Path) -> Any:
    """As ``first_value``; but raises InputFileError for a damaged one over lines."""
    if not path.is_file():
        return None
    lines = TextLines(path, expected="JSON")
    try:
        first = next(iter(lines))
    except InputFileError:
        return None  # whoever reads it says so
    if not first.lstrip().startswith(("{", "[")):
        return None
    try:
        return loads(first)
    except JsonSizeError as error:
        raise TooLargeError(str(lines.error(error.message))) from None
    except (ValueError, RecursionError):
        whole = TextLines(path, expected="JSON").whole()
        return JsonDocument(path, whole).value() if is_document(whole) else None
