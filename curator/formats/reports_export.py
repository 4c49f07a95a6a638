"""Generated reports out: the lines as they came in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TextIO


def write_reports(stream: TextIO, lines: Iterable[str]) -> int:
    """Write the lines, each a response's JSON text; how many they were."""
    written = 0
    for line in lines:
        stream.write(line + "\n")
        written += 1
    return written
