"""The request and the summary of an export, and reasons to refuse one."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from curator.bank.edits.kinds import MARKS
from curator.errors import EvaluationError
from curator.evaluation.releases import Release
from curator.evaluation.settings import Settings
from curator.formats.codec import THINGS, Carried
from curator.formats.registry import exports
from curator.formats.text.notices import counted, missing_grades
from curator.results import Result, column
from curator.snapshot.snapshot import Snapshot
from curator.store.counts import (
    count_gold_passages,
    extras_by_format,
    graders_with_grades,
    read_counts,
)
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


_FORM_EXTRAS = ("_form", "_spelling", "stated_title")
"""Endings of extras that record how a file was written, of no use to other formats."""


def dropped(snapshot: Snapshot, kind: str) -> tuple[str, ...]:
    return not_carried(snapshot, exports()[kind].carries)


def not_carried(snapshot: Snapshot, carries: Carried) -> tuple[str, ...]:
    """Count the contents that are not carried.

    Each entry is a count and its noun, such as "12 votes", in the order of THINGS;
    without zeros.
    """
    counts_of = content_counts(snapshot)
    if "passage texts" not in carries.things:
        counts_of["texts in no pool"] = 0  # included in the passage texts
        if "gold articles" in carries.things:
            counts_of["passage texts"] -= count_gold_passages(snapshot.connection)
    entries = [
        singular if counts_of[thing] == 1 else plural.format(counts_of[thing])
        for thing, (singular, plural) in THINGS.items()
        if counts_of[thing] and thing not in carries.things
    ]
    others = sum(
        number
        for (form, entity), number in extras_by_format(snapshot.connection).items()
        if not {"*", form, f"{form}:{entity}"} & carries.extras
        and not entity.endswith(_FORM_EXTRAS)
    )
    if others:
        entries.append("the unknown fields of " + counted(others, "record"))
    return tuple(entries)


def content_counts(snapshot: Snapshot) -> dict[str, int]:
    questions = list(snapshot.bank)
    states = Counter(question.state for question in questions)
    kept = [question for question in questions if question.state == "kept"]
    kinds = Counter(question.kind for question in kept)
    graders = graders_with_grades(snapshot.connection)
    direct = sum(grader.reading.kind == "direct" for grader in graders)
    return read_counts(snapshot.connection) | {
        "kept questions": kinds["question"],
        "kept nuggets": kinds["nugget"],
        "proposed": states["proposed"],
        "retired": states["retired"],
        "item texts": sum(question.text is not None for question in kept),
        "choices": sum(bool(question.choices) for question in kept),
        "answers": sum(bool(question.answers) for question in kept),
        "aggregators": sum(question.aggregator == "AND" for question in kept),
        "provenance": sum(question.provenance != "{}" for question in kept),
        "named boards": len(snapshot.collection.official_boards),
        **{f"{mark.noun}s": mark.count(snapshot.bank) for mark in MARKS.values()},
        "grades": len(graders) - direct,
        "direct grades": direct,
        # An imported grader has no information beyond its file.
        "graders": sum(not grader.reading.is_imported for grader in graders),
    }
