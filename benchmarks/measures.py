"""Every measure's first board, and what is made of boards, all within a second."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.timing import Timing
from curator import Workspace
from curator.bank.edits import MarkIdeal, Vote
from curator.bank.marks import Ideal
from curator.evaluation.settings import Settings
from curator.snapshot import scoring
from curator.snapshot import settings as chosen_settings
from curator.snapshot.snapshot import Snapshot
from curator.store import versions
from curator.store.connection import open_workspace, write_transaction
from curator.verbs import compare
from curator.verbs import judges as judge_boards

JUDGES = ("ann", "bob", "cyd", "dee", "eva")
A_SECOND = 1000.0
MEASURES = (
    "cover",
    "n-exam",
    "weighted-cover",
    "nugget-f",
    "vital-f",
    "P@20",
    "nDCG@10",
    "alpha_nDCG@20",
    "graded-alpha-nDCG@20",
    "ERR_IA@20",
    "NRBP",
    "StRecall@20",
    "AP",
    "rouge-1-f1",
    "rouge-su4-r",
    "rouge-su4-f1(discounted)",
    "rouge-1-f1(joined,gold)",
)


def measure_lines(name: str, path: Path) -> list[Timing]:
    """Each measure's first board, and comparisons, judges and thresholds on top."""
    say_what_counts(path)
    connection = open_workspace(path)
    lines = []
    for measure in MEASURES:
        # As a page finds it: collection and grades are loaded, no row is computed.
        snapshot = Snapshot.read(connection).for_viewer(connection)
        settings = chosen_settings.settings(snapshot, measure=measure)
        lines.append(
            once(
                f"{name}: the first board of {measure}",
                lambda snapshot=snapshot, settings=settings: scoring.board_of(
                    snapshot, settings, snapshot.bank, None
                ),
            )
        )
    snapshot = Snapshot.read(connection).for_viewer(connection)
    chosen = [
        chosen_settings.settings(snapshot, measure=m)
        for m in ("cover", "P@20", "nDCG@10")
    ]
    for settings in chosen:
        scoring.board(snapshot, settings)
    cover = chosen[0]
    made: dict[str, Callable[[], object]] = {
        "three measures compared, all pairs tested": lambda: compare.compare(
            snapshot, chosen, tests=True
        ),
        "five judges' boards": lambda: judge_boards.judge_boards(snapshot, cover),
        "what another judge adds": lambda: judge_boards.pyramid_curves(snapshot, cover),
        "every minimum rating": lambda: sweep(snapshot, cover),
    }
    lines += [once(f"{name}: {what}", how) for what, how in made.items()]
    connection.close()
    return lines


def sweep(snapshot: Snapshot, settings: Settings) -> object:
    """The boards of all five minimum ratings."""
    return [
        scoring.board(snapshot, Settings(settings.grader, "cover", rating, settings.k))
        for rating in range(1, 6)
    ]


def once(name: str, action: Callable[[], object]) -> Timing:
    """The time of what is computed once and then kept."""
    start = time.perf_counter()
    action()
    spent = (time.perf_counter() - start) * 1000
    return Timing(name, spent, spent, 1, A_SECOND)


def say_what_counts(path: Path) -> None:
    """Five judges' votes on everything, an ideal answer and a gold passage a query."""
    random = np.random.default_rng(0)
    with Workspace.open(path, judge="benchmark") as workspace:
        pools = workspace.collection().pools
        asked = [q.question_id for q in workspace.bank() if q.state == "kept"]
        for judge in JUDGES:
            votes = random.choice(["vital", "okay"], len(asked), p=[0.4, 0.6])
            workspace.apply(
                [
                    Vote(one, vote)
                    for one, vote in zip(asked, votes.tolist(), strict=True)
                ],
                by=judge,
            )
        workspace.apply(
            [
                MarkIdeal(query_id, Ideal(pool.passage_ids[0]))
                for query_id, pool in pools.items()
                if pool.size
            ]
        )
    connection = open_workspace(path)
    with write_transaction(connection):
        connection.execute(
            "INSERT INTO gold SELECT query_id, 0, passage FROM pool WHERE position = 1"
        )
        versions.bump(connection, [versions.COLLECTION])
    connection.close()
