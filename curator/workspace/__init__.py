"""A workspace: one SQLite file, and every verb as a short method.

>>> with Workspace.open("dl19.db") as workspace:
...     board = workspace.leaderboard(measure="P@20", min_rating=4)

Each method opens nothing but the workspace's own connection, calls one verb and
returns a frozen result that the command line and the pages only render.

The methods stand by theme, one class a module:

    opened.py        under all others: path, connection, judge, who may see what
    contents.py      collection, bank, status, graders, settings, setup, pulse
    files.py         import, export, report, bundles, verify
    editing.py       apply, undo, redo, marking ideal answers, reasons for retiring
    grading.py       grades, unreadable responses, jobs
    proposals.py     generation, what keeping or leaving out does, who decided what
    leaderboards.py  boards, scores, comparison, correlation, agreement, sweeps
    influence.py     questions with reach and influence, impact, what-ifs
    history.py       events, retirements, past banks
    passages.py      pools, passages, ideal answers
    votes.py         judges, pyramids
    answers.py       extracted and known answers, checks of answers, AVA models
    releases.py      freeze, compare, restore, readiness

The verbs with parsers and graders behind them are imported where they are called: a
cold `curator leaderboard` would spend a third of its time on them.
"""

from __future__ import annotations

import getpass
import os
from pathlib import Path
from types import TracebackType

from curator.errors import WorkspaceError
from curator.formats.text.records import NOT_IN_NAMES
from curator.store import connection as store_connection
from curator.workspace.answers import Answers
from curator.workspace.contents import Contents
from curator.workspace.editing import Editing
from curator.workspace.files import Files, Filing
from curator.workspace.grading import Grading
from curator.workspace.history import History
from curator.workspace.influence import Influence
from curator.workspace.leaderboards import Leaderboards
from curator.workspace.opened import Progress
from curator.workspace.passages import Passages
from curator.workspace.proposals import Proposals
from curator.workspace.releases import Releases
from curator.workspace.votes import Votes

__all__ = ["Files", "Progress", "Workspace", "default_judge"]


# A theme that calls another's methods is a class of it, and stands before it here:
# grading and influence use history, files use releases.
class Workspace(
    Contents,
    Filing,
    Editing,
    Grading,
    Proposals,
    Leaderboards,
    Influence,
    History,
    Passages,
    Votes,
    Answers,
    Releases,
):
    """An open workspace file and who is working on it.

    Not shared between threads: every script run, command or test opens its own. What
    is expensive to load is kept per process and path, and reloaded only where the
    file's clocks say that it changed.
    """

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        create: bool = False,
        judge: str | None = None,
        as_judge: bool = False,
        patience: float | None = None,
    ) -> Workspace:
        """The workspace in this file, brought up to date.

        ``judge`` signs edits: by default ``CURATOR_USER``, else the user of the
        operating system. Opened ``as_judge``, nothing shows system names, judgments
        and official ranks while the collection is in blind mode. ``patience`` is how
        many seconds a save waits for another writer, a minute by default. Raises
        WorkspaceError for a file that is missing (without ``create``), not a
        workspace, or made by a newer Curator, and for a judge's name that nobody can
        read.
        """
        path = Path(path)
        judge = judge or default_judge()
        if not judge.strip() or NOT_IN_NAMES.search(judge):
            raise WorkspaceError(
                f"{judge!r} is no name to sign edits by: expected letters that can be "
                "seen, on one line. CURATOR_USER sets it."
            )
        connection = store_connection.open_workspace(path, create=create)
        if patience is not None:
            store_connection.be_patient(connection, patience)
        return cls(path, connection, judge, as_judge=as_judge)

    def close(self) -> None:
        """Close the file; nothing is ever left unsaved."""
        self._connection.close()

    def __enter__(self) -> Workspace:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def default_judge() -> str:
    """Who edits are signed by: ``CURATOR_USER``, else the operating system's user."""
    try:
        return os.environ.get("CURATOR_USER") or getpass.getuser()
    except OSError:
        return "unknown"
