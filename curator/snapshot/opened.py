"""An opened workspace file: its path, connection, user and snapshot.

Reading verbs take a Snapshot, which is read in one transaction. Writing verbs
take an OpenWorkspace.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from curator.bank.edits import Edit
from curator.snapshot.access import Membership, find_member, refuse_viewer
from curator.snapshot.restricted import refuse_restricted
from curator.snapshot.snapshot import Snapshot, snapshot_cache
from curator.store import connection as store_connection
from curator.store import versions
from curator.store.restricted import open_without_texts

Progress = Callable[[int, int], None]


class OpenWorkspace:
    """A workspace file, opened as its owner or as a judge in the app.

    ``judge`` signs edits, in the spelling of the list of people.
    """

    def __init__(
        self,
        path: Path,
        connection: sqlite3.Connection,
        judge: str,
        *,
        as_judge: bool = False,
    ) -> None:
        self.path = path
        self.connection = connection
        self.as_judge = as_judge
        self.judge = judge
        if as_judge:
            person = find_member(connection, judge)
            self.judge = person.name
            if not person.has_role("judge"):  # a second guard
                store_connection.forbid_writes(connection)
        # Refuse edits in the name of a listed viewer if not opened as a judge: True in
        # all edits, as commands do; None only in rows of files; False in none.
        self.refuse_viewers: bool | None = None
        self._cache = snapshot_cache(path)
        self._snapshot: Snapshot | None = None
        self._without_texts: tuple[object, sqlite3.Connection] | None = None

    def current_snapshot(self) -> Snapshot:
        """Return the snapshot of the open block, or a current one."""
        if self._snapshot is not None:
            return self._snapshot
        return self._cache.current(self.connection).for_viewer(
            self.connection,
            self.judge,
            as_judge=self.as_judge,
            without_texts=self.without_texts,
        )

    def refuse_restricted(self, query_ids: Iterable[str]) -> None:
        """Raise RoleError if the user may not see one of these queries' texts.

        Called before a save, because a refused save would reveal some texts.
        """
        if self.as_judge:
            refuse_restricted([*query_ids], self.current_snapshot().restricted)

    def without_texts(self, restricted: frozenset[str]) -> sqlite3.Connection:
        """Return a connection to the file without the texts of these queries."""
        version = restricted, self.version()
        if self._without_texts is None or self._without_texts[0] != version:
            self._close_without_texts()
            withheld = self._cache.withheld(self.connection, *version)
            self._without_texts = version, open_without_texts(self.path, withheld)
        return self._without_texts[1]

    def _close_without_texts(self) -> None:
        if self._without_texts is not None:
            self._without_texts[1].close()
            self._without_texts = None

    def close(self) -> None:
        """Close the file; there are no unsaved changes."""
        self._close_without_texts()
        self.connection.close()

    def standing(self) -> Membership:
        """Return the user with the current role; an owner has no role.

        Raises RoleError if the user is no longer listed.
        """
        if not self.as_judge:
            return Membership(self.judge)
        return find_member(self.connection, self.judge)

    def require(self, verb: str, edits: Sequence[Edit] = ()) -> None:
        """Raise RoleError unless the user may call a verb and make these edits.

        Called in the transaction of a save, so that the role is current.
        """
        if self.as_judge:
            self.standing().require(verb, edits)
        elif self.refuse_viewers:
            refuse_viewer(self.connection, self.judge, verb)

    @contextmanager
    def snapshot(self) -> Iterator[Snapshot]:
        """Return one snapshot for a whole block, such as a page or a command.

        The block is one transaction: everything read in it belongs together, even if
        others save meanwhile. Nothing can be saved through this workspace before it
        ends.
        """
        if self._snapshot is not None:
            yield self._snapshot
            return
        with self.blamed(), store_connection.read_transaction(self.connection):
            self._snapshot = self.current_snapshot()
            try:
                with store_connection.read_transaction(self._snapshot.connection):
                    yield self._snapshot
            finally:
                self._snapshot = None

    @contextmanager
    def blamed(self) -> Iterator[None]:
        """Report errors of the block as damage of the file if that caused them."""
        try:
            yield
        except Exception as error:
            from curator.store.bundles.integrity import (
                raise_if_damaged,  # reads migrations
            )

            raise_if_damaged(error, self.path, self.connection)
            raise

    @contextmanager
    def snapshot_for_files(self) -> Iterator[Snapshot]:
        """Return a snapshot for exports, without texts of restricted queries."""
        with self.snapshot() as snapshot:
            if restricted := snapshot.collection.restricted:
                snapshot = snapshot.without_restricted(self.without_texts(restricted))
            with store_connection.read_transaction(snapshot.connection):
                yield snapshot

    def version(self, *, besides: Iterable[str] = ()) -> int:
        """Return a number that differs after every change by any user; cheap to read.

        Grades of the graders named ``besides`` are left out.
        """
        return versions.file_version(self.connection, besides)

    def versions_of_banks(self) -> dict[str, int]:
        """Return a number by query that differs after every change in its bank.

        Without the queries that were never changed.
        """
        return versions.read_bank_versions(self.connection)

    def changes_by_others(self) -> int:
        """Return a number that differs once another connection has changed the file.

        The cheapest of all versions; meaningless for another connection.
        """
        return store_connection.changes_by_others(self.connection)

    def writable(self) -> bool:
        """Return True if the file allows saving an edit now."""
        return store_connection.is_writable(self.connection)

    def checkpoint(self) -> None:
        """Move SQLite's log into the file, as far as no reader is waiting."""
        store_connection.checkpoint(self.connection)
