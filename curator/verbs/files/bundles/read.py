"""``import --bundle``: rebuild a workspace from a bundle, all of it or nothing.

The bundle is checked before anything is written. The rows of its database go into the
tables of a new workspace and are verified there before the commit: a bundle may come
from others, with correct hashes and malicious values.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from curator.bank.questions import Bank
from curator.errors import BundleError, CuratorError, WorkspaceError
from curator.formats.bundles import (
    DATABASE,
    FORMER_FORMAT,
    MANIFEST,
    SUMS,
    BundleReader,
    free_name,
    opened_bundle,
)
from curator.formats.text.notices import counted, listed
from curator.formats.text.output_files import file_sha256
from curator.snapshot.opened import OpenWorkspace
from curator.snapshot.snapshot import Snapshot
from curator.store import generations as store_generations
from curator.store import history as store_history
from curator.store import releases as store_releases
from curator.store.bundles import copies, former_rows
from curator.store.bundles.integrity import verify_file
from curator.store.connection import SCHEMA_VERSION, write_transaction
from curator.store.counts import questions_by_kind
from curator.store.damage import MALFORMED_ROW_ERRORS, file_problems
from curator.store.migrations import OLDEST_SCHEMA
from curator.unfinished import LockedFolder
from curator.verbs.files.bundles.contents import (
    README_NAME,
    bundled_numbers,
    left_out_of,
    readable_files,
)
from curator.verbs.files.export_request import ExportRequest
from curator.verbs.files.imports import ImportSummary
from curator.verbs.proposals.decisions import decisions
from curator.verbs.setup import setup, status_of
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
    with (
        opened_bundle(path) as bundle,
        LockedFolder() as folder,
        closing(_open_database(bundle, Path(folder))) as source,
        copies.without_foreign_keys(connection),
        write_transaction(connection),
    ):
        made_by, at = bundle.field("made_by", str), bundle.field("at", str)
        if not copies.is_empty(connection):
            raise WorkspaceError(
                "This workspace is not empty. Import the bundle into a new one: "
                f"`curator import NEW.db --bundle {path.name}`."
            )
        with _errors_of(bundle):
            rows = copies.copy_rows(source, connection)
            for file in bundled_numbers(bundle):
                copies.write_published(connection, file.path, file.manifest, file.text)
            snapshot = _verified(connection, bundle)
            notices = [*_notices(snapshot, bundle, Path(folder)), *bundle.notices]
        return ImportSummary(
            path.name,
            f"bundle of {made_by[:60]}, {at[:10]}",
            {noun: rows[name] for name, noun in COUNTED.items() if rows.get(name)}
            | questions_by_kind(connection),
            tuple(notices),
        )


def _open_database(bundle: BundleReader, folder: Path) -> sqlite3.Connection:
    """Unpack and open the bundle's database. Raises BundleError unless it is sound."""
    file = folder / DATABASE
    with _errors_of(bundle):
        if bundle.manifest["format"] == FORMER_FORMAT:
            schema = bundle.field("schema", int)
            _refuse_schema(bundle, schema, OLDEST_SCHEMA)
            former_rows.write_database(bundle, file, schema)
        else:
            with bundle.open(DATABASE) as packed, open(file, "wb") as unpacked:
                shutil.copyfileobj(packed, unpacked)
        source = copies.open_copy(file)
        try:
            (schema,) = source.execute("PRAGMA user_version").fetchone()
            _refuse_schema(bundle, schema, SCHEMA_VERSION)
            _refuse(bundle, file_problems(source))
        except BaseException:
            source.close()
            raise
    return source


def _refuse_schema(bundle: BundleReader, schema: int, oldest: int) -> None:
    if schema > SCHEMA_VERSION:
        raise bundle.error(
            f"was written by a newer Curator (schema {schema}, this one reads up to "
            f"{SCHEMA_VERSION}). Upgrade with `pip install --upgrade exam-curator`."
        )
    if schema < oldest:
        raise bundle.error(f"its schema {schema} is not a version from {oldest} on.")


def _refuse(bundle: BundleReader, problems: Sequence[str]) -> None:
    if problems:
        first = "; ".join(problems[:MAX_PROBLEMS])
        raise bundle.error(f"its database is inconsistent: {first}. Nothing imported.")


@contextmanager
def _errors_of(bundle: BundleReader) -> Iterator[None]:
    """Report any error in reading the database as an error of the bundle."""
    try:
        yield
    except BundleError:
        raise
    except (*MALFORMED_ROW_ERRORS, CuratorError, GradingError) as error:
        raise bundle.error(
            f"its database has contents that no workspace has ({type(error).__name__}: "
            f"{error}); nothing was imported."
        ) from None


def _verified(connection: sqlite3.Connection, bundle: BundleReader) -> Snapshot:
    """Verify everything that was written and read it. Raises BundleError."""
    _refuse(bundle, verify_file(connection).problems)
    _refuse(bundle, store_releases.release_problems(connection))
    snapshot = Snapshot.read(connection).for_viewer(connection)
    _refuse_incomplete_history(connection, snapshot.bank, bundle)
    setup(connection)
    status_of(snapshot, Path(bundle.path.name))
    decisions(snapshot)
    store_generations.read_generations(connection)
    return snapshot


def _refuse_incomplete_history(
    connection: sqlite3.Connection, bank: Bank, bundle: BundleReader
) -> None:
    """Raise BundleError unless undoing the whole history leaves an empty bank."""
    first = store_history.bank_at(connection, bank, 0)
    contents = [*first.by_query.values(), first.done]
    contents += [
        marks for by_query in first.marks.values() for marks in by_query.values()
    ]
    if any(contents):
        raise bundle.error(
            "its history does not explain the whole bank; nothing was imported."
        )


def _notices(snapshot: Snapshot, bundle: BundleReader, folder: Path) -> Iterator[str]:
    """Notices about the files for people, which are not imported.

    Another version of Curator may write them differently. Numbers are not computed.
    """
    if left_out := left_out_of(bundle):
        yield (
            f"Written without the restricted queries {listed(left_out)}; its numbers "
            "are of the other queries."
        )
    files, differing = {README_NAME, SUMS, MANIFEST, DATABASE}, []
    request = ExportRequest(snapshot, "bundle", folder / "unused")
    for preferred, source in readable_files(request, folder):
        name = free_name(preferred, files)
        files.add(name)
        if bundle.sha256.get(name) != file_sha256(source):
            differing.append(name)
    if differing:
        yield (
            f"{listed(differing)}: {'differs' if len(differing) == 1 else 'differ'} "
            "from what this version writes from the same database, which counts."
        )
    numbers = {file.path for file in bundled_numbers(bundle)} - files
    others = bundle.sha256.keys() - files - numbers
    if unknown := [n for n in others if not n.startswith(former_rows.FOLDER)]:
        yield (
            f"{listed(sorted(unknown))}: not written by this version, so "
            f"{'it was' if len(unknown) == 1 else 'they were'} not read."
        )
    if numbers:
        yield (
            f"The numbers of {counted(len(numbers), 'file')} (qrels, boards) were not "
            "recomputed; `curator verify WORKSPACE` recomputes and compares them."
        )
