"""The state of a browser session, its workspace and the server's service."""

from __future__ import annotations

import contextlib
import gc
import hashlib
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from curator.background.service import Service
from curator.background.tasks import CommandTask, EndpointTask, Request
from curator.errors import CuratorError, RoleError, WorkspaceError
from curator.results import Rows
from curator.unfinished import remove_abandoned_folders
from curator.web import identity
from curator.web.components.view import View, from_params, to_params
from curator.web.server import WORKSPACE_VARIABLE
from curator.workspace import Workspace, default_judge
from grading.errors import GradingError
from grading.models.endpoint import shown_host

if TYPE_CHECKING:
    from streamlit.navigation.page import Page as StreamlitPage

    from curator.background.files import SessionFiles
    from curator.background.tasks import (
        AdditionPreviewTask,
        CheckQualityResult,
        RewordPreviewTask,
        StabilityTask,
    )
    from curator.verbs.stability.stability import Stability
    from curator.web.components.channel import Answer

KEY = "session"
COLLECTED_EVERY = 60.0  # seconds
LONGEST_TURN = 3.0  # seconds another drawing is waited for
PATIENCE = 5.0  # seconds a judge's save waits for an import's
ENDPOINT = ("OPENAI_BASE_URL", "OPENAI_API_KEY")

# Shown as one line wherever they come up; anything else is a bug.
EXPECTED = (CuratorError, GradingError)


@dataclass
class Session:
    """State of one browser, without that of its widgets, edits and drafts."""

    view: View = field(default_factory=View)
    url: dict[str, str] | None = None  # as it was read or written last
    redrawn: bool = False  # the server asked for this run; the browser may lag behind
    go_to: str | None = None  # the page a key or a link asked for
    note: tuple[str, bool] | None = None  # a line to show once, whether an error
    answers: tuple[Answer, ...] = ()  # the latest, to events of the browser
    settings_seen: str | None = None  # by the judge while editing, as drawn last
    page_hash: str = ""  # Streamlit's name of the page drawn last
    pages: dict[str, StreamlitPage] = field(default_factory=dict)  # by their names
    page: str = "Judge"  # the name of the page shown
    checkpoint: int | None = None  # the version SQLite's log was moved at

    # The latest commands and tasks that run beside the page.
    counted: CommandTask | None = None
    begun: CommandTask | None = None
    tried: EndpointTask | None = None
    request: CommandTask | None = None
    asked_all: CommandTask | None = None
    to_grade: str | None = None  # the query that has new text
    proposals_graded: tuple[str, int] | None = None  # query and event it was tried at
    regraded: tuple[str, int] | None = None  # grader and event, likewise
    stability_task: StabilityTask | None = None  # without a result yet
    stability: tuple[str, Stability] | None = None  # the judge, and the latest result

    weighed: tuple[tuple[str, str], ...] = ()  # a question and other words for it
    adding: tuple[str, str] = ("", "")  # a query and the new question that is typed
    reaching: AdditionPreviewTask | None = None  # the same, as was asked for last
    weighing: tuple[RewordPreviewTask, ...] = ()  # the same, as was asked for last

    # The page that was drawn last; see background_status.
    drawn: tuple[Any, ...] | None = None  # the versions that it shows
    drawn_at: float = 0.0
    drawn_for: float | None = None  # seconds, None until it is drawn
    news_since: float | None = None  # when it was first seen that others did something
    has_arrived: bool = False  # a pending result has arrived and is not drawn yet
    names: dict[str, str] = field(default_factory=dict)  # of the queries
    drawn_grader: str | None = None

    asking: tuple[object, ...] | None = None  # what has to be confirmed

    # Single pages.
    unmet: tuple[str, str] = ("", "")  # the query shown, and which was not there
    unreadable_of: str | None = None
    sentences: Any = None  # a pending search for answering sentences
    counted_request: Any = None  # the latest dry run of a request for proposals
    export_options: dict[str, str] = field(default_factory=dict)
    files: SessionFiles | None = None  # small files to export
    judge_boards: Any = None  # drawn last, of the votes of judges
    learned: tuple[object, CheckQualityResult] | None = None  # for whom, and of what
    request_draft: dict[str, str] | None = None
    settings_draft: dict[str, str] | None = None
    drifts: tuple[object, dict[str, int]] | None = None
    disagreements: int = 0  # open ones, as Check counted them last
    differences_of: str | None = None  # a kind, None for every
    who_said: bool = False
    # The place that was decided last here, and the event.
    last_decision: tuple[tuple[str, str], int] | None = None


def current() -> Session:
    """Return the state of this browser."""
    if KEY not in st.session_state:
        st.session_state[KEY] = Session(_view_of(st.query_params.to_dict()))
    state: Session = st.session_state[KEY]
    return state


@st.cache_resource(show_spinner=False)
def boot() -> bool:
    """Once per server: remove what a killed one left, and freeze objects."""
    remove_abandoned_folders()
    freeze()
    return True


@st.cache_resource(show_spinner=False, max_entries=32)
def settle(page: str, collection_id: int) -> bool:
    """Freeze objects once more when a page was first drawn over a collection.

    At boot the file was not read and the modules of clicks were not imported.
    """
    freeze()
    return True


def leave_last_page() -> None:
    """Forget the fragments of the page before when a run begins another page.

    Its browser may ask for them until it hears of this run. Streamlit would answer
    after the run, as the page before, and so empty the one that was just drawn.
    """
    context = get_script_run_ctx()
    if context is not None and context.page_script_hash != current().page_hash:
        current().page_hash = context.page_script_hash
        context.fragment_storage.clear()


def freeze() -> None:
    """Run the garbage collector and freeze the objects that exist now.

    Collection after a click then takes half as long.
    """
    gc.collect()
    gc.freeze()


_COLLECTED = [time.monotonic()]


def collect() -> None:
    """Run the garbage collector, at most once a minute on the whole server."""
    now = time.monotonic()
    if now - _COLLECTED[0] > COLLECTED_EVERY:
        _COLLECTED[0] = now
        gc.collect()


@st.fragment(run_every=3600)
def come_back() -> None:
    """Draw nothing; a page with a fragment is drawn again by a restarted server.

    Without one such a server would know nothing of what is clicked.
    """


@st.cache_resource(show_spinner=False)
def service() -> Service:
    """Return the server's background service; its model loads from the first call."""
    started = Service()
    started.model.start()
    return started


@st.cache_resource(show_spinner=False)
def kept_open(path: str) -> Workspace | None:
    """Return a connection that stays open as long as the server; None if read-only.

    When the last connection closes SQLite moves its log into the file, which takes
    longer than an edit; with this one none is the last (see ``checkpoint``).
    """
    kept = Workspace.open(path)
    if kept.writable():
        return kept
    kept.close()
    return None


_CHECKPOINTING = threading.Lock()
_LOOKING = threading.Lock()


def file_now() -> object | None:
    """Return a value that differs once anybody has changed or replaced the file.

    None if not known. Costs next to nothing: every page asks all the time.
    """
    path = os.environ.get(WORKSPACE_VARIABLE, "")
    kept = _looking_at(path) if path else None
    # One at a time on one connection: see checkpoint.
    with contextlib.suppress(OSError, sqlite3.Error), _LOOKING:
        return kept and (path, os.stat(path).st_ino, kept.changes_by_others())
    return None


@st.cache_resource(show_spinner=False)
def _looking_at(path: str) -> Workspace | None:
    """Open another connection, because ``kept_open`` may be busy with the log."""
    with contextlib.suppress(WorkspaceError):
        return Workspace.open(path)
    return None


class _PageRun(threading.local):
    opened: contextlib.ExitStack | None = None
    workspace: Workspace | None = None
    drawing: bool = False  # whether it has the turn


_RUN = _PageRun()  # what the script run of this thread has opened
_TURN = threading.Lock()


@contextlib.contextmanager
def resting() -> Iterator[None]:
    """A block of a drawing that only waits; others draw meanwhile."""
    had, _RUN.drawing = _RUN.drawing, False
    if had:
        _TURN.release()
    try:
        yield
    finally:
        if had:
            _RUN.drawing = _TURN.acquire(timeout=LONGEST_TURN)


@contextlib.contextmanager
def run() -> Iterator[None]:
    """Run a script: everything drawn shows one snapshot of the workspace.

    One run at a time draws, for at most ``LONGEST_TURN`` once others wait: Python
    computes one thing at a time, and runs that share it all end late.
    """
    _RUN.drawing = _TURN.acquire(timeout=LONGEST_TURN)
    try:
        with contextlib.ExitStack() as _RUN.opened:
            yield
    finally:
        _RUN.opened = _RUN.workspace = None
        if _RUN.drawing:
            _RUN.drawing = False
            _TURN.release()
    collect()


@contextlib.contextmanager
def drawing() -> Iterator[Workspace]:
    """Workspace to draw: the connection and the snapshot in a script run.

    A fragment that is drawn by itself is another run. Nothing is saved through
    this one; ``workspace`` is for that. Raises WorkspaceError.
    """
    if _RUN.opened is None:
        with run(), drawing() as opened:
            yield opened
        return
    if _RUN.workspace is None:
        opened = _RUN.opened.enter_context(workspace())
        with opened.blamed():
            _RUN.opened.enter_context(opened.snapshot())
        _RUN.workspace = opened
    with _RUN.workspace.blamed():
        yield _RUN.workspace


def why_not(verb: str) -> str:
    """Return why this session may not call a verb; "" where it may."""
    with drawing() as opened:
        return opened.standing().forbidden_reason(verb)


@contextlib.contextmanager
def workspace() -> Iterator[Workspace]:
    """A separate connection to save through, in the name of this session's judge.

    Raises WorkspaceError, RoleError, SignInError.
    """
    path = os.environ.get(WORKSPACE_VARIABLE)
    if not path:
        raise WorkspaceError(
            "No workspace to show: `curator serve WORKSPACE` opens one."
        )
    kept_open(path)
    with Workspace.open(
        path, judge=judge(), as_judge=True, patience=PATIENCE
    ) as opened:
        if identity.name() is not None and opened.standing().role is None:
            raise RoleError(
                "Nobody is listed in this workspace, so nobody who signs in may work "
                f"in it. Whoever runs this server begins: `curator people {path} add "
                f"{judge()} --role organizer`."
            )
        yield opened


def checkpoint(version: int) -> None:
    """Move SQLite's log into the file, once a version, without waiting for readers.

    Not while this run has a state open itself.
    """
    if _RUN.opened is not None or current().checkpoint == version:
        return
    current().checkpoint = version
    kept = kept_open(os.environ[WORKSPACE_VARIABLE])
    # One at a time: on one connection a second would have the first wait for readers,
    # and every session for both.
    if kept is not None and _CHECKPOINTING.acquire(blocking=False):
        try:
            kept.checkpoint()
        finally:
            _CHECKPOINTING.release()


def workspace_path() -> Path:
    """Return the path of the workspace."""
    return Path(os.environ.get(WORKSPACE_VARIABLE, "")).resolve()


def workspace_id() -> str:
    """Return a name of workspace and judge for the browser's storage.

    Two judges at one browser have drafts of their own.
    """
    return hashlib.sha256(f"{workspace_path()}\0{judge()}".encode()).hexdigest()[:12]


def judge() -> str:
    """Return who signs edits: the user signed in, or the name given on trust.

    Raises SignInError.
    """
    return identity.name() or view().judge or default_judge()


def view() -> View:
    """Return what this session looks at."""
    return current().view


def look(**changes: Any) -> View:
    """Look at something else; the URL follows at the end of the run."""
    current().view = replace(view(), **changes)
    return view()


def follow_url() -> None:
    """Take the view from a URL that was changed by hand or by the Back button.

    It is remembered at once: the next Back may stop this run before it writes its URL.
    """
    now, params = current(), st.query_params.to_dict()
    if now.redrawn:
        now.redrawn = False
    elif params and now.url is not None and params != now.url:
        now.view, now.url = _view_of(params), params


def _view_of(params: Mapping[str, str]) -> View:
    """The view of a URL; it names the judge only where names are on trust."""
    view = from_params(params)
    return view if identity.auth().way == "open" else replace(view, judge=None)


def is_new_visit() -> bool:
    """Return True for a browser that has just come, by an address without parameters.

    Not for one that was here before the server was started again: it asks for a page
    by Streamlit's name of it, as every click on a link does.
    """
    context = get_script_run_ctx()
    has_been = context is not None and context.pages_manager.intended_page_script_hash
    return not has_been and current().url is None and not st.query_params.to_dict()


def write_url() -> None:
    """Write what this session looks at into the URL."""
    params = to_params(view())
    if st.query_params.to_dict() != params:
        st.query_params.from_dict(params)
    current().url = params


def note(line: str, *, error: bool = False) -> None:
    """Keep a line to be shown once, in the next drawing."""
    current().note = (line, error)


@contextlib.contextmanager
def noting() -> Iterator[Workspace]:
    """The workspace to save through; what it refuses is noted in one line."""
    try:
        with workspace() as opened:
            yield opened
    except EXPECTED as error:
        note(str(error), error=True)


def save(change: Callable[[Workspace], object]) -> None:
    """Save a change; a refusal, or the notes of its result, are noted in one line."""
    with noting() as workspace:
        result = change(workspace)
        if isinstance(result, Rows) and result.notes:
            note(" ".join(result.notes))


def go_where_asked(page: str) -> None:
    """Leave this page for the one a key or a link asked for."""
    target, current().go_to = current().go_to, None
    if target is not None and target in current().pages and target != page:
        go_on(target)


def go_on(page: str, params: str = "") -> None:
    """Open the page of this name, with the view of these URL parameters."""
    current().redrawn = True
    look(**{"proposals": False} | dict(parse_qsl(params)))
    st.switch_page(current().pages[page])


def redraw() -> None:
    """Have the whole page drawn anew, as the view is and not as the URL last was."""
    current().redrawn = True
    st.rerun()


# Where the latest command of a request is kept, and the verb that it needs.
REQUESTS: dict[Request, tuple[str, str]] = {
    "count": ("counted", "grade"),
    "start": ("begun", "start_job"),
    "again": ("begun", "start_job"),
    "ask": ("request", "generate"),
    "ask all": ("asked_all", "start_generation"),
}


def send(
    request: Request, grader: str = "", prices: str = "", **options: str | None
) -> CommandTask:
    """Run a command in the background in this judge's name, and remember it.

    An option that is None is not given. Raises RoleError.
    """
    with workspace() as opened:
        opened.require(REQUESTS[request][1])
    return send_unasked(request, grader, prices, **options)


def send_unasked(
    request: Request, grader: str = "", prices: str = "", **options: str | None
) -> CommandTask:
    """Run a command that follows from an edit: it needs no role."""
    pairs = tuple((name, value) for name, value in options.items() if value is not None)
    task = CommandTask(workspace_path(), request, grader, judge(), prices, pairs)
    setattr(current(), REQUESTS[request][0], task)
    service().send(task)
    return task


def ask(
    query_id: str,
    *,
    subtopic_id: str | None = None,
    passage_id: str | None = None,
    again: bool = False,
) -> CommandTask:
    """Ask the workspace's model for questions; with ``again`` once more."""
    return send(
        "ask",
        query=query_id,
        subtopic=subtopic_id,
        passage=passage_id,
        again="" if again else None,
    )


def ask_all(grounded: int = 0) -> None:
    """Ask it about every query, or about uncovered passages of each."""
    send("ask all", grounded=str(grounded) if grounded else None)


def starting(grader: str) -> bool:
    """Return True while anyone's grading by this grader is about to begin."""
    tasks = service().tasks(CommandTask)
    return any(task.is_grading and task.grader == grader for task in tasks)


def is_asked(query_id: str) -> bool:
    """Return True while a model is asked about this query, in any session."""
    task_kind = workspace_path(), "ask"
    return any(
        (task.path, task.request) == task_kind and ("query", query_id) in task.about
        for task in service().tasks(CommandTask)
    )


def endpoint(address: str = "") -> bool:
    """Return True where this address, the environment or the secrets name a model.

    Streamlit puts the secrets at the top of its file into the environment, where the
    commands that ask find them.
    """
    st.secrets.load_if_toml_exists()
    return bool(address) or any(os.environ.get(name) for name in ENDPOINT)


def endpoint_host(url: str = "") -> str:
    """Host that models are asked at, by this address or the environment's, or ""."""
    return shown_host(url) if endpoint(url) else ""


def zone() -> tzinfo | None:
    """Return the browser's time zone, None where it is not known."""
    try:
        name = st.context.timezone
        return ZoneInfo(name) if name else None
    except (ZoneInfoNotFoundError, ValueError):
        return None
