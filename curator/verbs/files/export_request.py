"""What an export is asked for, what it says of itself, and when it is refused."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from curator.engine.state import State
from curator.errors import EvaluationError
from curator.evaluation.releases import Release
from curator.evaluation.settings import Settings
from curator.formats.registry import exports
from curator.formats.text.notices import missing_grades
from curator.results import Result
from curator.store.releases import ReleaseRecord


@dataclass(frozen=True, eq=False)
class ExportRequest:
    """One file to write, out of this state of a workspace.

    ``settings`` are those of the numbers, None where none are written. ``release``
    stands in for the bank and the grades as they are now. ``binary`` asks for labels of
    1 and 0, ``by_subtopic`` for labels of each subtopic, ``graded`` for
    ratings in question qrels, ``grader`` for its grades alone.
    """

    state: State
    kind: str
    target: Path
    settings: Settings | None = None
    release: tuple[ReleaseRecord, Release] | None = None
    binary: bool = False
    by_subtopic: bool = False
    graded: bool = False
    allow_partial: bool = False
    grader: str | None = None

    def asked_settings(self) -> Settings:
        """The settings. Raises EvaluationError where there are none."""
        if self.settings is None:
            raise EvaluationError(f"Exporting {self.kind} needs a grader.")
        return self.settings


@dataclass(frozen=True)
class ExportSummary(Result["ExportSummary"]):
    """What was written where, and what a reader should know of it.

    ``lost`` names what the workspace holds and the format has no place for, one entry
    a kind of thing: "2 retired questions". ``sidecar`` is the manifest beside the file.
    """

    kind: str
    target: Path
    written: int
    what: str
    notices: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    sidecar: Path | None = None


def refuse_partial(known: int, needed: int, partial: bool) -> None:
    """Raise EvaluationError where grades are missing, unless that is allowed."""
    if known < needed and not partial:
        raise EvaluationError(
            f"{missing_grades(needed - known, needed)}, so this would not be "
            "the whole truth. Grade first, or say --allow-partial."
        )


def refuse_blind(request: ExportRequest) -> None:
    """Raise EvaluationError where a judge is not to see what would be written.

    In blind mode a judge's boards have neither names of systems nor the secret that
    masks them.
    """
    collection = request.state.collection
    if collection.blind and not collection.mask_salt:
        raise EvaluationError(
            f"Exporting {request.kind} would show what judges are not to see in blind "
            "mode. The organizer runs `curator export WORKSPACE "
            f"{exports()[request.kind].option} FILE`."
        )
