"""Previews of files before an import: kind, number of records, first record."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.formats.file_preview import preview_file

PREVIEWS = {
    "queries.tsv": (
        "bread\tHow does it rise?\n",
        "1 query",
        "bread · How does it rise?",
    ),
    "x.run": ("q1 Q0 p1 1 2.5 one\nq1 Q0 p1 1 2.5 two\n", "2 systems", "one"),
    "x.qrels": ("q1 0 p1 3\nq1 0 p2 0\n", "2 judgments", "q1 · p1 · 3"),
    "x.json": ('{"one": 1, "two": 2}', "2 official ranks", "one · 1.0"),
    "x.jsonl": (
        '{"passage_id": "p1", "text": "Yeast\\nfeeds."}\n',
        "1 passage",
        "p1 · Yeast feeds.",
    ),
}


@pytest.mark.parametrize("name", PREVIEWS)
@pytest.mark.parametrize("packed", [False, True])
def test_records_are_counted_and_the_first_is_one_line(
    tmp_path: Path, name: str, packed: bool
) -> None:
    text, records, first = PREVIEWS[name]
    path = tmp_path / (f"{name}.gz" if packed else name)
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    preview = preview_file(path)
    assert (preview.records, preview.first, preview.problem) == (records, first, "")


@given(st.binary(max_size=400))
def test_a_preview_of_any_bytes_is_text_on_one_line(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    path = tmp_path_factory.mktemp("any") / "file"
    path.write_bytes(content)
    preview = preview_file(path)
    assert bool(preview.options) != bool(preview.problem)
    assert not {"\n", "\x00"} & set(preview.first + preview.problem)
