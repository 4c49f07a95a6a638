"""A conflict that is found late still names the line it is about."""

from __future__ import annotations

import gzip

import pytest

from curator.errors import ImportConflictError
from curator.formats.text.lines import line_naming
from curator.workspace import Workspace


@pytest.mark.parametrize(
    ("names", "line"),
    [
        (("q1", "p2"), 3),  # the blank line counts
        (("q1", "p1"), 1),
        (("q11", "p1"), 4),  # p12 is another id
        (("q3",), None),
        ((), None),
    ],
)
def test_the_first_line_with_all_the_ids(tmp_path, names, line):
    path = tmp_path / "a.qrels"
    path.write_text("q1 0 p1 2\n\nq1 0 p2 0\nq11 0 p1 1\nq11 0 p12 1\n")
    found = line_naming(path, names)
    assert found == (None if line is None else ("a.qrels", line))


def test_an_id_is_found_as_json_writes_it_and_in_gzipped_files(tmp_path):
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(
        gzip.compress(b'{"id": "a"}\n{"id": "caf\\u00e9\\"s"}\n{"id": "b"}\n')
    )
    assert line_naming(path, ('café"s',)) == ("a.jsonl.gz", 2)


def test_a_run_is_looked_for_in_its_folder(tmp_path):
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "one").write_text("q1 Q0 p1 1 2 one\n")
    (tmp_path / "runs" / "two").write_text("q1 Q0 p1 1 2 two\nq2 Q0 p1 1 2 two\n")
    assert line_naming(tmp_path / "runs", ("q2", "two")) == ("two", 2)


def test_an_import_that_contradicts_names_the_line(tmp_path):
    first, other = tmp_path / "first.qrels", tmp_path / "other.qrels"
    first.write_text("q1 0 p1 2\nq1 0 p2 0\n")
    other.write_text("q1 0 p1 2\nq1 0 p2 1\n")
    with Workspace.open(tmp_path / "w.db", create=True) as workspace:
        workspace.import_(judgments=first)
        with pytest.raises(
            ImportConflictError,
            match=r"^other\.qrels, line 2: passage 'p2' is judged 1 for query 'q1'",
        ):
            workspace.import_(judgments=other)
