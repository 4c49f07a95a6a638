"""Large files, made beside the page by the command line in a process of its own.

No click waits for one. They are the server's, so that a page that is loaded again finds
what was asked for there: for the same judge, out of the same state of the workspace.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from curator.background.made_files import Kept, Made, Wanted
from curator.tables.setup import counted_kind

MAKING = "a file for the Export page"  # what its threads are called
UNEXPECTED = "It ended without a file; the server's log says why."


class FilesBeside(Kept):
    """What is being made and was made; safe to ask while one is being made."""

    def __init__(self, run: Callable[[Wanted, Path], Made] | None = None) -> None:
        super().__init__()
        self._run = run or run_command
        self._going: set[Wanted] = set()

    def going(self, wanted: Wanted) -> bool:
        """Whether it is being made."""
        with self._lock:
            return wanted in self._going

    def send(self, wanted: Wanted) -> threading.Thread | None:
        """Have it made beside the page; nothing is made twice."""
        with self._lock:
            old = self._made.get(wanted)
            if wanted in self._going or (old is not None and old.path is not None):
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
            made = self._run(wanted, self.place(wanted))
        finally:
            self.keep(wanted, made)
            with self._lock:
                self._going.discard(wanted)


def command(wanted: Wanted, target: Path) -> list[str]:
    """The command line that writes it, and ends with whoever started it."""
    made = [sys.executable, "-m", "curator.background.tied_command", "export"]
    made += [f"--{wanted.kind}={target}", "--format=json"]
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
    theirs, ours = os.pipe()  # it lives as long as our end of this is open
    try:
        done = subprocess.run(
            command(wanted, target),
            stdin=theirs,
            capture_output=True,
            check=False,
            encoding="utf-8",
            errors="replace",
            # What it makes on the way lies beside the file, and goes with it.
            env=os.environ
            | {"CURATOR_USER": wanted.judge, "TMPDIR": str(target.parent)},
        )
    except (OSError, ValueError) as error:
        return Made(line=f"Its process could not be started: {error}.")
    finally:
        os.close(ours)
        os.close(theirs)
    if done.returncode or not target.is_file():
        *_, last = ["", *done.stderr.strip().splitlines()]
        said = last.removeprefix("Error: ")
        if last == said:  # no error of the user's
            sys.stderr.write(done.stderr)
            return Made(line=UNEXPECTED)
        return Made(line=said)
    (told,) = json.loads(done.stdout)
    return Made(
        target,
        target.stat().st_size,
        counted_kind(told["written"], told["what"]),
        notices=tuple(told["notices"]),
        lost=tuple(told["lost"]),
        sidecar=Path(told["sidecar"]) if told["sidecar"] else None,
    )
