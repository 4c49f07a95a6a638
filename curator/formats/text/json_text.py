"""JSON in and out, stricter than Python's: no NaN, no key twice, no half characters.

A file holds a value a line, or is one value over any number of lines.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NoReturn

from curator.errors import InputFileError, TooLargeError
from curator.formats import limits
from curator.formats.text.lines import TextLines
from curator.formats.text.records import (
    FileLocation,
    JsonPlace,
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
    ``is_cut``: the text is right as far as it goes.
    """

    def __init__(
        self,
        message: str,
        line: int | None = None,
        *,
        is_cut: bool = False,
        is_too_large: bool = False,
    ) -> None:
        super().__init__(message)
        self.line = line
        self.is_cut = is_cut
        self.is_too_large = is_too_large

    def file_error(self, refused: InputFileError) -> InputFileError:
        """Return the error of a file with this text, as TooLargeError if it is one."""
        return TooLargeError(str(refused)) if self.is_too_large else refused


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
    _refuse_texts(text)
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
        what = "holds more than {} texts, numbers, lists and objects; split it"
        raise JsonError(limits.beyond("values", what), is_too_large=True)


def _marks(text: str) -> int:
    return sum(map(text.count, ",[{"))


def _refuse_texts(text: str) -> None:
    """Raise JsonError for a text in it that is too long or has half a character."""
    most = limits.current().text
    is_suspect = bool(_SUSPECT.search(text))
    for quoted in _QUOTED.finditer(text) if is_suspect or len(text) > most else ():
        if len(quoted[0]) <= most and not (is_suspect and _SUSPECT.search(quoted[0])):
            continue
        value = json.loads(quoted[0])
        line = line_at(text, quoted.start())
        if len(value) > most:
            message = f"holds {described(value)}, longer than {{}} characters; split it"
            raise JsonError(limits.beyond("text", message), line, is_too_large=True)
        if broken := _BROKEN.search(value):
            what = "a NUL" if broken[0] == "\0" else "half a character (a surrogate)"
            message = f"{described(value)} holds {what}; correct the text."
            raise JsonError(message, line)


def _no_json(text: str, error: json.JSONDecodeError) -> JsonError:
    if error.msg.startswith("Unterminated") or not text[error.pos :].strip():
        message = "is not JSON: it breaks off at its end; it may be cut."
        is_cut = not error.msg.startswith("Unterminated")
        return JsonError(message, line_at(text, len(text.rstrip())), is_cut=is_cut)
    near = described(text[error.pos : error.pos + 20])
    return JsonError(f"is not JSON: {error.msg}, before {near}.", error.lineno)


def json_value(place: FileLocation, text: str) -> Any:
    """The value of one line of JSON. Raises the place's error."""
    try:
        return json_read(text)
    except JsonError as error:
        raise error.file_error(place.error(str(error))) from None


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
            refused = error_at(self.path, error.line, str(error))
            raise error.file_error(refused) from None


def line_record(lines: TextLines, text: str) -> Record:
    """The object that a line is. Raises InputFileError."""
    return Record(lines, json_value(lines, text), "the line")


def leading_value(lines: TextLines) -> tuple[JsonPlace, Any]:
    """The first line's value, or that of all lines where the first is part of one.

    Nothing is taken from ``lines`` in the first case. Raises InputFileError.
    """
    first = lines.peek()
    try:
        return lines, json_read(first)
    except JsonError as error:
        if not error.is_cut:
            raise error.file_error(lines.error(str(error))) from None
    document = JsonDocument(lines.path, text=lines.whole())
    return document, document.value()


def json_records(lines: TextLines) -> Iterator[Record]:
    """The objects of a file: one a line, a list of them, or one over several lines.

    Raises InputFileError.
    """
    place, value = leading_value(lines)
    if isinstance(value, list):
        if not value:
            raise place.error(f"has no rows; expected {lines.expected}.")
        for number, entry in enumerate(value):
            yield Record(place.at(number), entry, f"record {number + 1}")
    else:
        yield Record(place, value, "the line" if place is lines else "the file")
    for text in islice(lines, int(place is lines), None):
        yield line_record(lines, text)
