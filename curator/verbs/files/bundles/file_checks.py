"""What comparing an exported file with what is exported here has found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from curator.formats.text.records import on_one_line

SHOWN = 5  # differing lines of a file that are listed


@dataclass(frozen=True)
class LineDiffers:
    """A line as the file has it and as it is computed here; None where one has none.

    ``line`` is the number of the line there, None for one that is only here.
    """

    line: int | None
    there: str | None
    here: str | None


@dataclass(frozen=True)
class FileCheck:
    """One file compared: its numbers, how many lines differ, and the first of these.

    ``problem`` says why it could not be compared at all, "" where it could.
    """

    path: str
    numbers: int
    differing: int = 0
    lines: tuple[LineDiffers, ...] = ()
    problem: str = ""

    @property
    def equal(self) -> bool:
        """Whether every line is computed here as it stands there."""
        return not (self.differing or self.problem)


def file_check(path: str, numbers: int, differing: Sequence[LineDiffers]) -> FileCheck:
    """The check of a file with these differences, of which the first are kept."""
    return FileCheck(path, numbers, len(differing), tuple(differing[:SHOWN]))


def sentences(check: FileCheck) -> list[str]:
    """One for each line that is listed, and one for how many more differ."""
    if check.problem:
        return [f"{check.path} {check.problem}"]
    said = []
    for one in check.lines:
        where = check.path if one.line is None else f"{check.path}, line {one.line}"
        there = "nothing" if one.there is None else f"'{_shown(one.there)}'"
        here = "nothing" if one.here is None else f"'{_shown(one.here)}'"
        said.append(f"{where}: there {there}, here {here}")
    more = check.differing - len(check.lines)
    if more:
        differ = "line differs" if more == 1 else "lines differ"
        said.append(f"{check.path}: {more:,} more {differ}")
    return said


def _shown(line: str) -> str:
    return on_one_line(line.replace("\t", " "))[:200]
