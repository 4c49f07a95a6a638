"""One browser session: its workspace, its view, its notes, and the shared worker."""

from __future__ import annotations

import contextlib
import gc
import os
from collections.abc import Iterator
from dataclasses import replace
from datetime import tzinfo
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st

from curator.errors import CuratorError, WorkspaceError
from curator.ui.server import WORKSPACE_VARIABLE
from curator.ui.view import View, from_params, to_params
from curator.workspace import Workspace
from grading.errors import GradingError
from grading.worker import Worker

# Shown as one line wherever they come up; anything else is a bug.
EXPECTED = (CuratorError, GradingError)


@st.cache_resource(show_spinner=False)
def boot() -> bool:
    """Once per server: take what is imported by now out of the garbage collector.

    Streamlit collects everything after each script run and holds messages back
    meanwhile; frozen, a click takes half as long.
    """
    freeze()
    return True


def freeze() -> None:
    """Collect once, and never look at what is here by now again."""
    gc.collect()
    gc.freeze()


@st.cache_resource(show_spinner=False)
def worker() -> Worker:
    """The model process of this server, started at once and loading beside it."""
    started = Worker()
    started.start()
    return started


@contextlib.contextmanager
def workspace() -> Iterator[Workspace]:
    """This script run's own connection. Raises WorkspaceError."""
    path = os.environ.get(WORKSPACE_VARIABLE)
    if not path:
        raise WorkspaceError(
            "No workspace to show: `curator serve WORKSPACE` opens one, `curator demo` "
            "makes one to try."
        )
    with Workspace.open(path, judge=view().judge) as opened:
        yield opened


def view() -> View:
    """What this session looks at."""
    if "view" not in st.session_state:
        st.session_state.view = from_params(_params())
    current: View = st.session_state.view
    return current


def look(**changes: Any) -> View:
    """Look at something else; the URL follows at the end of the run."""
    st.session_state.view = replace(view(), **changes)
    return view()


def start_at(event: int) -> None:
    """Remember where this session began, unless its URL or an earlier run says so."""
    if view().start is None:
        look(start=event)


def follow_url() -> None:
    """Take the view from a URL that was changed by hand or by the Back button."""
    asked = _params()
    if asked and asked != st.session_state.get("url", asked):
        st.session_state.view = from_params(asked)


def write_url() -> None:
    """Make the URL say what this session looks at."""
    wanted = to_params(view())
    if _params() != wanted:
        st.query_params.from_dict(wanted)
    st.session_state.url = wanted


def note(line: str, *, error: bool = False) -> None:
    """Keep one line to be shown once, in the next drawing."""
    st.session_state.note = (line, error)


def take_note() -> tuple[str, bool] | None:
    """The line kept, taken away."""
    kept: tuple[str, bool] | None = st.session_state.pop("note", None)
    return kept


def zone() -> tzinfo | None:
    """The browser's time zone, the server's where it is not known."""
    try:
        name = st.context.timezone
        return ZoneInfo(name) if name else None
    except (ZoneInfoNotFoundError, ValueError):
        return None


def _params() -> dict[str, str]:
    return dict(st.query_params.to_dict())
