"""Tasks of the pages: grading new text, check quality, boards, and model requests.

Opening a grader reads its model's files, perhaps gigabytes, counting missing grades
creates every prompt, and a model takes time to answer. Such tasks run a command in a
separate process.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from curator.background.commands import run_command
from curator.background.service import Service
from curator.errors import CuratorError, EvaluationError
from curator.evaluation.leaderboard import Leaderboard
from curator.evaluation.settings import Settings
from curator.snapshot.learned import CHECKED
from curator.verbs.checks.quality import Quality
from curator.verbs.checks.trust import Trust
from curator.verbs.curate.impact import IfAdded, IfReworded
from curator.verbs.grading.summary import GradeSummary
from curator.verbs.leaderboard.drawn_board import DrawnBoard
from curator.verbs.overview import Overview
from curator.verbs.proposals.request import GenerateSummary
from curator.verbs.stability.stability import Stability
from curator.workspace import Workspace
from grading.errors import GradingError
from grading.models.endpoint import EndpointCheck

if TYPE_CHECKING:
    from grading.graders.computed import Encoder

Request = Literal["count", "start", "again", "ask", "ask all"]

OPTIONS: dict[Request, tuple[str, ...]] = {
    "count": ("--dry-run",),
    "start": ("--background",),
    "again": ("--background", "--again"),
    "ask": (),
    "ask all": ("--background",),
}
FLAGS = ("again", "same-budget", "without-judged")
UNEXPECTED = "The command failed; see the server's log."
JOB_EXISTS = re.compile(r"Job \d+ is (grading with|asking) .* already\.$")


@dataclass(frozen=True, slots=True)
class GradeTextTask:
    """Task that grades a query's pool, for its questions now and as of ``since``.

    Its result is the error message, or None.
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
        return "Grading failed; see the server's log."


@dataclass(frozen=True, slots=True)
class JudgeTask:
    """Task that computes something as a judge may see it; or an error message.

    Its last field is the file's version, or the last event: after another edit it is
    another task.
    """

    path: Path
    judge: str

    lane: ClassVar[tuple[str, int]]

    def compute(self, workspace: Workspace, model: Encoder | None) -> Any:
        """Return the result."""
        raise NotImplementedError

    def run(self, service: Service | None = None) -> Any:
        opening = Workspace.open(self.path, judge=self.judge, as_judge=True)
        with opening as workspace, workspace.snapshot():
            try:
                return self.compute(workspace, service.model if service else None)
            except (CuratorError, GradingError) as error:
                return self.failed(str(error))

    def failed(self, line: str = UNEXPECTED) -> Any:
        return line


@dataclass(frozen=True, slots=True)
class RewordPreviewTask(JudgeTask):
    """Task that computes the effect of a new text of a question."""

    question_id: str
    text: str
    settings: Settings
    latest: int

    lane: ClassVar = ("weighing texts", 1)

    def compute(self, workspace: Workspace, model: Encoder | None) -> IfReworded:
        about = self.question_id, self.text, self.settings
        return workspace.if_reworded(*about, encoder=model)


@dataclass(frozen=True, slots=True)
class AdditionPreviewTask(JudgeTask):
    """Task that computes the reach of a new question while it is typed."""

    query_id: str
    text: str
    settings: Settings
    latest: int

    lane: ClassVar = ("weighing additions", 1)

    def compute(self, workspace: Workspace, model: Encoder | None) -> IfAdded:
        about = self.query_id, self.text, self.settings
        return workspace.if_added(*about, encoder=model)


@dataclass(frozen=True, slots=True)
class CheckQualityResult:
    """Quality of every grader by checks, or in ``line`` the error message.

    ``first`` is the default board of the workspace, ``learned`` the same learned from
    the checks; None without grades or checks.
    """

    quality: Quality | None = None
    line: str = ""
    first: Leaderboard | None = None
    learned: Leaderboard | None = None


@dataclass(frozen=True, slots=True)
class CheckQualityTask(JudgeTask):
    """Task that computes check quality."""

    of: str | None
    version: int

    lane: ClassVar = ("learning from checks", 1)

    def compute(
        self, workspace: Workspace, model: Encoder | None
    ) -> CheckQualityResult:
        quality = workspace.check_quality(self.of)
        try:
            boards = workspace.leaderboard(), workspace.leaderboard(grader=CHECKED)
        except CuratorError:  # nothing could be learned for a board
            return CheckQualityResult(quality)
        return CheckQualityResult(quality, "", *boards)

    def failed(self, line: str = UNEXPECTED) -> CheckQualityResult:
        return CheckQualityResult(line=line)


@dataclass(frozen=True, slots=True)
class BoardIntervalsTask(JudgeTask):
    """Task that computes the uncertainty of a board by the visible checks."""

    settings: Settings
    version: int

    lane: ClassVar = ("drawing boards", 1)

    def compute(self, workspace: Workspace, model: Encoder | None) -> DrawnBoard:
        return workspace.drawn_board(self.settings)

    def failed(self, line: str = UNEXPECTED) -> DrawnBoard:
        return DrawnBoard(self.settings, 0, line)


@dataclass(frozen=True, slots=True)
class TrustTask(JudgeTask):
    """Task that estimates how far a board can be trusted; "" where nothing is known."""

    settings: Settings
    version: int

    lane: ClassVar = ("estimating trust", 1)

    def compute(self, workspace: Workspace, model: Encoder | None) -> Trust | str:
        try:
            return workspace.trust(self.settings)
        except EvaluationError:  # checks tell nothing about this board
            return ""

    def failed(self, line: str = UNEXPECTED) -> str:
        return ""


@dataclass(frozen=True, slots=True)
class OverviewTask(JudgeTask):
    """Task that computes the overview of a bank."""

    settings: Settings | None
    version: int

    lane: ClassVar = ("looking over", 1)

    @property
    def about(self) -> tuple[Path, str, Settings | None]:
        """The task's arguments without the version."""
        return self.path, self.judge, self.settings

    def compute(self, workspace: Workspace, model: Encoder | None) -> Overview:
        return workspace.overview(self.settings)


@dataclass(frozen=True, slots=True)
class StabilityTask(JudgeTask):
    """Task that computes how stable a board is under other questions."""

    settings: Settings
    version: int

    lane: ClassVar = ("saying how stable boards are", 1)

    def compute(self, workspace: Workspace, model: Encoder | None) -> Stability:
        return workspace.stability(self.settings)

    def failed(self, line: str = UNEXPECTED) -> Stability:
        return Stability(self.settings, line)


@dataclass(frozen=True, slots=True)
class EndpointTask:
    """Task that sends one prompt to a chat model; ``url`` None is the workspace's.

    Its result is the check, or the error message.
    """

    path: Path
    judge: str
    model: str
    url: str | None

    lane: ClassVar[tuple[str, int]] = ("trying an endpoint", 2)

    def run(self, service: Service | None = None) -> EndpointCheck | str:
        arguments = ["endpoint", "test", f"--model={self.model}", "--format=json"]
        arguments += [] if self.url is None else [f"--url={self.url}"]
        output, line = run_command(
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
    """The counts or proposals of a command, or in ``line`` the error message."""

    counted: GradeSummary | None = None
    line: str = ""
    generated: GenerateSummary | None = None


@dataclass(frozen=True, slots=True)
class CommandTask:
    """Task that runs ``curator grade`` or ``curator generate``.

    "count" counts the missing grades of a grader, "start" and "again" start a job;
    "ask" lets the workspace's model propose questions, "ask all" does so in a job.
    ``prices`` are those of a chat model, as for ``curator grade --prices``. ``about``
    are other options as (name, value) pairs, a flag with "".
    """

    path: Path
    request: Request
    grader: str
    judge: str
    prices: str = ""
    about: tuple[tuple[str, str], ...] = ()

    @property
    def lane(self) -> tuple[str, int]:
        # Counting need not wait for slow models.
        return ("asking", 8) if self.request == "ask" else ("counting", 2)

    @property
    def is_grading(self) -> bool:
        return self.request in ("start", "again")

    @property
    def arguments(self) -> list[str]:
        """The command line; a user's text cannot become an option."""
        verb = ["grade", f"--grader={self.grader}"]
        if self.request in ("ask", "ask all"):
            verb = ["generate"]
        options = (
            f"--{name}" if name in FLAGS else f"--{name}={value}"
            for name, value in self.about
        )
        arguments = [*verb, *options, *OPTIONS[self.request]]
        if self.prices:
            arguments.append(f"--prices={self.prices}")
        return [*arguments, "--format=json", "--", str(self.path)]

    def run(self, service: Service | None = None) -> CommandResult:
        """Run the command and return its result; a user error is its one line."""
        output, line = run_command(self.arguments, judge=self.judge)
        if output is None:
            # Another judge has started the same job.
            if JOB_EXISTS.match(line):
                return CommandResult()
            return CommandResult(line=line or UNEXPECTED)
        if self.request == "ask":
            summary = GenerateSummary(**json.loads(output))
            return CommandResult(generated=replace(summary, texts=()))
        if self.request != "count":
            return CommandResult()
        return CommandResult(GradeSummary(**json.loads(output)))

    def failed(self) -> CommandResult:
        return CommandResult(line=UNEXPECTED)
