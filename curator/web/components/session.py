"""One browser session: what is remembered, its workspace, the server's worker."""

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
    from curator.bank.edits.verdict import Words
    from curator.verbs.proposals.request import GenerateSummary
    from curator.verbs.stability.stability import Stability
    from curator.web.components.channel import Answer
    from curator.web.pages.judge.passages.highlights import Wish
    from curator.web.pages.judge.passages.page_state import SavedOrder as Order
    from curator.web.pages.judge.proposals.request_form import Fields
    from curator.web.pages.judge.votes.boards import Drawn
    from curator.web.pages.releases.words import Chosen

KEY = "session"
COLLECTED_EVERY = 60.0  # seconds
LONGEST_TURN = 3.0  # seconds another drawing is waited for
PATIENCE = 5.0  # seconds a judge's save waits for an import's
ENDPOINT = ("OPENAI_BASE_URL", "OPENAI_API_KEY")

# Shown as one line wherever they come up; anything else is a bug.
EXPECTED = (CuratorError, GradingError)


@dataclass
class Session:
    """What is remembered for one browser, and would not be missed: no edit, no draft.

    Only widgets keep something beside it, under their own keys.
    """

    view: View = field(default_factory=View)
    url: dict[str, str] | None = None  # as it was read or written last
    redrawn: bool = False  # the server asked for this run; the browser may lag behind
    go_to: str | None = None  # the page a key or a link asked for
    note: tuple[str, bool] | None = None  # a line to be shown once, whether an error
    answers: tuple[Answer, ...] = ()  # the latest, to events of the browser
    seen: str | None = None  # what the judge sees while editing, as drawn last
    dialog: bool = False  # one is open, as far as is known
    browse: str | None = None  # the passages the reader goes through, if chosen
    page_hash: str = ""  # Streamlit's name of the page drawn last
    pages: dict[str, StreamlitPage] = field(default_factory=dict)  # by their names
    page: str = "Judge"  # the name of the page shown
    checkpoint: int | None = None  # the version SQLite's log was moved at

    # What was asked for last beside the page.
    counted: CommandTask | None = None
    begun: CommandTask | None = None
    tried: EndpointTask | None = None
    asked: CommandTask | None = None
    asked_all: CommandTask | None = None
    asked_again: dict[int, CommandTask] = field(default_factory=dict)
    to_grade: str | None = None  # the query that has new text
    proposals_graded: tuple[str, int] | None = None  # query and event it was tried at
    regraded: tuple[str, int] | None = None  # grader and event, likewise
    to_say: StabilityTask | None = None  # what the page waits for
    said: tuple[str, Stability] | None = None  # the judge, and what was known last

    wish: Wish | None = None  # sentences that the page waits for
    weighed: tuple[tuple[str, str], ...] = ()  # a question and other words for it
    adding: tuple[str, str] = ("", "")  # a query and the new question that is typed
    reaching: AdditionPreviewTask | None = None  # the same, as was asked for last
    weighing: tuple[RewordPreviewTask, ...] = ()  # the same, as was asked for last

    # What the page rests on that was drawn last.
    drawn: tuple[Any, ...] | None = None
    drawn_at: float = 0.0
    drawn_for: float | None = None  # seconds, None until it is drawn
    news_since: float | None = None  # when it was first seen that others did something
    found: bool = False  # something the page waits for is known and not drawn yet
    names: dict[str, str] = field(default_factory=dict)  # of the queries
    drawn_grader: str | None = None

    asking: tuple[object, ...] | None = None  # what was asked back before it is done

    # Single pages.
    unmet: tuple[str, str] = ("", "")  # the query shown, and which was not there
    passages_query: str | None = None
    passages_order: Order | None = None
    paginations: int = 0
    added: tuple[str, str] | None = None  # the question added from a passage
    unreadable_of: str | None = None
    measures: tuple[str, ...] = ()  # compared, without a choice
    boards: Drawn | None = None
    answer_at: int = 0
    answer_kept: tuple[str | None, frozenset[Words]] = (None, frozenset())
    learned: tuple[object, CheckQualityResult] | None = None  # for whom, and of what
    request_draft: Fields | None = None
    settings_draft: dict[str, str] | None = None
    counted_all: tuple[object, GenerateSummary] | None = None
    file: Chosen | None = None
    made_files: SessionFiles | None = None
    drifts: tuple[object, dict[str, int]] | None = None
    restoring: str | None = None
    disagreements: int = 0  # open ones, as Check counted them last
    difference: str | None = None  # the one opened on the Disagreements tab
    differences_of: str | None = None  # a kind, None for every
    decided_too: bool = False
    who_said: bool = False
    decided_event: int | None = None  # by what was decided last here
    restored: tuple[str, int] | None = None
    likely_kinds: dict[str, str] = field(default_factory=dict)


def current() -> Session:
    """What is remembered for this browser."""
    if KEY not in st.session_state:
        st.session_state[KEY] = Session(_asked(st.query_params.to_dict()))
    found: Session = st.session_state[KEY]
    return found


@st.cache_resource(show_spinner=False)
def boot() -> bool:
    """Once per server: sweep up after one that was killed, and ``freeze``."""
    remove_abandoned_folders()
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


def leave_last_page() -> None:
    """Forget what the page before draws by itself, when a run begins another page.

    Its browser may ask for that until it hears of this run. Streamlit would answer
    after the run, as the page before, and so empty the one that was just drawn.
    """
    context = get_script_run_ctx()
    if context is not None and context.page_script_hash != current().page_hash:
        current().page_hash = context.page_script_hash
        context.fragment_storage.clear()


def freeze() -> None:
    """Collect once, and never look at what is here by now again.

    Streamlit collects everything after each script run and holds messages back
    meanwhile; frozen, a click takes half as long.
    """
    gc.collect()
    gc.freeze()


_COLLECTED = [time.monotonic()]


def collect() -> None:
    """Collect what runs left behind, once a minute on the whole server.

    Streamlit would after each run; Python by itself comes to it late.
    """
    now = time.monotonic()
    if now - _COLLECTED[0] > COLLECTED_EVERY:
        _COLLECTED[0] = now
        gc.collect()


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


_CHECKPOINTING = threading.Lock()
_LOOKING = threading.Lock()


def file_now() -> object | None:
    """Differs once anybody has changed the workspace's file, or put another there.

    None where that is not known. Costs next to nothing: every page asks all the time.
    """
    path = os.environ.get(WORKSPACE_VARIABLE, "")
    kept = _looking_at(path) if path else None
    # One at a time on one connection: see checkpoint.
    with contextlib.suppress(OSError, sqlite3.Error), _LOOKING:
        return kept and (path, os.stat(path).st_ino, kept.changes_by_others())
    return None


@st.cache_resource(show_spinner=False)
def _looking_at(path: str) -> Workspace | None:
    """A connection of its own: ``kept_open`` may be busy with the log."""
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
def _in_turn() -> Iterator[None]:
    """One script run at a time draws, for at most ``LONGEST_TURN`` once others wait.

    Python computes one thing at a time anyhow: runs that share it all end late, and
    what one has drawn reaches its browser late.
    """
    _RUN.drawing = _TURN.acquire(timeout=LONGEST_TURN)
    try:
        yield
    finally:
        if _RUN.drawing:
            _RUN.drawing = False
            _TURN.release()


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
    """One script run: whatever is drawn in it is of one state of the workspace."""
    with _in_turn(), contextlib.ExitStack() as opened:
        _RUN.opened = opened
        try:
            yield
        finally:
            _RUN.opened = _RUN.workspace = None
    collect()


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
        with opened.blamed():
            _RUN.opened.enter_context(opened.snapshot())
        _RUN.workspace = opened
    with _RUN.workspace.blamed():
        yield _RUN.workspace


def why_not(verb: str) -> str:
    """Who may call a verb that this session may not; "" where it may."""
    with drawing() as opened:
        return opened.standing().forbidden_reason(verb)


@contextlib.contextmanager
def workspace() -> Iterator[Workspace]:
    """A connection of one's own, to save through, as whoever this session is.

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
    """Move SQLite's log into the file, once a version, where nobody reads or waits.

    Not while this run has a state open itself.
    """
    if _RUN.opened is not None or current().checkpoint == version:
        return
    current().checkpoint = version
    kept = kept_open(os.environ[WORKSPACE_VARIABLE])
    # One at a time: on one connection a second would have the first wait for readers,
    # and every session for both. The next look comes soon.
    if kept is not None and _CHECKPOINTING.acquire(blocking=False):
        try:
            kept.checkpoint()
        finally:
            _CHECKPOINTING.release()


def workspace_path() -> Path:
    """Where the workspace is."""
    return Path(os.environ.get(WORKSPACE_VARIABLE, "")).resolve()


def workspace_id() -> str:
    """Names workspace and judge in the browser's storage, without telling the path.

    Two judges at one browser have drafts of their own.
    """
    return hashlib.sha256(f"{workspace_path()}\0{judge()}".encode()).hexdigest()[:12]


def judge() -> str:
    """Who signs edits: who is signed in, or the name given where all are on trust.

    Raises SignInError.
    """
    return identity.name() or view().judge or default_judge()


def view() -> View:
    """What this session looks at."""
    return current().view


def look(**changes: Any) -> View:
    """Look at something else; the URL follows at the end of the run."""
    current().view = replace(view(), **changes)
    return view()


def follow_url() -> None:
    """Take the view from a URL that was changed by hand or by the Back button.

    What was taken is remembered at once: the next Back may stop this run before it
    comes to write its URL, and would lead to where the run began.
    """
    now, wanted = current(), st.query_params.to_dict()
    if now.redrawn:
        now.redrawn = False
    elif wanted and now.url is not None and wanted != now.url:
        now.view, now.url = _asked(wanted), wanted


def _asked(params: Mapping[str, str]) -> View:
    """The view of a URL; it says who looks only where names are on trust."""
    asked = from_params(params)
    return asked if identity.auth().way == "open" else replace(asked, judge=None)


def asks_for_nothing() -> bool:
    """Whether a browser has just come, by an address without parameters.

    Not one that was here before the server was started again: it asks for a page by
    Streamlit's name of it, as every click on a link does.
    """
    context = get_script_run_ctx()
    has_been = context is not None and context.pages_manager.intended_page_script_hash
    return not has_been and current().url is None and not st.query_params.to_dict()


def write_url() -> None:
    """Make the URL say what this session looks at."""
    wanted = to_params(view())
    if st.query_params.to_dict() != wanted:
        st.query_params.from_dict(wanted)
    current().url = wanted


def note(line: str, *, error: bool = False) -> None:
    """Keep one line to be shown once, in the next drawing."""
    current().note = (line, error)


@contextlib.contextmanager
def noting() -> Iterator[Workspace]:
    """The workspace; what it refuses is noted in one line."""
    try:
        with workspace() as opened:
            yield opened
    except EXPECTED as error:
        note(str(error), error=True)


def save(change: Callable[[Workspace], object]) -> None:
    """Save a change; a refusal, or what its result has to say, is noted in one line."""
    with noting() as workspace:
        found = change(workspace)
        if isinstance(found, Rows) and found.notes:
            note(" ".join(found.notes))


def go_where_asked(page: str) -> None:
    """Leave this page for the one a key or a link asked for."""
    target, current().go_to = current().go_to, None
    if target is not None and target in current().pages and target != page:
        current().redrawn = True
        st.switch_page(current().pages[target])


def go_on(page: str) -> None:
    """Open the page of an earlier address."""
    current().redrawn = True
    st.switch_page(current().pages[page])


def redraw() -> None:
    """Have the whole page drawn anew, as the view is and not as the URL last was."""
    current().redrawn = True
    st.rerun()


def dialog(opened: bool) -> None:
    """Remember that a dialog is open: the page is not drawn anew under it."""
    current().dialog = opened


KEPT_AS: dict[Request, str] = {
    "count": "counted",
    "start": "begun",
    "again": "begun",
    "ask": "asked",
    "ask all": "asked_all",
}
VERBS: dict[Request, str] = {
    "count": "grade",
    "start": "start_job",
    "again": "start_job",
    "ask": "generate",
    "ask all": "start_generation",
}


def send(
    request: Request, grader: str = "", prices: str = "", **about: str | None
) -> CommandTask:
    """Have something done beside the page, in this judge's name, and remember it.

    ``about`` are other options of the command; None is not given. Raises RoleError.
    """
    with workspace() as opened:
        opened.require(VERBS[request])
    return send_unasked(request, grader, prices, **about)


def send_unasked(
    request: Request, grader: str = "", prices: str = "", **about: str | None
) -> CommandTask:
    """The same of what follows from an edit, whoever looks on: it needs no role."""
    given = tuple((name, value) for name, value in about.items() if value is not None)
    task = CommandTask(workspace_path(), request, grader, judge(), prices, given)
    setattr(current(), KEPT_AS[request], task)
    service().send(task)
    return task


def ask(
    query_id: str,
    *,
    subtopic_id: str | None = None,
    passage_id: str | None = None,
    again: bool = False,
) -> CommandTask:
    """Have the workspace's model propose questions about this.

    ``again`` asks what has an answer once more.
    """
    return send(
        "ask",
        query=query_id,
        subtopic=subtopic_id,
        passage=passage_id,
        again="" if again else None,
    )


def ask_all(grounded: int = 0) -> None:
    """Have it propose questions for every query, or for uncovered passages of each."""
    send("ask all", grounded=str(grounded) if grounded else None)


def starting(grader: str) -> bool:
    """Whether anyone's grading by this grader is about to begin."""
    return any(
        task.is_grading and task.grader == grader
        for task in service().tasks(CommandTask)
    )


def is_asked(query_id: str) -> bool:
    """Whether a model is being asked about this query, for whichever session."""
    return any(
        task.path == workspace_path()
        and task.request == "ask"
        and ("query", query_id) in task.about
        for task in service().tasks(CommandTask)
    )


def endpoint(own: str = "") -> bool:
    """Whether anything says where a model is to be asked: this, environment, secrets.

    Streamlit puts the secrets at the top of its file into the environment, where the
    commands that ask find them; they are kept nowhere else.
    """
    st.secrets.load_if_toml_exists()
    return bool(own) or any(os.environ.get(name) for name in ENDPOINT)


def endpoint_host(url: str = "") -> str:
    """Host that models are asked at, by this address or the environment's, or ""."""
    return shown_host(url) if endpoint(url) else ""


def zone() -> tzinfo | None:
    """The browser's time zone, the server's where it is not known."""
    try:
        name = st.context.timezone
        return ZoneInfo(name) if name else None
    except (ZoneInfoNotFoundError, ValueError):
        return None
