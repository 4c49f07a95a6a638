"""`make bench`: the budgets of docs/performance.md, measured.

Medians on this machine, with the ratio to a naive recomputation in the same run.
Absolute times differ between machines; the ratios travel better.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from benchmarks.clicks import click_lines
from benchmarks.collections import build_car_size, build_dl19, dl19_files
from benchmarks.measures import measure_lines
from benchmarks.nuggets import build_realsumm, nugget_lines
from benchmarks.proposals import proposal_lines
from benchmarks.releases import release_lines
from benchmarks.timing import HEADING, Timing, timed
from curator import Workspace
from curator.bank.edits import Restore, Retire
from curator.evaluation.grades import GradedQuery
from curator.evaluation.settings import Settings
from curator.snapshot.snapshot import Snapshot
from curator.store.connection import open_workspace
from curator.store.imports import write as store_incoming
from curator.verbs.curate import question_rows
from curator.verbs.files import imports


def main() -> None:
    """Print the table for DL19, where it is at hand, and for CAR size."""
    print(HEADING)
    with tempfile.TemporaryDirectory() as folder:
        files = dl19_files()
        if files is None:
            print("DL19 is not at hand: set CURATOR_REAL_DATA to its folder's parent.")
        else:
            dl19 = Path(folder) / "dl19.db"
            for line in importing_lines(dl19, files):
                print(line.line(), flush=True)
            for line in engine_lines("DL19", dl19, edit=2, influence=5, opening=300):
                print(line.line(), flush=True)
            for line in cold_lines(dl19, files["autograder"]):
                print(line.line(), flush=True)
            for line in click_lines("DL19", dl19, median=120, p95=250):
                print(line.line(), flush=True)
            for line in proposal_lines("DL19", dl19, kept=20):
                print(line.line(), flush=True)
            for line in release_lines("DL19", dl19):
                print(line.line(), flush=True)
            for line in measure_lines("DL19", dl19):
                print(line.line(), flush=True)
        nuggets = Path(folder) / "realsumm.db"
        if build_realsumm(nuggets):
            for line in engine_lines(
                "REALSumm", nuggets, edit=2, influence=5, opening=300
            ):
                print(line.line(), flush=True)
            for line in click_lines("REALSumm", nuggets, median=120, p95=250):
                print(line.line(), flush=True)
            for line in nugget_lines(nuggets):
                print(line.line(), flush=True)
        car = Path(folder) / "car.db"
        build_car_size(car)
        for line in engine_lines("CAR size", car, edit=10, influence=50, opening=1000):
            print(line.line(), flush=True)
        for line in click_lines("CAR size", car, median=150, p95=300):
            print(line.line(), flush=True)
        for line in proposal_lines("CAR size", car, kept=50):
            print(line.line(), flush=True)
        for line in release_lines("CAR size", car):
            print(line.line(), flush=True)
        for line in measure_lines("CAR size", car):
            print(line.line(), flush=True)
    for line in embedding_lines():
        print(line.line(), flush=True)


def importing_lines(path: Path, files: Mapping[str, Path]) -> list[Timing]:
    """Import DL19 once, with the length of its write transaction."""
    spent: list[float] = []
    plain = store_incoming.ImportWriter.write

    def measured(writer: store_incoming.ImportWriter) -> None:
        start = time.perf_counter()
        plain(writer)
        spent.append((time.perf_counter() - start) * 1000)

    imports.ImportWriter.write = measured  # type: ignore[method-assign]
    start = time.perf_counter()
    build_dl19(path, dict(files))
    whole = (time.perf_counter() - start) * 1000
    imports.ImportWriter.write = plain  # type: ignore[method-assign]
    return [
        Timing("DL19: import, all four files", whole, whole, 1, 20_000),
        Timing(
            "DL19: … of which the write transaction", sum(spent), sum(spent), 1, 2000
        ),
    ]


def engine_lines(
    name: str, path: Path, *, edit: float, influence: float, opening: float
) -> list[Timing]:
    """What a judge waits for, without the browser."""
    lines = []
    with Workspace.open(path, judge="benchmark") as workspace:
        settings = workspace.settings(measure="cover")
        questions = list(workspace.bank())
        novelty = "alpha_nDCG@20", "graded-alpha-nDCG@20", "ERR_IA@20"
        rules = [("nDCG@10", rule) for rule in ("mean", "top3", "answered")]
        usual = [(one, "max") for one in ("cover", "P@20", *novelty, "nDCG@10")]
        for one, rule in (*rules, *usual):
            settings = workspace.settings(measure=one, label=rule)
            measure = one if rule == "max" else f"{one} by {rule}"
            workspace.leaderboard(settings)

            def preview(number: int, settings: Settings = settings) -> object:
                question = questions[number * 37 % len(questions)]
                return workspace.impact(
                    [Retire(question.question_id)], settings=settings
                )

            fast = timed(f"{name}: edit → board, labels, impact, {measure}", preview,
                         runs=50, budget=edit)  # fmt: skip
            if measure == "cover":
                naive = timed(f"{name}: the same, everything recomputed naively",
                              lambda _: naive_impact(workspace), runs=3,
                              note=" per item and system, in Python")  # fmt: skip
                ratio = naive.median / fast.median
                lines += [fast, naive]
                lines[-1] = Timing(naive.name, naive.median, naive.largest, naive.runs,
                                   None, f"  {ratio:,.0f} times as long")  # fmt: skip
            else:
                lines.append(fast)

            def all_influences(number: int, settings: Settings = settings) -> object:
                queries = list(workspace.collection().pools)
                snapshot = workspace.current_snapshot()
                query_id = queries[number % len(queries)]
                return question_rows.query_lines(snapshot, settings, query_id)

            lines.append(timed(f"{name}: influence of a query's questions, {measure}",
                               all_influences, runs=30, budget=influence))  # fmt: skip

        def saved(number: int) -> object:
            question_id = questions[(number // 2) * 11].question_id
            kind = Retire if number % 2 == 0 else Restore
            workspace.apply(kind(question_id))
            return workspace.leaderboard(settings)

        lines.append(timed(f"{name}: edit saved and the new board", saved, runs=40))

    def opened(_: int) -> object:
        connection = open_workspace(path)
        snapshot = Snapshot.read(connection)
        connection.close()
        return snapshot

    lines.append(timed(f"{name}: open, ready to edit", opened, runs=5, budget=opening))
    return lines


def naive_impact(workspace: Workspace) -> float:
    """Cover of every system with and without a question, the straightforward way."""
    bank, snapshot = workspace.bank(), workspace.current_snapshot()
    record = snapshot.gradebook.records[0]
    total = 0.0
    for _ in ("before", "after"):
        for query_id in snapshot.collection.pools:
            graded = snapshot.graded(record, query_id, bank.questions_of(query_id))
            total += sum(naive_cover(graded, s) for s in range(len(graded.pool.top)))
    return total


def naive_cover(graded: GradedQuery, system: int) -> float:
    """One system's Cover in one query, item by item."""
    slots = [int(slot) for slot in graded.pool.top[system][:20] if slot >= 0]
    covered = 0
    for ratings in graded.ratings:
        covered += any(ratings[slot] >= 4 for slot in slots)
    return covered / max(len(graded.item_ids), 1)


def cold_lines(path: Path, graded: Path) -> list[Timing]:
    """A cold `curator leaderboard` beside a bare parse of the same grades."""
    parse = (
        "import gzip, json, sys\n"
        "for line in gzip.open(sys.argv[1], 'rt'): json.loads(line)"
    )
    parsing = timed(
        "DL19: a bare parse of the graded file, cold",
        lambda _: subprocess.run(
            [sys.executable, "-c", parse, str(graded)], check=True
        ),
        runs=5,
    )
    command = [sys.executable, "-m", "curator", "leaderboard", str(path), "-m", "P@20"]
    cold = timed(
        "DL19: curator leaderboard, cold",
        lambda _: subprocess.run(command, check=True, stdout=subprocess.DEVNULL),
        runs=5,
        budget=1960,
    )
    ratio = cold.median / parsing.median
    note = f"{ratio:.2f} times the parse"
    return [
        parsing,
        Timing(cold.name, cold.median, cold.largest, cold.runs, cold.budget, note),
    ]


def embedding_lines() -> list[Timing]:
    """A new question graded over its pool, through the worker."""
    from grading.graders.embedding import rate
    from grading.similarity import PoolVectors
    from grading.worker import Worker

    random = np.random.default_rng(0)
    worker = Worker()
    worker.start()
    try:
        worker.encode(["warm"], timeout=120)
        lines = []
        for name, size, budget in (("DL19", 215, 50), ("CAR size", 651, 100)):
            pool = PoolVectors(
                list(random.normal(size=(size, 1, 384)).astype(np.float16))
            )

            def graded(number: int, pool: PoolVectors = pool) -> object:
                return rate(worker.encode([f"What is question number {number}?"]), pool)

            lines.append(timed(f"{name}: a new question graded over {size} passages",
                               graded, runs=20, budget=budget))  # fmt: skip
        return lines
    finally:
        worker.close()


if __name__ == "__main__":
    main()
