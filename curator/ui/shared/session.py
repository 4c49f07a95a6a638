"""One browser session: its workspace, its view, its notes, and the shared worker."""

from __future__ import annotations

import contextlib
import gc
import hashlib
import os
import threading
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import tzinfo
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st

from curator.background.service import Service
from curator.background.tasks import CommandTask, Request
from curator.background.temporary_folders import sweep
from curator.errors import CuratorError, WorkspaceError
from curator.ui.server import WORKSPACE_VARIABLE
from curator.ui.shared.intents import Answer
from curator.ui.shared.view import View, from_params, to_params
from curator.workspace import Workspace, default_judge
from grading.errors import GradingError
from grading.worker import Worker

PICKER = "picker"  # the key of the page's listener
KEPT_ANSWERS = 8
PATIENCE = 5.0  # seconds a judge's save waits for an import's
SETTINGS = (
    *("grader", "measure", "rating", "k", "against"),
    *("source", "between", "within", "answer"),
)

ENDPOINT = ("OPENAI_BASE_URL", "OPENAI_API_KEY")

# Shown as one line wherever they come up; anything else is a bug.
EXPECTED = (CuratorError, GradingError)


@st.cache_resource(show_spinner=False)
def boot() -> bool:
    """Once per server: take what is imported by now out of the garbage collector.

    What a server that was killed has left behind goes first.

    Streamlit collects everything after each script run and holds messages back
    meanwhile; frozen, a click takes half as long.
    """
    sweep()
    freeze()
    return True


@st.cache_resource(show_spinner=False, max_entries=32)
def settle(page: str, collection_id: int) -> bool:
    """Freeze once more when a page was first drawn over a collection.

    By then everything is loaded and imported that its clicks use: at boot the file was
    not read yet, and a collection of any size would be gone through at every click.
    """
    freeze()
    return True


def freeze() -> None:
    """Collect once, and never look at what is here by now again."""
    gc.collect()
    gc.freeze()


@st.fragment(run_every=3600)
def come_back() -> None:
    """Draws nothing. Has a page drawn by a server that was started again.

    A browser that lost its connection asks for that only where something runs by
    itself; without, such a server knows nothing of what is clicked.
    """


@st.cache_resource(show_spinner=False)
def service() -> Service:
    """What goes on beside this server's pages; its model loads from now on."""
    started = Service()
    started.model.start()
    return started


def worker() -> Worker:
    """The model process of this server."""
    return service().model


@st.cache_resource(show_spinner=False)
def kept_open(path: str) -> Workspace | None:
    """A connection that stays for as long as the server does, and does nothing.

    When the last connection closes SQLite moves its log into the file, which takes
    longer than an edit; with this one none is the last (see model_status). None for a
    file that cannot be written now: a process that holds it for reading alone could
    not write it later either.
    """
    kept = Workspace.open(path)
    if kept.writable():
        return kept
    kept.close()
    return None


class _Run(threading.local):
    """What the script run of this thread has opened."""

    opened: contextlib.ExitStack | None = None
    workspace: Workspace | None = None


_RUN = _Run()


@contextlib.contextmanager
def run() -> Iterator[None]:
    """One script run: whatever is drawn in it is of one state of the workspace."""
    with contextlib.ExitStack() as opened:
        _RUN.opened = opened
        try:
            yield
        finally:
            _RUN.opened = _RUN.workspace = None


@contextlib.contextmanager
def drawing() -> Iterator[Workspace]:
    """The workspace to draw: one connection and one state in a script run.

    A fragment that is drawn by itself is a run of its own. Nothing is saved through
    this one; ``workspace`` is for that. Raises WorkspaceError.
    """
    if _RUN.opened is None:
        with run(), drawing() as opened:
            yield opened
        return
    if _RUN.workspace is None:
        opened = _RUN.opened.enter_context(workspace())
        _RUN.opened.enter_context(opened.snapshot())
        _RUN.workspace = opened
    yield _RUN.workspace


@contextlib.contextmanager
def workspace() -> Iterator[Workspace]:
    """A connection of one's own, to save through. Raises WorkspaceError."""
    path = os.environ.get(WORKSPACE_VARIABLE)
    if not path:
        raise WorkspaceError(
            "No workspace to show: `curator serve WORKSPACE` opens one, `curator demo` "
            "makes one to try."
        )
    kept_open(path)
    with Workspace.open(
        path, judge=view().judge, as_judge=True, patience=PATIENCE
    ) as opened:
        yield opened


def checkpoint(version: int) -> None:
    """Move SQLite's log into the file, once a version, where nobody reads or waits.

    Not while this run has a state open itself.
    """
    if _RUN.opened is None and st.session_state.get("checkpoint") != version:
        st.session_state.checkpoint = version
        kept = kept_open(os.environ[WORKSPACE_VARIABLE])
        if kept is not None:
            kept.checkpoint()


def workspace_path() -> Path:
    """Where the workspace is."""
    return Path(os.environ.get(WORKSPACE_VARIABLE, "")).resolve()


def workspace_id() -> str:
    """Names workspace and judge in the browser's storage, without telling the path.

    Two judges at one browser have drafts of their own.
    """
    judge = view().judge or default_judge()
    return hashlib.sha256(f"{workspace_path()}\0{judge}".encode()).hexdigest()[:12]


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


def choose(name: str, value: str = "") -> None:
    """Take a setting as the URL would have it; what cannot be meant changes nothing."""
    if name in SETTINGS:
        st.session_state.view = from_params(to_params(view()) | {name: value})


def start_at(event: int) -> None:
    """Remember where this session began, unless its URL or an earlier run says so."""
    if view().start is None:
        look(start=event)


def follow_url() -> None:
    """Take the view from a URL that was changed by hand or by the Back button.

    What was taken is remembered at once: the next Back may stop this run before it
    comes to write its URL, and would lead to where the run began.
    """
    asked = _params()
    if st.session_state.pop("ours", False):
        return  # the server asked for this run, and the browser may lag behind it
    if asked and asked != st.session_state.get("url", asked):
        st.session_state.view = from_params(asked)
        st.session_state.url = asked


def write_url() -> None:
    """Make the URL say what this session looks at."""
    wanted = to_params(view())
    if _params() != wanted:
        st.query_params.from_dict(wanted)
    st.session_state.url = wanted


def note(line: str, *, error: bool = False) -> None:
    """Keep one line to be shown once, in the next drawing."""
    st.session_state.note = (line, error)


def go_where_asked(page: str, pages: Mapping[str, Path]) -> None:
    """Leave this page for the one a key or a link asked for."""
    wanted = st.session_state.pop("go_to", None)
    if wanted in pages and wanted != page:
        st.session_state.ours = True
        st.switch_page(str(pages[wanted]))


def redraw() -> None:
    """Have the whole page drawn anew, as the view is and not as the URL last was."""
    st.session_state.ours = True
    st.rerun()


def health() -> str:
    """Where the browser asks whether this server is there."""
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{base}/_stcore/health" if base else "/_stcore/health"


def dialog(opened: bool) -> None:
    """Remember that a dialog is open: the page is not drawn anew under it."""
    st.session_state.dialog = opened


def dialog_open() -> bool:
    """Whether a dialog is open, as far as is known."""
    return bool(st.session_state.get("dialog"))


def take_note() -> tuple[str, bool] | None:
    """The line kept, taken away."""
    kept: tuple[str, bool] | None = st.session_state.pop("note", None)
    return kept


def browse() -> str | None:
    """Which passages the reader goes through, if the judge has said."""
    wished: str | None = st.session_state.get("browse")
    return wished


def take_pick() -> str:
    """What was clicked or chosen, once; "" where it was heard before."""
    sent = st.session_state[PICKER].pick
    if not isinstance(sent, Mapping) or sent.get("nonce") == st.session_state.get(
        "heard"
    ):
        return ""
    st.session_state.heard = sent.get("nonce")
    return str(sent.get("pick") or "")


def send(request: Request, grader: str, prices: str = "") -> None:
    """Have something counted or started beside the page, in this judge's name."""
    judge = view().judge or default_judge()
    task = CommandTask(workspace_path(), request, grader, judge, prices)
    st.session_state["counted" if request == "count" else "begun"] = task
    service().send(task)


def ask(
    query_id: str,
    *,
    subtopic_id: str | None = None,
    passage_id: str | None = None,
    again: bool = False,
) -> CommandTask:
    """Have the workspace's model propose questions about this, in this judge's name.

    ``again`` asks what has an answer once more.
    """
    about = [("query", query_id)]
    about += [("subtopic", subtopic_id)] if subtopic_id is not None else []
    about += [("passage", passage_id)] if passage_id is not None else []
    about += [("again", "")] if again else []
    judge = view().judge or default_judge()
    task = CommandTask(workspace_path(), "ask", "", judge, about=tuple(about))
    st.session_state.asked = task
    service().send(task)
    return task


def ask_all(grounded: int = 0) -> CommandTask:
    """Have it propose questions for every query, or for uncovered passages of each."""
    judge = view().judge or default_judge()
    about = (("grounded", str(grounded)),) if grounded else ()
    task = CommandTask(workspace_path(), "ask all", "", judge, about=about)
    st.session_state.asked_all = task
    service().send(task)
    return task


def asked() -> CommandTask | None:
    """What this session had asked last."""
    found: CommandTask | None = st.session_state.get("asked")
    return found


def asked_all() -> CommandTask | None:
    """What this session had asked of every query last."""
    found: CommandTask | None = st.session_state.get("asked_all")
    return found


def endpoint() -> bool:
    """Whether anything says where a model is to be asked: environment or secrets.

    Streamlit puts the secrets at the top of its file into the environment, where the
    commands that ask find them; they are kept nowhere else.
    """
    st.secrets.load_if_toml_exists()
    return any(os.environ.get(name) for name in ENDPOINT)


def starting(grader: str) -> bool:
    """Whether anyone's grading by this grader is about to begin."""
    return any(
        task.grades and task.grader == grader for task in service().tasks(CommandTask)
    )


def asking(query_id: str) -> bool:
    """Whether a model is being asked about this query, for whichever session."""
    return any(
        task.path == workspace_path()
        and task.request == "ask"
        and ("query", query_id) in task.about
        for task in service().tasks(CommandTask)
    )


def counted() -> CommandTask | None:
    """What this session had counted last."""
    found: CommandTask | None = st.session_state.get("counted")
    return found


def begun() -> CommandTask | None:
    """What this session had started last."""
    found: CommandTask | None = st.session_state.get("begun")
    return found


def answer(given: Answer) -> None:
    """Keep the answer to an intent, for the list to hear with the next drawing."""
    kept = [one for one in answers() if one.nonce != given.nonce]
    st.session_state.answers = (*kept, given)[-KEPT_ANSWERS:]


def answers() -> tuple[Answer, ...]:
    """The latest answers; one that was heard already is passed over."""
    given: tuple[Answer, ...] = st.session_state.get("answers", ())
    return given


def shown() -> str | None:
    """What this judge sees while editing, as the last drawing said it."""
    said: str | None = st.session_state.get("shown")
    return said


def zone() -> tzinfo | None:
    """The browser's time zone, the server's where it is not known."""
    try:
        name = st.context.timezone
        return ZoneInfo(name) if name else None
    except (ZoneInfoNotFoundError, ValueError):
        return None


def _params() -> dict[str, str]:
    return dict(st.query_params.to_dict())
