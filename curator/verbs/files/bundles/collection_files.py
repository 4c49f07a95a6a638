"""A bundle's official judgments, official ranks and runs, beside those that are here.

A workspace may come by more judgments and ranks than the bundle has; what the bundle
has and is otherwise here, or is here no more, is a difference.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from curator.formats.manifests import file_sha256
from curator.formats.text.notices import counted
from curator.verbs.files.bundles.file_checks import FileCheck, LineDiffers, file_check
from curator.verbs.files.bundles.numbers_files import RUNS, NumbersFile
from curator.verbs.files.collections import (
    export_judgments,
    export_official,
    export_runs,
)
from curator.verbs.files.export_request import ExportOrder

_LINE_BY_LINE = {
    "judgments": (export_judgments, "judgment"),
    "official": (export_official, "official rank"),
}
KINDS = (*_LINE_BY_LINE, "runs")
"""What a file's ``said["kind"]`` is where it is one of these files."""


class CollectionHere:
    """The collection of this workspace, exported as far as somebody compares it."""

    def __init__(self, order: ExportOrder, folder: Path) -> None:
        self._order = order
        self._folder = folder
        self._runs: dict[str, str] | None = None

    def beside(self, one: NumbersFile) -> tuple[FileCheck, str]:
        """The file compared, and a note on what is here beyond it, or ""."""
        if one.said["kind"] == "runs":
            name = str(one.said.get("member")).removeprefix(RUNS)
            if self._hashes().get(name) == one.said.get("sha256"):
                return FileCheck(one.path, 0), ""
            problem = "is not what `curator export WORKSPACE --runs FOLDER` writes here"
            return FileCheck(one.path, 0, problem=problem), ""
        exporter, noun = _LINE_BY_LINE[one.said["kind"]]
        target = self._folder / "collection.txt"
        exporter(replace(self._order, target=target))
        there = _lines(one.text)
        lines_here = _lines(target.read_text(encoding="utf-8")).values()
        here = {_key(line): line for line in lines_here}
        differing = [
            LineDiffers(number, line, here.get(_key(line)))
            for number, line in there.items()
            if here.get(_key(line)) != line
        ]
        more = len(here.keys() - set(map(_key, there.values())))
        are = "is" if more == 1 else "are"
        note = f"{one.path}: {counted(more, noun)} here {are} not in it."
        return file_check(one.path, len(there), differing), note if more else ""

    def _hashes(self) -> dict[str, str]:
        """The SHA-256 of every run by the name of its file."""
        if self._runs is None:
            target = self._folder / "runs"
            export_runs(replace(self._order, target=target))
            self._runs = {one.name: file_sha256(one) for one in target.iterdir()}
        return self._runs


def _lines(text: str) -> dict[int, str]:
    """The lines with a grade or a rank by their numbers, without JSON's commas."""
    lines = (line.strip().removesuffix(",") for line in text.split("\n"))
    return {number: line for number, line in enumerate(lines, start=1) if " " in line}


def _key(line: str) -> str:
    """What the grade or the rank at the end of the line is of."""
    return line.rpartition(" ")[0]
