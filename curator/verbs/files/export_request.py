"""The request and the summary of an export, and reasons to refuse one."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from curator.errors import EvaluationError
from curator.evaluation.releases import Release
from curator.evaluation.settings import Settings
from curator.formats.registry import exports
from curator.formats.text.notices import missing_grades
from curator.results import Result, column
from curator.snapshot.snapshot import Snapshot
from curator.store.releases import ReleaseRecord


@dataclass(frozen=True, eq=False)
class ExportRequest:
    """A request to write one file from this snapshot of a workspace.

    ``settings`` are those of the numbers, None where none are written. ``release``
    replaces the current bank and grades. ``binary`` requests labels 1 and 0,
    ``by_subtopic`` labels of each subtopic, ``graded`` ratings in question qrels,
    ``grader`` only its grades.
    """

    snapshot: Snapshot
    kind: str
    target: Path
    settings: Settings | None = None
    release: tuple[ReleaseRecord, Release] | None = None
    binary: bool = False
    by_subtopic: bool = False
    graded: bool = False
    allow_partial: bool = False
    grader: str | None = None

    def required_settings(self) -> Settings:
        """Return the settings. Raises EvaluationError without any."""
        if self.settings is None:
            raise EvaluationError(f"Exporting {self.kind} needs a grader.")
        return self.settings


@dataclass(frozen=True)
class ExportSummary(Result["ExportSummary"]):
    """The file written, with notices for its readers.

    ``lost`` lists the contents of the workspace that the format cannot hold, such as "2
    retired questions". ``sidecar`` is the manifest next to the file.
    """

    kind: str
    target: Path = field(metadata=column(json="file"))
    written: int
    what: str
    notices: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    sidecar: Path | None = None


def refuse_partial(graded: int, needed: int, partial: bool) -> None:
    """Raise EvaluationError where grades are missing and ``partial`` is False."""
    if graded < needed and not partial:
        raise EvaluationError(
            f"{missing_grades(needed - graded, needed)}, so the export would be "
            "incomplete. Grade first, or give --allow-partial."
        )


def refuse_blind(request: ExportRequest) -> None:
    """Raise EvaluationError where a judge may not see what would be written.

    In blind mode a judge's boards have neither names of systems nor the salt that masks
    them.
    """
    collection = request.snapshot.collection
    if collection.blind and not collection.mask_salt:
        raise EvaluationError(
            f"Judges may not export {request.kind} in blind mode. The organizer can "
            f"run `curator export WORKSPACE {exports()[request.kind].option} FILE`."
        )
