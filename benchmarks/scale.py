"""`python -m benchmarks.scale --times 10`: a collection of many times CAR size.

Its making is an import, whose time and memory are printed; so are, each from a process
that begins with the file, how long it takes to open, the first boards, an edit with the
new board, previewed and saved, and the memory that is resident in the end, also of a
server in which two people edit.
``--workspace`` keeps the file, and measures one that is there already.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from benchmarks import load
from benchmarks.collections import build_car_size
from benchmarks.timing import HEADING, Timing
from curator.bank.edits import Restore, Retire
from curator.evaluation.settings import Settings
from curator.store.connection import remove_workspace
from curator.workspace import Workspace

MEASURES = "cover", "P@20", "nDCG@10"
EDIT, OPENING = 20, 3000  # milliseconds that are aimed at


def memory_line() -> str:
    """What of this process is resident, and what has been at most, in MB."""
    status = Path("/proc/self/status").read_text().splitlines()
    found = dict(line.split(":", 1) for line in status if ":" in line)
    resident, own, of_files, most = (
        int(found[name].split()[0]) / 1024
        for name in ("VmRSS", "RssAnon", "RssFile", "VmHWM")
    )
    return (
        f"resident {resident:,.0f} MB: its own {own:,.0f}, mapped files {of_files:,.0f}"
        f"; at most {most:,.0f}"
    )


def taken(
    name: str, work: Callable[[int], object], *, runs: int = 1, budget: float = 0
) -> str:
    """A line of the median time of so many calls, and of the processor's."""
    times = []
    for number in range(runs):
        at, worked = time.perf_counter(), time.process_time()
        work(number)
        times.append((time.perf_counter() - at, time.process_time() - worked))
    walls, processor = (
        [1000 * one for one in many] for many in zip(*times, strict=True)
    )
    note = f"  {statistics.median(processor):,.2f} of the processor's"
    middle = statistics.median(walls)
    return Timing(name, middle, max(walls), runs, budget or None, note).line()


def build(path: Path, times: int, *, imported: bool) -> None:
    """Make the workspace, and print what that came to."""
    at = time.perf_counter()
    build_car_size(path, times, imported=imported)
    how = "grades as a file has them" if imported else "grades as vectors"
    print(
        f"imported, {how}: {time.perf_counter() - at:,.0f} s, "
        f"{path.stat().st_size / 1e6:,.0f} MB; {memory_line()}",
        flush=True,
    )


def measure(path: Path) -> None:
    """Print what somebody waits for who edits there."""
    print(HEADING)
    with Workspace.open(path, judge="benchmark") as workspace:
        opening = "open, ready to edit"
        print(taken(opening, lambda _: workspace.current_snapshot(), budget=OPENING))
        print(memory_line())
        for name in MEASURES:
            for line in edit_lines(workspace, workspace.settings(measure=name)):
                print(line, flush=True)
        print(memory_line())


def edit_lines(workspace: Workspace, settings: Settings) -> Iterator[str]:
    """The first board under these settings, and edits with the board after each."""
    questions = list(workspace.bank())
    name = settings.measure

    def previewed(number: int) -> object:
        edit = Retire(questions[number * 37 % len(questions)].question_id)
        return workspace.impact([edit], settings=settings)

    def saved(number: int) -> object:
        kind = Retire if number % 2 == 0 else Restore
        workspace.apply(kind(questions[(number // 2) * 11].question_id))
        return workspace.leaderboard(settings)

    yield taken(f"{name}: first board", lambda _: workspace.leaderboard(settings))
    said = f"{name}: an edit previewed, board, labels, impact"
    yield taken(said, previewed, runs=50, budget=EDIT)
    yield taken(f"{name}: an edit saved, new board", saved, runs=40, budget=EDIT)


def serve(path: Path, seconds: float = 60) -> None:
    """Print what a server holds while two people edit, and how long their clicks take.

    They edit in the file itself: a copy of it takes longer than they are here.
    """
    with Workspace.open(path) as workspace:
        queries = list(workspace.bank().by_query)
    with load.server(path) as (address, pid):
        sessions = load.sessions_on(address, queries, 2, 5, 1)
        samples = asyncio.run(load.drive(sessions, pid, seconds))
    clicks = [1000 * click.whole for one in sessions for click in one.clicks]
    opened = ", ".join(f"{one.opened:.1f}" for one in sessions)
    print(
        f"served: pages open after {opened} s; {len(clicks)} clicks, median "
        f"{statistics.median(clicks):,.0f} ms; resident at most "
        f"{max(one.memory for one in samples):,.0f} MB"
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Make a workspace, or take one, and measure it in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--times", type=int, default=10, help="CAR size, 4.7 million")
    parser.add_argument(
        "--imported", action="store_true", help="every grade a response"
    )
    parser.add_argument("--workspace", type=Path, help="[one that is removed again]")
    steps = "build", "measure", "serve"
    parser.add_argument("--step", choices=steps, help="that one alone")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        path = given.workspace or Path(folder) / "scale.db"
        if given.step == "build":
            remove_workspace(path)
            build(path, given.times, imported=given.imported)
        elif given.step == "measure":
            measure(path)
        elif given.step == "serve":
            serve(path)
        else:
            options = ["--times", str(given.times), "--workspace", str(path)]
            options += ["--imported"] if given.imported else []
            for step in steps[path.exists() :]:
                command = [sys.executable, "-m", "benchmarks.scale", "--step", step]
                subprocess.run([*command, *options], check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
