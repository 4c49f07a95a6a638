"""Banks in tables as people make them, and one question a JSON line."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import openpyxl
import pytest

from curator.errors import InputFileError
from curator.formats.bank_tables import read_table
from curator.formats.file_preview import preview_file
from curator.formats.recognition import option_for
from curator.workspace import Workspace
from tests.samples.files import sample, written

PLAIN = "query_id,question\nq1,Why is it?\nq1,How is it?\nq2,Who?\n"
TEXTS = (
    "Query;Question;Answer\nWhy do leaves turn red?;What makes them red?;anthocyanin\n"
)
QUOTED = 'qid\tquestion\tanswers\nq1\t"Two\nlines?"\t"one\ntwo"\n'


def questions(path: Path, tmp_path: Path, *before: tuple[str, Path]) -> list[tuple]:
    """Import the file by its content; (query, kind, text, answers) of each question."""
    with Workspace.open(tmp_path / "w.db", create=True) as workspace:
        for kind, file in before:
            workspace.import_(**{kind: file})
        workspace.import_(**{option_for(path): path})
        assert workspace.verify().problems == ()
        return [
            (q.query_id, q.kind, q.text, q.answers)
            for q in workspace.bank()
            if q.state == "kept"
        ]


@pytest.mark.parametrize(
    ("name", "text", "rows"),
    [
        ("plain.csv", PLAIN, 3),
        ("quoted.tsv", QUOTED, 1),
        ("texts.csv", TEXTS, 1),
        ("excel.csv", "sep=;\r\nquery id;question\r\nq1;Why?\r\n;How?\r\n", 2),
    ],
)
def test_a_table_is_recognised_and_read(tmp_path, name, text, rows):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8", newline="")
    preview = preview_file(path)
    assert preview.options == ("bank",)
    assert preview.records.startswith(f"{rows} ")
    assert len(questions(path, tmp_path)) == rows


def workbook(path: Path, *sheets: list[list[object]]) -> Path:
    book = openpyxl.Workbook()
    for number, rows in enumerate(sheets):
        sheet = book.active if number == 0 else book.create_sheet()
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def test_an_excel_workbook_is_read_with_numbers_and_dates_as_text(tmp_path):
    path = workbook(
        tmp_path / "bank.xlsx",
        [["About this file"]],
        [
            ["Question bank", None, None],
            ["Topic number", "Question", "Answer"],
            [1, "When was it?", date(2026, 11, 28)],
            [1, "How many?", 3.0],
            [None, None, None],
            [2, "How much?", 2.5],
        ],
    )
    assert preview_file(path).records == "3 questions"
    assert questions(path, tmp_path) == [
        ("1", "question", "When was it?", ("2026-11-28",)),
        ("1", "question", "How many?", ("3",)),
        ("2", "question", "How much?", ("2.5",)),
    ]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("query_id,question\n,Why?\n", "line 2: has no query."),
        ("query_id,question,kind\nq1,Why?,fact\n", "line 2: the kind is 'fact'"),
        ("query_id,question,id\nq1,A?,x\nq1,B?,x\n", "line 3: the id 'x' stands above"),
        ("query_id;question\nq1;A;B?\n", "line 2: has 3 cells below 2 headings"),
    ],
)
def test_a_wrong_row_is_named_with_its_number(tmp_path, rows, message):
    path = tmp_path / "t.csv"
    path.write_text(rows)
    with pytest.raises(InputFileError, match=message):
        questions(path, tmp_path)


def test_what_is_exported_as_csv_comes_back(tmp_path):
    with Workspace.open(tmp_path / "old.db", create=True) as workspace:
        workspace.import_(bank=written(tmp_path, sample("bank")))
        workspace.export("bank", tmp_path / "bank.csv")
        before = [q for q in workspace.bank() if q.state == "kept" and q.text]
    with Workspace.open(tmp_path / "new.db", create=True) as workspace:
        workspace.import_(bank=tmp_path / "bank.csv")
        after = {q.question_id: q for q in workspace.bank()}
    assert len(after) == len(before) == 3
    for question in before:
        again = after[question.question_id]
        names = ("query_id", "text", "kind", "state", "choices", "answers")
        for name in names:
            assert getattr(again, name) == getattr(question, name)


def test_german_headings_are_read(tmp_path):
    path = tmp_path / "fragen.csv"
    path.write_text("Anfrage;Frage;Antwort;Unterthema\nGezeiten;Warum?;der Mond;Mond\n")
    (question,) = read_table(path).questions.values()
    assert (question.text, question.answers) == ("Warum?", ("der Mond",))
    assert question.subtopic_id == "mond"
