"""Parser for lists in brackets as models write them, without evaluating code.

``json`` and ``ast.literal_eval`` reject a list with one apostrophe too many or a
bracket too few, which models often write. Here a quote ends a string only if the list
continues after it. A correct list of strings is read as by those two.
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

MAX_DEPTH = 20  # nested brackets; a list of lists by theme has three

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
# Models' names for list entries; the plural is the name of a list.
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
    """The content of one pair of brackets: strings and brackets, by key in an object.

    ``place`` is their beginning in the text; ``key`` is a key without value so far.
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
    """Return the texts of all lists in brackets, and the start of an unfinished one.

    Lists may occur anywhere except in numbered or bulleted text. They hold strings,
    nested lists, objects with a text each, and objects of lists by theme or of texts by
    number. If all texts are numbered 1, 2, 3, the numbers are removed.
    """
    text = text.rstrip()
    texts: list[str] = []
    unfinished = None
    for start, brackets, end, closed in _all_brackets(text):
        listed = list(_texts_in(brackets))
        texts += listed
        # Brackets without texts are prose, unless the response ends in them.
        if not closed and (listed or end == len(text)):
            unfinished = start
    marks = [mark for listed_text in texts if (mark := _NUMBER.match(listed_text))]
    if len(texts) > 1 and [int(mark[1]) for mark in marks] == [
        *range(1, len(texts) + 1)
    ]:
        texts = [mark.string[mark.end() :] for mark in marks]
    return texts, unfinished


def has_empty_list(text: str) -> bool:
    """Return True if an empty list fills whole lines, or ends the text.

    It may be the value of an object's key, as in {"questions": []}.
    """
    text = text.rstrip()
    for start, brackets, end, closed in _all_brackets(text):
        before = text[text.rfind("\n", 0, start) + 1 : start]
        after = text[end : text.find("\n", end) + 1 or None]
        is_separate = end == len(text) or not (before.strip() or after.strip())
        if closed and is_separate and _is_empty(text, brackets):
            return True
    return False


def _is_empty(text: str, brackets: _Brackets) -> bool:
    if brackets.closer != "}":
        return _EMPTY.match(text, brackets.place - 1) is not None
    listed = [value for _, value in _wanted_entries(brackets.entries)]
    return bool(listed) and all(
        isinstance(value, _Brackets) and _is_empty(text, value) for value in listed
    )


def _all_brackets(text: str) -> Iterator[tuple[int, _Brackets, int, bool]]:
    """Yield all outermost brackets: start, content, end, and True if closed."""
    end = 0
    while opening := _OPENING.search(text, end):
        start, end = opening.span()
        if opening["list"] or opening["tuple"]:
            brackets, end, closed = _parse_brackets(text, end)
            yield start, brackets, end, closed


def _parse_brackets(text: str, place: int) -> tuple[_Brackets, int, bool]:
    """Parse the brackets opened before ``place``: content, end, and True if closed.

    They are not closed if the text ends first, a string does not end, or something else
    is between the strings. No character is read twice, and the caller continues
    after the last one, so that parsing takes linear time.
    """
    outermost = _Brackets(_CLOSERS[text[place - 1]], place)
    open_brackets = [outermost]
    last_string: str | None = None  # if the token before was a string
    while open_brackets and (token := _TOKEN.match(text, place)):
        place = token.end()
        inner = open_brackets[-1]
        previous, last_string = last_string, None
        if token["opened"]:
            if len(open_brackets) == MAX_DEPTH:
                break
            open_brackets.append(_Brackets(_CLOSERS[token["opened"]], place))
            inner.add(open_brackets[-1])
        elif token["closed"]:
            # Tolerate one missing bracket, as in [{"question": "..."].
            while open_brackets and open_brackets.pop().closer != token["closed"]:
                pass
        elif token["quote"]:
            ending = ":" if inner.closer == "}" and not inner.key else inner.closer
            string = _string_pattern(token["quote"], ending).match(text, place)
            place = string.end() if string else len(text)
            if string is None or string.lastgroup == "lost":
                break
            content = string["text"]
            if string.lastgroup == "forgotten":
                content = content.rstrip(" ,")
            last_string = _ESCAPE.sub(_character, content)
            # Python joins adjacent strings, but a whole sentence is a text of its own,
            # and only the comma after it is missing.
            if previous is not None and not is_finished(previous):
                inner.key, _ = inner.entries.pop()
                last_string = previous + last_string
            inner.add(last_string)
        elif token["mark"] != ":":
            inner.key = None
        elif previous is not None and inner.closer == "}":
            inner.entries.pop()
            inner.key = previous
    return outermost, place, not open_brackets


@cache
def _string_pattern(quote: str, ending: str) -> re.Pattern[str]:
    """Return a pattern of a string after its opening quote, up to its end.

    ``ending`` may follow the string. A quote after which the list does not continue is
    part of the string, as the apostrophe in 'a cell's role'. At the response's end, or
    before a string without a comma, it ends the string if that ends a sentence: 'What
    is a cell' may be cut from 'a cell's role'. The quote may be missing at a line's end
    before another string; before an empty line the string is lost.
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
    """Return the character of a JSON or Python escape; others stay unchanged.

    Escaped white space and control characters become spaces.
    """
    character = escape[4]
    if character is None:
        return chr(int(escape[escape.lastindex or 0], 16))
    if character in "abfnrtv0\n":
        return " "
    return escape[0] if character.isalnum() else character


def _texts_in(brackets: _Brackets) -> Iterator[str]:
    in_object = brackets.closer == "}"
    entries = _wanted_entries(brackets.entries) if in_object else brackets.entries
    for _, value in entries:
        if isinstance(value, str):
            numbered = value.startswith(("1.", "1)"))
            yield from _RUN_ON.split(value) if numbered else [value]
        elif value.closer != "}" and not in_object and _is_pair(value.entries):
            yield str(value.entries[0][1])
        else:
            yield from _texts_in(value)


def _wanted_entries(entries: list[_Entry]) -> list[_Entry]:
    """Return the entries of an object that are, or contain, the wanted texts.

    The first of these that exist: lists with such a name, a text with such a name,
    lists of any name, texts that are numbered or questions. Else its keys that are
    questions.
    """
    lists = [entry for entry in entries if isinstance(entry[1], _Brackets)]
    texts = [(key, value) for key, value in entries if isinstance(value, str)]
    named = [entry for name in _NAMES for entry in texts if _singular(entry[0]) == name]
    return (
        [entry for entry in lists if _singular(entry[0]) in _NAMES]
        or [entry for entry in named if _singular(entry[0]) == _singular(named[0][0])]
        or lists
        or [
            (key, value)
            for key, value in texts
            if key is None or any(map(str.isdecimal, key)) or is_question(value)
        ]
        or [(None, key) for key, _ in texts if key and is_question(key)]
    )


def _singular(key: str | None) -> str:
    """Return the key in the form of ``_NAMES``."""
    return (key or "").lower().replace(" ", "_").removesuffix("s")


def _is_pair(entries: list[_Entry]) -> bool:
    """Return True for a question with its answer, or a fact with its label."""
    texts = [value for _, value in entries if isinstance(value, str)]
    if not len(texts) == len(entries) == 2:
        return False
    first, second = texts
    if is_question(first):
        return not (is_question(second) or begins_task(second))
    return _is_label(second) and not _is_label(first)


def _is_label(text: str) -> bool:
    """Return True for at most two words, as "vital" or "high importance"."""
    return len(text.split()) < 3 and not is_finished(text)
