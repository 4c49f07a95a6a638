"""Every example of docs/formats.md is read as the format that the page says it is.

An example is a fenced block after a mark that names the option which reads it:
``<!-- example: bank -->``. ``<!-- example: json -->`` is only JSON, and
``<!-- example: csv 3 -->`` a table of three columns.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from curator.formats.registry import exports, import_options
from curator.workspace import Workspace

PAGE = Path(__file__).parents[2] / "docs" / "formats.md"
EXAMPLE = re.compile(r"<!-- example: (.+?) -->\n+```\w*\n(.*?)```", re.DOTALL)


def examples() -> list[tuple[str, str]]:
    """What reads each example, and the example."""
    return EXAMPLE.findall(PAGE.read_text())


FILES = [(kind, text) for kind, text in examples() if kind in import_options()]


@pytest.mark.parametrize(
    ("kind", "text"), FILES, ids=[f"{n}-{kind}" for n, (kind, _) in enumerate(FILES)]
)
def test_an_example_is_imported_and_brings_something(
    tmp_path: Path, kind: str, text: str
) -> None:
    path = tmp_path / "example.txt"
    path.write_text(text)
    with Workspace.open(tmp_path / "new.db", create=True) as workspace:
        (summary,) = workspace.import_(**{kind: path})
        assert summary.new
        (again,) = workspace.import_(**{kind: path})
        assert not again.new
        assert not workspace.verify().problems


def test_every_format_has_an_example() -> None:
    assert {kind for kind, _ in FILES} == set(import_options())


def test_every_export_is_described() -> None:
    page = PAGE.read_text()
    assert [o.kind for o in exports().values() if f"`{o.option}`" not in page] == []
