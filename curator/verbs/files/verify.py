"""``verify``'s numbers: every exported file computed again and compared line by line.

A file is computed at the bank of the event it was made at and under its settings, from
the grades, runs and official ranks as they are now. Numbers are compared as they are
written, digit by digit. A workspace may come by more judgments and ranks than a bundle
has; what the bundle has and is otherwise here, or is here no more, is a difference.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from curator.engine import settings
from curator.engine.opened import OpenWorkspace
from curator.engine.state import State
from curator.errors import BundleError, CuratorError, EvaluationError
from curator.evaluation.releases import label_from
from curator.evaluation.settings import Settings
from curator.formats.manifests import file_sha256
from curator.formats.text.notices import counted
from curator.formats.text.records import described, on_one_line
from curator.formats.text.spreadsheets import is_csv
from curator.formats.trec.scored_boards import form_of
from curator.store import connection as store_connection
from curator.store import history as store_history
from curator.store import releases as store_releases
from curator.store.bundles import tables
from curator.store.bundles.integrity import (
    FileCheck,
    LineDiffers,
    Verification,
    unless,
    verify_file,
)
from curator.unfinished import OwnFolder
from curator.verbs.files.bundles.contents import (
    EXPORTERS,
    RUNS,
    NumbersFile,
    files_of_numbers,
    write_numbers,
)
from curator.verbs.files.export import export_as
from curator.verbs.files.export_request import ExportRequest
from curator.verbs.releases.release import drift_sentence, release_drifts

IN_BLIND_MODE = "In blind mode a judge's check computes no numbers again."
NOT_READABLE = "No number was computed again: the file does not hold together."
SHOWN = 5  # differing lines of a file that are listed

_LINE_BY_LINE = {"judgments": "judgment", "official": "official rank"}


def verify(workspace: OpenWorkspace, against: str | Path | None = None) -> Verification:
    """Re-hash every row, rebuild every rating, compute every exported number.

    The numbers of the bundle that this was rebuilt from, and those of ``against``: a
    bundle, or qrels or a board with their manifest. Raises BundleError and
    InputFileError for a file that cannot be read.
    """
    connection = workspace.connection
    with store_connection.read_once(connection), store_connection.snapshot(connection):
        found = verify_file(connection)
        if found.torn:
            return replace(found, notes=(*found.notes, NOT_READABLE))
        with unless(found.problems), workspace.snapshot() as state:
            # What differs names systems, which a judge in blind mode is not to see.
            if state.viewer.is_judge and state.collection.blind:
                return replace(found, notes=(*found.notes, IN_BLIND_MODE))
            return _with_numbers(state.with_texts.whole, found, against)
    return replace(found, notes=(*found.notes, NOT_READABLE))


def _with_numbers(
    state: State, found: Verification, against: str | Path | None
) -> Verification:
    """The verification with releases, and with every exported number computed again.

    What differs is a problem; labels of a release that its grader gives otherwise by
    now are a note.
    """
    connection = state.connection
    problems, notes = list(found.problems), list(found.notes)
    files = [NumbersFile(*one) for one in tables.read_published(connection)]
    if against is not None:
        wrong, more = files_of_numbers(Path(against), state.queries)
        problems += wrong
        files += more
    damaged = store_releases.faults(connection)
    problems += damaged
    if not damaged:
        drifted = [one for one in release_drifts(state) if one.labels]
        notes += map(drift_sentence, drifted)
    with OwnFolder() as folder:
        comparison = Comparison(state, Path(folder))
        checks = tuple(map(comparison.check, files))
    notes += comparison.notes
    problems += (line for check in checks for line in sentences(check))
    return replace(found, problems=tuple(problems), notes=tuple(notes), files=checks)


class Comparison:
    """This workspace beside exported files, exported as far as they ask for it."""

    def __init__(self, state: State, folder: Path) -> None:
        self.notes: list[str] = []
        self._state = state
        self._past: dict[int, State] = {}
        self._request = ExportRequest(state, "collection", folder / "numbers.txt")

    def check(self, file: NumbersFile) -> FileCheck:
        """The file compared, or why it cannot be."""
        kind = str(file.manifest.get("kind"))
        try:
            if kind == "runs":
                return self._against_run(file)
            if kind in _LINE_BY_LINE:
                return self._against_collection(file, kind)
            return _compared(file, self._computed(file, kind))
        except CuratorError as error:
            return FileCheck(file.path, 0, problem=f"cannot be computed here: {error}")

    def _against_run(self, file: NumbersFile) -> FileCheck:
        name = str(file.manifest.get("member")).removeprefix(RUNS)
        same = self._run_hashes.get(name) == file.manifest.get("sha256")
        problem = "is not what `curator export WORKSPACE --runs FOLDER` writes here"
        return FileCheck(file.path, 0, problem="" if same else problem)

    @cached_property
    def _run_hashes(self) -> dict[str, str]:
        target = self._request.target.parent / "runs"
        export_as(replace(self._request, target=target), "runs")
        return {one.name: file_sha256(one) for one in target.iterdir()}

    def _against_collection(self, file: NumbersFile, kind: str) -> FileCheck:
        noun = _LINE_BY_LINE[kind]
        export_as(self._request, kind)
        there = _ranked_lines(file.text)
        lines = _ranked_lines(self._request.target.read_text(encoding="utf-8"))
        here = {_key(line): line for line in lines.values()}
        differing = [
            LineDiffers(number, line, here.get(_key(line)))
            for number, line in there.items()
            if here.get(_key(line)) != line
        ]
        if more := len(here.keys() - set(map(_key, there.values()))):
            are = "is" if more == 1 else "are"
            self.notes.append(
                f"{file.path}: {counted(more, noun)} here {are} not in it."
            )
        return file_check(file.path, len(there), differing)

    def _computed(self, file: NumbersFile, kind: str) -> str:
        """The file's text as this workspace gives it. Raises CuratorError."""
        manifest = file.manifest
        if kind not in EXPORTERS:
            raise BundleError(f"its manifest says that it is {described(kind)}.")
        state = self._state
        release = _release(state.connection, manifest)
        if release is None:
            event = _number(manifest, "event", 0)
            if event not in self._past:
                bank = store_history.bank_at(state.connection, state.bank, event)
                self._past[event] = state.with_bank(bank)
            state = self._past[event]
        ending = ".csv" if is_csv(Path(file.path)) else ".txt"
        if form := form_of(file.path):
            ending = f".{form}"
        request = ExportRequest(
            state,
            kind,
            self._request.target.with_suffix(ending),
            None if release else _settings(state, manifest),
            release,
            binary=bool(manifest.get("binary")),
            by_subtopic=bool(manifest.get("by_subtopic")),
            graded=bool(manifest.get("graded")),
            allow_partial=bool(manifest.get("allow_partial")),
        )
        try:
            write_numbers(request)
        except EvaluationError:
            if request.allow_partial:
                raise
            # Grades are missing here that were not there: which lines that concerns.
            write_numbers(replace(request, allow_partial=True))
        return request.target.read_bytes().decode()


def _release(connection: sqlite3.Connection, manifest: Mapping[str, Any]) -> Any:
    """The release that the numbers are of, None where they are of none."""
    named = manifest.get("release")
    if named is None:
        return None
    if not isinstance(named, dict):
        raise BundleError(f"its manifest names the release {described(named)}.")
    found = store_releases.read_release(connection, str(named.get("name")))
    if found[0].sha256 != named.get("sha256"):
        raise BundleError(
            f"release '{found[0].name}' here has the SHA-256 {found[0].sha256}, not "
            f"{described(named.get('sha256'))}."
        )
    return found


def _settings(state: State, manifest: Mapping[str, Any]) -> Settings:
    """The settings of the manifest. Raises CuratorError where they make no sense."""
    found = manifest.get("settings")
    if not isinstance(found, dict):
        raise BundleError("its manifest has no settings.")
    for name in ("grader", "measure"):
        if not isinstance(found.get(name), str):
            value = described(found.get(name))
            raise BundleError(f"its manifest has the {name} {value}.")
    least = _number(found, "min_answered", 1) if "min_answered" in found else 1
    numbers = _number(found, "min_rating", 0), _number(found, "k", 1), least
    try:
        label = label_from(found)
    except ValueError as error:
        raise BundleError(f"its manifest {error}.") from None
    settings.settings(state, found["grader"] or None, found["measure"], *numbers, label)
    if found["grader"]:
        state.grader(found["grader"])  # this very one, not one of a similar name
    return Settings(found["grader"], found["measure"], *numbers, label=label)


def _number(manifest: Mapping[str, Any], name: str, least: int) -> int:
    found = manifest.get(name)
    if type(found) is not int or found < least:
        raise BundleError(f"its manifest has the {name} {described(found)}.")
    return found


def _compared(file: NumbersFile, here: str) -> FileCheck:
    """The two texts side by side: lines of one query and passage, or one system."""
    is_table = file.manifest.get("kind") == "leaderboard" and not form_of(file.path)
    width = 1 if is_table else 3
    blank = None if width == 3 else "," if is_csv(Path(file.path)) else "\t"
    there_lines, here_lines = file.text.split("\n"), here.split("\n")
    computed = {tuple(line.split(blank)[:width]): line for line in here_lines}
    differing = [
        LineDiffers(number, line, other)
        for number, line in enumerate(there_lines, start=1)
        if (other := computed.pop(tuple(line.split(blank)[:width]), None)) != line
    ]
    differing += [LineDiffers(None, None, line) for line in computed.values()]
    if not differing:
        pairs = enumerate(zip(there_lines, here_lines, strict=False), start=1)
        differing = [
            LineDiffers(number, there, line)
            for number, (there, line) in pairs
            if there != line
        ]
    numbers = sum(_numbers_in(line.split(blank)[width:]) for line in there_lines)
    return file_check(file.path, numbers, differing)


def file_check(path: str, numbers: int, differing: Sequence[LineDiffers]) -> FileCheck:
    """The check of a file with these differences, of which the first are kept."""
    return FileCheck(path, numbers, len(differing), tuple(differing[:SHOWN]))


def sentences(check: FileCheck) -> list[str]:
    """One for each line that is listed, and one for how many more differ."""
    if check.problem:
        return [f"{check.path} {check.problem}"]
    found = []
    for one in check.lines:
        where = check.path if one.line is None else f"{check.path}, line {one.line}"
        found.append(f"{where}: there {_shown(one.there)}, here {_shown(one.here)}")
    if more := check.differing - len(check.lines):
        differ = "line differs" if more == 1 else "lines differ"
        found.append(f"{check.path}: {more:,} more {differ}")
    return found


def _shown(line: str | None) -> str:
    if line is None:
        return "nothing"
    return f"'{on_one_line(line.replace(chr(9), ' '))[:200]}'"


def _ranked_lines(text: str) -> dict[int, str]:
    """The lines with a grade or a rank by their numbers, without JSON's commas."""
    lines = (line.strip().removesuffix(",") for line in text.split("\n"))
    return {number: line for number, line in enumerate(lines, start=1) if " " in line}


def _key(line: str) -> str:
    """What the grade or the rank at the end of the line is of."""
    return line.rpartition(" ")[0]


def _numbers_in(cells: Iterable[str]) -> int:
    return sum(cell.strip().lstrip("-").replace(".", "", 1).isdigit() for cell in cells)
