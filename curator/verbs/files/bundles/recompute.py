"""``verify``'s numbers: every exported file computed again and compared line by line.

A file is computed at the bank of the event it was made at and under its settings, from
the grades, runs and official ranks as they are now. Numbers are compared as they are
written, digit by digit.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from curator.engine import settings
from curator.engine.opened import OpenWorkspace
from curator.engine.state import State
from curator.errors import (
    BundleError,
    CuratorError,
    EvaluationError,
)
from curator.evaluation.settings import Settings
from curator.formats.text.records import described
from curator.formats.text.spreadsheets import is_csv
from curator.store import connection as store_connection
from curator.store import history as store_history
from curator.store import releases as store_releases
from curator.store.bundles import tables
from curator.verbs.files.bundles.collection_files import KINDS, CollectionHere
from curator.verbs.files.bundles.contents import written_numbers
from curator.verbs.files.bundles.file_checks import (
    FileCheck,
    LineDiffers,
    file_check,
    sentences,
)
from curator.verbs.files.bundles.numbers_files import NumbersFile, files_of_numbers
from curator.verbs.files.export_request import ExportOrder
from curator.verbs.files.numbers import export_leaderboard, export_qrels
from curator.verbs.files.verify import Verification, verify_file
from curator.verbs.releases.release import drift_sentence, release_drifts

IN_BLIND_MODE = "In blind mode a judge's check computes no numbers again."
NOT_READABLE = "No number was computed again: the file does not hold together."

EXPORTERS = {"qrels": export_qrels, "leaderboard": export_leaderboard}


def verify(workspace: OpenWorkspace, against: str | Path | None = None) -> Verification:
    """Re-hash every text, rebuild every rating, compute every exported number.

    The numbers of the bundle that this was rebuilt from, and those of ``against``: a
    bundle, or qrels or a board with their manifest. Raises BundleError and
    InputFileError for a file that cannot be read.
    """
    with store_connection.snapshot(workspace.connection):
        found = verify_file(workspace.connection)
        if found.torn:
            return replace(found, notes=(*found.notes, NOT_READABLE))
        with workspace.snapshot() as state:
            # What differs names systems, which a judge in blind mode is not to see.
            if state.viewer.is_judge and state.collection.blind:
                return replace(found, notes=(*found.notes, IN_BLIND_MODE))
            file = None if against is None else Path(against)
            return _with_numbers(state.whole, found, file)


def _with_numbers(
    state: State, found: Verification, against: Path | None
) -> Verification:
    """The verification with releases, and with every exported number computed again.

    What differs is a problem; labels of a release that its grader
    gives otherwise by now are a note. Raises BundleError and InputFileError for a file
    that cannot be read.
    """
    connection = state.connection
    problems, notes = list(found.problems), list(found.notes)
    files = [NumbersFile(*one) for one in tables.read_published(connection)]
    if against is not None:
        wrong, more = files_of_numbers(against)
        problems += wrong
        files += more
    damaged = store_releases.faults(connection)
    problems += damaged
    if not damaged:
        drifted = [one for one in release_drifts(state) if one.labels]
        notes += map(drift_sentence, drifted)
    checks, more_here = _checked(state, files)
    notes += more_here
    problems += (said for check in checks for said in sentences(check))
    return replace(
        found, problems=tuple(problems), notes=tuple(notes), files=tuple(checks)
    )


def _checked(
    state: State, files: Iterable[NumbersFile]
) -> tuple[list[FileCheck], list[str]]:
    """Every file compared, and notes."""
    past: dict[int, State] = {}
    checks, notes = [], []
    with TemporaryDirectory() as folder:
        order = ExportOrder(state, "collection", Path(folder))
        collection = CollectionHere(order, Path(folder))
        for one in files:
            try:
                if one.said.get("kind") in KINDS:
                    check, note = collection.beside(one)
                    checks.append(check)
                    notes += [note] if note else []
                    continue
                here = _computed(state, past, one, Path(folder))
                checks.append(_compared(one, here))
            except CuratorError as error:
                problem = f"cannot be computed here: {error}"
                checks.append(FileCheck(one.path, 0, problem=problem))
    return checks, notes


def _computed(
    state: State,
    past: dict[int, State],
    one: NumbersFile,
    folder: Path,
) -> str:
    """The file's text as this workspace gives it. Raises CuratorError."""
    exporter = EXPORTERS.get(kind := str(one.said.get("kind")))
    if exporter is None:
        raise BundleError(f"its manifest says that it is {described(kind)}.")
    release = _release(state.connection, one.said)
    if release is None:
        event = _number(one.said, "event", 0)
        if event not in past:
            bank = store_history.bank_at(state.connection, state.bank, event)
            past[event] = state.with_bank(bank)
        state = past[event]
    ending = ".csv" if is_csv(Path(one.path)) else ".txt"
    order = ExportOrder(
        state,
        kind,
        folder / f"numbers{ending}",
        None if release else _settings(state, one.said),
        release,
        binary=bool(one.said.get("binary")),
        by_subtopic=bool(one.said.get("by_subtopic")),
        allow_partial=bool(one.said.get("allow_partial")),
    )
    try:
        target, _ = written_numbers(order, exporter, order.target)
    except EvaluationError:
        if order.allow_partial:
            raise
        # Grades are missing here that were not there: which lines that concerns.
        partial = replace(order, allow_partial=True)
        target, _ = written_numbers(partial, exporter, order.target)
    return target.read_bytes().decode()


def _release(connection: sqlite3.Connection, said: Mapping[str, Any]) -> Any:
    """The release that the numbers are of, None where they are of none."""
    named = said.get("release")
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


def _settings(state: State, said: Mapping[str, Any]) -> Settings:
    """The settings of the manifest. Raises CuratorError where they make no sense."""
    found = said.get("settings")
    if not isinstance(found, dict):
        raise BundleError("its manifest has no settings.")
    for name in ("grader", "measure"):
        if not isinstance(found.get(name), str):
            value = described(found.get(name))
            raise BundleError(f"its manifest has the {name} {value}.")
    numbers = _number(found, "min_rating", 0), _number(found, "k", 1)
    settings.settings(state, found["grader"] or None, found["measure"], *numbers)
    if found["grader"]:
        state.grader(found["grader"])  # this very one, not one of a similar name
    return Settings(found["grader"], found["measure"], *numbers)


def _number(said: Mapping[str, Any], name: str, least: int) -> int:
    found = said.get(name)
    if type(found) is not int or found < least:
        raise BundleError(f"its manifest has the {name} {described(found)}.")
    return found


def _compared(one: NumbersFile, here: str) -> FileCheck:
    """The two texts side by side: lines of one query and passage, or one system."""
    width = 3 if one.said.get("kind") == "qrels" else 1
    blank = None if width == 3 else "," if is_csv(Path(one.path)) else "\t"
    there_lines, here_lines = one.text.split("\n"), here.split("\n")
    computed: dict[tuple[str, ...], str] = {}
    for line in here_lines:
        computed[tuple(line.split(blank)[:width])] = line
    differing: list[LineDiffers] = []
    for number, line in enumerate(there_lines, start=1):
        other = computed.pop(tuple(line.split(blank)[:width]), None)
        if other != line:
            differing.append(LineDiffers(number, line, other))
    differing += [LineDiffers(None, None, line) for line in computed.values()]
    if not differing and there_lines != here_lines:
        for number, (there, line) in enumerate(
            zip(there_lines, here_lines, strict=False), start=1
        ):
            if there != line:
                differing.append(LineDiffers(number, there, line))
    numbers = sum(_numbers_in(line.split(blank)[width:]) for line in there_lines)
    return file_check(one.path, numbers, differing)


def _numbers_in(cells: Iterable[str]) -> int:
    return sum(cell.strip().lstrip("-").replace(".", "", 1).isdigit() for cell in cells)
