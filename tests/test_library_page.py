"""docs/library.md is run as it is printed."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

PAGE = Path(__file__).parent.parent / "docs" / "library.md"


def test_the_tour_of_the_library_prints_what_it_says(
    built_demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CURATOR_DEMO", str(built_demo))
    monkeypatch.chdir(tmp_path)
    found = doctest.testfile(
        str(PAGE), module_relative=False, optionflags=doctest.ELLIPSIS
    )
    assert found.attempted > 40
    assert not found.failed
