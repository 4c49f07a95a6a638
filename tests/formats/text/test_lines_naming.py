"""A conflict that is found late still names the line it is about."""

from __future__ import annotations

import pytest

from curator.formats.text.lines import line_naming


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
