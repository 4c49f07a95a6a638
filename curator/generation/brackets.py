"""Brackets, those of JSON and of Python, as models write them: never evaluated.

``json`` and ``ast.literal_eval`` refuse a list over one apostrophe too many or a
bracket too few, and that is how models write. Here a quote ends a string only where
the list goes on behind it. A proper list of strings reads as those two read it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from curator.generation.sentences import is_finished

DEEPEST = 20  # brackets in brackets; a list of lists by theme has three

_BLANK = re.compile(r"(?:\s+|#[^\n]*)*+")
_CONSTANT = r"-?\d[\d.e+-]*\b|(?:true|false|null|none)\b|\.\.\.|…"
_TOKEN = re.compile(
    rf"""
    (?P<opened>[\[({{]) | (?P<closed>[\])}}]) | (?P<mark>[,:]) | (?:{_CONSTANT})
  | (?P<quote>\"\"\"|'''|["'“‘])
    """,
    re.VERBOSE | re.IGNORECASE,
)
_CLOSER = {"[": "]", "(": ")", "{": "}"}

_ENDS = {'"': '"', "'": "'", "“": '["”]', "‘": "['’]"}
# Where a string may end: not at an escape, perhaps at a quote; at a line's end where
# the next line begins with a quote, or is empty.
_STOPS = {
    quote: re.compile(rf"\\.|(?P<end>{end})|\n[ ]*(?=[\"'“\n])", re.DOTALL)
    for quote, end in _ENDS.items()
}
_TRIPLE = {
    quote: re.compile(rf"(?:[^\\]|\\.)*?(?P<end>{quote})", re.DOTALL)
    for quote in ('"""', "'''")
}
_GOES_ON = re.compile(
    rf"[ ]*(?:\n|[\]}}]|[ ]\#|,[ ]*(?:\Z|[\n\"'“‘\[{{(\]}})\#]|{_CONSTANT}))",
    re.IGNORECASE,
)
_KEY_ENDS = re.compile(r"[ ]*:")
_TUPLE_ENDS = re.compile(r"[ ]*\)")
_ITEM_BEGINS = re.compile(r"[ ]*(?:\Z|[\"'“‘])")

_ESCAPE = re.compile(
    r"\\(?:u(?P<u>[0-9a-fA-F]{4})|x(?P<x>[0-9a-fA-F]{2})"
    r"|U(?P<long>000[0-9a-fA-F]{5}|0010[0-9a-fA-F]{4})|(?P<character>.))",
    re.DOTALL,
)
_CONTROLS = dict.fromkeys("abfnrtv0\n", " ")


@dataclass(slots=True)
class Brackets:
    """What stands in one pair of brackets: strings and brackets, by key in an object.

    ``place`` is where they begin in the text; ``key`` is one that has no value yet.
    """

    closer: str
    place: int
    entries: list[Entry] = field(default_factory=list)
    key: str | None = None

    def add(self, value: str | Brackets) -> None:
        self.entries.append((self.key, value))
        self.key = None

    @property
    def may_have_key(self) -> bool:
        return self.closer == "}" and self.key is None


Entry = tuple[str | None, str | Brackets]


def brackets_read(text: str, place: int) -> tuple[Brackets, int, bool]:
    """What the brackets opened before ``place`` hold, where they end, and if they do.

    They do not where the text ends first, a string does not end, or something stands
    between the strings that is in no list. No character is read twice, and the caller
    goes on behind the last one, so that the whole takes linear time.
    """
    outermost = Brackets(_CLOSER[text[place - 1]], place)
    opened = [outermost]
    after_text = False
    while opened and (token := _TOKEN.match(text, _blank_end(text, place))):
        place = token.end()
        inner = opened[-1]
        was_text, after_text = after_text, False
        if token["opened"]:
            if len(opened) == DEEPEST:
                break
            opened.append(Brackets(_CLOSER[token["opened"]], place))
            inner.add(opened[-1])
        elif token["closed"]:
            # One bracket too few, as in [{"question": "..."], is forgiven.
            while opened and opened.pop().closer != token["closed"]:
                pass
        elif token["quote"]:
            string, place = _string(text, place, token["quote"], inner)
            if string is None:
                break
            if inner.may_have_key and _KEY_ENDS.match(text, place):
                inner.key = string
            elif was_text and _joins(inner.entries[-1][1]):
                key, start = inner.entries.pop()
                inner.entries.append((key, f"{start}{string}"))
                after_text = True
            else:
                inner.add(string)
                after_text = True
        elif token["mark"] != ":":
            inner.key = None
    return outermost, _blank_end(text, place), not opened


def _blank_end(text: str, place: int) -> int:
    blank = _BLANK.match(text, place)
    return blank.end() if blank else place


def _joins(before: str | Brackets) -> bool:
    """Whether a string without a comma before it is the rest of this one.

    Python joins the two. After a whole sentence a model forgot the comma.
    """
    return isinstance(before, str) and not is_finished(before)


def _string(
    text: str, place: int, quote: str, inner: Brackets
) -> tuple[str | None, int]:
    """The string opened by the quote before ``place``, None if it has no end; its end.

    A quote on which the list does not go on is part of the string, as the apostrophe
    in 'a cell's role'.
    """
    if quote in _TRIPLE:
        whole = _TRIPLE[quote].match(text, place)
        if whole is None:
            return None, len(text)
        return _unescaped(text[place : whole.start("end")]), whole.end()
    for stop in _STOPS[quote].finditer(text, place):
        if stop["end"]:
            # The last characters only: there may be many quotes in one long string.
            tail = text[max(place, stop.start() - 20) : stop.start()]
            if _ends(text, stop.end(), inner, tail):
                return _unescaped(text[place : stop.start()]), stop.end()
        elif stop.group()[0] == "\n":
            if text[stop.end()] == "\n":
                return None, stop.start()
            # The quote at the end of the line was forgotten.
            return _unescaped(text[place : stop.start()].rstrip(" ,")), stop.end()
    return None, len(text)


def _ends(text: str, place: int, inner: Brackets, tail: str) -> bool:
    """Whether a string in ``inner`` may end at ``place``, behind a quote.

    Where the response ends there too, or a string follows without a comma, it may if
    its ``tail`` ends a sentence: 'What is a cell' may be cut from 'a cell's role'.
    """
    return bool(
        _GOES_ON.match(text, place)
        or (inner.may_have_key and _KEY_ENDS.match(text, place))
        or (inner.closer == ")" and _TUPLE_ENDS.match(text, place))
        or (_ITEM_BEGINS.match(text, place) and is_finished(tail))
    )


def _unescaped(string: str) -> str:
    """The string with the escapes of JSON and Python read, and no others.

    Escaped white space and control characters are spaces.
    """
    return _ESCAPE.sub(_escaped_character, string)


def _escaped_character(escape: re.Match[str]) -> str:
    character = escape["character"]
    if character is None:
        return chr(int(escape[escape.lastgroup or 0], 16))
    return _CONTROLS.get(character, escape[0] if character.isalnum() else character)
