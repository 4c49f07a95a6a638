"""Events of the tabs Export and History: what is opened, and undoing an event."""

from __future__ import annotations

from urllib.parse import unquote

from curator.web.components import session
from curator.web.components.channel import handles
from curator.web.components.events import changed_words, handles_settings
from curator.web.components.view import NUMBERS, whole_number
from curator.web.pages.releases.page_state import chosen


@handles("file")
def open_file(*, name: str) -> None:
    """Show a kind of file."""
    session.look(file=name)


@handles("release")
def open_release(*, name: str) -> None:
    """Open a release; the same again closes it."""
    wanted = unquote(name) or None
    session.look(release=None if wanted == session.view().release else wanted)
    session.current().restoring = None


@handles("release-on-export")
def open_release_on_export(*, name: str) -> None:
    """Open a release on Export."""
    session.look(release=unquote(name))
    session.current().go_to = "Export"


@handles("event")
def open_event(*, name: str) -> None:
    """Open an event of the history."""
    if (event := whole_number(name, *NUMBERS["event"])) is not None:
        session.look(event=event)


@handles_settings("bank", "form", "labels", "per")
def choose(setting: str, value: str) -> None:
    """Take how a file is asked for."""
    session.keep(chosen().with_setting(setting, value))


def undo_event(event_id: int) -> None:
    """Undo the batch of one event; a line says what was undone, or why not."""
    with session.noting() as workspace:
        by = [event.by for event in workspace.events([event_id])]
        batch = workspace.undo(event=event_id)
        line = changed_words(batch.changes, workspace.bank())
        others = [f" · it was {judge}’s" for judge in by if judge != workspace.judge]
        session.note("".join([line, *others]))
