"""``export --bundle``: everything in one zip, to be read, checked and rebuilt from.

What people read is written by the exporters of single files; what rebuilds are the
tables. Every file of numbers stands in the manifest with what it rests on, so that
``verify`` can compute it again.
"""

from __future__ import annotations

import platform
import re
import sqlite3
from contextlib import closing
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from curator.bank.questions import Bank
from curator.engine.gradebook import GraderRecord
from curator.errors import EvaluationError
from curator.evaluation.settings import Settings
from curator.formats.bundles import BundleWriter
from curator.formats.text.output_files import output_file
from curator.store import releases as store_releases
from curator.store.bundles import tables
from curator.store.connection import SCHEMA_VERSION
from curator.store.history import last_event, now
from curator.verbs.files.bundles.contents import (
    README,
    README_NAME,
    Exporter,
    canonical_form,
    file_name,
    grades_of,
    has_board,
    readable_files,
    settings_under,
    table_path,
    write_lines,
    written_numbers,
)
from curator.verbs.files.export_request import ExportOrder, ExportSummary, refuse_blind
from curator.verbs.files.numbers import export_leaderboard, export_qrels
from curator.verbs.releases.release import freeze
from curator.version import VERSION

_PACKED = re.compile(r"(\.zip|\.tar)?\.(gz|tgz|tar|bz2|xz)$", re.IGNORECASE)


def export_bundle(order: ExportOrder) -> ExportSummary:
    """Write the bundle of the workspace as it is now, all of one moment.

    Raises EvaluationError where grades are missing, unless ``allow_partial``, and
    where whoever asks is not to see everything.
    """
    refuse_blind(order)
    name = order.target.name
    if (plain := _PACKED.sub("", name)) != name:
        raise EvaluationError(f"A bundle is a zip; name it '{plain}.zip'.")
    whole = order.state.whole
    _refuse_hidden(order, whole.bank)
    order = replace(order, state=whole)
    with (
        TemporaryDirectory() as folder,
        output_file(order.target) as stream,
        closing(BundleWriter(stream.buffer)) as writer,
    ):
        packing = _Packing(order, writer, Path(folder))
        manifest = packing.pack()
    return ExportSummary(
        "bundle",
        order.target,
        len(manifest["files"]),
        "files",
        (
            f"Grades are missing, {packing.missing:,} where most are; the manifest "
            "says of every file of numbers how many it rests on.",
        )
        if packing.missing
        else (),
    )


def _refuse_hidden(order: ExportOrder, whole: Bank) -> None:
    """Raise EvaluationError where the order's bank is not all there is.

    Whoever opened the workspace as a judge is not shown what others said before they
    said something themselves, nor proposals before they wrote enough.
    """
    shown = order.state.bank
    if order.state.viewer.closed or shown.judged_marks < whole.judged_marks:
        raise EvaluationError(
            "A bundle would show what judges are not to see yet, such as the votes of "
            "others. The organizer runs `curator export WORKSPACE --bundle FILE`."
        )


class _Packing:
    """One bundle being filled."""

    def __init__(self, order: ExportOrder, writer: BundleWriter, folder: Path) -> None:
        self._order = order
        self._connection = order.state.connection
        self._writer = writer
        self._folder = folder
        self.missing = 0  # grades, of all files of numbers

    def pack(self) -> dict[str, Any]:
        """Everything in its order; the manifest."""
        self._writer.add_text(README_NAME, README)
        for name, source in readable_files(self._order, self._folder):
            self._writer.add(name, source)
        self._grades_and_numbers()
        self._releases()
        counts = self._tables()
        state = self._order.state
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
                "by": self._order.state.viewer.judge,
                "collection": state.collection.title,
                "event": last_event(self._connection),
                "missing_grades": self.missing,
                "rows": counts,
            }
        )

    def _grades_and_numbers(self) -> None:
        for record in self._order.state.gradebook.records:
            name = file_name(record.name)
            if grades := grades_of(self._connection, record, self._folder):
                self._add(*grades)
            self._numbers(record, name)

    def _numbers(self, record: GraderRecord, name: str) -> None:
        """The qrels and boards of a grader, where it has any grade."""
        state = self._order.state
        chosen = settings_under(state, record, self._order.settings)
        if not freeze(state, chosen[0], scores=False).known:
            return
        try:
            self._file_of_numbers(f"qrels/{name}.qrels", export_qrels, chosen[0])
            for settings in chosen if state.collection.systems else ():
                if has_board(state, settings, self._order.settings):
                    path = f"boards/{name}-{file_name(settings.measure)}.tsv"
                    self._file_of_numbers(path, export_leaderboard, settings)
        except EvaluationError as error:
            raise EvaluationError(f"{record.name}: {error}") from None

    def _releases(self) -> None:
        for record in reversed(store_releases.read_releases(self._connection)):
            found = store_releases.read_release(self._connection, record.name)
            # Its files have one name, as two releases' names may become one.
            path, canonical = canonical_form(
                self._connection, record.name, self._folder
            )
            free = self._writer.free_name(path)
            name = free.removesuffix(".json")
            self._add(free, canonical)
            for ending, exporter in (
                (".qrels", export_qrels),
                (".tsv", export_leaderboard),
            ):
                if ending == ".qrels" or found[1].board:
                    self._file_of_numbers(
                        name + ending, exporter, found[1].settings, found
                    )

    def _file_of_numbers(
        self, path: str, exporter: Exporter, settings: Settings, release: Any = None
    ) -> None:
        name = self._writer.free_name(path)
        target, manifest = written_numbers(
            replace(self._order, settings=settings, release=release),
            exporter,
            self._folder / f"numbers{Path(path).suffix}",
        )
        grades = manifest.get("grades")
        if grades and release is None:
            self.missing = max(self.missing, grades["needed"] - grades["known"])
        self._writer.add(name, target, manifest)

    def _tables(self) -> dict[str, int]:
        counts = {}
        for name, table in tables.tables(self._connection).items():
            target = self._folder / "rows.jsonl"
            rows = tables.read_rows(self._connection, table)
            counts[name] = write_lines(target, rows)
            self._writer.add(table_path(name), target)
        return counts

    def _add(self, name: str, source: Path) -> None:
        self._writer.add(self._writer.free_name(name), source)
