"""What a judge waits for where the bank's items are nuggets: REALSumm."""

from __future__ import annotations

from pathlib import Path

from benchmarks.collections import REAL_DATA
from benchmarks.timing import Timing, timed
from curator import Workspace
from curator.bank.edits import Add, Reword
from grading.worker import Worker


def build_realsumm(path: Path) -> bool:
    """REALSumm imported into a new workspace; whether it is at hand."""
    folder = REAL_DATA / "realsumm"
    if not folder.is_dir():
        return False
    with Workspace.open(path, create=True) as workspace:
        workspace.import_(
            autograder=folder / "graded.jsonl.gz",
            bank=folder / "nuggets.jsonl.gz",
            official=folder / "human_leaderboard.json",
            title="REALSumm",
        )
    return True


def nugget_lines(path: Path) -> list[Timing]:
    """A nugget written and reworded, graded over its pool by the worker, and its board.

    Of one query that ``embedding`` has graded.
    """
    worker = Worker()
    worker.start()
    try:
        worker.encode(["warm"], timeout=120)
        with Workspace.open(path, judge="benchmark") as workspace:
            query_id = next(iter(workspace.collection().pools))
            workspace.grade("embedding", query_id=query_id, encoder=worker)
            settings = workspace.settings(grader="embedding", measure="cover")
            first = workspace.bank().questions_of(query_id)[0]

            def added(number: int) -> object:
                text = f"Fact number {number} is stated."
                edit = Add(query_id, text, "nugget")
                return workspace.impact([edit], settings=settings, encoder=worker)

            def reworded(number: int) -> object:
                edit = Reword(first.question_id, f"Fact number {number} holds.")
                return workspace.impact([edit], settings=settings, encoder=worker)

            return [
                timed("REALSumm: a new nugget graded over its pool → board",
                      added, runs=20, budget=50),
                timed("REALSumm: a nugget reworded → both boards",
                      reworded, runs=20, budget=50),
            ]  # fmt: skip
    finally:
        worker.close()
