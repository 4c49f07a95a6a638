"""The real server on a free port and a real Chromium, for pictures and timings."""

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

from playwright.sync_api import Browser, sync_playwright

from curator.web.server import serve_command, serve_environment

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
# The first is the same engine without a browser around it: a page takes half the time.
NAMES = (
    "chromium-headless-shell",
    *("chromium", "chromium-browser", "google-chrome", "chrome"),
)
STARTS_WITHIN = 60.0  # seconds, on a busy machine


def chromium() -> str | None:
    """The path of a Chromium on this machine; CURATOR_CHROMIUM names another."""
    named = os.environ.get("CURATOR_CHROMIUM")
    return named or next((found for n in NAMES if (found := shutil.which(n))), None)


@contextmanager
def launched() -> Iterator[Browser]:
    """Chromium, closed at the end."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium(), args=list(OPTIONS)
        )
        yield browser
        browser.close()


@contextmanager
def served(path: Path, port: int | None = None, judge: str = "ann") -> Iterator[str]:
    """The address of a server that serves this workspace, as ``curator serve`` does."""
    port = port or free_port()
    with open(path.with_suffix(".log"), "ab") as log:
        server = subprocess.Popen(
            serve_command(path, "127.0.0.1", port),
            env=serve_environment(path) | {"CURATOR_USER": judge},
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


def free_port() -> int:
    """A port nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _wait_for(address: str, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + STARTS_WITHIN
    while time.monotonic() < deadline and server.poll() is None:
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"no server at {address}")
