"""`python -m benchmarks.long_use`: does a page live through a long day of edits?

One judge adds a question and takes it back, again and again, while another edits the
same query; every edit redraws the page. Counts how often Streamlit's connection broke.
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Page

from curator.bank.edits import Restore, Retire
from curator.demo import demo_folder, import_demo
from curator.web import server
from curator.workspace import Workspace
from scripts.in_browser import launched, served

CACHE = "global.minCachedMessageSize"
BROKEN = "Failed to process a Websocket message"
# Everything is saved, or the page has given up its connection for good.
ANSWERED = """
document.documentElement.dataset.questions && (
  !document.querySelector("[data-unsaved]") ||
  document.querySelector("[data-test-connection-state=DISCONNECTED_FOREVER]"))
"""


def demo_workspace(folder: Path) -> Path:
    """The demo collection, graded, in a file of its own."""
    path = folder / "demo.db"
    with Workspace.open(path, create=True, judge="demo") as workspace:
        import_demo(workspace, demo_folder())
        workspace.grade("embedding")
    return path


def main() -> None:
    """Print how many edits were made, how long they took and what broke."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cycles", type=int, default=300)
    parser.add_argument("--cache", help=f"bytes for {CACHE}, as Streamlit has it: 1e4")
    asked = parser.parse_args()
    if asked.cache:
        server.OPTIONS[CACHE] = asked.cache
    with tempfile.TemporaryDirectory() as folder:
        path = demo_workspace(Path(folder))
        with served(path) as address, launched() as browser:
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            times, broken = edits(page, address, path, asked.cycles)
    print(
        f"{asked.cycles} cycles of two edits and one of another judge: "
        f"median {statistics.median(times) * 1000:,.0f} ms until an edit was answered, "
        f"the connection broke {broken} times"
    )


def edits(page: Page, address: str, path: Path, cycles: int) -> tuple[list[float], int]:
    """The seconds until each edit was answered, and how often the connection broke."""
    dice = random.Random(0)
    times: list[float] = []
    errors: list[str] = []
    broken = 0
    page.on("console", lambda said: BROKEN in said.text and errors.append(said.text))
    with Workspace.open(path, judge="ben") as other:
        query_id = other.collection().queries[0].query_id
        theirs = [one.question_id for one in other.bank().questions_of(query_id)]
        opened(page, f"{address}/?query={query_id}&judge=ann")
        for cycle in range(cycles):
            turn, at = divmod(cycle, len(theirs))
            for adds in (True, False):
                start = time.monotonic()
                if adds:
                    page.keyboard.press("n")
                    page.keyboard.type(f"Is this question {cycle} of a long day?")
                    page.keyboard.press("Enter")
                else:
                    page.keyboard.press("u")
                page.wait_for_function(ANSWERED)
                times.append(time.monotonic() - start)
                # The page looks every second and a half whether it has to be drawn
                # anew: an edit is to come before, in the middle of it and after.
                if adds:
                    page.wait_for_timeout(1500 * dice.random())
                    other.apply((Restore if turn % 2 else Retire)(theirs[at]))
                    page.wait_for_timeout(2500 * dice.random())
                if errors:
                    broken += 1
                    opened(page, page.url)
                    errors.clear()
            if cycle % 25 == 24:
                print(f"{cycle + 1} cycles, {broken} broken", flush=True)
    return times, broken


def opened(page: Page, url: str) -> None:
    """Open Curate and wait until keys are heard."""
    page.goto(url)
    page.wait_for_selector(
        "html[data-listener=ready][data-questions]", state="attached"
    )
    page.wait_for_selector(".c-query")


if __name__ == "__main__":
    main()
