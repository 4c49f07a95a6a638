"""Lists written as elements of HTML or XML, with or without a list around them."""

from __future__ import annotations

import html
import re

from curator.generation.remarks import question_alone
from curator.generation.sentences import is_finished, without_markup

_NAMES = r"(?:(?P<asked>question|q)|li|item|nugget|fact|statement)_?\d{0,3}"
_BEGINS = re.compile(
    rf"^[ ]*(?:(?:[-*] |\d{{1,3}}[.)] )(?=[^\n]*</))?(?:<[\w?/][^<>\n]*>[ ]*)*?"
    rf"<{_NAMES}(?:[ ][^<>\n]*)?>",
    re.IGNORECASE | re.MULTILINE,
)
_ELEMENT = re.compile(rf"<{_NAMES}(?:\s[^<>]*)?>", re.IGNORECASE)
_AROUND_LIST = re.compile(
    r"^ *<(?:(?:final_)?answer|output|questions|response|result|list)>"
    r"|</(?:(?:final_)?answer|output|questions|response|result|list)> *$",
    re.IGNORECASE | re.MULTILINE,
)
_STRONG = re.compile(r"</?(?:b|strong)>", re.IGNORECASE)
_INLINE = re.compile(
    r"</?(?:a|code|em|i|p|span|sub|sup|u)(?:\s[^<>]*)?>", re.IGNORECASE
)
_FIRST_TAGS = re.compile(r"(?:\s*<\w[^<>]*>)*+\s*")
_CLOSED = re.compile(r"</\w+>|<[ou]l>", re.IGNORECASE)


def without_tags_around(text: str) -> str:
    """The text without tags that stand around a list, at the ends of lines."""
    return _AROUND_LIST.sub("", text)


def tagged_texts(text: str) -> tuple[list[str], bool]:
    """The texts of the elements that are items, and whether the last one broke off.

    The first element begins a line. An item that holds a list is a theme; where some
    elements are called questions, the others are what holds them.
    """
    if not _BEGINS.search(text):
        return [], False
    elements = list(_ELEMENT.finditer(text))
    named = any(element["asked"] for element in elements)
    texts: list[str] = []
    cut = False
    ends = [element.start() for element in elements[1:]] + [len(text)]
    for element, end in zip(elements, ends, strict=True):
        inside = _INLINE.sub("", _STRONG.sub("**", text[element.end() : end]))
        first = _FIRST_TAGS.match(inside)
        said = inside[first.end() if first else 0 :]
        closed = _CLOSED.search(said)
        said = html.unescape(said[: closed.start()] if closed else said).strip()
        cut = closed is None and end == len(text)
        theme = closed is not None and not closed[0].startswith("</")
        is_item = bool(element["asked"] or not named) and not theme
        if said and is_item and (not cut or is_finished(said)):
            texts.append(without_markup(question_alone(said)))
    return texts, cut
