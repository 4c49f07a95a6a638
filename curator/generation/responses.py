"""Reader of the questions or key facts in a model's response.

Read are a JSON or Python list of texts, or an item a line: numbered, bulleted, or plain
questions. Any other response lists nothing. Nothing is evaluated.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from curator.bank.questions import Kind
from curator.bank.wording import MAX_TEXT
from curator.generation.sentences import (
    is_finished,
    is_question,
    split_mark,
    without_markup,
)
from grading.chat_ratings import TOKEN, strip_thoughts

MAX_LISTED = 200  # texts of one response; about ten are requested

_MAX_FAILURES = 20  # opening brackets that are tried without success
_NAMES = frozenset(
    ["question", "nugget", "fact", "key_fact", "statement", "item", "text", "content"]
)
_DECODER = json.JSONDecoder(strict=False)
_BRACKET = re.compile(r"(?<!\w)[\[{]")
_STRING_LIST = re.compile(r"\[\s*[\"']")
# A quote after which the list does not continue is part of the text: 'a cell's role'.
_STRING = re.compile(
    r"""
    (?<=[\[\s,]) (?P<quote>["']) (?P<text> (?:\\.|[^\\\n]){1,2000}? ) (?P=quote)
    (?= [ ]* (?: \n | \] | ,[ ]*\n | ,\s*(?:["'\]]|\Z) ) | (?<=[?.!]["'])\Z )
    """,
    re.VERBOSE,
)
_ESCAPE = re.compile(r"\\([\"'\\/])")
_EMPTY = re.compile(r"^\s*\[\s*\]\s*$|\[\s*\]\s*\Z", re.MULTILINE)
_PAGE = re.compile(r"\s*<(?:!doctype|html)\b", re.IGNORECASE)
_TASK = re.compile(
    r"(?:analy[sz]e|compare|contrast|define|describe|discuss|evaluate|explain|give|"
    r"identify|illustrate|justify|list|name|outline|summari[sz]e)\b",
    re.IGNORECASE,
)
_LETTER = re.compile(r"[^\W\d_]")
_FENCE = re.compile(r"^ *(?:```|~~~)[\w+-]* *$", re.MULTILINE)
# Only after a word in lower case: "Dr. Smith" begins no sentence.
_NEXT_SENTENCE = re.compile(r"(?:^| )(?!vs)[a-z'’]+[.!] +[A-Z]")
# A model's offers and questions to its user.
_OFFER = re.compile(
    r"(?:i|i['’]\w+|sorry|sure|please|let me know|do you (?:want|need)|"
    r"(?:shall|should|can|may) i)\b"
    r"|.*\b(?:would you like|(?:can|could) you (?:please|clarify))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ListedTexts:
    """The texts listed in a response.

    ``texts`` are in the response's order, each on one line, not empty, without
    duplicates and not longer than a question may be. ``cut`` says that the response
    broke off before its list was complete; the incomplete text is left out.
    """

    texts: tuple[str, ...]
    cut: bool


def listed_texts(
    raw: str, kind: Kind = "question", *, complete: bool = True
) -> ListedTexts:
    """Return the texts listed in ``raw``, a model's response: at most ``MAX_LISTED``.

    For questions, only texts that ask or set a task count, if any asks: the others are
    themes and remarks. In a response that is not ``complete`` statements do not count,
    since its questions may have been missing. Unfinished thoughts are a cut response.
    """
    text, cut = _answer(raw)
    texts, broke_off = _bracketed_texts(text)
    if not texts:
        cut |= broke_off
        texts, broke_off = _line_texts(text)
    cut |= broke_off
    if kind == "question":
        if any(map(_asks, texts)):
            texts = [text for text in texts if _asks(text) or _TASK.match(text)]
        elif cut or not complete:
            texts = []
    return ListedTexts(_first_of_each(texts), cut)


def settled_texts(raw: str, kind: Kind = "question") -> tuple[str, ...]:
    """Return those of ``listed_texts`` that no continuation of the response changes.

    Thoughts whose beginning was in the prompt may still withdraw them.
    """
    text, _ = _answer(raw)
    if not _bracketed_texts(text)[0]:
        raw = raw[: raw.rfind("\n") + 1]  # the last line may go on
    elif raw.rstrip()[-1:] in "'\"":
        raw += " a"  # a text may go on behind its quote
    return listed_texts(raw, kind, complete=False).texts


def is_empty_answer(raw: str) -> bool:
    """Return True if ``raw`` is an answer with an empty list.

    It fills its lines, ends the response, or is the list of an object.
    """
    text, cut = _answer(raw)
    if cut or listed_texts(raw).texts:
        return False
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return _EMPTY.search(text) is not None
    return value == [] or (isinstance(value, dict) and [] in value.values())


def _asks(text: str) -> bool:
    return is_question(text) or re.search(r"[?？؟]\s", text) is not None


def _answer(raw: str) -> tuple[str, bool]:
    """Return a response without thoughts, and True if it broke off there.

    A page of HTML becomes "".
    """
    answer, cut = strip_thoughts(raw.lstrip("\ufeff"))
    if _PAGE.match(answer):
        return "", False
    lines = TOKEN.sub("", answer).replace("\xa0", " ").splitlines()
    return _FENCE.sub("", "\n".join(lines)).strip(), cut


def _bracketed_texts(text: str) -> tuple[list[str], bool]:
    """Return the texts of lists in brackets, and True if the last one broke off.

    Brackets in or behind a numbered or bulleted line are part of the text.
    """
    first = _BRACKET.search(text)
    if first is None:
        return [], False
    lines = [*text[: first.start()].splitlines(), text[first.start() :]]
    if any(split_mark(line)[0] for line in lines):
        return [], False
    texts: list[str] = []
    end = first.start()
    failures = 0
    for opening in _BRACKET.finditer(text, first.start()):
        if opening.start() >= end and failures < _MAX_FAILURES:
            try:
                value, end = _DECODER.raw_decode(text, opening.start())
                texts += _texts_in(value)
            except (ValueError, RecursionError):
                failures += 1
    if not texts and (strings_start := _STRING_LIST.search(text, first.start())):
        strings = list(_STRING.finditer(text, strings_start.start()))
        texts = [_unescaped(string["text"]) for string in strings]
        end = strings[-1].end() if strings else first.end()
    if len(texts) > 1 and all(split_mark(text)[0] for text in texts):
        texts = [split_mark(text)[1] for text in texts]
    return texts, failures > 0 and not re.search(r"[\]}]", text[end:])


def _unescaped(text: str) -> str:
    try:
        unescaped: str = json.loads(f'"{text}"')
    except ValueError:  # a quote in the text, or an escape of Python
        return _ESCAPE.sub(r"\1", text)
    return unescaped


def _texts_in(value: Any) -> Iterator[str]:
    """Yield the texts of a JSON value: strings of lists, and named ones of objects.

    An object without such names can be lists by theme, or questions by number.
    """
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for entry in value:
            yield from _texts_in(entry)
    elif isinstance(value, dict):
        named = [entry for name, entry in value.items() if _singular(name) in _NAMES]
        lists = [entry for entry in value.values() if isinstance(entry, list)]
        questions = [
            entry
            for entry in value.values()
            if isinstance(entry, str) and is_question(entry)
        ]
        for entry in named or lists or questions:
            yield from _texts_in(entry)


def _singular(name: str) -> str:
    return name.lower().replace(" ", "_").removesuffix("s")


def _line_texts(text: str) -> tuple[list[str], bool]:
    """Return the marked lines, else those that ask, and True if the last broke off.

    A text before a colon is a theme.
    """
    lines = [line.strip(" ,[]") for line in text.splitlines() if line.strip()]
    split_lines = [split_mark(line) for line in lines]
    marked = [without_markup(item) for mark, item in split_lines if mark]
    texts = [
        item
        for item in marked
        if _LETTER.search(item)
        and not item.endswith((":", "："))
        and not _OFFER.match(item)
    ]
    if texts:
        broke_off = (
            without_markup(split_lines[-1][1]) == texts[-1]
            and len(texts) > 1
            and all(map(is_finished, texts[:-1]))
            and not is_finished(texts[-1])
        )
        return texts[: -1 if broke_off else None], broke_off
    plain_lines = [without_markup(line) for line in lines]
    questions = [
        line
        for line in plain_lines
        if is_question(line)
        and _LETTER.search(line)
        and not (_OFFER.match(line) or _NEXT_SENTENCE.search(line))
    ]
    broke_off = (
        len(questions) > 1
        and plain_lines[-2] == questions[-1]
        and not is_finished(plain_lines[-1])
    )
    return questions, broke_off


def _first_of_each(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the texts on one line each, without empty, too long or duplicate ones."""
    kept: dict[str, str] = {}
    for text in texts:
        # A JSON escape may be half of a character.
        folded = " ".join(text.encode("utf-8", "replace").decode().split())
        if folded and len(folded) <= MAX_TEXT:
            kept.setdefault(folded.casefold(), folded)
    return tuple(kept.values())[:MAX_LISTED]
