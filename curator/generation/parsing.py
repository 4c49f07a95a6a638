"""The questions or key facts that an LLM's response lists, however it lists them.

Asked for a Python list, models answer with one, or with JSON, elements, a table,
numbered, bulleted or bare lines, among prose, markup and thoughts. The first form that
says anything is read, and it alone. Nothing is evaluated, and every form is read in
one pass, so that no response is too deep or takes long.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from curator.bank.wording import MAX_TEXT
from curator.generation.bracketed_lists import bracketed_texts
from curator.generation.marked_lines import bare_questions, marked_texts
from curator.generation.tables import table_texts
from curator.generation.tags import tagged_texts, without_tags_around
from curator.generation.thoughts import (
    without_draft,
    without_end_tokens,
    without_thoughts,
)

MAX_LISTED = 200  # texts of one response; about ten are asked for

_FORMS = (tagged_texts, bracketed_texts, table_texts, marked_texts, bare_questions)
_BLANK = re.compile(r"[^\S\n]")  # tabs and non-breaking spaces too
_FENCE = re.compile(r"^ *(?:```|~~~)[\w+-]* *$", re.MULTILINE)
_PAGE = re.compile(
    r"\s*(?:```\w*\s*)?(?:<\?xml[^<>]*>\s*)?<(?:!doctype|html)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Listed:
    """What a response lists.

    ``texts`` are in the response's order, each on one line, none empty, none twice and
    none longer than a question may be. ``cut`` says that the response broke off before
    its list was complete; the text it broke off in is left out.
    """

    texts: tuple[str, ...]
    cut: bool


def listed_texts(raw: str) -> Listed:
    """The texts that ``raw``, an LLM's response, lists: at most ``MAX_LISTED``.

    A text in a list may be a statement; on a line without a mark only a question is
    one. White space is folded; texts that differ in nothing else but case are one. A
    refusal, prose and a page of HTML list nothing; nor do thoughts that came to no end,
    which is a response cut short.
    """
    said, cut = without_thoughts(without_end_tokens(raw.lstrip("\ufeff")))
    if _PAGE.match(said):
        return Listed((), cut=False)
    text = _BLANK.sub(" ", said.replace("\r\n", "\n").replace("\r", "\n"))
    text = without_tags_around(_FENCE.sub("", text))
    final = without_draft(text)
    texts, broke_off = _texts(final)
    if not texts and final != text:
        texts, broke_off = _texts(text)
    return Listed(_first_of_each(texts), cut or broke_off)


def _texts(text: str) -> tuple[list[str], bool]:
    """What the first form lists in which there is something, and whether it broke off.

    A form in which a list broke off before its first text is one too.
    """
    for texts_in in _FORMS:
        texts, cut = texts_in(text)
        if texts or cut:
            return texts, cut
    return [], False


def _first_of_each(texts: Iterable[str]) -> tuple[str, ...]:
    """The texts on one line each, without those empty, too long or listed before."""
    kept: dict[str, str] = {}
    for text in texts:
        # A JSON escape may be half of a character; both halves make one.
        whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        folded = " ".join(whole.split())
        if folded and len(folded) <= MAX_TEXT:
            kept.setdefault(folded.casefold(), folded)
    return tuple(kept.values())[:MAX_LISTED]
