"""Events and actions of the tabs Export and History."""

from __future__ import annotations

from urllib.parse import unquote

import streamlit as st

from curator.evaluation.releases import ReleaseDifference
from curator.evaluation.settings import Settings
from curator.verbs.releases import Readiness
from curator.web.components import session
from curator.web.components.channel import handles
from curator.web.components.events import changed_words, handles_settings
from curator.web.components.view import NUMBERS, whole_number
from curator.workspace import Workspace


@handles("file")
def open_file(*, name: str) -> None:
    """Show a kind of file."""
    session.look(file=name)


@handles("release")
def open_release(*, name: str) -> None:
    """Open a release; the same again closes it."""
    release = unquote(name) or None
    session.look(release=None if release == session.view().release else release)


@handles("release-on-export")
def open_release_on_export(*, name: str) -> None:
    """Open a release on Export."""
    session.look(release=unquote(name))
    session.current().go_to = "Export"


@handles_settings("bank")
def choose_release(setting: str, value: str) -> None:
    """Export the release named after "=", or the bank as it is."""
    session.look(release=unquote(value[1:]) if value.startswith("=") else None)


@handles_settings("form", "labels", "per")
def choose(setting: str, value: str) -> None:
    """Set the form, labels or topics of the files."""
    session.current().export_options |= {setting: value}


@handles("event")
def open_event(*, name: str) -> None:
    """Open an event of the history."""
    if (event := whole_number(name, *NUMBERS["event"])) is not None:
        session.look(event=event)


def freeze(settings: Settings, expected: Readiness, allow_partial: bool) -> None:
    """Make the release that the form names, of the bank that was looked at."""
    state = st.session_state
    with session.noting() as workspace:
        release = workspace.release(
            state.release_name,
            settings,
            why=state.release_why,
            allow_partial=allow_partial,
            seen=expected,
        )
        state.release_name = state.release_why = ""
        session.look(release=release.name)
        session.note(f"Frozen as {release.name}.")


def restore(workspace: Workspace, name: str, expected: ReleaseDifference) -> None:
    """Make the bank that of the release again, and show that step in History.

    No more is changed than ``expected``.
    """
    batch = workspace.restore_release(name, seen=expected)
    session.look(event=batch.event_ids[0])
    session.note(f"Restored from {name}.")
    session.current().go_to = "History"


def undo_event(event_id: int) -> None:
    """Undo the batch of one event; a line says what was undone, or why not."""
    with session.noting() as workspace:
        by = [event.by for event in workspace.events([event_id])]
        batch = workspace.undo(event=event_id)
        line = changed_words(batch.changes, workspace.bank())
        others = [f" · it was {judge}’s" for judge in by if judge != workspace.judge]
        session.note("".join([line, *others]))
