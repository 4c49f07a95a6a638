"""Lists written as a Markdown table."""

from __future__ import annotations

import re
from collections.abc import Sequence

from curator.generation.remarks import question_alone
from curator.generation.sentences import is_question, without_markup

_BORDER = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"\|[ :|]*-[ :|-]*")
_TEXTS = re.compile(r"question|nugget|fact", re.IGNORECASE)
_LINE_END = re.compile(r" ?<br ?/?> ?", re.IGNORECASE)
_LETTER = re.compile(r"[^\W\d_]")


def table_texts(text: str) -> tuple[list[str], bool]:
    """The texts of a table's rows, and whether its last row broke off.

    They stand in the column headed question, nugget or fact. Without such a heading, a
    row's text is its first question, or else its longest cell.
    """
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    rows: list[list[str]] = []
    column: int | None = None
    for line in lines:
        if not line.startswith("|"):
            column = None
        elif _RULE.fullmatch(line):
            heading = rows.pop() if rows else []
            column = next((i for i, c in enumerate(heading) if _TEXTS.search(c)), None)
        else:
            cells = [
                without_markup(question_alone(cell.strip()))
                for cell in _BORDER.split(line)[1:]
            ]
            rows.append(cells if column is None else cells[column : column + 1])
    cut = len(rows) > 1 and lines[-1].startswith("|") and not lines[-1].endswith("|")
    whole = rows[: -1 if cut else None]
    return [text for row in whole for text in _parts(_text_of(row))], cut


def _parts(text: str) -> list[str]:
    """The texts that stand on lines of their own in one cell where all of them ask."""
    parts = _LINE_END.split(text)
    return parts if all(map(is_question, parts)) else [" ".join(parts)]


def _text_of(row: Sequence[str]) -> str:
    """The cell that asks or, where none does, says most; "" where none has a letter."""
    worded = [cell.replace("\\|", "|") for cell in row if _LETTER.search(cell)]
    asked = next(filter(is_question, worded), None)
    return asked or max(worded, key=len, default="")
