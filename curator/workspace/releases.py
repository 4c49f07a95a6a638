"""Frozen banks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from curator.engine.settings import settings_from
from curator.engine.state import Boards
from curator.errors import ReleaseError
from curator.evaluation.settings import Settings
from curator.verbs.curate import edits
from curator.workspace.opened import Opened

if TYPE_CHECKING:
    from curator.evaluation.releases import Difference, Release
    from curator.store.releases import ReleaseRecord
    from curator.verbs.releases.readiness import Readiness
    from curator.verbs.releases.release import Drift

CHANGED = (
    "Not frozen: the numbers changed meanwhile. Look at what is missing once more."
)


class Releases(Opened):
    """Freezing, comparing and restoring a bank with its settings and labels."""

    def readiness(self, settings: Settings | None) -> Readiness:
        """What a release would lack under these settings: grades, decisions, ticks."""
        from curator.verbs.releases import readiness

        boards = self._fresh()
        seen, closed = self._seen_boards(boards).bank, len(self._closed())
        return readiness.readiness(boards, settings, seen=seen, closed=closed)

    def release(
        self,
        name: str,
        settings: Settings | None = None,
        *,
        why: str = "",
        allow_partial: bool = False,
        seen: Readiness | None = None,
        **options: str | int | None,
    ) -> ReleaseRecord:
        """Freeze the kept bank, its settings and its labels; they never change again.

        ``seen`` is what somebody was shown as missing, and nothing is frozen where that
        is otherwise by now. Raises ReleaseError then and for a name that is taken,
        EvaluationError where grades are missing and ``allow_partial`` is not said.
        """
        from curator.verbs.releases import readiness
        from curator.verbs.releases import release as releasing

        def looked_at() -> Boards:
            """The boards under the write lock, if they still are what was shown."""
            if seen is not None:
                now = readiness.readiness(self._fresh(), seen.settings)
                # Votes of others that one is not shown are no part of what is frozen.
                if now != replace(seen, unseen=0, closed=0):
                    raise ReleaseError(CHANGED)
            return self._whole()

        return releasing.release(
            self._connection,
            looked_at,
            name,
            settings or settings_from(self._fresh(), options),
            by=self.judge,
            why=why,
            allow_partial=allow_partial,
        )

    def releases(self) -> tuple[ReleaseRecord, ...]:
        """Every release, the latest first: who froze what, when and why."""
        from curator.store import releases

        return releases.read_releases(self._connection)

    def release_named(self, name: str) -> tuple[ReleaseRecord, Release]:
        """A release with its content. Raises UnknownNameError.

        Opened ``as_judge`` in blind mode, without its board, which has names in it.
        """
        from curator.store import releases

        record, frozen = releases.read_release(self._connection, name)
        if self._as_judge and self._fresh().collection.blind:
            frozen = replace(frozen, board=())
        return record, frozen

    def release_difference(self, name: str, other: str | None = None) -> Difference:
        """What differs from a release to another, or to the workspace as it is.

        Opened ``as_judge`` in blind mode, without the boards.
        """
        from curator.verbs.releases import release as releasing

        found = releasing.compared(self._connection, self._whole(), name, other)
        if self._as_judge and self._fresh().collection.blind:
            return replace(found, systems=())
        return found

    def release_drifts(self) -> tuple[Drift, ...]:
        """Each release with the labels that its grader gives otherwise by now."""
        from curator.verbs.releases import release as releasing

        return releasing.drifts(self._connection, self._whole())

    def restore_release(
        self, name: str, *, seen: Difference | None = None
    ) -> edits.Batch:
        """Make the kept bank that of a release again, as edits that undo as one.

        ``seen`` is the difference that somebody was shown, and nothing is edited where
        another one is there by now. Raises ReleaseError then, NothingToChangeError
        where the bank is that of the release already, UnknownNameError.
        """
        from curator.verbs.releases import restore

        return restore.restore(
            self._connection, self._whole, name, by=self.judge, seen=seen
        )
