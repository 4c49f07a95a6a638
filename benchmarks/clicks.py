"""A click on Retire, measured in a real browser until the new ranks are painted."""

from __future__ import annotations

import statistics
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Page

from benchmarks.timing import Timing
from scripts.in_browser import launched, served

WARM, CLICKS = 4, 40
PAUSE = 350  # milliseconds between two clicks: a judge is not faster

# From the click to the frame after the one in which the impact's words changed.
CLICK = """
() => new Promise((done, failed) => {
  const said = () => document.querySelector(".c-impact")?.textContent
  const before = said()
  const start = performance.now()
  const observer = new MutationObserver(() => {
    if (!said() || said() === before) return
    observer.disconnect()
    requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)))
  })
  observer.observe(document.body, {childList: true, subtree: true, characterData: true})
  setTimeout(() => failed(new Error("nothing was painted")), 10000)
  document.querySelector("[data-key=x]").click()
})
"""


def click_lines(name: str, path: Path, *, median: float, p95: float) -> list[Timing]:
    """Median and 95th percentile over clicks that retire and restore one question."""
    with served(path) as address, launched() as browser:
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(f"{address}/?{urlencode({'measure': 'P@20'})}")
        choose_most_influential(page)
        times = []
        for number in range(WARM + CLICKS):
            page.wait_for_timeout(PAUSE)
            took = page.evaluate(CLICK)
            if number >= WARM:
                times.append(float(took))
        page.close()
    ninety_fifth = statistics.quantiles(times, n=20)[-1]
    what = f"{name}: click → ranks painted, in Chromium"
    return [
        Timing(what, statistics.median(times), max(times), CLICKS, median),
        Timing("… its 95th percentile", ninety_fifth, max(times), CLICKS, p95),
    ]


def choose_most_influential(page: Page) -> None:
    """Select the question with the longest bar, whose retirement moves most."""
    page.wait_for_selector("html[data-questions]", state="attached")
    page.wait_for_selector(".c-impact")
    page.evaluate(
        """() => {
          const length = (row) => parseFloat(row.querySelector(".c-bar i")?.style.width)
          const rows = [...document.querySelectorAll(".c-question")]
          rows.sort((a, b) => (length(b) || 0) - (length(a) || 0))
          rows[0].firstElementChild.click()
        }"""
    )
    page.wait_for_selector("[data-key=x]")
    # The model loads beside it; a judge's day is longer than that.
    page.wait_for_selector(".st-key-model_status", state="detached", timeout=120_000)
