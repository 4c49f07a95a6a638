"""Banks as people write them: CSV, TSV and Excel tables, and one question a JSON line.

Columns are found by their names, in any order: the question, its query (id or text),
and if present the question's id, kind, answers, choices, subtopic and state. The
headings may stand below a few lines of other text. A row without a query belongs to
that of the row above, as in tables with merged cells. A query that only has a text gets
its id from its words; an import gives it that of the query here with the same text.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, get_args

from curator.bank.questions import (
    Kind,
    Question,
    QuestionState,
    new_question_id,
)
from curator.collection.pools import Query, Subtopic
from curator.errors import InputFileError
from curator.formats import codec
from curator.formats.autograder.bank import BANK_OPTION
from curator.formats.parsed_import import ParsedImport, Progress
from curator.formats.recognition import file_reader, wrong_file_hint
from curator.formats.text.json_text import line_record
from curator.formats.text.lines import TextLines
from curator.formats.text.notices import listed
from curator.formats.text.records import described, either, error_at
from curator.formats.text.spreadsheets import unmarked

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "query_id": ("query id", "qid", "topic id", "topic number"),
    "query": ("query", "query text", "query title", "title", "topic", "topic title"),
    "question": ("question", "question text", "nugget", "nugget text"),
    "id": ("id", "question id", "nugget id"),
    "kind": ("kind", "type"),
    "answers": (
        *("answers", "answer", "answer key", "key"),
        *("correct answer", "gold answer"),
    ),
    "choices": ("choices", "options"),
    "subtopic": ("subtopic", "subtopic id", "facet", "facet id", "aspect"),
    "state": ("state",),
}
"""The names of each column, in lower case, with spaces."""

EXPECTED = "a table with a column “question” and one “query id” or “query”"
HEADING_ROWS = 10  # rows in which the headings are looked for
LONGEST_ID = 60  # characters of a query id made of its text
DELIMITERS = ",;\t|"
KINDS, STATES = get_args(Kind), get_args(QuestionState)

Row = tuple[int, Sequence[str]]
"""The number of a row in its file, and its cells."""


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
            return _bank(path, _workbook_rows(path))
        text = TextLines(path, expected=EXPECTED, progress=progress).whole()
        delimiter = _delimiter(text)
        if not delimiter:
            message = f"has no headings of a bank; expected {EXPECTED}."
            raise error_at(path, 1, message)
        try:
            return _bank(path, _text_rows(text, delimiter))
        except csv.Error:
            message = "has a cell of more than 131,072 characters: is a quote missing?"
            raise error_at(path, None, message) from None


def _delimiter(text: str) -> str:
    """Return the delimiter with which the text has headings of a bank, or ""."""
    for delimiter in DELIMITERS:
        with suppress(csv.Error):
            if any(
                columns_of(cells) for _, cells in _first(_text_rows(text, delimiter))
            ):
                return delimiter
    return ""


@file_reader("bank", EXPECTED)
def read_json_lines(lines: TextLines) -> ParsedImport:
    """Read one question from each JSON line. Raises InputFileError."""
    reader = _RowReader(lines.path, "questions (JSON lines)")
    for text in lines:
        record = line_record(lines, text)
        columns = columns_of([*record.keys()])
        values = [*record.values()]
        if not columns:
            raise lines.error(f"no question and query; expected {EXPECTED}.")
        cells = {name: _cell(values[place]) for name, place in columns.items()}
        reader.add(lines.number, cells)
    return reader.result()


def _first(rows: Iterable[Row]) -> Iterator[Row]:
    for row, _ in zip(rows, range(HEADING_ROWS), strict=False):
        yield row


def _text_rows(text: str, delimiter: str) -> Iterator[Row]:
    """Yield the rows of a text. Raises csv.Error for a cell that is too long."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    for cells in reader:
        yield reader.line_num, [unmarked(cell) for cell in cells]


def _workbook_rows(path: Path) -> Iterator[Row]:
    """Yield the rows of the first sheet with headings. Raises InputFileError."""
    from python_calamine import CalamineError, CalamineWorkbook

    try:
        workbook = CalamineWorkbook.from_path(path)
        for name in workbook.sheet_names:
            sheet = workbook.get_sheet_by_name(name).to_python(skip_empty_area=False)
            rows = [
                (number, [_cell(value) for value in values])
                for number, values in enumerate(sheet, start=1)
            ]
            if any(columns_of(cells) for _, cells in _first(rows)):
                yield from rows
                return
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
    return str(value)


def _bank(path: Path, rows: Iterable[Row]) -> ParsedImport:
    columns: dict[str, int] = {}
    headings: Sequence[str] = ()
    reader = _RowReader(path, "a table of questions")
    for number, cells in rows:
        if not columns:
            columns, headings = columns_of(cells), cells
            continue
        if any(map(str.strip, cells[len(headings) :])):
            raise error_at(
                path,
                number,
                f"has {len(cells)} cells below {len(headings)} headings; put cells "
                "with a delimiter into quotes.",
            )
        reader.add(
            number,
            {
                name: cells[place] if place < len(cells) else ""
                for name, place in columns.items()
            },
        )
    parsed = reader.result()
    unread = [
        described(heading)
        for place, heading in enumerate(headings)
        if heading.strip() and place not in columns.values()
    ]
    if unread:
        parsed.notices.append(f"Columns not read: {listed(unread)}.")
    return parsed


class _RowReader:
    def __init__(self, path: Path, taken_for: str) -> None:
        self._path = path
        self._parsed = ParsedImport(path.name, taken_for)
        self._rows: list[tuple[int, dict[str, str]]] = []
        self._query: dict[str, str] = {}
        self._filled = self._without = self._repeated = 0

    def add(self, number: int, cells: Mapping[str, str]) -> None:
        """Take a row; one without a query belongs to the query above."""
        values = {name: cell.strip() for name, cell in cells.items()}
        if not any(values.values()):
            return
        query = {name: values.get(name, "") for name in ("query_id", "query")}
        if any(query.values()):
            self._query = query
        elif self._query:
            self._filled += 1
        else:
            raise self._error(number, "has no query.")
        if not values["question"]:
            self._without += 1
            return
        self._rows.append((number, values | self._query))

    def result(self) -> ParsedImport:
        parsed = self._parsed
        ids = [row["query_id"] for _, row in self._rows if row["query_id"]]
        texts = [row["query"] for _, row in self._rows]
        # A column "query" without a blank in any cell holds ids.
        texts_are_ids = not ids and not any(" " in text for text in texts)
        for number, row in self._rows:
            text = "" if texts_are_ids else row["query"]
            query_id = row["query_id"] or (row["query"] if texts_are_ids else "")
            if not query_id:
                query_id = query_id_of(text)
                parsed.ids_from_texts.add(query_id)
            self._add_question(number, query_id, text, row)
        if not parsed.questions:
            raise error_at(self._path, None, f"holds no question; expected {EXPECTED}.")
        for count, words in (
            (self._filled, "without a query, taken as of the query above"),
            (self._without, "without a question, left out"),
            (self._repeated, "with a question that stands above, counted once"),
        ):
            if count:
                rows = "1 row" if count == 1 else f"{count:,} rows"
                parsed.notices.append(f"{rows} {words}.")
        return parsed

    def _add_question(
        self, number: int, query_id: str, text: str, row: Mapping[str, str]
    ) -> None:
        parsed = self._parsed
        if re.search(r"\s", query_id):
            message = f"the query id {described(query_id)} contains a blank."
            raise self._error(number, message)
        subtopic = row.get("subtopic", "") or None
        subtopic_id = subtopic and query_id_of(subtopic)
        question = Question(
            row.get("id", "")
            or new_question_id(query_id, subtopic_id, row["question"]),
            query_id,
            row["question"],
            self._one_of(KINDS, number, row, "kind", "question"),
            self._one_of(STATES, number, row, "state", "kept"),
            subtopic_id,
            tuple(_choices(row.get("choices", ""))),
            tuple(
                filter(None, map(str.strip, re.split(r"[\n|]", row.get("answers", ""))))
            ),
        )
        first = parsed.questions.setdefault(question.question_id, question)
        if first is not question:
            if (first.query_id, first.text) != (question.query_id, question.text):
                message = f"the id {described(question.question_id)} stands above."
                raise self._error(number, message)
            self._repeated += 1
        before = parsed.queries.get(query_id, Query(query_id))
        subtopics = {subtopic.subtopic_id: subtopic for subtopic in before.subtopics}
        if subtopic_id is not None:
            subtopics.setdefault(subtopic_id, Subtopic(subtopic_id, subtopic))
        title = before.title or text or None
        parsed.queries[query_id] = Query(
            query_id, title, subtopics=tuple(subtopics.values())
        )

    def _one_of(
        self,
        values: Sequence[str],
        number: int,
        row: Mapping[str, str],
        column: str,
        default: str,
    ) -> Any:
        value = row.get(column, "").lower().removesuffix("s") or default
        if value not in values:
            raise self._error(
                number,
                f"the {column} is {described(value)}; expected {either(values)}.",
            )
        return value

    def _error(self, number: int, message: str) -> InputFileError:
        return error_at(self._path, number, message)


def query_id_of(text: str) -> str:
    """Return an id made of a text: its words in lower case, joined by "-"."""
    words = "-".join(re.findall(r"\w+", text.lower()))
    return words[:LONGEST_ID].rstrip("-") or "query"


def _choices(cell: str) -> Iterator[tuple[str, str]]:
    """Yield the letters and texts of lines such as "A. text"."""
    for number, line in enumerate(filter(None, map(str.strip, cell.splitlines()))):
        match = re.fullmatch(r"([A-Za-z0-9]{1,2}\)?)[.):]?\s+(.*)", line)
        is_marked = match and re.match(r"\w{1,2}[.):]", line)
        letter, text = match.groups() if match and is_marked else ("", line)
        yield letter or chr(65 + number % 26), text


def _fits_table(start: codec.FileStart) -> bool:
    if not start.line:
        return is_workbook(start.path)
    if start.line.startswith(("{", "[")) or not start.path.is_file():
        return False
    try:
        lines = TextLines(start.path, expected="")
        head = "\n".join(
            line for _, line in zip(range(HEADING_ROWS), lines, strict=False)
        )
    except InputFileError:
        return False
    return bool(_delimiter(head))


def _fits_json_line(start: codec.FileStart) -> bool:
    value = start.value
    if not isinstance(value, dict) or "qid" in value or "items" in value:
        return False
    flat = all(not isinstance(cell, dict) for cell in value.values())
    return (
        flat and isinstance(value.get("question"), str) and bool(columns_of([*value]))
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
            called="a question a JSON line",
            read=read_json_lines,
            fits=_fits_json_line,
            specific=5,
        ),
    ),
)
