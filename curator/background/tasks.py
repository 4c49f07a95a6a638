"""Tasks of the pages: new text, what checks come to, and what a model is asked.

To open a grader is to read its model's files, gigabytes perhaps, and to count what is
missing makes every prompt; a model that is asked for questions takes its time. That is
done by the command that a person would type, in a process of its own.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, Literal

from curator.background.commands import output_of
from curator.background.service import Service
from curator.engine.learned import NAME as LEARNED
from curator.errors import CuratorError
from curator.evaluation.leaderboard import Leaderboard
from curator.evaluation.settings import Settings
from curator.verbs.checks.quality import Quality
from curator.verbs.curate.impact import IfReworded
from curator.verbs.grading.summary import GradeSummary
from curator.verbs.leaderboard.drawn_board import DrawnBoard
from curator.verbs.overview.overview import Overview
from curator.verbs.proposals.request import GenerateSummary
from curator.verbs.stability.stability import Stability
from curator.workspace import Workspace
from grading.errors import GradingError
from grading.models.endpoint import EndpointCheck

Request = Literal["count", "start", "again", "ask", "ask all"]

OPTIONS: dict[Request, tuple[str, ...]] = {
    "count": ("--dry-run",),
    "start": ("--background",),
    "again": ("--background", "--again"),
    "ask": (),
    "ask all": ("--background",),
}
FLAGS = ("again", "same-budget", "without-judged")
UNEXPECTED = "It ended without an answer; the server's log says why."
HAS_A_JOB = re.compile(r"Job \d+ is (grading with|asking) .* already\.$")


@dataclass(frozen=True, slots=True)
class NewText:
    """To grade a query's pool, for its questions now and as of ``since``.

    Its result is why that failed.
    """

    path: Path
    query_id: str
    since: int | None
    grader: str | None = None

    lane: ClassVar[tuple[str, int]] = ("grading new text", 1)

    def run(self, service: Service) -> str | None:
        try:
            with Workspace.open(self.path) as workspace:
                workspace.grade(
                    self.grader,
                    query_id=self.query_id,
                    since=self.since,
                    same_budget=True,
                    encoder=service.model,
                    progress=service.reporter(self),
                )
        except (CuratorError, GradingError) as error:
            return str(error)
        return None

    def failed(self) -> str:
        return "Grading failed; the server's log says why."


@dataclass(frozen=True, slots=True)
class WeighingTexts:
    """To say what a text would do in place of the one that a question has.

    ``latest`` is the last event: after another edit it is another task. Its result is
    a line where nobody can say.
    """

    path: Path
    judge: str
    question_id: str
    text: str
    settings: Settings
    latest: int

    lane: ClassVar[tuple[str, int]] = ("weighing texts", 1)

    def run(self, service: Service) -> IfReworded | str:
        opened = Workspace.open(self.path, judge=self.judge, as_judge=True)
        with opened as workspace:
            try:
                return workspace.if_reworded(
                    *(self.question_id, self.text, self.settings),
                    encoder=service.model,
                )
            except (CuratorError, GradingError) as error:
                return str(error)

    def failed(self) -> str:
        return UNEXPECTED


@dataclass(frozen=True, slots=True)
class WhatChecksSay:
    """Every grader's quality, or in ``line`` why there is none, and two boards.

    The first one of the workspace, and the same by what was learned from the checks;
    None without grades or checks.
    """

    quality: Quality | None = None
    line: str = ""
    first: Leaderboard | None = None
    learned: Leaderboard | None = None


@dataclass(frozen=True, slots=True)
class Learning:
    """To say what the checks come to that a judge may see, of pairs or of passages.

    ``version`` is the file's: after another check it is another task.
    """

    path: Path
    judge: str
    of: str | None
    version: int

    lane: ClassVar[tuple[str, int]] = ("learning from checks", 1)

    def run(self, service: Service) -> WhatChecksSay:
        opened = Workspace.open(self.path, judge=self.judge, as_judge=True)
        with opened as workspace, workspace.snapshot():
            try:
                quality = workspace.check_quality(self.of)
            except CuratorError as error:
                return WhatChecksSay(line=str(error))
            try:
                boards = workspace.leaderboard(), workspace.leaderboard(grader=LEARNED)
            except CuratorError:  # a board that rests on nothing that could be learned
                return WhatChecksSay(quality)
            return WhatChecksSay(quality, "", *boards)

    def failed(self) -> WhatChecksSay:
        return WhatChecksSay(line=UNEXPECTED)


@dataclass(frozen=True, slots=True)
class DrawingBoards:
    """To say what the checks that a judge may see leave open of a board.

    ``version`` is the file's: after another edit it is another task.
    """

    path: Path
    judge: str
    settings: Settings
    version: int

    lane: ClassVar[tuple[str, int]] = ("drawing boards", 1)

    def run(self, service: Service) -> DrawnBoard:
        opened = Workspace.open(self.path, judge=self.judge, as_judge=True)
        with opened as workspace:
            try:
                return workspace.drawn_board(self.settings)
            except CuratorError as error:
                return DrawnBoard(self.settings, 0, str(error))

    def failed(self) -> DrawnBoard:
        return DrawnBoard(self.settings, 0, UNEXPECTED)


@dataclass(frozen=True, slots=True)
class LookingOver:
    """To say where a bank stands, as a judge may see it; or in a line why not.

    ``version`` is the file's: after another edit it is another task.
    """

    path: Path
    judge: str
    settings: Settings | None
    version: int

    lane: ClassVar[tuple[str, int]] = ("looking over", 1)

    @property
    def about(self) -> tuple[Path, str, Settings | None]:
        """What it is about, at whichever version."""
        return self.path, self.judge, self.settings

    def run(self, service: Service) -> Overview | str:
        opened = Workspace.open(self.path, judge=self.judge, as_judge=True)
        with opened as workspace:
            try:
                return workspace.overview(self.settings)
            except CuratorError as error:
                return str(error)

    def failed(self) -> str:
        return UNEXPECTED


@dataclass(frozen=True, slots=True)
class SayingHowStable:
    """To say how stable a board is if other questions had been asked.

    ``version`` is the file's: after another edit it is another task.
    """

    path: Path
    judge: str
    settings: Settings
    version: int

    lane: ClassVar[tuple[str, int]] = ("saying how stable boards are", 1)

    def run(self, service: Service) -> Stability:
        opened = Workspace.open(self.path, judge=self.judge, as_judge=True)
        with opened as workspace:
            try:
                return workspace.stability(self.settings)
            except CuratorError as error:
                return Stability(self.settings, str(error))

    def failed(self) -> Stability:
        return Stability(self.settings, UNEXPECTED)


@dataclass(frozen=True, slots=True)
class EndpointTask:
    """Sends one prompt to a chat model; ``url`` None is the workspace's endpoint.

    Its result is the check, or a line that says why there was none.
    """

    path: Path
    judge: str
    model: str
    url: str | None

    lane: ClassVar[tuple[str, int]] = ("trying an endpoint", 2)

    def run(self, service: Service | None = None) -> EndpointCheck | str:
        arguments = ["endpoint", "test", f"--model={self.model}", "--format=json"]
        arguments += [] if self.url is None else [f"--url={self.url}"]
        output, line = output_of(
            [*arguments, "--", str(self.path)],
            judge=self.judge,
            failure_has_output=True,
        )
        if not output:
            return line or UNEXPECTED
        values = json.loads(output)
        fields = {name: values[name] for name in EndpointCheck.__dataclass_fields__}
        return EndpointCheck(**fields | {"models": tuple(values["models"])})

    def failed(self) -> str:
        return UNEXPECTED


@dataclass(frozen=True, slots=True)
class CommandResult:
    """What was counted, or asked of a model, or in ``line`` why nothing came of it."""

    counted: GradeSummary | None = None
    line: str = ""
    asked: GenerateSummary | None = None


@dataclass(frozen=True, slots=True)
class CommandTask:
    """To count what a grader lacks, to start it, or to have it asked again.

    ``prices`` are a chat model's, as ``curator grade --prices`` takes them. To "ask" is
    to have the workspace's model propose questions, to "ask all" is to do so in a job;
    ``about`` is what the other options of ``curator generate`` or ``curator grade``
    say, as (name, value) pairs, a flag with "".
    """

    path: Path
    request: Request
    grader: str
    judge: str
    prices: str = ""
    about: tuple[tuple[str, str], ...] = ()

    @property
    def lane(self) -> tuple[str, int]:
        # A model takes its time, and what is counted need not wait for it.
        return ("asking", 8) if self.request == "ask" else ("counting", 2)

    @property
    def grades(self) -> bool:
        """Whether a grading is about to begin."""
        return self.request in ("start", "again")

    @property
    def arguments(self) -> list[str]:
        """The command line; what a person typed cannot become an option of its own."""
        verb = ["grade", f"--grader={self.grader}"]
        if self.request in ("ask", "ask all"):
            verb = ["generate"]
        options = (
            f"--{name}" if name in FLAGS else f"--{name}={value}"
            for name, value in self.about
        )
        made = [*verb, *options, *OPTIONS[self.request]]
        if self.prices:
            made.append(f"--prices={self.prices}")
        return [*made, "--format=json", "--", str(self.path)]

    def run(self, service: Service | None = None) -> CommandResult:
        """What the command prints; an error of the user's is its one line."""
        output, line = output_of(self.arguments, judge=self.judge)
        if output is None:
            # Two judges asked for the same: it is being done.
            done = HAS_A_JOB.match(line)
            return CommandResult() if done else CommandResult(line=line or UNEXPECTED)
        if self.request == "ask":
            summary = GenerateSummary(**json.loads(output))
            return CommandResult(asked=replace(summary, texts=()))
        if self.request != "count":
            return CommandResult()
        return CommandResult(GradeSummary(**json.loads(output)))

    def failed(self) -> CommandResult:
        return CommandResult(line=UNEXPECTED)
