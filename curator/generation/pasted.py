"""Lists of questions pasted from Word, Excel or a web page."""

from __future__ import annotations

import re
import unicodedata

from curator.bank.wording import comparable, without_controls
from curator.generation.sentences import is_question, split_mark, without_markup

# A cell that Excel quoted since it contains tabs, line breaks or quotes.
_QUOTED_CELL = re.compile(r'(?:^|(?<=\t))"((?:[^"]|"")*)"(?=\t|$)', re.MULTILINE)
# Numbers that models do not write: "1.1.", "۱-", "①", "一、".
_NUMBER = re.compile(
    r"(?:(?:\d{1,2}\.){2,} | \d{1,3}[-–—] | [\u2460-\u24ff\u2776-\u2793] "
    r"| [一二三四五六七八九十]{1,3}[、．.])\s*",
    re.VERBOSE,
)
# In addition to symbols of Word's fonts, such as ✓, ☐ and \uf0b7.
_BULLETS = frozenset("→➔➜⇒∙⁃‣›»・▪▫")
_BULLET_CATEGORIES = frozenset(["Co", "So", "Cf", "Mn", "Zs"])
_LINE_BREAKS = re.compile("[\v\u2028\u2029]")
_HEADINGS = re.compile(r"(?:key )?facts?|nuggets?|questions?|text", re.IGNORECASE)
_LETTER = re.compile(r"[^\W\d_]")


def pasted_texts(text: str) -> list[str]:
    """Return the questions or key facts of a pasted list, one per line.

    Without numbers, bullets, quotes around a text, other columns and their headings;
    without duplicates and empty texts. Of several columns the first with a question is
    read, else the first with several words, else the first with a letter. A single line
    without columns is no list and stays unchanged.
    """
    visible = without_controls(_LINE_BREAKS.sub("\n", text))
    if visible and not re.search(r"[\t\n]", visible):
        return [visible]
    lines = _QUOTED_CELL.sub(_unquoted, visible).splitlines()
    texts: dict[str, str] = {}
    for line in lines:
        columns = [column.strip() for column in _without_bullet(line).split("\t")]
        if main_text := without_markup(_main_column(columns)):
            texts.setdefault(comparable(main_text), main_text)
    first, *others = texts.values() or [""]
    return others if others and _HEADINGS.fullmatch(first) else list(texts.values())


def _unquoted(cell: re.Match[str]) -> str:
    return " ".join(cell[1].replace('""', '"').split())


def _without_bullet(line: str) -> str:
    start = 0
    while start < len(line) and (
        line[start] in _BULLETS
        or unicodedata.category(line[start]) in _BULLET_CATEGORIES
    ):
        start += 1
    line = line[start:]
    number = _NUMBER.match(line)
    return split_mark(line[number.end() :] if number else line)[1]


def _main_column(columns: list[str]) -> str:
    lettered = [column for column in columns if _LETTER.search(column)]
    questions = [column for column in lettered if is_question(column)]
    sentences = [column for column in lettered if " " in column]
    return next(iter([*questions, *sentences, *lettered, *filter(None, columns), ""]))
