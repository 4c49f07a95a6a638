"""Banks in tables as people make them, and one question a JSON line."""

from __future__ import annotations

import gzip
import json
from datetime import date
from pathlib import Path

import openpyxl
import pytest

from curator.errors import InputFileError
from curator.formats.bank_tables import read_table
from curator.formats.file_preview import preview_file
from curator.formats.recognition import option_for
from curator.workspace import Workspace
from tests.samples.command_line import run
from tests.samples.files import sample, written
from tests.samples.files import sample, written

PLAIN = "query_id,question\nq1,Why is it?\nq1,How is it?\nq2,Who?\n"
TEXTS = (
    "Query;Question;Answer\nWhy do leaves turn red?;What makes them red?;anthocyanin\n"
)
WITH_TITLE = (
    "Questions of our team,,\n,,\nQuery ID,Question,Kind\nq1,Why is it?,Question\n"
    ",It is so,Nugget\n,,\nq2,Who?,\n"
)
QUOTED = 'qid\tquestion\tanswers\nq1\t"Two\nlines?"\t"one\ntwo"\n'
BOM = "\ufeffquery id,question\r\nq1,Why is it?\r\n"


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
        ("plain.tsv", PLAIN.replace(",", "\t"), 3),
        ("semicolons.csv", PLAIN.replace(",", ";"), 3),
        ("mark.csv", BOM, 1),
        ("quoted.tsv", QUOTED, 1),
        ("title.csv", WITH_TITLE, 3),
        ("texts.csv", TEXTS, 1),
        ("excel.csv", "sep=;\r\nquery id;question\r\nq1;Why?\r\n;How?\r\n", 2),
        ("list.json", '[{"query_id": "q1", "question": "Why?"}]', 1),
    ],
)
def test_a_table_is_recognised_and_read(tmp_path, name, text, rows):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8", newline="")
    preview = preview_file(path)
    assert preview.options == ("bank",)
    assert preview.records.startswith(f"{rows} ")
    assert len(questions(path, tmp_path)) == rows


def test_rows_below_a_query_belong_to_it_and_empty_rows_are_none(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(WITH_TITLE)
    assert questions(path, tmp_path) == [
        ("q1", "question", "Why is it?", ()),
        ("q1", "nugget", "It is so", ()),
        ("q2", "question", "Who?", ()),
    ]


def test_a_query_known_by_its_text_has_the_id_of_the_query_here(tmp_path):
    path, queries = tmp_path / "t.csv", tmp_path / "queries.tsv"
    path.write_text(TEXTS)
    queries.write_text("t7\tWhy do  leaves turn red?\n")
    ((query_id, *_),) = questions(path, tmp_path, ("queries", queries))
    assert query_id == "t7"
    (tmp_path / "w.db").unlink()
    ((query_id, *_),) = questions(path, tmp_path)
    assert query_id == "why-do-leaves-turn-red"


def test_a_query_and_its_bank_come_in_one_import(tmp_path):
    path, queries = tmp_path / "t.csv", tmp_path / "queries.tsv"
    path.write_text(TEXTS)
    queries.write_text("t7\tWhy do leaves turn red?\n")
    with Workspace.open(tmp_path / "w.db", create=True) as workspace:
        workspace.import_(queries=queries, bank=path)
        assert [question.query_id for question in workspace.bank()] == ["t7"]


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


def test_a_workbook_without_headings_or_cut_off_is_one_clear_line(tmp_path):
    path = workbook(tmp_path / "bank.xlsx", [["a", "b"], ["q1", "Why?"]])
    with pytest.raises(InputFileError, match=r"bank.xlsx: no sheet has headings"):
        questions(path, tmp_path)
    path.write_bytes(path.read_bytes()[:-200])
    assert "\n" not in run("import", tmp_path / "w.db", path, code=1).stderr.strip()


def test_json_lines_with_a_question_each_are_read(tmp_path):
    path = tmp_path / "q.jsonl"
    rows = [
        {"query_id": "q1", "question": "Why?", "answers": ["so", "thus"]},
        {"query_id": "q1", "question": "How?", "kind": "nugget", "id": 7},
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    assert questions(path, tmp_path) == [
        ("q1", "question", "Why?", ("so", "thus")),
        ("q1", "nugget", "How?", ()),
    ]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("query_id,question\n,Why?\n", "line 2: has no query."),
        ("query_id,question\nq 1,Why?\n", "line 2: the query id 'q 1' contains"),
        ("query_id,question,kind\nq1,Why?,fact\n", "line 2: the kind is 'fact'"),
        ("query_id,question,id\nq1,A?,x\nq1,B?,x\n", "line 3: the id 'x' stands above"),
        ("query_id,question\nq1,\n", "holds no question"),
        ("query_id;question\nq1;A;B?\n", "line 2: has 3 cells below 2 headings"),
    ],
)
def test_a_wrong_row_is_named_with_its_number(tmp_path, rows, message):
    path = tmp_path / "t.csv"
    path.write_text(rows)
    with pytest.raises(InputFileError, match=message):
        questions(path, tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "has no rows"),
        (
            '[{"query_id": "q1", "question": "A?"}, {"query_id": "q1"}]',
            "record 2 lacks a question",
        ),
        (
            '{"query_id": "q1", "question": "A?"}\n{"question": "B?"}\n',
            "line 2: record 2 lacks a question or its query",
        ),
    ],
)
def test_a_list_without_questions_is_refused(tmp_path, text, message):
    path = tmp_path / "list.json"
    path.write_text(text)
    with (
        Workspace.open(tmp_path / "w.db", create=True) as workspace,
        pytest.raises(InputFileError, match=message),
    ):
        workspace.import_(bank=path)


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


def test_a_quotation_mark_between_tabs_may_be_of_the_text(tmp_path):
    path = tmp_path / "t.tsv"
    path.write_text('query_id\tquestion\nq1\t"Hamlet" was written by whom?\n')
    ((_, _, text, _),) = questions(path, tmp_path)
    assert text == '"Hamlet" was written by whom?'


def test_a_column_below_a_merged_heading_is_named(tmp_path):
    rows = [["Topic", None, "Question"], ["q1", "Why red?", "What?"]]
    path = workbook(tmp_path / "bank.xlsx", rows)
    with Workspace.open(tmp_path / "w.db", create=True) as workspace:
        (summary,) = workspace.import_(bank=path)
    assert summary.notices[0] == "Columns not read: column 2."


def test_columns_that_are_not_read_are_named(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("query_id,question,Importance\nq1,Why?,vital\n")
    with Workspace.open(tmp_path / "w.db", create=True) as workspace:
        (summary,) = workspace.import_(bank=path)
    assert summary.notices[0] == "Columns not read: 'Importance'."


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"Frage;Thema\nWarum?;q1\n", "no headings of a bank; expected a table"),
        ("query_id;question\nq1;Wei\xdf?\n".encode("cp1252"), "save the file as “CSV"),
    ],
)
def test_a_table_that_cannot_be_read_says_what_it_needs(tmp_path, content, message):
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    error = run("import", tmp_path / "w.db", "--bank", path, code=1).stderr
    assert message in error
    assert "JSON" not in error


def test_a_cell_that_is_too_long_refuses_the_whole_table(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(f"query_id,question\nq1,A?\nq1,{'x' * 140_000}\nq1,C?\n")
    with pytest.raises(InputFileError, match="line 3: cannot be read"):
        questions(path, tmp_path)


def test_choices_are_told_from_texts_that_begin_with_a_short_word(tmp_path):
    path = tmp_path / "t.csv"
    cell = "A. yes\nB) no\nIn 1950\nThe Nile"
    path.write_text(f'query_id,question,choices\nq1,Why?,"{cell}"\n')
    with Workspace.open(tmp_path / "w.db", create=True) as workspace:
        workspace.import_(bank=path)
        (question,) = workspace.bank()
    assert question.choices == (
        *(("A", "yes"), ("B)", "no")),
        *(("C", "In 1950"), ("D", "The Nile")),
    )


def test_german_headings_are_read(tmp_path):
    path = tmp_path / "fragen.csv"
    path.write_text("Anfrage;Frage;Antwort;Unterthema\nGezeiten;Warum?;der Mond;Mond\n")
    (question,) = read_table(path).questions.values()
    assert (question.text, question.answers) == ("Warum?", ("der Mond",))
    assert question.subtopic_id == "mond"


def test_a_damaged_workbook_is_called_a_spreadsheet(tmp_path):
    path = tmp_path / "bank.xlsx"
    path.write_bytes(b"PK\x03\x04\x14\0")
    with pytest.raises(InputFileError, match="this is a damaged spreadsheet"):
        read_table(path)
