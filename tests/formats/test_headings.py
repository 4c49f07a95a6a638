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
    ("passage_id", "text"): lambda path: list(read_passages(path).passages),
}


@pytest.mark.parametrize("names", READERS)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_heading_is_no_query_and_no_passage(tmp_path, names, end):
    text = "\t".join(names) + end + "x1\tWords of it." + end
    assert READERS[names](written(tmp_path, b"\xef\xbb\xbf" + text.encode())) == ["x1"]


@pytest.mark.parametrize("reader", [read_queries, read_passages, read_gold])
def test_a_heading_alone_is_refused(tmp_path, reader):
    name = "passage_id" if reader is read_passages else "query_id"
    with pytest.raises(InputFileError, match="the file holds no"):
        reader(written(tmp_path, f"{name}\ttext\n".encode()))
