"""Files for the Export tab: small ones at once, large ones in the background.

Small files are in a temporary folder of the session. A large file is written by a
command and belongs to the server, so that a reloaded page finds it again, for the same
judge and the same state of the workspace.
"""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from shutil import rmtree
from typing import ClassVar
from zipfile import ZipFile

from curator.background.commands import run_command
from curator.background.service import Service
from curator.errors import CuratorError
from curator.evaluation.settings import DEFAULT_LABEL, DEFAULT_MIN_ANSWERED, Settings
from curator.formats.text.output_files import first_lines
from curator.tables.files import counted_kind
from curator.unfinished import LockedFolder
from curator.verbs.files.export_request import ExportSummary
from curator.workspace import Workspace
from grading.errors import GradingError

SHOWN_LINES = 20  # of a file, before it is requested
MAX_FILES = 6  # files per judge; older ones are made again
UNEXPECTED = "The file could not be made; see the server's log."


@dataclass(frozen=True, slots=True)
class FileRequest:
    """Request of a file from one state of a workspace."""

    path: Path
    pulse: int
    judge: str
    kind: str
    name: str
    settings: Settings | None = None
    release: str = ""
    binary: bool = False
    by_subtopic: bool = False
    graded: bool = False
    partial: bool = False


@dataclass(frozen=True, slots=True)
class FileResult:
    """The result of a request: a file with its metadata, or the reason for none.

    ``lines`` are its first lines, or the names in a zip; ``more`` says that others
    follow. ``path`` is None if only these lines were made.
    """

    path: Path | None = None
    size: int = 0
    what: str = ""
    lines: tuple[str, ...] = ()
    more: bool = False
    notices: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    sidecar: Path | None = None
    line: str = ""


class LatestFiles:
    """Files in a temporary folder, the latest of every judge; thread-safe."""

    def __init__(self) -> None:
        self._folder = LockedFolder()
        self._lock = threading.Lock()
        self._results: dict[FileRequest, FileResult] = {}
        self._number = 0

    @property
    def folder(self) -> Path:
        return Path(self._folder.name)

    def get(self, request: FileRequest) -> FileResult | None:
        with self._lock:
            return self._results.get(request)

    def new_path(self, request: FileRequest) -> Path:
        """Return a path for the file, in a new folder."""
        with self._lock:
            self._number += 1
            folder = self.folder / str(self._number)
        folder.mkdir()
        return folder / request.name

    def store(self, request: FileRequest, result: FileResult) -> None:
        """Store the result, and delete the judge's oldest ones if there are many."""
        with self._lock:
            self._results.pop(request, None)
            self._results[request] = result
            owner = (request.path, request.judge)
            owned = [
                other for other in self._results if (other.path, other.judge) == owner
            ]
            outdated = [self._results.pop(other) for other in owned[:-MAX_FILES]]
        for outdated_file in outdated:
            if outdated_file.path is not None:
                rmtree(outdated_file.path.parent, ignore_errors=True)


class SessionFiles(LatestFiles):
    """Files of one session, made while a page is drawn; a user error is a line."""

    def __init__(self) -> None:
        super().__init__()
        self._previewed: tuple[FileRequest, FileResult] | None = None

    def make(self, workspace: Workspace, request: FileRequest) -> FileResult:
        """Return the file, made while the page is drawn; cached until a change."""
        result = self.get(request)
        if result is None:
            target = self.new_path(request)
            try:
                summary = _export(workspace, request, target)
            except (CuratorError, GradingError) as error:
                result = FileResult(line=str(error))
            else:
                if target.suffix == ".zip":
                    with ZipFile(target) as archive:
                        lines = archive.namelist()[: SHOWN_LINES + 1]
                else:
                    with open(target, encoding="utf-8") as file:
                        first = islice(file, SHOWN_LINES + 1)
                        lines = [line.rstrip("\r\n") for line in first]
                result = FileResult(
                    target,
                    target.stat().st_size,
                    counted_kind(summary.written, summary.what),
                    tuple(lines[:SHOWN_LINES]),
                    len(lines) > SHOWN_LINES,
                    summary.notices,
                    summary.lost or workspace.dropped(request.kind),
                    summary.sidecar,
                )
            self.store(request, result)
        return result

    def preview(self, workspace: Workspace, request: FileRequest) -> FileResult:
        """Return the first lines of a file without making it, and its lost fields."""
        if self._previewed is None or self._previewed[0] != request:
            target = self.new_path(request)
            try:
                # Writing stops after these lines.
                with first_lines(target, SHOWN_LINES) as beginning:
                    _export(workspace, request, target)
            except (CuratorError, GradingError) as error:
                result = FileResult(line=str(error))
            else:
                lost = workspace.dropped(request.kind)
                result = FileResult(
                    lines=tuple(beginning.lines()), more=beginning.cut, lost=lost
                )
            finally:
                rmtree(target.parent, ignore_errors=True)
            self._previewed = (request, result)
        return self._previewed[1]


def _export(workspace: Workspace, request: FileRequest, target: Path) -> ExportSummary:
    return workspace.export(
        request.kind,
        target,
        request.settings,
        release=request.release or None,
        binary=request.binary,
        by_subtopic=request.by_subtopic,
        graded=request.graded,
        allow_partial=request.partial,
    )


@dataclass(frozen=True, slots=True)
class FileTask:
    """Task that makes a large file and keeps it."""

    request: FileRequest
    files: LatestFiles

    lane: ClassVar[tuple[str, int]] = ("making a file", 4)

    @property
    def is_done(self) -> bool:
        result = self.files.get(self.request)
        return result is not None and result.path is not None

    def run(self, service: Service | None = None) -> None:
        path = self.files.new_path(self.request)
        self.files.store(self.request, write_file(self.request, path))

    def failed(self) -> None:
        self.files.store(self.request, FileResult(line=UNEXPECTED))


def export_arguments(request: FileRequest, target: Path) -> list[str]:
    """Return the arguments of the command that writes the file."""
    arguments = [
        "export",
        f"--{request.kind.replace('_', '-')}={target}",
        "--format=json",
    ]
    if request.settings is not None:
        settings = request.settings
        arguments += [f"--grader={settings.grader}"] if settings.grader else []
        arguments += [
            f"--measure={settings.measure}",
            f"--min-rating={settings.min_rating}",
        ]
        arguments += ["-k", str(settings.k)]
        if settings.label != DEFAULT_LABEL:
            arguments.append(f"--label={settings.label}")
        if settings.min_answered != DEFAULT_MIN_ANSWERED:
            arguments.append(f"--min-answered={settings.min_answered}")
    arguments += [f"--release={request.release}"] if request.release else []
    arguments += ["--graded"] if request.graded else []
    arguments += ["--allow-partial"] if request.partial else []
    return [*arguments, "--", str(request.path)]


def write_file(request: FileRequest, target: Path) -> FileResult:
    """Run the command and return its result; a user error is its one line."""
    output, line = run_command(
        export_arguments(request, target),
        judge=request.judge,
        ends_with_parent=True,
        as_judge=True,
        # Its temporary files are in the file's folder, and are deleted with it.
        variables={"TMPDIR": str(target.parent)},
    )
    if output is None or not target.is_file():
        return FileResult(line=line or UNEXPECTED)
    (summary,) = json.loads(output)
    return FileResult(
        target,
        target.stat().st_size,
        counted_kind(summary["written"], summary["what"]),
        notices=tuple(summary["notices"]),
        lost=tuple(summary["lost"]),
        sidecar=Path(summary["sidecar"]) if summary["sidecar"] else None,
    )
