"""JSON in and out, stricter than Python's: no NaN, no key twice, no half characters."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from curator.exchange.records import Place, described
from curator.exchange.text_lines import TextLines

# Escapes that may stand for a NUL or for half a character; emoji are two such halves.
_SUSPECT = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")
_BROKEN = re.compile("[\0\ud800-\udfff]")


class _RefusedError(ValueError):
    """JSON that Python would read and other programs would read otherwise."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _RefusedError(f"names {described(key)} twice in one object")
            seen.add(key)
    return record


def _refuse_constant(constant: str) -> NoReturn:
    raise _RefusedError(f"holds {constant}, which is no JSON number")


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_refuse_constant)


def json_value(place: Place, text: str, *, document: bool = False) -> Any:
    """The value of one line of JSON, or of a ``document`` of any number of lines."""
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        near = text[error.pos : error.pos + 20]
        where = f"column {error.colno}"
        last = f", line {error.lineno}" if document else ""
        if document:
            where = f"line {error.lineno}, {where}"
        raise place.error(
            f"is not JSON at {where}: {error.msg}, before {described(near)}."
            if near
            else f"is not JSON: {error.msg} at its end{last}; it may be cut."
        ) from None
    except RecursionError:
        raise place.error("nests lists or objects too deeply to be read.") from None
    except _RefusedError as error:
        raise place.error(f"{error}; correct the file.") from None
    except ValueError:
        raise place.error("holds a number of thousands of digits.") from None
    if _SUSPECT.search(text):
        _refuse_broken_characters(place, value)
    return value


def json_document(lines: TextLines) -> Any:
    """The value of a file that is one JSON text over any number of lines."""
    return json_value(lines, lines.whole(), document=True)


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


def _refuse_broken_characters(place: Place, value: object) -> None:
    stack = [value]
    while stack:
        current = stack.pop()
        if isinstance(current, str):
            if broken := _BROKEN.search(current):
                what = (
                    "a NUL" if broken[0] == "\0" else "half a character (a surrogate)"
                )
                raise place.error(
                    f"{described(current)} holds {what}; correct the text."
                )
        elif isinstance(current, list):
            stack.extend(current)
        elif isinstance(current, dict):
            stack.extend(current)
            stack.extend(current.values())
