"""``import --bundle``: a workspace rebuilt from a bundle, all of it or nothing.

The bundle is checked whole before anything is written, and what was written is read
back whole, within the same transaction, before it is kept: somebody else may have made
the bundle, with hashes that are right and values that mean harm.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, replace
from itertools import islice
from pathlib import Path

from curator.bank.questions import Bank
from curator.engine.opened import OpenWorkspace
from curator.engine.state import State
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
from curator.store import generations as store_generations
from curator.store import history as store_history
from curator.store import releases as store_releases
from curator.store.bundles import integrity
from curator.store.bundles import tables as bundled
from curator.store.bundles.tables import Row, Table
from curator.store.connection import SCHEMA_VERSION, exclusive
from curator.store.counts import questions_by_kind
from curator.store.damage import HARM, file_problems
from curator.unfinished import OwnFolder
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
"""Tables whose rows are told, by what they are rows of."""

_TOLD = 3  # things found wrong that one message names


def import_bundle(workspace: OpenWorkspace, path: str | Path) -> ImportSummary:
    """Rebuild the workspace of a bundle in this one, which must hold nothing.

    Raises WorkspaceError for one that holds anything, BundleError for a bundle that is
    not whole or holds what no workspace does; nothing is kept then.
    """
    connection, path = workspace.connection, Path(path)
    with opened_bundle(path) as bundle, OwnFolder() as folder:
        _refuse_schema(bundle)
        with bundled.references_unchecked(connection), exclusive(connection):
            if not bundled.is_empty(connection):
                raise WorkspaceError(
                    "A bundle is rebuilt in a workspace of its own, and this one holds "
                    f"something: `curator import NEW.db --bundle {path.name}`."
                )
            rows = _written(connection, bundle, Path(folder))
            _keep_numbers(connection, bundle)
            bundled.all_is_new(connection)
            notices = [*_read_back(connection, bundle, Path(folder)), *bundle.notices]
        return ImportSummary(
            path.name,
            f"bundle of {_words(bundle, 'made_by')}, {_words(bundle, 'at')[:10]}",
            {what: rows[name] for name, what in COUNTED.items() if rows.get(name)}
            | questions_by_kind(connection),
            tuple(notices),
        )


def _words(bundle: BundleReader, name: str) -> str:
    value = bundle.manifest.get(name)
    if not isinstance(value, str) or not value.isprintable():
        raise bundle.error(f"'{name}' is no text on one line.", "manifest.json")
    return value[:60]


def _refuse_schema(bundle: BundleReader) -> None:
    schema = bundle.manifest.get("schema")
    if type(schema) is not int or schema < 1:
        raise bundle.error("'schema' is no version of a workspace.", "manifest.json")
    if schema > SCHEMA_VERSION:
        raise bundle.error(
            f"is of a newer Curator (schema {schema}, this one reads up to "
            f"{SCHEMA_VERSION}). Upgrade with `pip install --upgrade exam-curator`.",
            "manifest.json",
        )
    _words(bundle, "made_by"), _words(bundle, "at")


def _written(
    connection: sqlite3.Connection, bundle: BundleReader, folder: Path
) -> dict[str, int]:
    """Fill the tables; how many rows each got."""
    if bundle.manifest["schema"] == SCHEMA_VERSION:
        return _filled(connection, bundle)
    older = bundled.scratch_workspace(folder / "older.db", bundle.manifest["schema"])
    try:
        older.execute("BEGIN")
        _filled(older, bundle)
        older.execute("COMMIT")
        with _harmless(bundle):
            bundled.bring_up_to_date(older)
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


def _filled(connection: sqlite3.Connection, bundle: BundleReader) -> dict[str, int]:
    tables = bundled.tables(connection)
    paths = {table_path(name) for name in tables}
    there = {name for name in bundle.members if name.startswith("tables/")}
    for name in sorted(paths ^ there):
        wrong = "is missing" if name in paths else "is no table of this schema"
        raise bundle.error(f"{wrong}.", name)
    return {name: _fill(connection, table, bundle) for name, table in tables.items()}


def _fill(connection: sqlite3.Connection, table: Table, bundle: BundleReader) -> int:
    path, line = table_path(table.name), 0

    def rows() -> Iterator[Row]:
        nonlocal line
        for line, row in bundle.lines(path):  # noqa: B007  (told by ``refused``)
            yield row

    def refused(message: str) -> BundleError:
        return bundle.error(message, path, line)

    return bundled.write_rows(connection, table, rows(), refused)


def _keep_numbers(connection: sqlite3.Connection, bundle: BundleReader) -> None:
    for one in bundled_numbers(bundle):
        try:
            bundled.write_published(connection, one.path, one.manifest, one.text)
        except (sqlite3.Error, UnicodeEncodeError) as error:
            raise bundle.error(f"cannot be kept ({error}).", one.path) from None


@contextmanager
def _harmless(bundle: BundleReader) -> Iterator[None]:
    """Whatever reading the tables ends in, told as the bundle's fault."""
    try:
        yield
    except BundleError:
        raise
    except (*HARM, CuratorError, GradingError) as error:
        raise bundle.error(
            "its tables hold what no workspace does "
            f"({type(error).__name__}: {error}); nothing was imported."
        ) from None


def _read_back(
    connection: sqlite3.Connection, bundle: BundleReader, folder: Path
) -> list[str]:
    """Read everything that was written; notices. Raises BundleError."""
    with _harmless(bundle):
        for faults in (
            file_problems,
            integrity.faults,
            lambda one: integrity.verify_file(one).problems,
            store_releases.faults,
        ):
            if found := list(islice(faults(connection), _TOLD)):
                raise bundle.error(
                    f"its tables do not hold together: {'; '.join(found)}. Nothing was "
                    "imported."
                )
        state = State.read(connection).opened(connection)
        _refuse_other_beginning(connection, state.bank, bundle)
        setup(connection)
        status_of(state, Path(bundle.path.name))
        decisions(state)
        store_generations.read_generations(connection)
        return notices_on_files(state, bundle, folder)


def _refuse_other_beginning(
    connection: sqlite3.Connection, bank: Bank, bundle: BundleReader
) -> None:
    """Raise BundleError unless the history, walked back, begins with nothing."""
    first = store_history.bank_at(connection, bank, 0)
    first = replace(first, titles={})  # which came with files
    names = {"by_query": "questions", "done": "done marks", "ideals": "ideal answers"}
    for field in fields(first):
        left = getattr(first, field.name)
        if any(left.values()) if isinstance(left, Mapping) else left:
            what = names.get(field.name, field.name)
            raise bundle.error(
                f"its history does not account for the {what} of its bank; nothing was "
                "imported."
            )


def notices_on_files(state: State, bundle: BundleReader, folder: Path) -> list[str]:
    """What is to be said of the files to be read, beside the tables.

    Another version of this program may have written them otherwise. Numbers are not
    computed here.
    """
    request = ExportRequest(state, "bundle", folder / "unused")
    folder = folder / "readable"
    folder.mkdir()
    seen, differing = {README_NAME, SUMS}, []
    for wanted, source in _to_be_read(request, folder):
        name = free_name(wanted, seen)
        seen.add(name)
        member = bundle.members.get(name)
        if member is None or member.sha256 != file_sha256(source):
            differing.append(name)
    others = [one for one in bundle.members.values() if one.name != SUMS]
    if SUMS not in bundle.members or bundle.text(SUMS) != sums_of(others):
        differing.append(SUMS)
    notices = []
    if left_out := left_out_of(bundle):
        notices.append(
            f"Written without restricted queries, {listed(left_out)}: its numbers are "
            "of the others."
        )
    if differing:
        notices.append(
            f"{listed(differing)}: not written as this version writes "
            f"{'it' if len(differing) == 1 else 'them'} from the same tables; the "
            "tables count."
        )
    numbers = {one.name for one in others if one.numbers is not None}
    if unknown := [
        one.name
        for one in others
        if one.name not in seen | numbers and not one.name.startswith("tables/")
    ]:
        notices.append(
            f"{listed(unknown)}: no file that this version writes from the same "
            f"tables; {'it was' if len(unknown) == 1 else 'they were'} not read."
        )
    if numbers:
        notices.append(
            f"The numbers of {counted(len(numbers), 'file')} (qrels, boards) were not "
            "computed again; `curator verify WORKSPACE` does, and compares them."
        )
    return notices


def _to_be_read(request: ExportRequest, folder: Path) -> Iterator[tuple[str, Path]]:
    """(name, file) of all that people read and that is no number, as in a bundle.

    Each file is good until the next is asked for.
    """
    yield from readable_files(request, folder)
    for record in request.state.gradebook.records:
        if grades := grades_of(request.state.connection, record, folder):
            yield grades
    for release in reversed(store_releases.read_releases(request.state.connection)):
        yield canonical_form(request.state.connection, release.name, folder)
