"""Rows that people fill in, as spreadsheets and commands write them."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.errors import InputFileError
from curator.formats.text.rows import read_rows


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Tables with tabs have no quoting, as `--format tsv` prints them.
        ('item\tanswer\nq1\t"Why" and how\n', '"Why" and how'),
        # Others do, with line breaks and blank lines in cells.
        ('item,answer\nq1,"""a"", b\n\nc"\n', '"a", b\n\nc'),
        # As a German Excel writes them, with rows that were emptied.
        ('\ufeffItem;Answer\r\n;\r\nq1;"a;b"\r\n', "a;b"),
    ],
)
def test_a_table_is_read_by_its_delimiter(
    tmp_path: Path, text: str, expected: str
) -> None:
    file = tmp_path / "rows.csv"
    file.write_bytes(text.encode())
    (row,) = read_rows(file, name="row", expected="rows")
    assert row == {"item": "q1", "answer": expected}


@pytest.mark.parametrize("cells", ['q1,"yes', 'q1,"yes" or no'])
def test_a_broken_row_is_refused_and_never_guessed(tmp_path: Path, cells: str) -> None:
    file = tmp_path / "rows.csv"
    file.write_bytes(f"item,answer\n{cells}\nq2,no\n".encode())
    with pytest.raises(InputFileError, match="line 2: cannot be read"):
        read_rows(file, name="row", expected="rows")
