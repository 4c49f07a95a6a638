import gzip

import pytest

from curator.errors import CuratorError
from curator.formats.text.output_files import output_file


def test_a_name_in_gz_is_gzipped_and_equal_content_is_equal_bytes(tmp_path):
    for name in ("a.gz", "b.gz"):
        with output_file(tmp_path / name) as stream:
            stream.write("x\n")
    assert gzip.decompress((tmp_path / "a.gz").read_bytes()) == b"x\n"
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()


def write_and_fail(path):
    with output_file(path) as stream:
        stream.write("half of it")
        raise KeyError("something")


def test_an_export_that_fails_leaves_the_older_file(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")
    with pytest.raises(KeyError):
        write_and_fail(path)
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


@pytest.mark.parametrize("name", ["missing/a.txt", "folder"])
def test_what_cannot_be_written_is_one_line(tmp_path, name):
    (tmp_path / "folder").mkdir()
    with (
        pytest.raises(CuratorError, match="Cannot write"),
        output_file(tmp_path / name) as stream,
    ):
        stream.write("x")
