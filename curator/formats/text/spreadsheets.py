"""Tables for spreadsheets: CSV that opens as text and numbers, never as formulas."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TextIO

from curator.bank.questions import Question, questions_by_query
from curator.collection.pools import Query

MARK = "\ufeff"
"""First in the file: by it spreadsheets know UTF-8."""

QUESTION_COLUMNS = (
    *("query", "title", "subtopic", "id", "kind", "text", "choices", "answers"),
    "state",
)

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
_NOT_ON_ONE_LINE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
Cell = str | int | float | None


def is_csv(path: Path) -> bool:
    """Return True if the file's name ends as CSV, gzipped or not."""
    return path.name.lower().endswith((".csv", ".csv.gz"))


def write_csv(stream: TextIO, rows: Iterable[Sequence[Cell]]) -> None:
    """Write rows of texts and numbers; a number stays one, None is an empty cell."""
    stream.write(MARK)
    writer = csv.writer(stream)
    for row in rows:
        writer.writerow([plain(c) if isinstance(c, str) else c for c in row])


def question_rows(
    queries: Iterable[Query], questions: Iterable[Question]
) -> Iterable[tuple[Cell, ...]]:
    """The headings, then a row for each question, query by query.

    Choices are lines of ``letter. text``, answers lines. A subtopic is its text, or its
    id where no text is known.
    """
    by_query = questions_by_query(questions)
    yield QUESTION_COLUMNS
    for query in queries:
        texts = {item.subtopic_id: item.text for item in query.subtopics}
        for question in by_query.get(query.query_id, ()):
            subtopic = question.subtopic_id
            yield (
                query.query_id,
                query.title,
                (texts.get(subtopic) or subtopic) if subtopic is not None else None,
                question.question_id,
                question.kind,
                question.text,
                "\n".join(f"{letter}. {text}" for letter, text in question.choices),
                "\n".join(question.answers),
                question.state,
            )


def plain(text: str) -> str:
    """The text as a cell that no spreadsheet takes for a formula.

    An apostrophe goes before a beginning that could be one of a formula, and before
    such an apostrophe of its own, so that ``unmarked`` gives the text back.
    """
    return f"'{text}" if _is_formula(text) else text


def unmarked(cell: str) -> str:
    """The text that ``plain`` made this cell of."""
    return cell[1:] if cell.startswith("'") and _is_formula(cell[1:]) else cell


def plain_line(text: str) -> str:
    """The same on one line, for a cell of a table with tabs between its columns."""
    return plain(_NOT_ON_ONE_LINE.sub(" ", text).strip())


def _is_formula(text: str) -> bool:
    return text.lstrip("'").startswith(FORMULA_STARTS)
