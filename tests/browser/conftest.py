"""A real server on a free port, a real Chromium, and what both must not do."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import (
    BrowserContext,
    CDPSession,
    ConsoleMessage,
    Page,
    expect,
    sync_playwright,
)

from curator.web.identity import Auth
from curator.web.server import serve_command, serve_environment
from scripts.in_browser import OPTIONS, STARTS_WITHIN, chromium
from tests.browser.tasks import TASKS, Task, tasks_workspace
from tests.samples.hand_made import hand_made_workspace

# What the browser and Streamlit's own scripts log while nothing answers.
GONE = "ERR_|/static/js/"
# Streamlit looks beneath a page that is opened by its own address first.
LOOKED_FOR = r"404.*:\d+/[a-z]+/_stcore/"

# Of which every server's address is, whatever its port; nobody listens here.
SITE = "http://127.0.0.1/"

expect.set_options(timeout=30_000)

# Loading the model takes a server ten times as long as starting; few tests need it.
# Python imports a file of this name before anything else.
WITHOUT_MODEL = """
from grading.worker import Worker
Worker.start = lambda self: None
"""


@pytest.fixture(scope="session")
def without_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder on whose import path servers load no model."""
    folder = tmp_path_factory.mktemp("without-model")
    (folder / "sitecustomize.py").write_text(WITHOUT_MODEL)
    return folder


@dataclass(frozen=True)
class Chromium:
    """A browser with one profile; its first tab stays empty and keeps it running.

    Pages of one profile share what has been fetched: another profile for each test
    would take each a second more. Pages of one process share what has been compiled,
    a fifth of what Chromium does; the first tab keeps the process of all servers.
    """

    profile: BrowserContext
    tools: CDPSession

    def forget(self) -> None:
        """Close every other tab and clear all that pages have stored, for any origin.

        What a tab stores for itself goes with the tab.
        """
        for tab in self.profile.pages[1:]:
            tab.close()
        stored = {"origin": "*", "storageTypes": "cookies,local_storage,indexeddb"}
        self.tools.send("Storage.clearDataForOrigin", stored)


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    """Chromium, started once; skipped where there is none and none is required."""
    path = chromium()
    if path is None and not os.environ.get("CURATOR_REQUIRE_BROWSER"):
        pytest.skip("no Chromium on this machine")
    with sync_playwright() as playwright:
        profile = playwright.chromium.launch_persistent_context(
            tmp_path_factory.mktemp("chromium"),
            executable_path=path,
            args=[*OPTIONS, "--process-per-site"],
            viewport={"width": 1440, "height": 900},
        )
        (first,) = profile.pages
        first.route(SITE, lambda route: route.fulfill(content_type="text/html"))
        first.goto(SITE)
        yield Chromium(profile, profile.new_cdp_session(first))
        profile.close()


class Server:
    """A server of one workspace; started again, it has the same port.

    ``importing`` is a folder from which its processes import first, ``auth`` how people
    say who they are, ``variables`` what else its environment has.
    """

    def __init__(
        self,
        path: Path,
        importing: Path | None = None,
        auth: Auth | None = None,
        **variables: str,
    ) -> None:
        self.auth, self.variables = auth, variables
        self.path = path
        self._importing = importing
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Serve as ``curator serve`` does, and wait until it answers."""
        environment = serve_environment(self.path, self.auth) | {"CURATOR_USER": "ann"}
        environment |= self.variables
        if self._importing is not None:
            before = environment.get("PYTHONPATH", "")
            environment["PYTHONPATH"] = f"{self._importing}{os.pathsep}{before}"
        with open(self.path.with_suffix(".log"), "ab") as log:
            self._process = subprocess.Popen(
                serve_command(self.path, "127.0.0.1", self.port),
                env=environment,
                cwd=self.path.parent,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        _wait_for(f"{self.address}/_stcore/health", self._process)

    def kill(self) -> None:
        """End it at once, as a crash would."""
        assert self._process is not None
        self._process.kill()
        self._process.wait(timeout=30)

    @property
    def runs(self) -> bool:
        """Whether it was started and has not ended."""
        return self._process is not None and self._process.poll() is None

    def stop(self) -> None:
        """End it, if it runs, as a person would."""
        if self._process is not None and self.runs:
            self._process.terminate()
            self._process.wait(timeout=30)


@contextmanager
def serving(path: Path, importing: Path) -> Iterator[Server]:
    """A running server of this workspace."""
    server = Server(path, importing)
    try:
        server.start()
        yield server
    finally:
        server.stop()


def _wait_for(address: str, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + STARTS_WITHIN
    while time.monotonic() < deadline and server.poll() is None:
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"no server at {address}")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The test's own workspace, of the hand-made collection; modules make others."""
    return hand_made_workspace(tmp_path / "hand-made")


@pytest.fixture
def server(path: Path, without_model: Path) -> Iterator[Server]:
    """A server of the test's own workspace."""
    with serving(path, without_model) as found:
        yield found


@pytest.fixture
def address(server: Server) -> str:
    """Where the test's own workspace is served."""
    return server.address


@pytest.fixture(scope="session")
def unchanged(
    tmp_path_factory: pytest.TempPathFactory, without_model: Path
) -> Iterator[str]:
    """Where a hand-made collection is served to tests that save nothing.

    It knows no model that could be asked.
    """
    path = hand_made_workspace(tmp_path_factory.mktemp("unchanged") / "hand-made")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY"):
            patch.delenv(name, raising=False)
        server = Server(path, without_model)
        server.start()
    yield server.address
    server.stop()


@pytest.fixture(scope="session")
def tasks_server(
    tmp_path_factory: pytest.TempPathFactory, without_model: Path
) -> Iterator[Server]:
    """A server of many small queries, started once a test process."""
    path = tasks_workspace(tmp_path_factory.mktemp("tasks"))
    with serving(path, without_model) as found:
        yield found


@pytest.fixture
def task(tasks_server: Server) -> Task:
    """A query that no other test edits, served also where another left no server."""
    if not tasks_server.runs:
        tasks_server.start()
    return Task(tasks_server.path, tasks_server.address, next(TASKS))


@contextmanager
def watched(page: Page, forgiven: str = "") -> Iterator[Page]:
    """Fails at its end if the page logged an error, threw or shows an exception."""
    wrong: list[str] = []
    forgiven = f"{LOOKED_FOR}|{forgiven}" if forgiven else LOOKED_FOR

    def logged(message: ConsoleMessage) -> None:
        if message.type == "error":
            wrong.append(f"{message.text} ({message.location.get('url', '')})")

    page.on("console", logged)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    yield page
    exceptions = page.locator(".stException").count()
    page.close()
    assert not [line for line in wrong if not re.search(forgiven, line)]
    assert not exceptions


@pytest.fixture
def context(
    request: pytest.FixtureRequest, browser: Chromium
) -> Iterator[BrowserContext]:
    """A judge's browser that has stored nothing: tabs in it share what it stores."""
    # Asked for first, so that pages are closed before their server, whose end they
    # would log.
    for name in {"server", "tasks_server", "unchanged"} & set(request.fixturenames):
        request.getfixturevalue(name)
    browser.forget()
    yield browser.profile
    browser.forget()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A new page; the test fails if it logs an error, throws or shows an exception."""
    with watched(context.new_page()) as opened:
        yield opened


@pytest.fixture
def bereft(context: BrowserContext) -> Iterator[Page]:
    """A page as above whose server goes: that it says so is no fault."""
    with watched(context.new_page(), GONE) as opened:
        yield opened
