"""`python -m benchmarks.many_judges`: is anything that is typed lost among ten judges?

Ten browsers edit one query at once: they reword, add, retire, undo, leave drafts,
settle conflicts, filter, reload, lose their connection and go to other pages. Every
text carries a mark of its own. In the end each must be in the history or on the page of
who typed it, unless that judge threw it away.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Browser, Page, WebSocketRoute
from playwright.sync_api import TimeoutError as TooLate

from benchmarks.long_use import demo_workspace
from curator.workspace import Workspace
from scripts.in_browser import launched, served

PATIENCE = 120_000  # milliseconds, for the slowest machine
GONE = 5_000  # milliseconds until a field that was there is gone
PAUSE = 60  # milliseconds: ten judges at once have a pause of 600 each
LONGEST = "word " * 500  # a text that is refused
READY = "html[data-listener=ready][data-questions]"
DEAD = "[data-test-connection-state=DISCONNECTED_FOREVER]"
FIELDS = ".q-form textarea"
WRITTEN = "() => document.querySelector('.q-form textarea')?.value ?? null"
SHOWN = """() => {
  const fields = [...document.querySelectorAll("textarea, input")]
  return [document.body.innerText, ...fields.map((one) => one.value)].join("\\n")
}"""
STORED = """() => [localStorage, sessionStorage]
  .flatMap((one) => Object.values(one)).join("\\n")"""


@dataclass
class Judge:
    """One browser. ``typed`` are the marks in it, ``thrown`` those it threw away.

    ``died`` is how often only loading it again brought the page back, ``vanished`` how
    often a field was gone before a letter was typed, ``unheard`` how often a key opened
    none.
    """

    name: str
    page: Page
    url: str
    dice: random.Random
    sockets: list[WebSocketRoute] = field(default_factory=list)
    typed: list[str] = field(default_factory=list)
    thrown: set[str] = field(default_factory=set)
    died: int = 0
    vanished: int = 0
    unheard: int = 0

    def open(self) -> None:
        """Open the page, or load it again, and wait until keys are heard."""
        self.page.goto(self.url)
        while True:
            try:
                self.page.wait_for_selector(READY, state="attached", timeout=PATIENCE)
            except TooLate:
                self.died += 1
                self.page.goto(self.url)
            else:
                return

    def marks(self, text: str) -> set[str]:
        """My marks in this text."""
        return {mark for mark in self.typed if mark in text}

    def write(self, text: str = "") -> None:
        """Write over what the open field holds, and save it or leave it."""
        before = self.page.evaluate(WRITTEN)
        if before is None:
            self.unheard += not self.page.locator(
                ".c-question[data-selected] .q-conflict"
            ).count()
            return
        try:
            self.page.locator(FIELDS).first.focus(timeout=GONE)
        except TooLate:
            self.vanished += 1
            return
        self.thrown |= self.marks(before)  # written over by their own hand
        mark = f"[{self.name}-{len(self.typed):03}]"
        self.typed.append(mark)
        self.page.keyboard.press("Control+a")
        self.page.keyboard.insert_text(f"{text}Is this what {mark} asks?")
        self.page.keyboard.press("Escape" if self.dice.random() < 0.2 else "Enter")

    def choose_row(self) -> bool:
        """Select one of the questions; whether there is one."""
        row = self.dice.random()
        return bool(
            self.page.evaluate(
                """(share) => {
                  const rows = document.querySelectorAll(".c-question .q-face")
                  rows[Math.floor(share * rows.length)]?.click()
                  return rows.length > 0
                }""",
                row,
            )
        )

    def reword(self) -> None:
        """Another text for one of the questions."""
        if self.choose_row():
            self.page.keyboard.press("e")
            self.write(LONGEST if self.dice.random() < 0.05 else "")

    def add(self) -> None:
        """A new question."""
        self.leave()
        self.page.keyboard.press("n")
        self.write(LONGEST if self.dice.random() < 0.05 else "")

    def retire(self) -> None:
        """Retire a question, or restore it."""
        if self.choose_row():
            self.page.keyboard.press("x")

    def settle(self) -> None:
        """Decide on a conflict, if one is to be seen."""
        cards = self.page.evaluate(
            "() => document.querySelector('.q-conflict')?.innerText ?? ''"
        )
        way = self.dice.choice(["Keep mine", "Keep mine", "Keep theirs", "Combine"])
        clicked = cards and self.page.evaluate(
            """(way) => {
              const buttons = document.querySelectorAll(".q-conflict button")
              const wanted = [...buttons].find((one) => one.innerText.startsWith(way))
              wanted?.click()
              return Boolean(wanted)
            }""",
            way,
        )
        if clicked and way == "Keep theirs":
            self.thrown |= self.marks(cards)
        elif clicked and way == "Combine":
            self.page.keyboard.press("Enter")

    def leave(self) -> None:
        """Leave the open field, if there is one; what is in it is kept."""
        if self.page.evaluate(WRITTEN) is not None:
            self.page.locator(FIELDS).first.press("Escape")

    def undo(self) -> None:
        """Take back my latest edit, or make it again."""
        self.leave()
        self.page.keyboard.press(self.dice.choice(["u", "u", "U"]))

    def filter(self) -> None:
        """Show other questions."""
        self.show(self.dice.choice(["all", "all", "kept", "retired"]))

    def show(self, name: str) -> None:
        """Show these questions only, where the list offers it."""
        self.page.evaluate(
            """(name) => {
              const list = [...document.querySelectorAll(".c-listhead select")]
                .find((one) => [...one.options].some(({ value }) => value === name))
              if (!list) return
              list.value = name
              list.dispatchEvent(new Event("change"))
            }""",
            name,
        )

    def go_away(self) -> None:
        """To another query or page, and back."""
        self.leave()
        if self.dice.random() < 0.5:
            self.page.keyboard.press("J")
        else:
            self.page.get_by_role("link", name="Passages").click()
        self.page.wait_for_timeout(1500)
        self.open()

    def cut(self) -> None:
        """The connection breaks."""
        if self.sockets:
            self.sockets.pop().close()

    def act(self) -> None:
        """One thing that a judge does."""
        acts: dict[Callable[[], None], int] = {
            self.reword: 40,
            self.add: 14,
            self.settle: 16,
            self.retire: 8,
            self.undo: 6,
            self.leave: 4,
            self.filter: 4,
            self.open: 2,
            self.go_away: 2,
            self.cut: 2,
        }
        if self.page.locator(DEAD).count():
            self.died += 1
            self.open()
        self.dice.choices([*acts], [*acts.values()])[0]()


def judge_of(browser: Browser, address: str, query_id: str, number: int) -> Judge:
    """A browser of its own, with the page open."""
    page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
    page.set_default_timeout(PATIENCE)
    name = f"j{number}"
    url = f"{address}/?{urlencode({'query': query_id, 'judge': name})}"
    judge = Judge(name, page, url, random.Random(number))

    def opened(socket: WebSocketRoute) -> None:
        socket.connect_to_server()
        judge.sockets.append(socket)

    page.route_web_socket("**/_stcore/stream", opened)
    judge.open()
    return judge


def quiet(judge: Judge) -> None:
    """All that was asked for is answered, and every question is shown."""
    judge.page.wait_for_selector(READY, state="attached")
    judge.page.wait_for_selector("[data-unsaved]", state="detached")
    judge.show("all")
    judge.page.wait_for_timeout(2000)


def a_click_away(judge: Judge) -> str:
    """What is in the fields behind every link to a draft, and in that for new ones."""
    found = []
    judge.leave()
    links = judge.page.get_by_role("button", name="draft", exact=True)
    for number in range(links.count()):
        if number < links.count():
            links.nth(number).click()
            found.append(judge.page.evaluate(WRITTEN) or "")
            judge.leave()
    judge.page.keyboard.press("n")
    found.append(judge.page.evaluate(WRITTEN) or "")
    return "\n".join(found)


def main() -> None:
    """Print where every text that was typed ended."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--judges", type=int, default=10)
    parser.add_argument("--texts", type=int, default=500)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = demo_workspace(Path(folder))
        with Workspace.open(path) as workspace:
            query_id = workspace.collection().queries[0].query_id
        start = time.monotonic()
        with served(path) as address, launched() as browser:
            judges = [
                judge_of(browser, address, query_id, number)
                for number in range(asked.judges)
            ]
            while sum(len(judge.typed) for judge in judges) < asked.texts:
                for judge in judges:
                    judge.act()
                    judge.page.wait_for_timeout(PAUSE)
            ended = where(judges, path)
    counted = {
        name: sum(getattr(judge, name) for judge in judges)
        for name in ("died", "vanished", "unheard")
    }
    print(f"{time.monotonic() - start:,.0f} seconds, {len(judges)} judges, {counted}")
    for place, number in ended.items():
        print(f"{number:5} {place}")


def where(judges: list[Judge], path: Path) -> Counter[str]:
    """How many texts ended where; those that are lost are printed."""
    ended: Counter[str] = Counter()
    for judge in judges:
        quiet(judge)
    with Workspace.open(path) as workspace:
        events = workspace.history(limit=1_000_000)
    history = "\n".join(
        one.change.after.text or "" for one in events if one.change.after is not None
    )
    for judge in judges:
        shown = str(judge.page.evaluate(SHOWN))
        stored = str(judge.page.evaluate(STORED))
        behind = a_click_away(judge)
        for mark in judge.typed:
            if mark in history:
                place = "in the history"
            elif mark in shown:
                place = "on the page"
            elif mark in judge.thrown:
                place = "thrown away by who typed them"
            elif mark in behind:
                place = "behind a link to a draft"
            else:
                place = "LOST, in the browser's storage alone"
                if mark not in stored:
                    place = "LOST, nowhere"
                print(f"{place}: {mark}")
            ended[place] += 1
    return ended


if __name__ == "__main__":
    main()
