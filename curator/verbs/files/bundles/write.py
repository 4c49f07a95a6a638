"""``export --bundle``: write everything to one zip, to read, check and rebuild from.

Files for people are written by the exporters of single files; the tables rebuild the
workspace. The manifest has the settings of every file of numbers, so that ``verify``
can compute it again.
"""

from __future__ import annotations

import platform
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
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
from curator.formats.bundles import BundleWriter
from curator.formats.text.notices import counted
from curator.formats.text.output_files import output_file
from curator.snapshot import scoring
from curator.snapshot import settings as chosen_settings
from curator.snapshot.gradebook import GraderRecord
from curator.snapshot.snapshot import Snapshot
from curator.store import releases as store_releases
from curator.store.bundles import tables
from curator.store.bundles.without_restricted import Omissions, copy_without_restricted
from curator.store.connection import SCHEMA_VERSION, open_workspace
from curator.store.history import last_event, now
from curator.unfinished import LockedFolder
from curator.verbs.files.bundles.contents import (
    README,
    README_NAME,
    canonical_form,
    file_name,
    grades_of,
    readable_files,
    table_path,
    write_lines,
    write_numbers,
)
from curator.verbs.files.export_request import (
    ExportRequest,
    ExportSummary,
    refuse_blind,
)
from curator.verbs.releases.release import freeze
from curator.version import VERSION

MEASURES = ("cover", "P@20", "nDCG@10")
"""Measures whose boards are in every bundle, in addition to the settings'."""

_ARCHIVE_SUFFIX = re.compile(r"(\.zip|\.tar)?\.(gz|tgz|tar|bz2|xz)$", re.IGNORECASE)


def export_bundle(request: ExportRequest) -> ExportSummary:
    """Write the bundle of the workspace as it is now, in one snapshot.

    Restricted queries are left out, also of its numbers. Raises EvaluationError where
    grades are missing, unless ``allow_partial``, and where the viewer may not see
    everything.
    """
    refuse_blind(request)
    name = request.target.name
    if (plain := _ARCHIVE_SUFFIX.sub("", name)) != name:
        raise EvaluationError(f"A bundle is a zip; name it '{plain}.zip'.")
    for_viewer, full = request.snapshot, request.snapshot.full
    if for_viewer.viewer.is_judge and for_viewer.with_texts.bank != full.bank:
        raise EvaluationError(
            "A bundle would show what judges may not see yet, such as the votes of "
            "others. The organizer can run `curator export WORKSPACE --bundle FILE`."
        )
    with (
        LockedFolder() as folder,
        _without_restricted(full, Path(folder)) as (packed, left_out),
        output_file(request.target) as stream,
        closing(BundleWriter(stream.buffer)) as writer,
    ):
        request = replace(request, snapshot=packed)
        packing = _Packing(request, writer, Path(folder), left_out)
        manifest = packing.pack()
    partial = (
        f"Grades are missing, up to {packing.missing:,} in a file of numbers. The "
        "manifest has the count of each file."
    )
    notices = [partial] if packing.missing else []
    if left_out is not None:
        notices += _left_out_notices(left_out)
    number = len(manifest["files"])
    return ExportSummary("bundle", request.target, number, "files", tuple(notices))


@contextmanager
def _without_restricted(
    snapshot: Snapshot, folder: Path
) -> Iterator[tuple[Snapshot, Omissions | None]]:
    """Return the snapshot to pack, that of a copy if there are restricted queries."""
    if not snapshot.collection.restricted:
        yield snapshot, None
        return
    file = folder / "without restricted queries.db"
    left_out = copy_without_restricted(snapshot.full.connection, file)
    with closing(open_workspace(file)) as connection:
        yield (
            Snapshot.read(connection).for_viewer(connection, snapshot.viewer.judge),
            left_out,
        )


def _left_out_notices(left_out: Omissions) -> list[str]:
    notices = [
        f"Restricted queries left out: {', '.join(left_out.queries)}. Boards and all "
        "other numbers are of the remaining queries."
    ]
    if left_out.releases:
        names = ", ".join(left_out.releases)
        notices.append(f"Releases left out because they contain such queries: {names}.")
    if left_out.rounds:
        rounds = counted(left_out.rounds, "norming round")
        notices.append(f"{rounds} with items of such queries left out.")
    if left_out.reweighed:
        notices.append(
            "Word weights depend on the remaining texts, so ratings of nuggets may "
            f"differ from those here: {', '.join(left_out.reweighed)}."
        )
    return notices


class _Packing:
    def __init__(
        self,
        request: ExportRequest,
        writer: BundleWriter,
        folder: Path,
        left_out: Omissions | None,
    ) -> None:
        self._left_out = left_out.queries if left_out else ()
        self._request = request
        self._connection = request.snapshot.connection
        self._writer = writer
        self._folder = folder
        self.missing = 0  # the most missing grades of any file of numbers

    def pack(self) -> dict[str, Any]:
        """Write all files in order, and return the manifest."""
        self._writer.add_text(README_NAME, README)
        for name, source in readable_files(self._request, self._folder):
            self._writer.add(name, source)
        snapshot = self._request.snapshot
        for record in snapshot.gradebook.records:
            if grades := grades_of(self._connection, record, self._folder):
                self._writer.add(*grades)
            if not record.spec.learned:  # its grades change with every check
                self._numbers(record)
        self._releases()
        return self._writer.finish(
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
                "event": last_event(self._connection),
                "missing_grades": self.missing,
                "rows": self._tables(),
                **({"left_out": [*self._left_out]} if self._left_out else {}),
            }
        )

    def _numbers(self, record: GraderRecord) -> None:
        snapshot, name = self._request.snapshot, file_name(record.name)
        chosen = _settings_under(snapshot, record, self._request.settings)
        if not freeze(snapshot, chosen[0], scores=False).known:
            return
        try:
            self._file_of_numbers(f"qrels/{name}.qrels", "qrels", chosen[0])
            for settings in chosen if snapshot.collection.systems else ():
                if _has_board(snapshot, settings, self._request.settings):
                    path = f"boards/{name}-{file_name(settings.measure)}.tsv"
                    self._file_of_numbers(path, "leaderboard", settings)
        except EvaluationError as error:
            raise EvaluationError(f"{record.name}: {error}") from None

    def _releases(self) -> None:
        for record in reversed(store_releases.read_releases(self._connection)):
            stored = store_releases.read_release(self._connection, record.name)
            # One name for all files of a release: file names of releases may collide.
            form = canonical_form(self._connection, record.name, self._folder)
            name = self._writer.add(*form).removesuffix(".json")
            settings = stored[1].settings
            self._file_of_numbers(f"{name}.qrels", "qrels", settings, stored)
            if stored[1].board:
                self._file_of_numbers(f"{name}.tsv", "leaderboard", settings, stored)

    def _file_of_numbers(
        self, path: str, kind: str, settings: Settings, release: Any = None
    ) -> None:
        target = self._folder / f"numbers{Path(path).suffix}"
        request = replace(self._request, kind=kind, target=target)
        by_people = request.snapshot.grader(settings.grader).by_people
        if by_people:  # their grades are never complete
            request = replace(request, allow_partial=True)
        manifest = write_numbers(replace(request, settings=settings, release=release))
        grades = manifest.get("grades")
        if grades and release is None and not by_people:
            self.missing = max(self.missing, grades["needed"] - grades["known"])
        self._writer.add(path, target, manifest)

    def _tables(self) -> dict[str, int]:
        counts = {}
        for name, table in tables.tables(self._connection).items():
            target = self._folder / "rows.jsonl"
            rows = tables.read_rows(self._connection, table)
            counts[name] = write_lines(target, rows)
            self._writer.add(table_path(name), target)
        return counts


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
        if (
            requested is not None
            and settings == requested
            and requested.measure not in MEASURES
        ):
            raise
        return False
