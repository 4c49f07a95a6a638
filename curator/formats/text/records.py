"""Fields of a record someone else wrote, checked as they are taken out.

Each function returns the value asked for or raises InputFileError in one line that
says where the record stands, what is there and what was expected.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol, Self

from curator.errors import InputFileError

MAX_RANK = 1_000_000
MAX_GRADE = 30_000  # what the table of judgments holds, in 16 bits
SHOWN = 60  # characters of a value in a message
LONGEST = 600  # characters of a message

# What a TREC id cannot hold: blanks, control characters, and marks nobody can see.
NOT_IN_IDS = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060\ufeff]")
# What no name of a system, a model or a person holds: what nobody can see.
NOT_IN_NAMES = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\ufeff]")

_WHOLE = re.compile(r"(-?[0-9]{1,12})(?:\.0*)?")  # pandas writes 1 as 1.0


class FileLocation(Protocol):
    """Somewhere in a file, able to say so."""

    def error(self, message: str) -> InputFileError:
        """The error whose ``message`` says what is wrong here."""
        ...


Key = str | int
"""What leads from a value to one inside it: an object's key or a list's index."""


class JsonPlace(FileLocation, Protocol):
    """A place in JSON: in a line, or in a whole document."""

    def at(self, *keys: Key) -> Place:
        """The place to which these keys lead from here."""
        ...


@dataclass(frozen=True)
class Place:
    """A place in a file's JSON: a line, or what ``keys`` lead to in it."""

    path: Path
    line: int | None = None
    keys: tuple[Key, ...] = ()

    @property
    def where(self) -> str:
        """The file and the line."""
        return line_name(self.path, self.line)

    def at(self, *keys: Key) -> Self:
        """The place to which these keys lead from here."""
        return replace(self, keys=self.keys + keys)

    def error(self, message: str) -> InputFileError:
        """The error whose ``message`` says what is wrong here."""
        return self.error_in(self.line, message)

    def error_in(self, line: int | None, message: str) -> InputFileError:
        """The error in this line, with the path of JSON of a nested value."""
        where = f" At {json_path(self.keys)}." if len(self.keys) > 1 else ""
        return error_at(self.path, line, message, where)


def line_name(path: Path, line: int | None) -> str:
    """Return ``file, line 3``, or the file alone."""
    name = path.name or str(path)
    return name if line is None else f"{name}, line {line}"


def error_at(
    path: Path, line: int | None, message: str, ending: str = ""
) -> InputFileError:
    """``file, line 3: message``, on one line for any file and name."""
    where = line_name(path, line)
    error = InputFileError(on_one_line(f"{where}: {message}") + on_one_line(ending))
    error.line = line
    return error


def json_path(keys: Sequence[Key]) -> str:
    """Return ``a.b[0]``, the keys in quotes where they are not plain names."""
    parts = (
        f".{key}"
        if isinstance(key, str) and key.isidentifier()
        else f"[{described(key)}]"
        for key in keys
    )
    return "".join(parts).removeprefix(".")


def on_one_line(message: str) -> str:
    """The message with marks for what cannot be printed, cut at ``LONGEST``."""
    line = "".join(c if c.isprintable() else "�" for c in message[: LONGEST + 1])
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


def described(value: object) -> str:
    """The value as a message shows it: on one line, short, JSON's names for types."""
    match value:
        case None | bool():
            return json.dumps(value)
        case str():
            # repr escapes line breaks, control characters and halves of a character
            return repr(value if len(value) <= SHOWN else value[: SHOWN - 1] + "…")
        case int() if abs(value) >= 10**15:
            return "a huge number"
        case list():
            return f"a list of {len(value)}"
        case dict():
            return "an object"
        case _:
            return str(value)


def record_of(place: FileLocation, value: object, what: str) -> dict[str, Any]:
    """The JSON object that ``what`` is."""
    if not isinstance(value, dict):
        raise place.error(f"{what} is {described(value)}; expected an object {{…}}.")
    return value


class Record(dict[str, Any]):
    """A JSON object and its place; errors of a field name the field's line.

    ``of`` says in messages whose the fields are.
    """

    __slots__ = ("of", "place")

    def __init__(
        self, place: JsonPlace, value: object, what: str, of: str = ""
    ) -> None:
        super().__init__(record_of(place, value, what))
        self.place = place
        self.of = of

    def at(self, *keys: str | int) -> Place:
        """The place to which these keys lead from here."""
        return self.place.at(*keys)

    def error(self, message: str) -> InputFileError:
        """The error whose ``message`` says what is wrong here."""
        return self.place.error(message)

    def called(self, name: str) -> str:
        """Return the name of the field in messages."""
        return f"{name} of {self.of}" if self.of else name

    def text(self, name: str) -> str | None:
        """The field's string, None for null."""
        value = self.get(name)
        if isinstance(value, str):
            return value
        return text_of(self.at(name), value, self.called(name))

    def words(self, name: str) -> str | None:
        """The field's string where there is more in it than white space."""
        text = self.text(name)
        return text if text and text.strip() else None

    def identifier(self, name: str) -> str:
        """The field's id, see ``identifier``."""
        return identifier(self.at(name), self.get(name), name)

    def flag(self, name: str) -> bool | None:
        """Return the flag of the field, None for null."""
        return flag_of(self.at(name), self.get(name), self.called(name))

    def identifier_or_none(self, name: str) -> str | None:
        """The field's id, None for null."""
        return None if self.get(name) is None else self.identifier(name)

    def items_of(self, name: str) -> list[Any]:
        """The field's list, empty for null."""
        value = self.get(name)
        if isinstance(value, list):
            return value
        return list_of(self.at(name), value, self.called(name))

    def records(self, name: str, what: str, of: str = "") -> list[Record]:
        """The objects of the field's list, each called ``what``."""
        entries = enumerate(self.items_of(name))
        return [Record(self.at(name, at), item, what, of) for at, item in entries]

    def inner(self, name: str, of: str = "") -> Record:
        """The field's object, empty for null and whatever else is empty."""
        return Record(self.at(name), self.get(name) or {}, self.called(name), of)


def list_of(place: FileLocation, value: object, what: str) -> list[Any]:
    """The JSON list that ``what`` is; empty for null."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise place.error(f"{what} is {described(value)}; expected a list […].")
    return value


def text_of(place: FileLocation, value: object, what: str) -> str | None:
    """The string that ``what`` is, or None for null."""
    if value is not None and not isinstance(value, str):
        raise place.error(f"{what} is {described(value)}; expected text in quotes.")
    return value


def flag_of(place: FileLocation, value: object, what: str) -> bool | None:
    """Return the flag ``what``, or None for null."""
    if value is not None and not isinstance(value, bool):
        raise place.error(f"{what} is {described(value)}; expected true or false.")
    return value


def identifier(place: FileLocation, value: object, what: str) -> str:
    """The id that ``what`` is: a string without blanks; a whole number is taken as one.

    TREC files separate their columns by blanks, so an id with one cannot be exported.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise place.error(f"{what} is {described(value)}; expected an id in quotes.")
    if not value:
        raise place.error(f"{what} is empty; expected an id.")
    if NOT_IN_IDS.search(value):
        raise place.error(
            f"{what} {described(value)} holds a blank or an invisible character, "
            "which TREC files cannot; rename it."
        )
    return value


def name_of(place: FileLocation, value: object, what: str) -> str:
    """The name of a system or a model: one line, without blanks at its ends."""
    if not isinstance(value, str):
        raise place.error(f"{what} is {described(value)}; expected a name in quotes.")
    if not value.strip() or value != value.strip() or NOT_IN_NAMES.search(value):
        raise place.error(
            f"{what} {described(value)} is not a name: expected one line without "
            "invisible characters that neither begins nor ends with a blank."
        )
    return value


def whole_number(
    place: FileLocation, value: object, what: str, low: int, high: int
) -> int:
    """The whole number that ``what`` is, from ``low`` to ``high``; 1.0 is 1."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if (
        isinstance(value, bool)
        or not isinstance(value, int)
        or not low <= value <= high
    ):
        raise place.error(
            f"{what} is {described(value)}; expected a whole number, {low} to {high}."
        )
    return value


def whole_number_in(
    place: FileLocation, value: object, what: str, low: int, high: int
) -> int:
    """The whole number that a column of a text file or JSON states; 1.0 is 1."""
    number = _WHOLE.fullmatch(value) if isinstance(value, str) else None
    return whole_number(place, int(number[1]) if number else value, what, low, high)


def number_of(place: FileLocation, value: object, what: str) -> float:
    """The finite number that ``what`` is."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if math.isfinite(number):
            return number
    raise place.error(f"{what} is {described(value)}; expected a finite number.")


def number_in(place: FileLocation, text: str, what: str) -> float:
    """The finite number that a column of a text file states."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    # float() also reads 1_000 and other scripts' digits; no other reader does.
    if not math.isfinite(number) or "_" in text or not text.isascii():
        raise place.error(f"{what} is {described(text)}; expected a finite number.")
    return number


def first_field(record: dict[str, Any], names: Sequence[str]) -> tuple[str, Any] | None:
    """The first of these fields that the record has and that is not null."""
    for name in names:
        if record.get(name) is not None:
            return name, record[name]
    return None


def either(names: Sequence[str]) -> str:
    """``"a", "b" or "c"``, for a message."""
    quoted = [f'"{name}"' for name in names]
    return " or ".join([*([", ".join(quoted[:-1])] if quoted[1:] else []), quoted[-1]])


def columns_in(place: FileLocation, text: str, names: str) -> list[str]:
    """The columns of a line with blanks between, one for each of the names."""
    columns, expected = text.split(), names.count(" ") + 1
    if len(columns) != expected:
        raise place.error(
            f"{len(columns)} columns; expected {expected}, with blanks: {names}."
        )
    return columns
