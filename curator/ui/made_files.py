"""Files made for one session: small ones at once, large ones beside the page.

They lie in a temporary folder that goes with the session. A large one is written by the
command line in a process of its own, so that no click waits for it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory

from curator.errors import CuratorError
from curator.evaluation.settings import Settings
from curator.exchange.first_lines import first_lines
from curator.exchange.manifests import manifest_path
from curator.ui.present.exporting import SHOWN_LINES
from curator.verbs.export_orders import ExportSummary
from curator.workspace import Workspace
from grading.errors import GradingError

KEPT = 6  # files of a session; older ones are made again
MAKING = "a file for the Export page"  # what its threads are called
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
    partial: bool = False


@dataclass(frozen=True, slots=True)
class Made:
    """What came of it: a file with what is to be known of it, or why there is none.

    ``lines`` are its first, ``more`` says that others follow. ``path`` is None for a
    file of which only these were made.
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


class MadeFiles:
    """A session's files, the latest of them; safe to ask while one is being made."""

    def __init__(self, run: Callable[[Wanted, Path], Made] | None = None) -> None:
        self._run = run or run_command
        self._folder = TemporaryDirectory(prefix="curator-", ignore_cleanup_errors=True)
        self._lock = threading.Lock()
        self._made: OrderedDict[Wanted, Made] = OrderedDict()
        self._seen: tuple[Wanted, Made] | None = None
        self._going: set[Wanted] = set()
        self._number = 0

    @property
    def folder(self) -> Path:
        """Where they lie."""
        return Path(self._folder.name)

    def found(self, wanted: Wanted) -> Made | None:
        """What was made of this, None where nothing was."""
        with self._lock:
            return self._made.get(wanted)

    def going(self, wanted: Wanted) -> bool:
        """Whether it is being made."""
        with self._lock:
            return wanted in self._going

    def now(self, workspace: Workspace, wanted: Wanted) -> Made:
        """The file, made while the page is drawn; kept as long as nothing changes."""
        made = self.found(wanted)
        if made is None:
            made = made_at_once(workspace, wanted, self._place(wanted))
            self._keep(wanted, made)
        return made

    def begun(self, workspace: Workspace, wanted: Wanted) -> Made:
        """The first lines of a file that is not made, and what it has no place for."""
        if self._seen is None or self._seen[0] != wanted:
            self._seen = (wanted, seen_of(workspace, wanted, self._place(wanted)))
        return self._seen[1]

    def send(self, wanted: Wanted) -> threading.Thread | None:
        """Have it made beside the page; what is being made is not made twice."""
        with self._lock:
            if wanted in self._going:
                return None
            self._made.pop(wanted, None)
            self._going.add(wanted)
        thread = threading.Thread(
            target=self._do, args=(wanted,), name=MAKING, daemon=True
        )
        thread.start()
        return thread

    def _do(self, wanted: Wanted) -> None:
        made = Made(line=UNEXPECTED)
        try:
            made = self._run(wanted, self._place(wanted))
        finally:
            self._keep(wanted, made)
            with self._lock:
                self._going.discard(wanted)

    def _place(self, wanted: Wanted) -> Path:
        """Where the file is to lie, in a folder of its own."""
        with self._lock:
            self._number += 1
            folder = self.folder / str(self._number)
        folder.mkdir()
        return folder / wanted.name

    def _keep(self, wanted: Wanted, made: Made) -> None:
        with self._lock:
            self._made[wanted] = made
            self._made.move_to_end(wanted)
            old = [
                self._made.popitem(last=False)[1] for _ in range(len(self._made) - KEPT)
            ]
        for one in old:
            if one.path is not None:
                rmtree(one.path.parent, ignore_errors=True)


def made_at_once(workspace: Workspace, wanted: Wanted, target: Path) -> Made:
    """The file and all that its writer says of it; an error of the user's is a line."""
    try:
        said = _export(workspace, wanted, target)
    except (CuratorError, GradingError) as error:
        return Made(line=str(error))
    with open(target, encoding="utf-8") as file:
        lines = [
            line.rstrip("\r\n")
            for line, _ in zip(file, range(SHOWN_LINES + 1), strict=False)
        ]
    return Made(
        target,
        target.stat().st_size,
        f"{said.written:,} {said.what}",
        tuple(lines[:SHOWN_LINES]),
        len(lines) > SHOWN_LINES,
        said.notices,
        said.lost or workspace.losses(wanted.kind),
        said.sidecar,
    )


def seen_of(workspace: Workspace, wanted: Wanted, target: Path) -> Made:
    """The first lines, for which no more than these are written anywhere."""
    try:
        with first_lines(target, SHOWN_LINES) as seen:
            _export(workspace, wanted, target)
    except (CuratorError, GradingError) as error:
        return Made(line=str(error))
    finally:
        rmtree(target.parent, ignore_errors=True)
    lost = workspace.losses(wanted.kind)
    return Made(lines=tuple(seen.lines()), more=seen.cut, lost=lost)


def _export(workspace: Workspace, wanted: Wanted, target: Path) -> ExportSummary:
    return workspace.export(
        wanted.kind,
        target,
        wanted.settings,
        release=wanted.release or None,
        binary=wanted.binary,
        by_subtopic=wanted.by_subtopic,
        allow_partial=wanted.partial,
    )


def command(wanted: Wanted, target: Path) -> list[str]:
    """The command line that writes it."""
    made = [sys.executable, "-m", "curator", "export", f"--{wanted.kind}={target}"]
    if wanted.settings is not None:
        one = wanted.settings
        made += [f"--grader={one.grader}"] if one.grader else []
        made += [f"--measure={one.measure}", f"--min-rating={one.min_rating}"]
        made += ["-k", str(one.k)]
    made += [f"--release={wanted.release}"] if wanted.release else []
    made += ["--allow-partial"] if wanted.partial else []
    return [*made, "--", str(wanted.path)]


def run_command(wanted: Wanted, target: Path) -> Made:
    """What the command writes and says; an error of the user's is its one line."""
    try:
        done = subprocess.run(
            command(wanted, target),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            encoding="utf-8",
            errors="replace",
            env=os.environ | {"CURATOR_USER": wanted.judge},
        )
    except (OSError, ValueError) as error:
        return Made(line=f"Its process could not be started: {error}.")
    if done.returncode or not target.is_file():
        *_, last = ["", *done.stderr.strip().splitlines()]
        said = last.removeprefix("Error: ")
        if last == said:  # no error of the user's
            sys.stderr.write(done.stderr)
            return Made(line=UNEXPECTED)
        return Made(line=said)
    told = done.stdout.partition("\n")[0].partition(f"{target}: ")[2]
    notes = [line.strip() for line in done.stderr.splitlines()]
    notes = [one.removeprefix("note: ") for one in notes if one.startswith("note: ")]
    sidecar = manifest_path(target)
    return Made(
        target,
        target.stat().st_size,
        told,
        notices=tuple(one for one in notes if "has no place for" not in one),
        sidecar=sidecar if sidecar.is_file() else None,
    )
