"""Draws docs/images/curate.png: the demo's Curate page right after an edit.

    python scripts/screenshots.py [--dark] [--workspace FILE] [--output FILE]

Starts the real server on a free port of this machine, retires a question by clicking,
waits until the highlight stands, and takes the picture at 1440 by 900. The workspace
is a fresh demo in a temporary folder unless one is given; it is copied, never changed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlencode

from playwright.sync_api import Page, expect, sync_playwright

from curator.demo import build_demo
from curator.ui.server import serve_command, serve_environment

IMAGES = Path(__file__).parent.parent / "docs" / "images"
WIDTH, HEIGHT = 1440, 900
LARGEST = 400_000  # bytes; it is fetched with the README
QUESTION = "How do trees know that autumn is coming?"
OPENED = {"query": "autumn-leaves", "measure": "P@10", "judge": "Ann Ruiz"}
OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
OPTIONS += ["--disable-component-update", "--disable-sync", "--no-first-run"]
MODEL_LOADS_WITHIN = 120_000  # milliseconds, on a busy machine


def main() -> int:
    """Take the picture; 1 where it is larger than a README should carry."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dark", action="store_true")
    parser.add_argument("--workspace", type=Path, help="a demo that is there already")
    parser.add_argument("--output", type=Path, default=IMAGES / "curate.png")
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "demo.db"
        if options.workspace:
            shutil.copy(options.workspace, path)
        else:
            os.environ["CURATOR_DEMO"] = str(path)
            build_demo()
        picture(path, options.output, "dark" if options.dark else "light")
    size = options.output.stat().st_size
    print(f"{options.output}: {size:,} bytes")
    return 0 if size < LARGEST else 1


def picture(path: Path, output: Path, scheme: str) -> None:
    """Serve the workspace, edit it in a browser, and keep what is then seen."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        serve_command(path, "127.0.0.1", port),
        env=serve_environment(path),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for(f"http://127.0.0.1:{port}/_stcore/health")
        with sync_playwright() as playwright:
            chromium = os.environ.get("CURATOR_CHROMIUM") or shutil.which("chromium")
            browser = playwright.chromium.launch(executable_path=chromium, args=OPTIONS)
            page = browser.new_page(
                viewport={"width": WIDTH, "height": HEIGHT},
                color_scheme="dark" if scheme == "dark" else "light",
            )
            page.goto(f"http://127.0.0.1:{port}/?{urlencode(OPENED)}")
            edit(page)
            output.parent.mkdir(parents=True, exist_ok=True)
            page.screenshot(path=output)
            browser.close()
    finally:
        server.terminate()
        server.wait()


def edit(page: Page) -> None:
    """Retire the question and wait until all that follows from it is drawn."""
    expect(page.locator("html[data-picker=ready]")).to_be_attached(timeout=30_000)
    page.locator(".c-question").filter(has_text=QUESTION).click()
    page.locator(".st-key-retire").get_by_role("button").click()
    expect(page.locator(".c-impact")).to_contain_text("Retired", timeout=30_000)
    status = page.locator(".st-key-model_status")
    expect(status).to_have_count(0, timeout=MODEL_LOADS_WITHIN)
    expect(page.locator(".c-reader mark").first).to_be_visible(timeout=30_000)
    page.mouse.move(WIDTH - 4, HEIGHT - 4)
    # Nothing is left that moves once fonts and the spinner are done.
    page.evaluate("document.fonts.ready")
    page.wait_for_timeout(500)


def wait_for(address: str) -> None:
    """Return when the server answers."""
    for _ in range(600):
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except OSError:
            time.sleep(0.1)
    raise SystemExit(f"no server at {address}")


if __name__ == "__main__":
    sys.exit(main())
