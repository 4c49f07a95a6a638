"""JSON in and out, stricter than Python's: no NaN, no key twice, no half characters.

A file holds a value a line, or is one value over any number of lines.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from curator.errors import InputFileError, TooLargeError
from curator.formats import limits
from curator.formats.text.lines import TextLines
from curator.formats.text.records import (
    FileLocation,
    Key,
    Place,
    Record,
    described,
    error_at,
)

# Escapes that may stand for a NUL or for half a character; emoji are two such halves.
_SUSPECT = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")
_BROKEN = re.compile("[\0\ud800-\udfff]")
_QUOTED = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)


class JsonError(ValueError):
    """A text that is no JSON, or that other programs would read otherwise.

    ``line`` is that of the text at which it is wrong, None where it is not known.
    """

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


class JsonSizeError(JsonError):
    """A text of JSON that holds more than is read of one."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) != len(pairs):
        (name, _), *_ = Counter(key for key, _ in pairs).most_common(1)
        message = f"names {described(name)} twice in one object; correct the file."
        raise JsonError(message)
    return record


def _refuse_constant(constant: str) -> NoReturn:
    raise JsonError(f"holds {constant}, which is not a JSON number; correct the file.")


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
        raise JsonError("nests lists or objects too deeply to be read.") from None
    except JsonError:
        raise
    except ValueError:
        raise JsonError("holds a number of thousands of digits.") from None
    _refuse_long_text(text)
    if _SUSPECT.search(text):
        _refuse_broken_characters(text)
    return value


def refuse_many_values(text: str) -> None:
    """Raise JsonError before memory is taken for more values than may be."""
    most = limits.current().values
    # A value is opened by one of these or follows a comma; texts hold commas as well,
    # so they are taken out where these are many.
    if (
        len(text) > most
        and _marks(text) > most
        and _marks(_QUOTED.sub("", text)) > most
    ):
        message = limits.beyond(
            "values", "holds more than {} texts, numbers, lists and objects; split it"
        )
        raise JsonSizeError(message)


def _marks(text: str) -> int:
    return sum(map(text.count, ",[{"))


def _refuse_long_text(text: str) -> None:
    most = limits.current().text
    for quoted in _QUOTED.finditer(text) if len(text) > most else ():
        if len(quoted[0]) > most and len(value := json.loads(quoted[0])) > most:
            message = f"holds {described(value)}, longer than {{}} characters; split it"
            line = line_at(text, quoted.start())
            raise JsonSizeError(limits.beyond("text", message), line)


def _refuse_broken_characters(text: str) -> None:
    for quoted in _QUOTED.finditer(text):
        value = json.loads(quoted[0]) if _SUSPECT.search(quoted[0]) else ""
        if broken := _BROKEN.search(value):
            what = "a NUL" if broken[0] == "\0" else "half a character (a surrogate)"
            message = f"{described(value)} holds {what}; correct the text."
            raise JsonError(message, line_at(text, quoted.start()))


def _no_json(text: str, error: json.JSONDecodeError) -> JsonError:
    if error.msg.startswith("Unterminated") or not text[error.pos :].strip():
        message = "is not JSON: it breaks off at its end; it may be cut."
        return JsonError(message, line_at(text, len(text.rstrip())))
    near = described(text[error.pos : error.pos + 20])
    return JsonError(f"is not JSON: {error.msg}, before {near}.", error.lineno)


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


# Places in a document of several lines

_TOKEN = re.compile(
    rf"(?P<key>{_QUOTED.pattern})(?=\s*:)|{_QUOTED.pattern}|[{{}}\[\],]"
    r'|[^\s{}\[\]:,"]+',
    re.DOTALL,
)


def line_at(text: str, position: int) -> int:
    """The line, from 1, of the character at a position."""
    return text.count("\n", 0, position) + 1


def line_of(text: str, keys: Sequence[Key]) -> int:
    """Return the line of the entry at these keys, an object's with its key.

    Where they lead nowhere, of the innermost value that they did lead to.
    """
    place, led = 0, -1
    here: list[Key] = []
    for token in _TOKEN.finditer(text):
        if token[0] == ",":
            here[-1:] = [k + 1 if isinstance(k, int) else "" for k in here[-1:]]
            continue
        if token[0] in "]}":
            del here[-1:]
        elif token["key"] and here:
            here[-1] = json.loads(token[0])
        if len(here) == led + 1 and here == list(keys[: led + 1]):
            place, led = token.start(), led + 1
            if led == len(keys):
                break
        if token[0] in "{[":
            here.append("" if token[0] == "{" else 0)
    return line_at(text, place)


@dataclass(frozen=True)
class JsonDocument(Place):
    """A place in a document: the whole, or what ``keys`` lead to."""

    text: str = ""

    def error(self, message: str) -> InputFileError:
        """The error whose ``message`` says what is wrong here, with the line."""
        return self.error_in(line_of(self.text, self.keys), message)

    def value(self) -> Any:
        """The whole document's value. Raises InputFileError, with the line."""
        try:
            return json_read(self.text)
        except JsonError as error:
            refused = error_at(self.path, error.line, error.message)
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


def json_records(lines: TextLines, text: str | None = None) -> Iterator[Record]:
    """The objects of a file, or of its ``text``, one a line or one in all.

    Raises InputFileError.
    """
    content = lines.whole() if text is None else text
    if is_document(content):
        document = JsonDocument(lines.path, text=content)
        yield Record(document, document.value(), "the file")
        return
    for line in lines.lines_of(content):
        yield line_record(lines, line)


def first_value(path: Path) -> Any:
    """The first JSON value of a file, None where there is none to be read."""
    try:
        return leading_value(path)
    except InputFileError:
        return None


def leading_value(path: Path) -> Any:
    """As ``first_value``; but raises InputFileError for a damaged one over lines.

    A pipe gives its content only once, so none of it is read.
    """
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
        return JsonDocument(path, text=whole).value() if is_document(whole) else None
