"""Lists in brackets, of JSON or Python, as models write them: never evaluated.

``json`` and ``ast.literal_eval`` refuse a list over one apostrophe too many or a
bracket too few, and that is how models write. Here a quote ends a string only where
the list goes on behind it. A proper list of strings reads as those two read it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

from curator.generation.sentences import (
    CLOSING,
    ENDS,
    begins_task,
    is_finished,
    is_question,
)

DEEPEST = 20  # brackets in brackets; a list of lists by theme has three

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
_CLOSERS = {"[": "]", "(": ")", "{": "}"}
_CONSTANT = r"-?\d[\d.e+-]*\b|(?:true|false|null|none)\b|\.\.\.|…"
_TOKEN = re.compile(
    rf"""
    (?: \s+ | \#[^\n]* )*+ (?:
        (?P<opened>[\[({{]) | (?P<closed>[\])}}]) | (?P<mark>[,:]) | (?:{_CONSTANT})
      | (?:[rbuf]{{1,2}}(?=["']))? (?P<quote>\"\"\"|'''|["'“‘])
    )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_ESCAPE = re.compile(
    r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|U000([0-9a-fA-F]{5})|(.))",
    re.DOTALL,
)

_EMPTY = re.compile(r"\[\s*\]")
_NUMBER = re.compile(r"(\d{1,3})[.)] +(?=\S)")
# "1. What? 2. Why?", in one string
_RUN_ON = re.compile(r"(?<=[?？.])\s+(?=\d{1,3}[.)]\s)")
# How models call what they list; the plural is a list's name.
_NAMES = (
    "question",
    "nugget",
    "fact",
    "key_fact",
    "statement",
    "item",
    "text",
    "content",
)


@dataclass(slots=True)
class _Brackets:
    """What stands in one pair of brackets: strings and brackets, by key in an object.

    ``place`` is where they begin in the text; ``key`` is one that has no value yet.
    """

    closer: str
    place: int
    entries: list[_Entry] = field(default_factory=list)
    key: str | None = None

    def add(self, value: str | _Brackets) -> None:
        self.entries.append((self.key, value))
        self.key = None


_Entry = tuple[str | None, str | _Brackets]


def bracketed_texts(text: str) -> tuple[list[str], int | None]:
    """The texts of all lists in brackets, and where one begins that broke off.

    Lists stand anywhere but in numbered or bulleted text. They hold strings, further
    lists, objects with a text each, and objects of lists by theme or of texts by
    number. Where all texts are numbered 1, 2, 3, the numbers are left out.
    """
    text = text.rstrip()
    texts: list[str] = []
    unfinished = None
    for start, brackets, end, closed in _all_brackets(text):
        listed = list(_texts(brackets))
        texts += listed
        # Otherwise it was prose in brackets.
        if not closed and (listed or end == len(text)):
            unfinished = start
    marks = [mark for said in texts if (mark := _NUMBER.match(said))]
    if len(texts) > 1 and [int(m[1]) for m in marks] == [*range(1, len(texts) + 1)]:
        texts = [mark.string[mark.end() :] for mark in marks]
    return texts, unfinished


def has_empty_list(text: str) -> bool:
    """Whether an empty list stands on lines of its own, or ends the text.

    It may be the value of an object's key, as in {"questions": []}.
    """
    text = text.rstrip()
    for start, brackets, end, closed in _all_brackets(text):
        before = text[text.rfind("\n", 0, start) + 1 : start]
        after = text[end : text.find("\n", end) + 1 or None]
        stands_out = end == len(text) or not (before.strip() or after.strip())
        if closed and stands_out and _is_empty(text, brackets):
            return True
    return False


def _is_empty(text: str, brackets: _Brackets) -> bool:
    if brackets.closer != "}":
        return _EMPTY.match(text, brackets.place - 1) is not None
    listed = [value for _, value in _listed(brackets.entries)]
    return bool(listed) and all(
        isinstance(value, _Brackets) and _is_empty(text, value) for value in listed
    )


def _all_brackets(text: str) -> Iterator[tuple[int, _Brackets, int, bool]]:
    """Where each outermost brackets begin, what they hold, where and if they end."""
    end = 0
    while opening := _OPENING.search(text, end):
        start, end = opening.span()
        if opening["list"] or opening["tuple"]:
            brackets, end, closed = _brackets(text, end)
            yield start, brackets, end, closed


def _brackets(text: str, place: int) -> tuple[_Brackets, int, bool]:
    """What the brackets opened before ``place`` hold, where they end, and if they do.

    They do not where the text ends first, a string does not end, or something stands
    between the strings that is in no list. No character is read twice, and the caller
    goes on behind the last one, so that the whole takes linear time.
    """
    outermost = _Brackets(_CLOSERS[text[place - 1]], place)
    opened = [outermost]
    last: str | None = None  # the string just before
    while opened and (token := _TOKEN.match(text, place)):
        place = token.end()
        inner = opened[-1]
        before, last = last, None
        if token["opened"]:
            if len(opened) == DEEPEST:
                break
            opened.append(_Brackets(_CLOSERS[token["opened"]], place))
            inner.add(opened[-1])
        elif token["closed"]:
            # One bracket too few, as in [{"question": "..."], is forgiven.
            while opened and opened.pop().closer != token["closed"]:
                pass
        elif token["quote"]:
            ending = ":" if inner.closer == "}" and not inner.key else inner.closer
            string = _string(token["quote"], ending).match(text, place)
            place = string.end() if string else len(text)
            if string is None or string.lastgroup == "lost":
                break
            said = string["text"]
            if string.lastgroup == "forgotten":
                said = said.rstrip(" ,")
            last = _ESCAPE.sub(_character, said)
            # Python joins two strings; after a whole sentence the comma was forgotten.
            if before is not None and not is_finished(before):
                inner.key, _ = inner.entries.pop()
                last = before + last
            inner.add(last)
        elif token["mark"] != ":":
            inner.key = None
        elif before is not None and inner.closer == "}":
            inner.entries.pop()
            inner.key = before
    return outermost, place, not opened


@cache
def _string(quote: str, ending: str) -> re.Pattern[str]:
    """A string and its end, behind its opening quote, with ``ending`` possibly next.

    A quote on which the list does not go on is part of the string, as the apostrophe
    in 'a cell's role'. Where the response ends, or a string follows without a comma, it
    ends the string if that ends a sentence: 'What is a cell' may be cut from 'a cell's
    role'. The quote may be forgotten at a line's end before another string; before an
    empty line the string is lost.
    """
    closing = {"“": '”"', "‘": "’'"}.get(quote, quote)
    if len(quote) > 1:
        return re.compile(rf"(?P<text>(?:\\.|[^\\])*?){quote}", re.DOTALL)
    return re.compile(
        rf"""
        (?P<text>(?:\\.|[^\\])*?) (?:
            [{closing}] (?=[ ]* (?:
                \n | [\]}}{re.escape(ending)}] | [ ]\#
              | ,[ ]* (?: \Z | [\n\"'“‘\[{{(\]}})\#] | [rbuf]{{1,2}}["']
                  | {_CONSTANT} ) ) )
          | (?: (?<=[{ENDS}]) | (?<=[{ENDS}][{re.escape(CLOSING)}]) )
            [{closing}] (?=[ ]*(?:\Z|["'“‘]))
          | (?P<forgotten> \n[ ]* (?=["'“]) )
          | (?P<lost> (?=\n[ ]*\n) )
        )
        """,
        re.VERBOSE | re.IGNORECASE | re.DOTALL,
    )


def _character(escape: re.Match[str]) -> str:
    """What an escape of JSON or Python stands for; one of neither stays.

    Escaped white space and control characters are spaces.
    """
    character = escape[4]
    if character is None:
        return chr(int(escape[escape.lastindex or 0], 16))
    if character in "abfnrtv0\n":
        return " "
    return escape[0] if character.isalnum() else character


def _texts(brackets: _Brackets) -> Iterator[str]:
    """The texts that the brackets list, those of brackets in them included."""
    in_object = brackets.closer == "}"
    for _, value in _listed(brackets.entries) if in_object else brackets.entries:
        if isinstance(value, str):
            numbered = value.startswith(("1.", "1)"))
            yield from _RUN_ON.split(value) if numbered else [value]
        elif value.closer != "}" and not in_object and _is_pair(value.entries):
            yield str(value.entries[0][1])
        else:
            yield from _texts(value)


def _listed(entries: list[_Entry]) -> list[_Entry]:
    """Those entries of an object that are, or hold, what was asked for.

    The first of these that it has: lists called so, a text called so, lists of any
    name, texts that are numbered or ask. Else its keys that ask.
    """
    lists = [entry for entry in entries if isinstance(entry[1], _Brackets)]
    texts = [(key, value) for key, value in entries if isinstance(value, str)]
    named = [entry for name in _NAMES for entry in texts if _name(entry[0]) == name]
    return (
        [entry for entry in lists if _name(entry[0]) in _NAMES]
        or [entry for entry in named if _name(entry[0]) == _name(named[0][0])]
        or lists
        or [
            (key, value)
            for key, value in texts
            if key is None or any(map(str.isdecimal, key)) or is_question(value)
        ]
        or [(None, key) for key, _ in texts if key and is_question(key)]
    )


def _name(key: str | None) -> str:
    return (key or "").lower().replace(" ", "_").removesuffix("s")


def _is_pair(entries: list[_Entry]) -> bool:
    """Whether they are a question and its answer, or a fact and its label."""
    texts = [value for _, value in entries if isinstance(value, str)]
    if not len(texts) == len(entries) == 2:
        return False
    first, second = texts
    if is_question(first):
        return not (is_question(second) or begins_task(second))
    return _is_label(second) and not _is_label(first)


def _is_label(text: str) -> bool:
    """Whether the text is at most two words, as "vital" and "high importance" are."""
    return len(text.split()) < 3 and not is_finished(text)
