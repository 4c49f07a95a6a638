"""A file in the import dialog is taken for what it holds, else for its name."""

import pytest

from curator.web.pages.releases.import_dialog import likely_kind


@pytest.mark.parametrize(
    ("name", "fitting", "kind"),
    [
        ("data.jsonl", ("reports",), "reports"),
        ("qrels.txt", ("runs",), "runs"),  # what it holds decides
        ("my-passages.tsv", ("queries", "passages", "gold"), "passages"),
        ("topics.tsv", ("queries", "passages", "gold"), "queries"),
        ("gold.tsv", ("queries", "passages", "gold"), "gold"),
        ("run.tsv", ("queries", "passages"), "queries"),  # its name says another
        ("responses.txt", (), "reports"),
        ("x.zip", ("bundle",), "queries"),  # the import will say what it is
        ("x", (), "queries"),
    ],
)
def test_what_a_file_is_likely_to_be(name, fitting, kind):
    assert likely_kind(name, fitting) == kind
