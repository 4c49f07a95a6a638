"""What takes seconds, or asks a model: done beside the page, by the command line.

To open a grader is to read its model's files, gigabytes perhaps, and to count what is
missing makes every prompt; a model that is asked for questions takes its time. A
process of its own does that, by the command that a person would type, so no click waits
and nothing of a model ever comes into the server.
"""

from __future__ import annotations

import json
import logging
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from curator.verbs.grading.summary import GradeSummary
from curator.verbs.proposals.request import GenerateSummary

Wish = Literal["count", "start", "again", "ask", "ask all"]

OPTIONS: dict[Wish, tuple[str, ...]] = {
    "count": ("--dry-run",),
    "start": ("--background",),
    "again": ("--background", "--again"),
    "ask": (),
    "ask all": ("--background",),
}
FLAGS = ("again",)
AT_A_TIME = 2
ASKED_AT_A_TIME = 8  # a model takes its time, and what is counted need not wait for it
KEPT = 100  # what came of the latest errands
IS_GOING = re.compile(r"Job \d+ is (grading with|asking) .* already\.$")
UNEXPECTED = "It ended without an answer; the server's log says why."


@dataclass(frozen=True, slots=True)
class Errand:
    """To count what a grader lacks, to start it, or to have it asked again.

    ``prices`` are a chat model's, as ``curator grade --prices`` takes them. To "ask" is
    to have the workspace's model propose questions, to "ask all" is to do so in a job;
    ``about`` is then what the options of ``curator generate`` say, as (name, value)
    pairs, a flag with "".
    """

    path: Path
    wish: Wish
    grader: str
    judge: str
    prices: str = ""
    about: tuple[tuple[str, str], ...] = ()

    @property
    def grades(self) -> bool:
        """Whether a grading is about to begin."""
        return self.wish in ("start", "again")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was counted, or asked of a model, or in ``line`` why nothing came of it."""

    counted: GradeSummary | None = None
    line: str = ""
    asked: GenerateSummary | None = None


class Errands:
    """What is being counted and started for the sessions of this server."""

    def __init__(self, run: Callable[[Errand], Outcome] | None = None) -> None:
        self._run = run or run_command
        self._pool = ThreadPoolExecutor(AT_A_TIME, thread_name_prefix="errands")
        self._asking = ThreadPoolExecutor(ASKED_AT_A_TIME, thread_name_prefix="asking")
        self._lock = threading.Lock()
        self._going: set[Errand] = set()
        self._outcomes: dict[Errand, Outcome] = {}

    def send(self, errand: Errand) -> None:
        """Run it when its turn comes; one that is under way is not run twice."""
        with self._lock:
            self._outcomes.pop(errand, None)
            if errand in self._going:
                return
            self._going.add(errand)
        pool = self._asking if errand.wish == "ask" else self._pool
        pool.submit(self._do, errand)

    def going(self, errand: Errand | None) -> bool:
        """Whether this one is under way."""
        with self._lock:
            return errand in self._going

    def starting(self, grader: str) -> bool:
        """Whether anyone's grading by this grader is about to begin."""
        with self._lock:
            return any(one.grader == grader and one.grades for one in self._going)

    def asking(self, path: Path, query_id: str) -> tuple[Errand, ...]:
        """What a model is being asked about this query, for whichever session."""
        with self._lock:
            return tuple(
                one
                for one in self._going
                if one.path == path
                and one.wish == "ask"
                and ("query", query_id) in one.about
            )

    def outcome(self, errand: Errand | None) -> Outcome | None:
        """What came of it, None while nobody knows."""
        with self._lock:
            return None if errand is None else self._outcomes.get(errand)

    def _do(self, errand: Errand) -> None:
        outcome = Outcome(line=UNEXPECTED)
        try:
            outcome = self._run(errand)
        except Exception:
            # Nobody waits for this thread, so a bug would end unseen.
            logging.getLogger(__name__).exception("an errand of the Grading page")
        finally:
            with self._lock:
                self._going.discard(errand)
                self._outcomes[errand] = outcome
                while len(self._outcomes) > KEPT:
                    self._outcomes.pop(next(iter(self._outcomes)))


def command(errand: Errand) -> list[str]:
    """The command line; what a person typed cannot become an option of its own."""
    if errand.wish in ("ask", "ask all"):
        said = (
            f"--{name}" if name in FLAGS else f"--{name}={value}"
            for name, value in errand.about
        )
        verb = ["generate", *said]
    else:
        verb = ["grade", f"--grader={errand.grader}"]
    made = [sys.executable, "-m", "curator", *verb, *OPTIONS[errand.wish]]
    if errand.prices:
        made.append(f"--prices={errand.prices}")
    return [*made, "--format=json", "--", str(errand.path)]


def run_command(errand: Errand) -> Outcome:
    """What the command says; an error of the user's is its one line."""
    try:
        done = subprocess.run(
            command(errand),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            encoding="utf-8",
            errors="replace",
            env=os.environ | {"CURATOR_USER": errand.judge},
        )
    except (OSError, ValueError) as error:
        return Outcome(line=f"Its process could not be started: {error}.")
    if done.returncode:
        *_, last = ["", *done.stderr.strip().splitlines()]
        said = last.removeprefix("Error: ")
        if last == said:  # no error of the user's
            sys.stderr.write(done.stderr)
            return Outcome(line=UNEXPECTED)
        # Two judges wished for the same: it is being done.
        return Outcome() if IS_GOING.match(said) else Outcome(line=said)
    if errand.wish == "ask":
        summary = GenerateSummary(**json.loads(done.stdout))
        return Outcome(asked=replace(summary, texts=()))
    if errand.wish != "count":
        return Outcome()
    return Outcome(GradeSummary(**json.loads(done.stdout)))
