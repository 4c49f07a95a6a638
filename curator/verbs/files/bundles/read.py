"""``import --bundle``: rebuild a workspace from a bundle, all of it or nothing.

The bundle is checked before anything is written, and everything written is read back in
the same transaction before the commit: a bundle may come from others, with correct
hashes and malicious values.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from curator.bank.questions import Bank
from curator.errors import BundleError, CuratorError, WorkspaceError
from curator.formats.bundles import (
    SUMS,
    BundleReader,
    free_name,
    opened_bundle,
    sums_of,
)
from curator.formats.manifests import file_sha256
from curator.formats.text.notices import counted, listed
from curator.snapshot.opened import OpenWorkspace
from curator.snapshot.snapshot import Snapshot
from curator.store import generations as store_generations
from curator.store import history as store_history
from curator.store import releases as store_releases
from curator.store.bundles import integrity
from curator.store.bundles import tables as bundled
from curator.store.bundles.tables import Row, SchemaTable
from curator.store.connection import SCHEMA_VERSION, write_transaction
from curator.store.counts import questions_by_kind
from curator.store.damage import MALFORMED_ROW_ERRORS, file_problems
from curator.store.migrations import OLDEST_SCHEMA
from curator.unfinished import LockedFolder
from curator.verbs.files.bundles.contents import (
    README_NAME,
    bundled_numbers,
    canonical_form,
    grades_of,
    left_out_of,
    readable_files,
    table_path,
)
from curator.verbs.files.export_request import ExportRequest
from curator.verbs.files.imports import ImportSummary
from curator.verbs.proposals.decisions import decisions
from curator.verbs.setup.settings import setup
from curator.verbs.setup.status import status_of
from grading.errors import GradingError

COUNTED = {
    "query": "queries",
    "subtopic": "subtopics",
    "passage": "passages",
    "event": "events",
    "system": "systems",
    "judgment": "judgments",
    "grader": "graders",
    "response": "responses",
    "release": "releases",
}
"""Nouns of the tables whose rows are counted in the summary."""

MAX_PROBLEMS = 3  # problems named in one message


def import_bundle(workspace: OpenWorkspace, path: str | Path) -> ImportSummary:
    """Rebuild the workspace of a bundle in this one, which must be empty.

    Raises WorkspaceError for a workspace that is not empty, BundleError for an
    incomplete bundle or invalid contents; nothing is stored then.
    """
    connection, path = workspace.connection, Path(path)
    with opened_bundle(path) as bundle, LockedFolder() as folder:
        _refuse_schema(bundle)
        with bundled.without_foreign_keys(connection), write_transaction(connection):
            if not bundled.is_empty(connection):
                raise WorkspaceError(
                    "This workspace is not empty. Import the bundle into a new one: "
                    f"`curator import NEW.db --bundle {path.name}`."
                )
            rows = _fill_tables(connection, bundle, Path(folder))
            _store_numbers(connection, bundle)
            bundled.renew_versions(connection)
            notices = [*_read_back(connection, bundle, Path(folder)), *bundle.notices]
        made_by, at = _text_field(bundle, "made_by"), _text_field(bundle, "at")
        return ImportSummary(
            path.name,
            f"bundle of {made_by}, {at[:10]}",
            {noun: rows[name] for name, noun in COUNTED.items() if rows.get(name)}
            | questions_by_kind(connection),
            tuple(notices),
        )


def _text_field(bundle: BundleReader, name: str) -> str:
    value = bundle.manifest.get(name)
    if not isinstance(value, str) or not value.isprintable():
        raise bundle.error(f"'{name}' is not text on one line.", "manifest.json")
    return value[:60]


def _refuse_schema(bundle: BundleReader) -> None:
    schema = bundle.manifest.get("schema")
    if type(schema) is not int or schema < OLDEST_SCHEMA:
        raise bundle.error(
            f"'schema' is not a version from {OLDEST_SCHEMA} on.", "manifest.json"
        )
    if schema > SCHEMA_VERSION:
        raise bundle.error(
            f"was written by a newer Curator (schema {schema}, this one reads up to "
            f"{SCHEMA_VERSION}). Upgrade with `pip install --upgrade exam-curator`.",
            "manifest.json",
        )
    _text_field(bundle, "made_by"), _text_field(bundle, "at")


def _fill_tables(
    connection: sqlite3.Connection, bundle: BundleReader, folder: Path
) -> dict[str, int]:
    """Fill the tables, and return the number of rows of each."""
    if bundle.manifest["schema"] == SCHEMA_VERSION:
        return _fill_all(connection, bundle)
    older = bundled.scratch_workspace(folder / "older.db", bundle.manifest["schema"])
    try:
        older.execute("BEGIN")
        _fill_all(older, bundle)
        older.execute("COMMIT")
        with _errors_of_bundle(bundle):
            bundled.migrate_workspace(older)
        return {
            name: bundled.write_rows(
                connection,
                table,
                bundled.read_rows(older, table),
                lambda message, name=name: bundle.error(message, table_path(name)),  # type: ignore[misc]
            )
            for name, table in bundled.tables(connection).items()
        }
    finally:
        older.close()


def _fill_all(connection: sqlite3.Connection, bundle: BundleReader) -> dict[str, int]:
    tables = bundled.tables(connection)
    paths = {table_path(name) for name in tables}
    present = {name for name in bundle.members if name.startswith("tables/")}
    for name in sorted(paths ^ present):
        problem = "is missing" if name in paths else "is not a table of this schema"
        raise bundle.error(f"{problem}.", name)
    return {name: _fill(connection, table, bundle) for name, table in tables.items()}


def _fill(
    connection: sqlite3.Connection, table: SchemaTable, bundle: BundleReader
) -> int:
    path, line = table_path(table.name), 0

    def rows() -> Iterator[Row]:
        nonlocal line
        for line, row in bundle.lines(path):  # noqa: B007  (used by ``to_error``)
            yield row

    def to_error(message: str) -> BundleError:
        return bundle.error(message, path, line)

    return bundled.write_rows(connection, table, rows(), to_error)


def _store_numbers(connection: sqlite3.Connection, bundle: BundleReader) -> None:
    for file in bundled_numbers(bundle):
        try:
            bundled.write_published(connection, file.path, file.manifest, file.text)
        except (sqlite3.Error, UnicodeEncodeError) as error:
            raise bundle.error(f"cannot be stored ({error}).", file.path) from None


@contextmanager
def _errors_of_bundle(bundle: BundleReader) -> Iterator[None]:
    """Report any error in reading the tables as an error of the bundle."""
    try:
        yield
    except BundleError:
        raise
    except (*MALFORMED_ROW_ERRORS, CuratorError, GradingError) as error:
        raise bundle.error(
            f"its tables have contents that no workspace has ({type(error).__name__}: "
            f"{error}); nothing was imported."
        ) from None


def _read_back(
    connection: sqlite3.Connection, bundle: BundleReader, folder: Path
) -> list[str]:
    """Read everything that was written, and return notices. Raises BundleError."""
    with _errors_of_bundle(bundle):
        for faults in (
            file_problems,
            lambda connection: integrity.verify_file(connection).problems,
            store_releases.release_problems,
        ):
            if problems := list(islice(faults(connection), MAX_PROBLEMS)):
                raise bundle.error(
                    f"its tables are inconsistent: {'; '.join(problems)}. Nothing was "
                    "imported."
                )
        snapshot = Snapshot.read(connection).for_viewer(connection)
        _refuse_incomplete_history(connection, snapshot.bank, bundle)
        setup(connection)
        status_of(snapshot, Path(bundle.path.name))
        decisions(snapshot)
        store_generations.read_generations(connection)
        return notices_on_files(snapshot, bundle, folder)


def _refuse_incomplete_history(
    connection: sqlite3.Connection, bank: Bank, bundle: BundleReader
) -> None:
    """Raise BundleError unless undoing the whole history leaves an empty bank."""
    first = store_history.bank_at(connection, bank, 0)
    contents = {"questions": any(first.by_query.values()), "done marks": first.done}
    contents |= {f"{kind} marks": any(of.values()) for kind, of in first.marks.items()}
    for noun, content in contents.items():
        if content:
            raise bundle.error(
                f"its history does not explain the {noun} of its bank; nothing was "
                "imported."
            )


def notices_on_files(
    snapshot: Snapshot, bundle: BundleReader, folder: Path
) -> list[str]:
    """Notices about the files for people, apart from the tables.

    Another version of Curator may write them differently. Numbers are not computed.
    """
    request = ExportRequest(snapshot, "bundle", folder / "unused")
    folder = folder / "readable"
    folder.mkdir()
    names, differing = {README_NAME, SUMS}, []
    for preferred, source in _files_without_numbers(request, folder):
        name = free_name(preferred, names)
        names.add(name)
        member = bundle.members.get(name)
        if member is None or member.sha256 != file_sha256(source):
            differing.append(name)
    others = [member for member in bundle.members.values() if member.name != SUMS]
    if SUMS not in bundle.members or bundle.text(SUMS) != sums_of(others):
        differing.append(SUMS)
    notices = []
    if left_out := left_out_of(bundle):
        notices.append(
            f"Written without the restricted queries {listed(left_out)}; its numbers "
            "are of the other queries."
        )
    if differing:
        notices.append(
            f"{listed(differing)}: {'differs' if len(differing) == 1 else 'differ'} "
            "from what this version writes from the same tables; the tables count."
        )
    numbers = {member.name for member in others if member.numbers is not None}
    if unknown := [
        member.name
        for member in others
        if member.name not in names | numbers and not member.name.startswith("tables/")
    ]:
        notices.append(
            f"{listed(unknown)}: not written by this version, so "
            f"{'it was' if len(unknown) == 1 else 'they were'} not read."
        )
    if numbers:
        notices.append(
            f"The numbers of {counted(len(numbers), 'file')} (qrels, boards) were not "
            "recomputed; `curator verify WORKSPACE` recomputes and compares them."
        )
    return notices


def _files_without_numbers(
    request: ExportRequest, folder: Path
) -> Iterator[tuple[str, Path]]:
    """List (name, file) of files for people without numbers, as in a bundle.

    Each file exists until the next is requested.
    """
    yield from readable_files(request, folder)
    for record in request.snapshot.gradebook.records:
        if grades := grades_of(request.snapshot.connection, record, folder):
            yield grades
    for release in reversed(store_releases.read_releases(request.snapshot.connection)):
        yield canonical_form(request.snapshot.connection, release.name, folder)
