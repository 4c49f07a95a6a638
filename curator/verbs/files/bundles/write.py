"""``export --bundle``: write everything to one zip, to read, check and rebuild from.

Files for people are written by the exporters of single files; the copy of the database
rebuilds the workspace. The manifest has the settings of every file of numbers, so that
``verify`` can compute it again.
"""

from __future__ import annotations

import platform
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from curator.errors import EvaluationError
from curator.evaluation.measures import accepts_label, uses_k
from curator.evaluation.settings import (
    DEFAULT_K,
    DEFAULT_LABEL,
    DEFAULT_MIN_ANSWERED,
    Label,
    Settings,
)
from curator.formats.bundles import DATABASE, BundleWriter
from curator.formats.text.notices import counted
from curator.formats.text.output_files import output_file
from curator.snapshot import scoring
from curator.snapshot import settings as chosen_settings
from curator.snapshot.gradebook import GraderRecord
from curator.snapshot.snapshot import Snapshot
from curator.store import releases as store_releases
from curator.store.bundles.copies import Omissions, write_copy
from curator.store.connection import SCHEMA_VERSION, open_workspace
from curator.store.history import last_event, now
from curator.unfinished import LockedFolder
from curator.verbs.files.bundles.contents import (
    README,
    README_NAME,
    RELEASES,
    file_name,
    readable_files,
    write_numbers,
)
from curator.verbs.files.export_request import (
    ExportRequest,
    ExportSummary,
    refuse_blind,
)
from curator.verbs.releases import freeze
from curator.version import VERSION

MEASURES = ("cover", "P@20", "nDCG@10")
"""Measures whose boards are in every bundle, in addition to the settings'."""

ARCHIVE_ENDINGS = (".gz", ".tgz", ".tar", ".bz2", ".xz")


def export_bundle(request: ExportRequest) -> ExportSummary:
    """Write the bundle of the workspace as it is now, in one snapshot.

    Restricted queries are left out, also of its numbers. Raises EvaluationError where
    grades are missing, unless ``allow_partial``, and where the viewer may not see
    everything.
    """
    refuse_blind(request)
    if request.target.suffix.lower() in ARCHIVE_ENDINGS:
        raise EvaluationError(
            f"'{request.target.name}': a bundle is a zip; name it FILE.zip."
        )
    for_viewer, full = request.snapshot, request.snapshot.full
    if for_viewer.viewer.is_judge and for_viewer.with_texts.bank != full.bank:
        raise EvaluationError(
            "A bundle would show what judges may not see yet, such as the votes of "
            "others. The organizer can run `curator export WORKSPACE --bundle FILE`."
        )
    with (
        LockedFolder() as folder,
        output_file(request.target) as stream,
        closing(BundleWriter(stream.buffer)) as writer,
    ):
        database = Path(folder) / DATABASE
        left_out = write_copy(full.connection, database)
        with closing(open_workspace(database)) as copy:
            snapshot = Snapshot.read(copy).for_viewer(copy, full.viewer.judge)
            copied = replace(request, snapshot=snapshot)
            number, missing = _pack(copied, writer, database, left_out)
    partial = (
        f"Grades are missing, up to {missing:,} in a file of numbers. The manifest has "
        "the count of each file."
    )
    notices = [partial] if missing else []
    if left_out is not None:
        notices += _left_out_notices(left_out)
    return ExportSummary("bundle", request.target, number, "files", tuple(notices))


def _left_out_notices(left_out: Omissions) -> list[str]:
    names = ", ".join(left_out.queries)
    notices = [f"Restricted queries left out: {names}. All numbers are of the others."]
    with_them = [f"release {name}" for name in left_out.releases]
    with_them += [counted(left_out.rounds, "norming round")] if left_out.rounds else []
    if with_them:
        notices.append(f"Left out because of such queries: {', '.join(with_them)}.")
    if left_out.reweighed:
        graders = ", ".join(left_out.reweighed)
        notices.append(f"Word weights, and so ratings, may differ: {graders}.")
    return notices


def _pack(
    request: ExportRequest,
    writer: BundleWriter,
    database: Path,
    left_out: Omissions | None,
) -> tuple[int, int]:
    """Write all files; return their number, and the most missing grades in one."""
    snapshot, folder = request.snapshot, database.parent
    writer.add_text(README_NAME, README)
    names = [writer.add(*file) for file in readable_files(request, folder)]
    release_names = [name for name in names if name.startswith(RELEASES)]
    numbers: dict[str, dict[str, Any]] = {}
    missing = 0
    for path, of_numbers in _files_of_numbers(request, release_names):
        target = folder / f"numbers{Path(path).suffix}"
        try:
            manifest = write_numbers(replace(of_numbers, target=target))
        except EvaluationError as error:
            grader = of_numbers.required_settings().grader
            raise EvaluationError(f"{grader}: {error}") from None
        numbers[writer.add(path, target)] = manifest
        grades, settings = manifest["grades"], of_numbers.required_settings()
        if grades and not (
            of_numbers.release or snapshot.grader(settings.grader).by_people
        ):
            missing = max(missing, grades["needed"] - grades["known"])
    writer.add(DATABASE, database)
    number = writer.finish(
        {
            "made_by": f"Curator {VERSION}",
            "versions": {
                "curator": VERSION,
                "python": platform.python_version(),
                "sqlite": sqlite3.sqlite_version,
                **{name: version(name) for name in ("numpy", "ir-measures")},
            },
            "schema": SCHEMA_VERSION,
            "at": now(),
            "by": snapshot.viewer.judge,
            "collection": snapshot.collection.title,
            "event": last_event(snapshot.connection),
            "missing_grades": missing,
            **({"left_out": [*left_out.queries]} if left_out else {}),
            "numbers": numbers,
        }
    )
    return number, missing


def _files_of_numbers(
    request: ExportRequest, release_names: list[str]
) -> Iterator[tuple[str, ExportRequest]]:
    """List (name in the bundle, request) of labels and boards, also of releases."""
    snapshot = request.snapshot
    for record in snapshot.gradebook.records:
        if not record.spec.learned:  # its grades change with every check
            yield from _files_of_grader(request, record)
    releases = reversed(store_releases.read_releases(snapshot.connection))
    for name, released_as in zip(release_names, releases, strict=True):
        release = store_releases.read_release(snapshot.connection, released_as.name)
        settings, stem = release[1].settings, name.removesuffix(".json")
        released = replace(request, settings=settings, release=release)
        yield f"{stem}.qrels", replace(released, kind="qrels")
        if release[1].board:
            yield f"{stem}.tsv", replace(released, kind="leaderboard")


def _files_of_grader(
    request: ExportRequest, record: GraderRecord
) -> Iterator[tuple[str, ExportRequest]]:
    snapshot, name = request.snapshot, file_name(record.name)
    chosen = _settings_under(snapshot, record, request.settings)
    if not freeze(snapshot, chosen[0], scores=False).known:
        return
    if snapshot.grader(record.name).by_people:  # their grades are never complete
        request = replace(request, allow_partial=True)
    yield f"qrels/{name}.qrels", replace(request, kind="qrels", settings=chosen[0])
    for settings in chosen if snapshot.collection.systems else ():
        if _has_board(snapshot, settings, request.settings):
            path = f"boards/{name}-{file_name(settings.measure)}.tsv"
            yield path, replace(request, kind="leaderboard", settings=settings)


def _settings_under(
    snapshot: Snapshot, record: GraderRecord, requested: Settings | None
) -> list[Settings]:
    """Settings of this grader's boards: of MEASURES, and of the measure requested."""
    k, rating, measures = DEFAULT_K, None, dict.fromkeys(MEASURES)
    by: tuple[int, Label] = (DEFAULT_MIN_ANSWERED, DEFAULT_LABEL)
    if requested is not None:
        by = requested.min_answered, requested.label
        measures[requested.measure] = None
        if uses_k(requested.measure):
            k = requested.k
        rating = chosen_settings.transferred_rating(snapshot, requested, record.name)
    return [
        chosen_settings.settings(snapshot, record.name, measure, rating, k, *by)
        for measure in measures
        if measure not in MEASURES or accepts_label(measure, by[1])
    ]


def _has_board(
    snapshot: Snapshot, settings: Settings, requested: Settings | None
) -> bool:
    """Return True if the measure is defined for these grades.

    Raises EvaluationError where it is undefined, and this very board was requested.
    """
    try:
        return bool(scoring.board(snapshot, settings).standings)
    except EvaluationError:
        if settings == requested and settings.measure not in MEASURES:
            raise
        return False
