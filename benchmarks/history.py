"""`python -m benchmarks.history`: does an edit cost more the longer the history is?

One judge retires and restores questions of one query of DL19, thousands of times. At
the tenth edit and at the ten-thousandth the next are timed: to save one with the board
after it, to preview one, and to draw Curate after it (by Streamlit's own test driver,
in this process). Processor time, since a wall clock says what else the machine does.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from streamlit.testing.v1 import AppTest

from benchmarks.collections import build_dl19, dl19_files
from benchmarks.load import sample
from benchmarks.long_use import demo_workspace
from curator.bank.edits import Edit
from curator.bank.edits.questions import Restore, Retire
from curator.web.server import APP, WORKSPACE_VARIABLE
from curator.workspace import Workspace

JUDGE = "ann"
RUNS = 21
RUN_TIMEOUT = 120  # seconds


def milliseconds(work: Callable[[int], object]) -> float:
    """Median processor time of ``RUNS`` calls, the first one left out."""
    taken = []
    for number in range(RUNS + 1):
        at = time.process_time()
        work(number)
        taken.append(1000 * (time.process_time() - at))
    return statistics.median(taken[1:])


class Editor:
    """A judge who retires and restores the questions of one query in turn."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        by_query = workspace.bank().by_query
        self.query_id = next(q for q, found in by_query.items() if len(found) > 5)
        self.questions = [one.question_id for one in by_query[self.query_id]][:5]
        self.done = 0

    def next(self) -> Edit:
        """The edit that comes next."""
        question_id = self.questions[self.done // 2 % len(self.questions)]
        return Restore(question_id) if self.done % 2 else Retire(question_id)

    def edit(self, _: int = 0) -> None:
        """Save it."""
        self.workspace.apply(self.next())
        self.done += 1

    def edit_until(self, number: int) -> None:
        """Save until there are so many."""
        while self.done < number:
            self.edit()


def timings(editor: Editor, app: AppTest) -> dict[str, float]:
    """What the next edits cost, in milliseconds of processor time."""
    workspace = editor.workspace

    def saved(number: int) -> None:
        editor.edit(number)
        workspace.leaderboard()

    def drawn(number: int) -> None:
        app.run()
        assert not app.exception, app.exception

    found = {
        "saved, and the new board": milliseconds(saved),
        "previewed": milliseconds(lambda _: workspace.impact(editor.next())),
    }
    pages = []
    for number in range(RUNS):
        editor.edit()
        pages.append(milliseconds_of(drawn, number))
    found["Curate drawn after it"] = statistics.median(pages)
    return found


def milliseconds_of(work: Callable[[int], object], number: int) -> float:
    """Processor time of one call."""
    at = time.process_time()
    work(number)
    return 1000 * (time.process_time() - at)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print what an edit costs early and late."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--edits", type=int, nargs=2, default=[10, 10_000])
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.db"
        files = dl19_files()
        if files is None:
            path = demo_workspace(Path(folder))
        else:
            build_dl19(path, files)
        os.environ[WORKSPACE_VARIABLE] = str(path)
        with Workspace.open(path, judge=JUDGE) as workspace:
            editor = Editor(workspace)
            app = AppTest.from_file(str(APP), default_timeout=RUN_TIMEOUT)
            app.query_params["query"] = editor.query_id
            app.query_params["judge"] = JUDGE
            app.run()
            columns = []
            for number in given.edits:
                editor.edit_until(number)
                app.run()
                found = timings(editor, app)
                found["memory, MB"] = sample(os.getpid(), 0.0).memory
                columns.append(found)
        print(f"{path.name}: processor milliseconds, at edit {given.edits}")
        for name in columns[0]:
            early, late = (one[name] for one in columns)
            print(f"{name:26}{early:10.2f}{late:10.2f}{late / early:8.2f} times")


if __name__ == "__main__":
    main(sys.argv[1:])
