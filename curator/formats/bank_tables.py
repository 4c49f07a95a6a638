"""Banks as people write them: CSV, TSV and Excel tables, and a JSON record a question.

Columns are found by their names, in any order: the question, its query (id or text),
and if present the question's id, kind, answers, choices, subtopic and state. The
headings may stand below a few lines of other text. A row without a query belongs to
that of the row above, as in tables with merged cells. A query that only has a text gets
its id from its words; an import gives it that of the query here with the same text.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any, get_args

from curator.bank.questions import (
    Kind,
    Question,
    new_question_id,
)
from curator.collection.pools import Query, Subtopic
from curator.errors import InputFileError
from curator.formats import codec
from curator.formats.autograder.bank import BANK_OPTION
from curator.formats.parsed_import import ParsedImport, Progress
from curator.formats.recognition import file_reader, is_json, wrong_file_hint
from curator.formats.text.json_text import json_records
from curator.formats.text.lines import TextLines
from curator.formats.text.notices import Oddities, listed
from curator.formats.text.records import (
    FileLocation,
    Place,
    described,
    either,
    error_at,
)
from curator.formats.text.rows import table_rows

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "query_id": ("query id", "qid", "topic id", "topic number"),
    "query": (
        *("query", "query text", "query title", "title", "topic", "topic title"),
        "anfrage",
    ),
    "question": ("question", "question text", "nugget", "nugget text", "frage"),
    "id": ("id", "question id", "nugget id"),
    "kind": ("kind", "type"),
    "answers": (
        *("answers", "answer", "answer key", "key"),
        *("correct answer", "gold answer", "antwort", "antworten"),
    ),
    "choices": ("choices", "options"),
    "subtopic": (
        *("subtopic", "subtopic id", "facet", "facet id", "aspect", "unterthema"),
    ),
    "state": ("state",),
}
"""The names of each column, in lower case, with spaces."""

EXPECTED = "a table with a column “question” and one “query id” or “query”"
HEADING_ROWS = 10  # rows in which the headings are looked for
LONGEST_ID = 60  # characters of a query id made of its text
DELIMITERS = ",;\t|"
KINDS, STATES = get_args(Kind), ("kept", "proposed", "retired")

Row = tuple[FileLocation, dict[str, str]]
"""A place in the file, and the cells there by the names of their columns."""


def columns_of(cells: Sequence[str]) -> dict[str, int]:
    """Return the places of a bank's columns, {} if the cells are no headings."""
    names = [" ".join(re.split(r"[\W_]+", cell.lower())).strip() for cell in cells]
    columns: dict[str, int] = {}
    for column, names_of_column in COLUMNS.items():
        places = [names.index(name) for name in names_of_column if name in names]
        if places:
            columns[column] = places[0]
    if "query_id" not in columns and {"query", "title"} <= {*names}:
        # A table that this program wrote has ids under "query".
        columns |= {"query_id": names.index("query"), "query": names.index("title")}
        if "text" in names:
            columns["question"] = names.index("text")
    has_query = "query_id" in columns or "query" in columns
    return columns if has_query and "question" in columns else {}


def is_workbook(path: Path) -> bool:
    """Return True for an Excel workbook (.xlsx)."""
    if not path.is_file() or not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as archive:
        return "xl/workbook.xml" in archive.namelist()


def read_table(path: Path, /, *, progress: Progress | None = None) -> ParsedImport:
    """Read the questions of a CSV, TSV or Excel table. Raises InputFileError."""
    with wrong_file_hint(path, "bank"):
        if is_workbook(path):
            cells = _workbook_cells(path)
        else:
            cells = _text_cells(TextLines(path, expected=EXPECTED, progress=progress))
        notices: list[str] = []
        parsed = _bank(path, "a table of questions", _rows(path, cells, notices))
        parsed.notices += notices
        return parsed


@file_reader("bank", EXPECTED)
def read_json_lines(lines: TextLines) -> ParsedImport:
    """Read one question from each JSON record. Raises InputFileError."""

    def rows() -> Iterator[Row]:
        for number, record in enumerate(json_records(lines), 1):
            columns, values = columns_of([*record]), [*record.values()]
            if not columns:
                raise record.error(
                    f"record {number} lacks a question or its query; expected the "
                    'fields "question" and "query_id" or "query".'
                )
            yield (
                record.place,
                {name: _cell(values[at]) for name, at in columns.items()},
            )

    return _bank(lines.path, "questions (JSON records)", rows())


Cells = Iterable[tuple[int, Sequence[str]]]
"""Rows of a table with their numbers."""


def _delimiter(lines: TextLines, text: str) -> str:
    """Return the delimiter with which the text has headings of a bank, or ""."""
    for delimiter in DELIMITERS:
        with suppress(InputFileError):
            for _, cells in islice(table_rows(lines, text, delimiter), HEADING_ROWS):
                if columns_of(cells):
                    return delimiter
    return ""


def _text_cells(lines: TextLines) -> Cells:
    text = lines.whole()
    delimiter = _delimiter(lines, text)
    if not delimiter:
        message = f"has no headings of a bank; expected {EXPECTED}."
        raise error_at(lines.path, 1, message)
    try:
        return list(table_rows(lines, text, delimiter))
    except InputFileError:
        if delimiter != "\t":
            raise
        # Between tabs a quotation mark may be one of the text.
        return table_rows(lines, text, delimiter, quoted=False)


def _workbook_cells(path: Path) -> Cells:
    """Return the rows of the first sheet with headings. Raises InputFileError."""
    from python_calamine import CalamineError, CalamineWorkbook

    try:
        workbook = CalamineWorkbook.from_path(path)
        for name in workbook.sheet_names:
            sheet = workbook.get_sheet_by_name(name).to_python(skip_empty_area=False)
            numbered = enumerate((list(map(_cell, values)) for values in sheet), 1)
            rows = [(number, cells) for number, cells in numbered if any(cells)]
            if any(columns_of(cells) for _, cells in rows[:HEADING_ROWS]):
                return rows
    except CalamineError as error:
        raise error_at(path, None, f"the workbook cannot be read ({error}).") from None
    raise error_at(path, None, f"no sheet has headings; expected {EXPECTED}.")


def _cell(value: Any) -> str:
    """Return a value as text: whole numbers without ".0", a list as lines."""
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, list):
        return "\n".join(map(_cell, value))
    return str(value).strip()


def _rows(path: Path, table: Cells, notices: list[str]) -> Iterator[Row]:
    """The rows below the headings; ``notices`` gets one of unread columns."""
    columns: dict[str, int] = {}
    headings: Sequence[str] = ()
    unread: dict[int, None] = {}
    for number, cells in table:
        if not columns:
            columns, headings = columns_of(cells), cells
            continue
        if any(cells[len(headings) :]):
            raise error_at(
                path,
                number,
                f"has {len(cells)} cells below {len(headings)} headings; put cells "
                "with a delimiter into quotes.",
            )
        filled = {at: cell for at, cell in enumerate(cells) if cell}
        unread |= dict.fromkeys(filled.keys() - columns.values())
        yield (
            Place(path, number),
            {name: filled.get(at, "") for name, at in columns.items()},
        )
    if unread:
        names = [
            described(headings[at]) if headings[at] else f"column {at + 1}"
            for at in unread
        ]
        notices.append(f"Columns not read: {listed(names)}.")


_ODD = {
    "no query": "[row] without a query, taken as of the query above.",
    "no question": "[row] without a question, left out.",
    "repeated": "[row] with a question that stands above, counted once.",
}


def _bank(path: Path, taken_for: str, rows: Iterable[Row]) -> ParsedImport:
    """The bank of these rows; one without a query belongs to the query above."""
    parsed = ParsedImport(path.name, taken_for)
    questions: list[Row] = []
    query: dict[str, str] = {}
    odd = Oddities(_ODD)
    for place, row in rows:
        if not any(row.values()):
            continue
        stated = {name: row.get(name, "") for name in ("query_id", "query")}
        odd.count("no query", not any(stated.values()))
        query = stated if any(stated.values()) else query
        if not query:
            raise place.error("has no query.")
        if row["question"]:
            questions.append((place, row | query))
        else:
            odd.count("no question")
    # A column "query" without a blank in any cell holds ids.
    texts_are_ids = not any(
        row["query_id"] or " " in row["query"] for _, row in questions
    )
    for place, row in questions:
        text = "" if texts_are_ids else row["query"]
        query_id = row["query_id"] or (row["query"] if texts_are_ids else "")
        if not query_id:
            query_id = query_id_of(text)
            parsed.ids_from_texts.add(query_id)
        odd.count("repeated", not _add_question(parsed, place, query_id, text, row))
    if not questions:
        raise error_at(path, None, f"holds no question; expected {EXPECTED}.")
    parsed.notices += odd.notices()
    return parsed


def _add_question(
    parsed: ParsedImport,
    place: FileLocation,
    query_id: str,
    text: str,
    row: Mapping[str, str],
) -> bool:
    """Add a row's question and its query; False if it stands above."""
    if re.search(r"\s", query_id):
        raise place.error(f"the query id {described(query_id)} contains a blank.")
    subtopic = row.get("subtopic") or None
    subtopic_id = subtopic and query_id_of(subtopic)
    question = Question(
        row.get("id") or new_question_id(query_id, subtopic_id, row["question"]),
        query_id,
        row["question"],
        _one_of(KINDS, place, row, "kind"),
        _one_of(STATES, place, row, "state"),
        subtopic_id,
        tuple(_choices(row.get("choices", ""))),
        tuple(filter(None, map(str.strip, re.split(r"[\n|]", row.get("answers", ""))))),
    )
    first = parsed.questions.setdefault(question.question_id, question)
    if (first.query_id, first.text) != (query_id, question.text):
        raise place.error(f"the id {described(question.question_id)} stands above.")
    before = parsed.queries.get(query_id, Query(query_id))
    subtopics = before.subtopics
    present = {earlier.subtopic_id for earlier in subtopics}
    if subtopic_id is not None and subtopic_id not in present:
        subtopics += (Subtopic(subtopic_id, subtopic),)
    title = before.title or text or None
    parsed.queries[query_id] = Query(query_id, title, subtopics=subtopics)
    return first is question


def _one_of(
    values: Sequence[str], place: FileLocation, row: Mapping[str, str], column: str
) -> Any:
    """The cell's value, the first of ``values`` where it is empty."""
    value = row.get(column, "").lower().removesuffix("s") or values[0]
    if value not in values:
        message = f"the {column} is {described(value)}; expected {either(values)}."
        raise place.error(message)
    return value


def query_id_of(text: str) -> str:
    """Return an id made of a text: its words in lower case, joined by "-"."""
    words = "-".join(re.findall(r"\w+", text.lower()))
    return words[:LONGEST_ID].rstrip("-") or "query"


def _choices(cell: str) -> Iterator[tuple[str, str]]:
    """Yield the letters and texts of lines such as "A. text"."""
    for number, line in enumerate(filter(None, map(str.strip, cell.splitlines()))):
        match = re.fullmatch(r"([A-Za-z0-9]{1,2}(?=[.):])\)?)[.):]?\s+(.*)", line)
        yield (match[1], match[2]) if match else (chr(65 + number % 26), line)


def _fits_table(start: codec.FileStart) -> bool:
    if not start.line:
        return is_workbook(start.path)
    if is_json(start.line):
        return False
    lines = TextLines(start.path, expected="")
    with suppress(InputFileError):
        return bool(_delimiter(lines, "\n".join(islice(lines, HEADING_ROWS))))
    return False


def _fits_json_line(start: codec.FileStart) -> bool:
    record = start.record
    is_flat = all(not isinstance(cell, dict) for cell in record.values())
    return (
        is_flat
        and not start.has({"qid"}, {"items"})
        and isinstance(record.get("question"), str)
        and bool(columns_of([*record]))
    )


CODECS = (
    codec.Codec(
        "bank_table",
        codec.Imports(
            option=BANK_OPTION,
            called="a CSV, TSV or Excel table",
            read=read_table,
            fits=_fits_table,
            specific=20,
            endings=(".csv", ".tsv", ".xlsx"),
        ),
    ),
    codec.Codec(
        "bank_lines",
        codec.Imports(
            option=BANK_OPTION,
            called="JSON records of questions",
            read=read_json_lines,
            fits=_fits_json_line,
            specific=5,
        ),
    ),
)
