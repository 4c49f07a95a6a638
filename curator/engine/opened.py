"""An opened workspace file: its path and connection, who works on it, and its state.

Verbs that read take a State, verbs that write take this. A State is of one moment,
read in one transaction, and so is whatever is read with it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from curator.bank.edits import Edit
from curator.engine.state import State, state_cache
from curator.store import connection as store_connection
from curator.store import versions
from curator.store.restricted import without_texts
from curator.visibility.restricted import refuse_restricted
from curator.visibility.roles import Standing, refuse_viewer, standing

Progress = Callable[[int, int], None]


class OpenWorkspace:
    """A workspace file that somebody opened: as its owner, or as a judge in the app.

    ``judge`` is who signs, of those who are listed by the spelling that is.
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
            who = standing(connection, judge)
            self.judge = who.name
            if not who.may("judge"):  # and if a check were forgotten
                store_connection.only_read(connection)
        # Where an owner signs for a listed viewer: True everywhere, as a command does,
        # None in rows of files, False nowhere.
        self.refuse_viewers: bool | None = None
        self._cache = state_cache(path)
        self._state: State | None = None
        self._without_texts: tuple[object, sqlite3.Connection] | None = None

    def state(self) -> State:
        """The state now, or that of the snapshot that is being looked at."""
        if self._state is not None:
            return self._state
        return self._cache.current(self.connection).opened(
            self.connection,
            self.judge,
            as_judge=self.as_judge,
            without_texts=self.without_texts,
        )

    def working_state(self) -> State:
        """The state now with all texts, for what is stored and shown to nobody."""
        return self.state().with_texts

    def refuse_restricted(self, query_ids: Iterable[str]) -> None:
        """Raise RoleError where whoever it is may not see one of these queries' texts.

        Asked for before a save, as a refusal of the save would say some of them.
        """
        if self.as_judge:
            refuse_restricted([*query_ids], self.state().restricted)

    def without_texts(self, restricted: frozenset[str]) -> sqlite3.Connection:
        """What reads the file as it is now, but for the texts of these queries."""
        version = restricted, self.version()
        if self._without_texts is None or self._without_texts[0] != version:
            self._close_without_texts()
            withheld = self._cache.withheld(self.connection, *version)
            self._without_texts = version, without_texts(self.path, withheld)
        return self._without_texts[1]

    def _close_without_texts(self) -> None:
        if self._without_texts is not None:
            self._without_texts[1].close()
            self._without_texts = None

    def close(self) -> None:
        """Close the file; nothing is ever left unsaved."""
        self._close_without_texts()
        self.connection.close()

    def standing(self) -> Standing:
        """Who has opened this, by the role that they have now; an owner has none.

        Raises RoleError where they are listed no longer.
        """
        if not self.as_judge:
            return Standing(self.judge)
        return standing(self.connection, self.judge)

    def require(self, verb: str, edits: Sequence[Edit] = ()) -> None:
        """Raise RoleError unless a verb and these edits are allowed to whoever it is.

        Asked for in the transaction of a save, so that no role is one of before.
        """
        if self.as_judge:
            who = self.standing()
            who.require_call(verb)
            who.require_edits(edits)
        elif self.refuse_viewers:
            refuse_viewer(self.connection, self.judge, verb)

    @contextmanager
    def snapshot(self) -> Iterator[State]:
        """One state for the whole of a block: a page's drawing, a command.

        One transaction: what is read in it belongs together, whoever saves meanwhile.
        Nothing can be saved through this workspace before it ends.
        """
        if self._state is not None:
            yield self._state
            return
        with store_connection.snapshot(self.connection):
            self._state = self.state()
            try:
                with store_connection.snapshot(self._state.connection):
                    yield self._state
            finally:
                self._state = None

    @contextmanager
    def blamed(self) -> Iterator[None]:
        """A block whose errors are told as the file's damage where that caused them."""
        try:
            yield
        except Exception as error:
            from curator.store.damage import blamed  # reads migrations

            blamed(error, self.path, self.connection)
            raise

    @contextmanager
    def snapshot_for_files(self) -> Iterator[State]:
        """The same for what is written to a file: no texts of restricted queries."""
        with self.snapshot() as state:
            if restricted := state.collection.restricted:
                state = state.withheld(self.without_texts(restricted))
            with store_connection.snapshot(state.connection):
                yield state

    def version(self, *, besides: Iterable[str] = ()) -> int:
        """A number that differs after every change anyone makes; cheap to ask for.

        Grades of the graders named ``besides`` are left out.
        """
        return versions.file_version(self.connection, besides)

    def versions_of_banks(self) -> dict[str, int]:
        """By query, a number that differs after every change in the query's bank.

        Without the queries that nobody has changed yet.
        """
        return versions.of_banks(self.connection)

    def changes_by_others(self) -> int:
        """A number that differs once anybody else has changed the file.

        The cheapest of all to ask for; it says nothing to another opening of the file.
        """
        return store_connection.changes_by_others(self.connection)

    def writable(self) -> bool:
        """Whether an edit could be saved now, as far as the file decides that."""
        return store_connection.writable(self.connection)

    def checkpoint(self) -> None:
        """Move what SQLite's log holds into the file, as far as nobody is waiting."""
        store_connection.checkpoint(self.connection)
