"""Files of two columns may begin with the names of their columns."""

from __future__ import annotations

import pytest

from curator.errors import InputFileError
from curator.formats.gold import read_gold
from curator.formats.passages import read_passages
from curator.formats.queries import read_queries
from tests.samples.files import written

READERS = {
    ("query_id", "text"): lambda path: list(read_queries(path).queries),
    ("id", "title"): lambda path: list(read_queries(path).queries),
    ("qid", "query"): lambda path: list(read_queries(path).queries),
    ("pid", "passage"): lambda path: list(read_passages(path).passages),
    ("passage_id", "text"): lambda path: list(read_passages(path).passages),
    ("docid", "contents"): lambda path: list(read_passages(path).passages),
}


@pytest.mark.parametrize("names", READERS)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_heading_is_no_query_and_no_passage(tmp_path, names, end):
    text = "\t".join(names) + end + "x1\tWords of it." + end
    assert READERS[names](written(tmp_path, b"\xef\xbb\xbf" + text.encode())) == ["x1"]


def test_a_heading_is_no_gold_article(tmp_path):
    parsed = read_gold(written(tmp_path, b"query_id\ttext\nq1\tAll of it.\n"))
    assert list(parsed.gold) == ["q1"]
    assert len(parsed.notices) == 1


@pytest.mark.parametrize("reader", [read_queries, read_passages])
def test_a_heading_that_was_passed_over_is_told(tmp_path, reader):
    name = "query_id" if reader is read_queries else "passage_id"
    parsed = reader(written(tmp_path, f"{name}\ttext\nx1\tWords.\n".encode()))
    assert parsed.notices == [f"The first line is read as a heading: {name} and text."]


def test_names_of_columns_further_below_are_a_query(tmp_path):
    parsed = read_queries(written(tmp_path, b"q1\tWhy?\nquery_id\ttext\n"))
    assert list(parsed.queries) == ["q1", "query_id"]


@pytest.mark.parametrize("reader", [read_queries, read_passages, read_gold])
def test_a_heading_alone_is_refused(tmp_path, reader):
    name = "passage_id" if reader is read_passages else "query_id"
    with pytest.raises(InputFileError, match="the file holds no"):
        reader(written(tmp_path, f"{name}\ttext\n".encode()))
