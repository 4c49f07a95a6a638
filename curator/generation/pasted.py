"""Lists of questions pasted from Word, Excel or a web page."""

from __future__ import annotations

import re

from curator.bank.wording import comparable, without_controls
from curator.generation.lines import without_mark
from curator.generation.sentences import is_question, without_markup

# A cell that Excel quoted because of what it holds: tabs, line breaks or quotes.
_QUOTED_CELL = re.compile(r'(?:^|(?<=\t))"((?:[^"]|"")*)"(?=\t|$)', re.MULTILINE)
# Bullets of Word's symbol fonts, in the private use area, and other shapes.
_BULLET = re.compile(r"[\ue000-\uf8ff■□◆◇▶►➢➤✓✔]+\s*")
_LETTER = re.compile(r"[^\W\d_]")


def pasted_texts(text: str) -> list[str]:
    """The questions or key facts of a pasted list, one on each line.

    Without numbers, bullets, quotes around a text and other columns; each text once,
    none empty. Of several columns the first that asks a question is read, else the
    first of several words, else the first with a letter. One line without columns is
    no list: it stays as it was typed.
    """
    visible = without_controls(text)
    if visible and not re.search(r"[\t\n]", visible):
        return [visible]
    cells_on_one_line = _QUOTED_CELL.sub(_unquoted, visible)
    texts: dict[str, str] = {}
    for line in cells_on_one_line.splitlines():
        columns = [column.strip() for column in _without_bullet(line).split("\t")]
        if main_text := without_markup(_main_column(columns)):
            texts.setdefault(comparable(main_text), main_text)
    return list(texts.values())


def _unquoted(cell: re.Match[str]) -> str:
    return " ".join(cell[1].replace('""', '"').split())


def _without_bullet(line: str) -> str:
    bullet = _BULLET.match(line)
    return without_mark(line[bullet.end() :] if bullet else line)


def _main_column(columns: list[str]) -> str:
    lettered = [column for column in columns if _LETTER.search(column)]
    questions = [column for column in lettered if is_question(column)]
    sentences = [column for column in lettered if " " in column]
    return next(iter([*questions, *sentences, *lettered, *filter(None, columns), ""]))
