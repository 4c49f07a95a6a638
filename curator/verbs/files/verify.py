"""Recompute every exported number and compare it with the file, line by line.

A file is computed with the bank at its event and its settings, and with the current
grades, runs and official ranks. Numbers are compared as written, digit by digit.
Judgments and ranks that are new in the workspace are no difference; those of the bundle
that have changed or are missing are.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from curator.errors import BundleError, CuratorError, EvaluationError
from curator.evaluation.releases import parse_settings
from curator.evaluation.settings import Settings
from curator.formats.text.notices import counted
from curator.formats.text.output_files import SUFFIX, file_sha256
from curator.formats.text.records import described, on_one_line
from curator.formats.text.spreadsheets import is_csv
from curator.formats.trec.scored_boards import form_of
from curator.snapshot import settings
from curator.snapshot.opened import OpenWorkspace
from curator.snapshot.snapshot import Snapshot
from curator.store import connection as store_connection
from curator.store import history as store_history
from curator.store import releases as store_releases
from curator.store.bundles import copies
from curator.store.bundles.integrity import (
    FileCheck,
    LineDifference,
    Verification,
    ignore_errors_after,
    verify_file,
)
from curator.unfinished import LockedFolder
from curator.verbs.files.bundles.contents import (
    RUNS,
    NumbersFile,
    files_of_numbers,
    write_numbers,
)
from curator.verbs.files.export import NUMBERS, export_as
from curator.verbs.files.export_request import ExportRequest
from curator.verbs.releases import drift_sentence, release_drifts

IN_BLIND_MODE = "Numbers are not recomputed for judges in blind mode."
NOT_READABLE = "No number was recomputed: the file is damaged."
SHOWN = 5  # differing lines listed for each file

_LINE_BY_LINE = {"judgments": "judgment", "official": "official rank"}


def verify(workspace: OpenWorkspace, against: str | Path | None = None) -> Verification:
    """Compute every text hash, rating and exported number again, and compare.

    The exported numbers are those of the bundle that the workspace was rebuilt from,
    and those of ``against``. Raises BundleError and InputFileError for a file that
    cannot be read.

    Args:
        against (FILE): Also check the numbers of this bundle, or of qrels or a board
            with their manifest.
    """
    connection = workspace.connection
    with (
        store_connection.without_mmap(connection),
        store_connection.read_transaction(connection),
    ):
        verification = verify_file(connection)
        if verification.torn:
            return replace(verification, notes=(*verification.notes, NOT_READABLE))
        with (
            ignore_errors_after(verification.problems),
            workspace.snapshot() as snapshot,
        ):
            # Differences name systems, which are hidden from judges in blind mode.
            if snapshot.viewer.is_judge and snapshot.collection.blind:
                return replace(verification, notes=(*verification.notes, IN_BLIND_MODE))
            return _with_numbers(snapshot.full, verification, against)
    return replace(verification, notes=(*verification.notes, NOT_READABLE))


def _with_numbers(
    snapshot: Snapshot, verification: Verification, against: str | Path | None
) -> Verification:
    """Add the releases and the recomputed numbers to the verification.

    A difference is a problem; labels of a release that its grader would now give
    differently are a note.
    """
    connection = snapshot.connection
    problems, notes = list(verification.problems), list(verification.notes)
    files = [NumbersFile(*entry) for entry in copies.read_published(connection)]
    if against is not None:
        wrong, more = files_of_numbers(Path(against), snapshot.queries)
        problems += wrong
        files += more
        name = Path(against).name.removesuffix(SUFFIX)
        notes.append(f"Files compared from {name}: {len(more):,}.")
    damaged = store_releases.release_problems(connection)
    problems += damaged
    if not damaged:
        drifted = [drift for drift in release_drifts(snapshot) if drift.labels]
        notes += map(drift_sentence, drifted)
    with LockedFolder() as folder:
        comparison = ExportComparison(snapshot, Path(folder))
        checks = tuple(map(comparison.check, files))
    notes += comparison.notes
    problems += (line for check in checks for line in sentences(check))
    return replace(
        verification, problems=tuple(problems), notes=tuple(notes), files=checks
    )


class ExportComparison:
    """Compares this workspace with exported files, exporting what they need."""

    def __init__(self, snapshot: Snapshot, folder: Path) -> None:
        self.notes: list[str] = []
        self._snapshot = snapshot
        self._past: dict[int, Snapshot] = {}
        self._request = ExportRequest(snapshot, "collection", folder / "numbers.txt")

    def check(self, file: NumbersFile) -> FileCheck:
        """Compare the file, or return the reason why it cannot be compared."""
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
        is_same = self._run_hashes.get(name) == file.manifest.get("sha256")
        problem = "is not what `curator export WORKSPACE --runs FOLDER` writes here"
        return FileCheck(file.path, 0, problem="" if is_same else problem)

    @cached_property
    def _run_hashes(self) -> dict[str, str]:
        target = self._request.target.parent / "runs"
        export_as(replace(self._request, target=target), "runs")
        return {run.name: file_sha256(run) for run in target.iterdir()}

    def _against_collection(self, file: NumbersFile, kind: str) -> FileCheck:
        """Compare judgments or official ranks; those that are new here are a note."""
        export_as(self._request, kind)
        here = self._request.target.read_text(encoding="utf-8")
        differing = _differences(
            _ranked(file.text), _ranked(here), lambda line: line.rpartition(" ")[0]
        )
        new = [line for line in differing if line.there is None]
        if new:
            number = counted(len(new), _LINE_BY_LINE[kind])
            self.notes.append(f"{file.path}: {number} only here.")
        differing = [line for line in differing if line not in new]
        lines = len([*filter(None, _ranked(file.text))])
        return _file_check(file.path, lines, differing)

    def _computed(self, file: NumbersFile, kind: str) -> str:
        """Export the file's text from this workspace. Raises CuratorError."""
        manifest = file.manifest
        if kind not in NUMBERS:
            raise BundleError(f"its manifest has the unknown kind {described(kind)}.")
        snapshot = self._snapshot
        release = _release(snapshot.connection, manifest)
        if release is None:
            event = manifest.get("event")
            if type(event) is not int or event < 0:
                raise BundleError(f"its manifest has the event {described(event)}.")
            if event not in self._past:
                bank = store_history.bank_at(snapshot.connection, snapshot.bank, event)
                self._past[event] = snapshot.with_bank(bank)
            snapshot = self._past[event]
        ending = ".csv" if is_csv(Path(file.path)) else ".txt"
        if form := form_of(file.path):
            ending = f".{form}"
        request = ExportRequest(
            snapshot,
            kind,
            self._request.target.with_suffix(ending),
            None if release else _settings(snapshot, manifest),
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
            # Grades are missing now that were not then: list the lines concerned.
            write_numbers(replace(request, allow_partial=True))
        return request.target.read_bytes().decode()


def _release(connection: sqlite3.Connection, manifest: Mapping[str, Any]) -> Any:
    """The release whose numbers the file has; None without one."""
    named = manifest.get("release")
    if named is None:
        return None
    if not isinstance(named, dict):
        raise BundleError(f"its manifest names the release {described(named)}.")
    release = store_releases.read_release(connection, str(named.get("name")))
    if release[0].sha256 != named.get("sha256"):
        raise BundleError(
            f"release '{release[0].name}' here has the SHA-256 {release[0].sha256}, "
            f"not {described(named.get('sha256'))}."
        )
    return release


def _settings(snapshot: Snapshot, manifest: Mapping[str, Any]) -> Settings:
    """Parse the settings of the manifest. Raises CuratorError for invalid ones."""
    try:
        parsed = parse_settings(manifest.get("settings"))
    except ValueError as error:
        raise BundleError(f"its manifest {error}.") from None
    settings.settings(
        snapshot,
        parsed.grader or None,
        parsed.measure,
        parsed.min_rating,
        parsed.k,
        parsed.min_answered,
        parsed.label,
    )
    if parsed.grader:
        snapshot.grader(parsed.grader)  # exact name, no abbreviation
    return parsed


def _compared(file: NumbersFile, computed_text: str) -> FileCheck:
    """Compare the lines of one query and passage, or of one system."""
    is_table = file.manifest.get("kind") == "leaderboard" and not form_of(file.path)
    width = 1 if is_table else 3
    blank = None if width == 3 else "," if is_csv(Path(file.path)) else "\t"
    lines, computed = file.text.split("\n"), computed_text.split("\n")
    differing = _differences(lines, computed, lambda line: line.split(blank)[:width])
    if not differing:  # the order of the lines
        places = enumerate(zip(lines, computed, strict=False), start=1)
        differing = [LineDifference(n, *pair) for n, pair in places if len({*pair}) > 1]
    cells = (cell.strip() for line in lines for cell in line.split(blank)[width:])
    numbers = sum(cell.lstrip("-").replace(".", "", 1).isdigit() for cell in cells)
    return _file_check(file.path, numbers, differing)


def _differences(
    lines: Sequence[str], computed: Sequence[str], key: Callable[[str], Any]
) -> list[LineDifference]:
    """List the lines that differ from the computed line with the same key."""
    unmatched = {str(key(line)): line for line in computed if line}
    differing = [
        LineDifference(number, line, other)
        for number, line in enumerate(lines, start=1)
        if line and (other := unmatched.pop(str(key(line)), None)) != line
    ]
    return differing + [LineDifference(None, None, line) for line in unmatched.values()]


def _file_check(
    path: str, numbers: int, differing: Sequence[LineDifference]
) -> FileCheck:
    return FileCheck(path, numbers, len(differing), tuple(differing[:SHOWN]))


def sentences(check: FileCheck) -> list[str]:
    """A sentence for each listed line, and one with the number of others."""
    if check.problem:
        return [f"{check.path} {check.problem}"]
    messages = []
    for line in check.lines:
        place = check.path if line.line is None else f"{check.path}, line {line.line}"
        in_file, here = _quoted(line.there), _quoted(line.here)
        messages.append(f"{place}: {in_file} in the file, {here} here")
    if more := check.differing - len(check.lines):
        messages.append(f"{check.path}: {counted(more, 'more line')} differing")
    return messages


def _quoted(line: str | None) -> str:
    if line is None:
        return "nothing"
    return f"'{on_one_line(line.replace(chr(9), ' '))[:200]}'"


def _ranked(text: str) -> list[str]:
    """Lines that end in a grade or a rank, without JSON's commas; "" for others."""
    lines = (line.strip().removesuffix(",") for line in text.split("\n"))
    return [line if " " in line else "" for line in lines]
