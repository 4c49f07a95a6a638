"""What goes on beside the page is a line each, with what can be done about it."""

from __future__ import annotations

from typing import Any

import pytest

from curator.web.components.background_status import (
    StatusLine,
    status_lines,
)

NOTHING: dict[str, Any] = {
    "loading": False,
    "failed": "",
    "grading": False,
    "progress": None,
    "error": "",
    "jobs": (),
}


@pytest.mark.parametrize("name", ["failed", "error"])
def test_an_error_takes_the_place_of_grading(name: str) -> None:
    (line,) = status_lines(**NOTHING | {name: "No model.", "grading": True})
    assert line == StatusLine("No model.", error=True)
