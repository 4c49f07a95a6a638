"""Releases: frozen, compared with the workspace, and restored."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from benchmarks.measures import once
from benchmarks.timing import Timing
from curator import Workspace
from curator.bank.edits import Retire


def release_lines(name: str, path: Path) -> list[Timing]:
    """A release of the whole bank, what differs by now, and the way back.

    In between a tenth of the bank is retired; at the end all is as it was.
    """
    with Workspace.open(path, judge="benchmark") as workspace:
        kept = [q.question_id for q in workspace.bank() if q.state == "kept"]
        settings = workspace.settings(measure="P@20")
        workspace.leaderboard(settings)
        release = "benchmark"
        made: dict[str, Callable[[], object]] = {
            "a release frozen": lambda: workspace.release(
                release, settings, allow_partial=True
            ),
            "every tenth question retired": lambda: workspace.apply(
                [Retire(one) for one in kept[::10]]
            ),
            "release → what differs by now": lambda: workspace.release_difference(
                release
            ),
            "status, with what drifted": workspace.status,
            "release restored": lambda: workspace.restore_release(release),
        }
        return [once(f"{name}: {what}", how) for what, how in made.items()]
