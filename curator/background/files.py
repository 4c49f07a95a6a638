"""Files made for the Export page: small ones while it is drawn, large ones beside it.

The small ones lie in a temporary folder that goes with the session. A large one is made
by the command line, and is the server's, so that a page that is loaded again finds what
was asked for there: for the same judge, out of the same state of the workspace.
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

from curator.background.commands import output_of
from curator.background.service import Service
from curator.errors import CuratorError
from curator.evaluation.settings import DEFAULT_LABEL, DEFAULT_MIN_ANSWERED, Settings
from curator.formats.text.output_files import first_lines
from curator.tables.files import counted_kind
from curator.unfinished import OwnFolder
from curator.verbs.files.export_request import ExportSummary
from curator.workspace import Workspace
from grading.errors import GradingError

SHOWN_LINES = 20  # of a file, before it is asked for
KEPT = 6  # files of a judge; older ones are made again
UNEXPECTED = "It ended without a file; the server's log says why."


@dataclass(frozen=True, slots=True)
class Wanted:
    """A file out of one state of a workspace, under everything that decides on it."""

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
class Made:
    """What came of it: a file with what is to be known of it, or why there is none.

    ``lines`` are its first, or the names of what is zipped; ``more`` says that others
    follow. ``path`` is None for a file of which only these were made.
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


class Kept:
    """Files in a folder of their own, the latest of every judge; safe in threads."""

    def __init__(self) -> None:
        self._folder = OwnFolder()
        self._lock = threading.Lock()
        self._made: dict[Wanted, Made] = {}
        self._number = 0

    @property
    def folder(self) -> Path:
        """Where they lie."""
        return Path(self._folder.name)

    def found(self, wanted: Wanted) -> Made | None:
        """What was made of this, None where nothing was."""
        with self._lock:
            return self._made.get(wanted)

    def place(self, wanted: Wanted) -> Path:
        """Where the file is to lie, in a folder of its own."""
        with self._lock:
            self._number += 1
            folder = self.folder / str(self._number)
        folder.mkdir()
        return folder / wanted.name

    def keep(self, wanted: Wanted, made: Made) -> None:
        """Keep it, and let the oldest of the same judge's go where these are many."""
        with self._lock:
            self._made.pop(wanted, None)
            self._made[wanted] = made
            whose = (wanted.path, wanted.judge)
            theirs = [one for one in self._made if (one.path, one.judge) == whose]
            old = [self._made.pop(one) for one in theirs[:-KEPT]]
        for one in old:
            if one.path is not None:
                rmtree(one.path.parent, ignore_errors=True)


class MadeFiles(Kept):
    """What one session is shown, made as it is drawn; an error of its user's a line."""

    def __init__(self) -> None:
        super().__init__()
        self._seen: tuple[Wanted, Made] | None = None

    def now(self, workspace: Workspace, wanted: Wanted) -> Made:
        """The file, made while the page is drawn; kept as long as nothing changes."""
        made = self.found(wanted)
        if made is None:
            target = self.place(wanted)
            try:
                summary = _export(workspace, wanted, target)
            except (CuratorError, GradingError) as error:
                made = Made(line=str(error))
            else:
                if target.suffix == ".zip":
                    with ZipFile(target) as packed:
                        lines = packed.namelist()[: SHOWN_LINES + 1]
                else:
                    with open(target, encoding="utf-8") as file:
                        beginning = islice(file, SHOWN_LINES + 1)
                        lines = [line.rstrip("\r\n") for line in beginning]
                made = Made(
                    target,
                    target.stat().st_size,
                    counted_kind(summary.written, summary.what),
                    tuple(lines[:SHOWN_LINES]),
                    len(lines) > SHOWN_LINES,
                    summary.notices,
                    summary.lost or workspace.dropped(wanted.kind),
                    summary.sidecar,
                )
            self.keep(wanted, made)
        return made

    def begun(self, workspace: Workspace, wanted: Wanted) -> Made:
        """The first lines of a file that is not made, and what it has no place for."""
        if self._seen is None or self._seen[0] != wanted:
            target = self.place(wanted)
            try:
                # No more than these are written anywhere.
                with first_lines(target, SHOWN_LINES) as seen:
                    _export(workspace, wanted, target)
            except (CuratorError, GradingError) as error:
                made = Made(line=str(error))
            else:
                lost = workspace.dropped(wanted.kind)
                made = Made(lines=tuple(seen.lines()), more=seen.cut, lost=lost)
            finally:
                rmtree(target.parent, ignore_errors=True)
            self._seen = (wanted, made)
        return self._seen[1]


def _export(workspace: Workspace, wanted: Wanted, target: Path) -> ExportSummary:
    return workspace.export(
        wanted.kind,
        target,
        wanted.settings,
        release=wanted.release or None,
        binary=wanted.binary,
        by_subtopic=wanted.by_subtopic,
        graded=wanted.graded,
        allow_partial=wanted.partial,
    )


@dataclass(frozen=True, slots=True)
class FileTask:
    """To make a large file, and to keep it."""

    wanted: Wanted
    kept: Kept

    lane: ClassVar[tuple[str, int]] = ("making a file", 4)

    @property
    def is_made(self) -> bool:
        """Whether the file is there."""
        made = self.kept.found(self.wanted)
        return made is not None and made.path is not None

    def run(self, service: Service | None = None) -> None:
        place = self.kept.place(self.wanted)
        self.kept.keep(self.wanted, written(self.wanted, place))

    def failed(self) -> None:
        self.kept.keep(self.wanted, Made(line=UNEXPECTED))


def command(wanted: Wanted, target: Path) -> list[str]:
    """The arguments of the command that writes it."""
    made = ["export", f"--{wanted.kind.replace('_', '-')}={target}", "--format=json"]
    if wanted.settings is not None:
        one = wanted.settings
        made += [f"--grader={one.grader}"] if one.grader else []
        made += [f"--measure={one.measure}", f"--min-rating={one.min_rating}"]
        made += ["-k", str(one.k)]
        if one.label != DEFAULT_LABEL:
            made.append(f"--label={one.label}")
        if one.min_answered != DEFAULT_MIN_ANSWERED:
            made.append(f"--min-answered={one.min_answered}")
    made += [f"--release={wanted.release}"] if wanted.release else []
    made += ["--graded"] if wanted.graded else []
    made += ["--allow-partial"] if wanted.partial else []
    return [*made, "--", str(wanted.path)]


def written(wanted: Wanted, target: Path) -> Made:
    """What the command writes and prints; an error of the user's is its one line."""
    output, line = output_of(
        command(wanted, target),
        judge=wanted.judge,
        tied=True,
        as_judge=True,
        # What it makes on the way lies beside the file, and goes with it.
        variables={"TMPDIR": str(target.parent)},
    )
    if output is None or not target.is_file():
        return Made(line=line or UNEXPECTED)
    (summary,) = json.loads(output)
    return Made(
        target,
        target.stat().st_size,
        counted_kind(summary["written"], summary["what"]),
        notices=tuple(summary["notices"]),
        lost=tuple(summary["lost"]),
        sidecar=Path(summary["sidecar"]) if summary["sidecar"] else None,
    )
