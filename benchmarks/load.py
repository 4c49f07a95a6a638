"""`python -m benchmarks.load`: sessions that edit for minutes, and what that costs.

Each session speaks the browser's protocol to a real server: it asks for the page, asks
again whenever the page says so, and retires or restores a question every few seconds.
Measured are the time from a click to the new ranks and to the end of the run that
answers it, the server's memory, file handles and threads, and whether every edit that
was acknowledged is in the history, also after the server was killed; so is what a copy
made in the middle has. ``--browsers`` are real ones.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import secrets
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect

from benchmarks.collections import build_dl19, dl19_files
from benchmarks.long_use import demo_workspace
from curator.store.connection import open_workspace
from curator.store.history import batch_of_nonce
from curator.web.server import serve_command, serve_environment
from curator.workspace import Workspace
from scripts.in_browser import free_port, launched

LIST = "question_list"
RANKS = "<b>Impact</b>"  # how the column that shows them begins
CURATOR = (sys.executable, "-m", "curator")
PATIENCE = 60.0  # seconds until a click counts as lost
RESENT = 1.5  # seconds until a click without an answer is sent again; doubles
LONGEST_WAIT = 12.0  # seconds, as the page's
SAMPLED = 5.0  # seconds between two looks at the server's process


class Click(NamedTuple):
    """Seconds: since the beginning, and until the ranks and all else had come."""

    at: float
    ranks: float
    whole: float


@dataclass
class Session:
    """One page of one judge, on one query."""

    judge: str
    query: str
    every: float
    dice: random.Random
    url: str
    least: int = 1  # clicks, however long the page took
    socket: ClientConnection | None = None
    page: str = ""  # Streamlit's name of it
    list_id: str = ""
    list_fragment: str = ""
    data: dict[str, Any] = field(default_factory=dict)
    again: dict[str, float] = field(default_factory=dict)  # fragments, by seconds
    waiting: tuple[str, float, asyncio.Future[tuple[float, float]]] | None = None
    ranked: float = 0.0  # when ranks came last
    answered: bool = False
    clicks: list[Click] = field(default_factory=list)
    opened: float = 0.0
    acknowledged: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    received: int = 0  # bytes

    async def work(self, began: float, seconds: float) -> None:
        """Open the page, then click until the time is over."""
        async with connect(self.url, max_size=None, ping_timeout=None) as socket:
            self.socket = socket
            drawn = asyncio.Event()
            reading = asyncio.create_task(self.read(drawn))
            asking = asyncio.create_task(self.ask_again())
            at = time.monotonic()
            await self.send()
            await asyncio.wait_for(drawn.wait(), PATIENCE)
            self.opened = time.monotonic() - at
            while time.monotonic() - began < seconds or (
                len(self.clicks) < self.least and not self.lost
            ):
                await asyncio.sleep(self.every * self.dice.uniform(0.6, 1.4))
                await self.click(began)
            for task in (reading, asking):
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task

    async def send(self, fragment: str = "", trigger: object = None) -> None:
        """Ask for a run: of the page, of a fragment, or with an event."""
        message = BackMsg()
        run = message.rerun_script
        run.query_string = urlencode({"query": self.query, "judge": self.judge})
        run.page_script_hash, run.fragment_id = self.page, fragment
        if trigger is None:
            run.is_auto_rerun = bool(fragment)
        else:
            widget = run.widget_states.widgets.add()
            widget.id = f"$$STREAMLIT_INTERNAL_KEY_{self.list_id}__events"
            sent = [{"event": "events", "value": [trigger]}]
            widget.json_trigger_value = json.dumps(sent)
        assert self.socket is not None
        await self.socket.send(message.SerializeToString())

    async def read(self, drawn: asyncio.Event) -> None:
        """Take what the server sends."""
        assert self.socket is not None
        async for raw in self.socket:
            self.received += len(raw)
            message = ForwardMsg()
            message.ParseFromString(raw)
            kind = message.WhichOneof("type")
            if kind == "navigation":
                self.page = message.navigation.page_script_hash
            elif kind == "auto_rerun":
                found = message.auto_rerun
                self.again[found.fragment_id] = found.interval
            elif kind == "delta":
                self.take(message)
            elif kind == "script_finished":
                if self.list_id:
                    drawn.set()
                if self.answered and self.waiting is not None:
                    _, at, done = self.waiting
                    self.waiting, self.answered = None, False
                    whole = time.monotonic() - at
                    ranks = self.ranked - at if self.ranked > at else whole
                    done.set_result((ranks, whole))

    def take(self, message: ForwardMsg) -> None:
        """The ranks, then the list of questions with the answer to a click."""
        if message.delta.WhichOneof("type") != "new_element":
            return
        element = message.delta.new_element
        if RANKS in element.html.body and not self.answered:
            self.ranked = time.monotonic()
        if element.WhichOneof("type") != "bidi_component":
            return
        component = element.bidi_component
        if not component.component_name.endswith(LIST):
            return
        self.list_id, self.list_fragment = component.id, message.delta.fragment_id
        self.data = json.loads(component.json)
        for one in self.data["answers"]:
            if self.waiting is None or one["nonce"] != self.waiting[0]:
                continue
            self.answered = True
            (self.acknowledged if one["ok"] else self.refused).append(one["nonce"])

    async def click(self, began: float) -> None:
        """Retire a question that is kept, or bring one back."""
        rows = [row for group in self.data["groups"] for row in group["rows"]]
        kept = [row for row in rows if row["state"] == "kept"]
        gone = [row for row in rows if row["state"] == "retired"]
        few = len(kept) < 3
        back = bool(gone) and (few or self.dice.random() < 0.5)
        kind, rows = ("restore", gone) if back else ("retire", kept)
        if not rows:
            return
        row = self.dice.choice(rows)
        nonce = secrets.token_hex(12)
        done: asyncio.Future[tuple[float, float]] = (
            asyncio.get_running_loop().create_future()
        )
        self.waiting = (nonce, time.monotonic(), done)
        event = {
            **{"nonce": nonce, "type": kind, "workspace": self.data["workspace"]},
            **{"query": self.query, "question": row["id"], "based_on": row["revision"]},
        }
        try:
            async with asyncio.timeout(PATIENCE):
                wait = RESENT
                while not done.done():
                    # As the page does: one that a redraw swallowed comes again.
                    await self.send(self.list_fragment, event)
                    await asyncio.wait([done], timeout=wait)
                    wait = min(2 * wait, LONGEST_WAIT)
            ranks, whole = done.result()
        except TimeoutError:
            self.waiting = None
            self.lost.append(nonce)
        else:
            self.clicks.append(Click(time.monotonic() - began, ranks, whole))

    async def ask_again(self) -> None:
        """What the page asks for by itself, as a browser that shows it does."""
        due: dict[str, float] = {}
        while True:
            await asyncio.sleep(0.1)
            now = time.monotonic()
            for fragment, every in list(self.again.items()):
                if now >= due.setdefault(fragment, now + every):
                    due[fragment] = now + every
                    await self.send(fragment)


@dataclass(frozen=True)
class Sample:
    """The server's process at one moment: megabytes, file handles, threads."""

    at: float
    memory: float
    handles: int
    threads: int


def sample(pid: int, at: float) -> Sample:
    """As the system counts it."""
    status = Path(f"/proc/{pid}/status").read_text()
    fields = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
    memory = int(fields["VmRSS"].split()[0]) / 1024
    handles = len(os.listdir(f"/proc/{pid}/fd"))
    return Sample(at, memory, handles, int(fields["Threads"]))


@contextmanager
def server(path: Path) -> Iterator[tuple[str, int]]:
    """Where a server of this workspace answers, and its process; killed in the end."""
    port = free_port()
    with open(path.with_suffix(".log"), "ab") as log:
        process = subprocess.Popen(
            serve_command(path, "127.0.0.1", port),
            env=serve_environment(path),
            cwd=path.parent,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    try:
        _wait_for(port, process)
        yield f"127.0.0.1:{port}", process.pid
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    import urllib.request

    until = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < until:
        with suppress(OSError):
            urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5)
            return
        time.sleep(0.1)
    raise RuntimeError("the server did not start")


async def drive(sessions: Sequence[Session], pid: int, seconds: float) -> list[Sample]:
    """Have all of them work at once; what the server used meanwhile."""
    began = time.monotonic()
    samples: list[Sample] = []

    async def look() -> None:
        while True:
            samples.append(sample(pid, time.monotonic() - began))
            await asyncio.sleep(SAMPLED)

    looking = asyncio.create_task(look())

    async def late(number: int, one: Session) -> None:
        await asyncio.sleep(number * 0.25)  # nobody opens a page with all the others
        await one.work(began, seconds)

    await asyncio.gather(*(late(n, one) for n, one in enumerate(sessions)))
    looking.cancel()
    samples.append(sample(pid, time.monotonic() - began))
    return samples


def _copy_of(path: Path) -> Path:
    return path.with_suffix(".copy.db")


async def copy_under_load(
    path: Path, sessions: Sequence[Session], after: float
) -> tuple[float, list[str]]:
    """Run ``curator backup`` after so many seconds.

    How long it took, and what had been acknowledged when it began.
    """
    await asyncio.sleep(after)
    acknowledged = [nonce for one in sessions for nonce in one.acknowledged]
    began = time.monotonic()
    command = [*CURATOR, "backup", str(path), str(_copy_of(path))]
    process = await asyncio.create_subprocess_exec(*command, stdout=subprocess.DEVNULL)
    if await process.wait():
        raise RuntimeError("curator backup failed")
    return time.monotonic() - began, acknowledged


def backup_of(path: Path, seconds: float, acknowledged: Sequence[str]) -> Backup:
    """What the copy has of it, and whether it verifies."""
    copy = _copy_of(path)
    process = subprocess.run([*CURATOR, "verify", str(copy)], stdout=subprocess.DEVNULL)
    kept = kept_of(copy, acknowledged)
    return Backup(seconds, len(acknowledged), kept, process.returncode == 0)


def sessions_on(
    address: str,
    queries: Sequence[str],
    count: int,
    every: float,
    seed: int,
    least: int = 1,
) -> list[Session]:
    """So many judges, one query after the other."""
    return [
        Session(
            *(f"judge{n:02}", queries[n % len(queries)], every),
            random.Random(seed + n),
            f"ws://{address}/_stcore/stream",
            least,
        )
        for n in range(count)
    ]


def kept_of(path: Path, nonces: Iterable[str]) -> int:
    """How many of these saves the workspace has."""
    connection = open_workspace(path)
    found = sum(batch_of_nonce(connection, one) is not None for one in nonces)
    connection.close()
    return found


class Spread(NamedTuple):
    """Milliseconds."""

    median: float
    p95: float
    worst: float

    @classmethod
    def of(cls, seconds: Iterable[float]) -> Spread:
        """Of so many waits, one at least."""
        found = sorted(1000 * one for one in seconds)
        p95 = found[min(int(0.95 * len(found)), len(found) - 1)]
        return cls(statistics.median(found), p95, found[-1])

    def __str__(self) -> str:
        return (
            f"median {self.median:.0f} ms, p95 {self.p95:.0f}, worst {self.worst:.0f}"
        )


@dataclass(frozen=True)
class Backup:
    """A copy made while everybody edits, looked at when they have ended."""

    seconds: float
    acknowledged: int  # until it was begun
    kept: int  # of those in the copy
    verified: bool

    def line(self) -> str:
        """In words."""
        return (
            f"  copied in {self.seconds:.2f} s in the middle: of {self.acknowledged} "
            f"acknowledged by then it has {self.kept}; "
            f"{'verifies' if self.verified else 'does not verify'}"
        )


@dataclass(frozen=True)
class Outcome:
    """What a run came to. Times in milliseconds, memory in megabytes."""

    sessions: int
    clicks: int
    ranks: Spread
    whole: Spread
    opened: float
    acknowledged: int
    kept: int
    refused: int
    lost: int
    megabytes_received: float
    samples: tuple[Sample, ...]
    minutes: tuple[float, ...]  # the median of each, until the ranks came
    backup: Backup

    @property
    def growth(self) -> float | None:
        """Memory in the last minute over that in the third, None for a shorter run."""
        end = self.samples[-1].at
        third = [one.memory for one in self.samples if 120 <= one.at < 180]
        last = [one.memory for one in self.samples if one.at >= end - 60]
        if end < 240 or not third:
            return None
        return statistics.mean(last) / statistics.mean(third)

    def lines(self) -> list[str]:
        """The outcome in words."""
        first, last = self.samples[0], self.samples[-1]
        growth = "" if self.growth is None else f", last/third minute {self.growth:.3f}"
        return [
            f"{self.sessions} sessions: {self.clicks} clicks; page opened in "
            f"{self.opened:.0f} ms",
            f"  click to ranks {self.ranks}; to the end of its run {self.whole}",
            f"  acknowledged {self.acknowledged}, in the history {self.kept}, refused "
            f"{self.refused}, unanswered {self.lost}",
            f"  memory {first.memory:.0f} to {last.memory:.0f} MB{growth}; handles "
            f"{first.handles} to {last.handles}, threads {first.threads} to "
            f"{last.threads}; {self.megabytes_received:.0f} MB sent",
            f"  ranks by minute: {' '.join(f'{one:.0f}' for one in self.minutes)}",
            self.backup.line(),
        ]


def outcome_of(
    path: Path,
    sessions: Sequence[Session],
    samples: Sequence[Sample],
    backup: Backup,
) -> Outcome:
    """What these sessions came to, with the workspace as it is after the kill."""
    clicks = [click for one in sessions for click in one.clicks]
    if not clicks:
        raise RuntimeError("no click was answered")
    by_minute: dict[int, list[float]] = {}
    for click in clicks:
        by_minute.setdefault(int(click.at // 60), []).append(1000 * click.ranks)
    acknowledged = [nonce for one in sessions for nonce in one.acknowledged]
    return Outcome(
        len(sessions),
        len(clicks),
        Spread.of(click.ranks for click in clicks),
        Spread.of(click.whole for click in clicks),
        1000 * statistics.median(one.opened for one in sessions),
        len(acknowledged),
        kept_of(path, acknowledged),
        sum(len(one.refused) for one in sessions),
        sum(len(one.lost) for one in sessions),
        sum(one.received for one in sessions) / 1e6,
        tuple(samples),
        tuple(statistics.median(by_minute[m]) for m in sorted(by_minute)),
        backup,
    )


def run(
    path: Path,
    count: int,
    *,
    seconds: float,
    every: float,
    seed: int = 1,
    one_query: bool = False,
    least: int = 1,
) -> Outcome:
    """So many sessions on this workspace for so long; the server is killed then.

    Each clicks ``least`` times at least, however slow the machine is.
    """
    with Workspace.open(path) as workspace:
        bank = workspace.bank()
        queries = [q for q, found in bank.by_query.items() if len(found) > 1]
    if one_query:
        queries = queries[:1]
    with server(path) as (address, pid):
        sessions = sessions_on(address, queries, count, every, seed, least)

        async def both() -> tuple[list[Sample], tuple[float, list[str]]]:
            copying = asyncio.create_task(copy_under_load(path, sessions, seconds / 2))
            return await drive(sessions, pid, seconds), await copying

        samples, copied = asyncio.run(both())
    return outcome_of(path, sessions, samples, backup_of(path, *copied))


def run_browsers(path: Path, count: int, *, seconds: float, every: float) -> list[str]:
    """The same with so many real browsers, one tab each; click to new ranks painted."""
    from playwright.sync_api import expect

    took: list[float] = []
    with server(path) as (address, _), launched() as browser:
        with Workspace.open(path) as workspace:
            queries = list(workspace.bank().by_query)
        pages = []
        for number in range(count):
            page = browser.new_context().new_page()
            query = queries[number % len(queries)]
            asked = urlencode({"query": query, "judge": f"browser{number:02}"})
            page.goto(f"http://{address}/?{asked}")
            page.locator("html[data-listener=ready][data-questions]").wait_for(
                state="attached", timeout=120_000
            )
            page.keyboard.press("j")  # the first question is what x and u speak of
            page.locator(".c-question[data-selected]").wait_for(timeout=60_000)
            pages.append(page)
        began = time.monotonic()
        number = 0
        while time.monotonic() - began < seconds:
            page, turn = pages[number % count], number // count
            number += 1
            saved = page.locator(".c-saved")
            before = saved.inner_text()
            at = time.monotonic()
            page.keyboard.press("u" if turn % 2 else "x")
            expect(saved).not_to_have_text(before, timeout=60_000)
            took.append(time.monotonic() - at)
            time.sleep(max(every / count - (time.monotonic() - at), 0))
    took.sort()
    return [
        f"{count} browsers: {len(took)} clicks, median "
        f"{1000 * statistics.median(took):.0f} ms, p95 "
        f"{1000 * took[int(0.95 * (len(took) - 1))]:.0f} (browsers included)"
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print what each number of sessions comes to."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sessions", type=int, nargs="*", default=[1, 5, 20, 50])
    parser.add_argument("--browsers", type=int, nargs="*", default=[])
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--every", type=float, default=5, help="seconds between clicks")
    parser.add_argument("--one-query", action="store_true", help="all on the same")
    parser.add_argument("--workspace", type=Path, help="[DL19, else the demo]")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        base = given.workspace
        if base is None:
            base = Path(folder) / "base.db"
            files = dl19_files()
            if files is None:
                base = demo_workspace(Path(folder))
            else:
                build_dl19(base, files)
        load = ", ".join(f"{one:.2f}" for one in os.getloadavg())
        print(f"{base.name}, {os.cpu_count()} cores, load average before: {load}")
        for count in (*given.sessions, *(-one for one in given.browsers)):
            path = Path(folder) / f"run{count}.db"
            with Workspace.open(base) as workspace:
                workspace.backup(path, force=True)
            options = {"seconds": 60 * given.minutes, "every": given.every}
            if count < 0:
                lines = run_browsers(path, -count, **options)
            else:
                outcome = run(path, count, one_query=given.one_query, **options)
                lines = outcome.lines()
            print("\n".join(lines), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
