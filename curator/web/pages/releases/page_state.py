"""Choices on the Export tab, and the files that it keeps."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from curator.background.files import FileRequest, FileTask, LatestFiles, SessionFiles
from curator.errors import NothingToChangeError
from curator.evaluation.releases import ReleaseDifference
from curator.evaluation.settings import Settings
from curator.unfinished import LockedFolder
from curator.verbs.releases.readiness import Readiness
from curator.verbs.releases.release import release_named
from curator.web.components import session
from curator.web.pages.releases import release_words as releases
from curator.web.pages.releases.words import Chosen
from curator.workspace import Workspace


def chosen() -> Chosen:
    """How this session asks for its files."""
    return session.recall(Chosen) or Chosen()


def files() -> SessionFiles:
    """The small files made for this session; they go when it does."""
    return session.recall(SessionFiles) or session.keep(SessionFiles())


@st.cache_resource(show_spinner=False)
def large_files() -> LatestFiles:
    """The large files of this server, made beside its pages."""
    return LatestFiles()


def making(wanted: FileRequest) -> bool:
    """Whether it is being made beside the page."""
    return session.service().is_running(FileTask(wanted, large_files()))


def make(wanted: FileRequest) -> None:
    """Have a large file made beside the page, unless it is there."""
    task = FileTask(wanted, large_files())
    if not task.is_done:
        session.service().send(task)


def freeze(settings: Settings, seen: Readiness, allow_partial: bool) -> None:
    """Make the release that the form names, of the bank that was looked at."""
    name, why = st.session_state.release_name, st.session_state.release_why
    try:
        with session.workspace() as workspace:
            made = workspace.release(
                name, settings, why=why, allow_partial=allow_partial, seen=seen
            )
    except session.EXPECTED as error:
        session.note(str(error), error=True)
        return
    st.session_state.release_name = st.session_state.release_why = ""
    session.look(release=made.name)
    session.note(f"Frozen as {made.name}: {releases.rests_on(made)}.")


def ask_to_restore(name: str | None) -> None:
    """Ask once whether to restore; None no longer asks."""
    session.current().restoring = name


def restore(name: str, seen: ReleaseDifference) -> None:
    """Make the bank that of the release again, and offer to take that back.

    No more is changed than was ``seen``; where more would be, the page asks once more.
    """
    try:
        with session.workspace() as workspace:
            batch = workspace.restore_release(name, seen=seen)
    except NothingToChangeError as error:
        ask_to_restore(None)
        session.note(str(error))
    except session.EXPECTED as error:
        session.note(str(error), error=True)
    else:
        ask_to_restore(None)
        session.current().restored = (name, batch.event_ids[0])


def undo_restoring() -> None:
    """Take back the restoring that this session did last."""
    restored, session.current().restored = session.current().restored, None
    if restored is None:
        return
    try:
        with session.workspace() as workspace:
            workspace.undo(event=restored[1])
    except session.EXPECTED as error:
        session.note(str(error), error=True)
    else:
        session.note("Taken back: the bank is as it was before.")


def restored() -> str | None:
    """The release restored last in this session, as long as that can be undone here."""
    found = session.current().restored
    return found[0] if found else None


def released_file(
    path: Path, judge: str, name: str, kind: str, binary: bool, to: str
) -> bytes:
    """A release's qrels, board or canonical form, as this judge may have it.

    A browser asks for it outside the session, so everything it needs is said.
    """
    with (
        Workspace.open(path, judge=judge, as_judge=True) as workspace,
        LockedFolder() as folder,
    ):
        if kind == "json":
            with workspace.snapshot_for_files() as state:
                return release_named(state, name)[1].canonical.encode()
        target = Path(folder) / to
        workspace.export(kind, target, release=name, binary=binary)
        return target.read_bytes()
