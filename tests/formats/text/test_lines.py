import os
import threading

import pytest

from curator.errors import InputFileError
from curator.formats.text.lines import TextLines
from curator.formats.trec.runs import read_runs
from tests.samples.files import gzipped, written


def numbered(path, **options):
    lines = TextLines(path, expected="lines", **options)
    return [(lines.number, text) for text in lines]


def test_blank_lines_count_but_are_not_lines(tmp_path):
    path = written(tmp_path, b"a\n\n  \nb")
    assert numbered(path) == [(1, "a"), (4, "b")]


def test_windows_line_ends_and_a_byte_order_mark_are_no_content(tmp_path):
    path = written(tmp_path, b"\xef\xbb\xbfa\r\nb\r\n")
    assert numbered(path) == [(1, "a"), (2, "b")]


@pytest.mark.parametrize("name", ["lines.txt", "lines.gz"])
@pytest.mark.parametrize("pack", [bytes, gzipped])
def test_content_and_not_the_name_says_what_is_gzipped(tmp_path, name, pack):
    path = written(tmp_path, pack(b"a\n"), name)
    assert numbered(path) == [(1, "a")]


def test_a_wrong_file_in_a_pipe_is_refused_and_not_waited_for(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(b"q 0 p 1\n"))
    writer.start()
    with pytest.raises(InputFileError, match="4 columns"):
        read_runs(pipe)
    writer.join()
