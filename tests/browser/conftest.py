"""A real server on a free port, a real Chromium, and what both must not do."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

from curator.ui.server import serve_command, serve_environment
from tests.ui.hand_made import hand_made_workspace

# Nothing is fetched: the browser gets pages of this machine only.
OPTIONS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
STARTS_WITHIN = 60.0  # seconds, on a busy machine

expect.set_options(timeout=20_000)


def chromium() -> str | None:
    """The path of a Chromium on this machine; CURATOR_CHROMIUM names another."""
    named = os.environ.get("CURATOR_CHROMIUM")
    return named or next((found for n in NAMES if (found := shutil.which(n))), None)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium, started once; skipped where there is none and none is required."""
    path = chromium()
    if path is None and not os.environ.get("CURATOR_REQUIRE_BROWSER"):
        pytest.skip("no Chromium on this machine")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=list(OPTIONS))
        yield started
        started.close()


@contextmanager
def served(path: Path) -> Iterator[str]:
    """The address of a server that serves this workspace, as ``curator serve`` does."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with open(path.with_suffix(".log"), "wb") as log:
        server = subprocess.Popen(
            serve_command(path, "127.0.0.1", port),
            env=serve_environment(path) | {"CURATOR_USER": "ann"},
            cwd=path.parent,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            address = f"http://127.0.0.1:{port}"
            _wait_for(f"{address}/_stcore/health", server)
            yield address
        finally:
            server.terminate()
            server.wait(timeout=30)


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
def hand_made_path(tmp_path: Path) -> Path:
    """A workspace of the hand-made collection, the test's own."""
    return hand_made_workspace(tmp_path / "hand-made")


@pytest.fixture
def address(hand_made_path: Path) -> Iterator[str]:
    """Where the hand-made collection is served."""
    with served(hand_made_path) as found:
        yield found


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """A new page; the test fails if it logs an error, throws or shows an exception.

    It is closed before its server, whose end it would log.
    """
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    opened = context.new_page()
    wrong: list[str] = []

    def logged(message: ConsoleMessage) -> None:
        if message.type == "error":
            wrong.append(message.text)

    opened.on("console", logged)
    opened.on("pageerror", lambda error: wrong.append(str(error)))
    yield opened
    exceptions = opened.locator(".stException").count()
    context.close()
    assert not wrong
    assert not exceptions
