"""`python -m benchmarks.cluster`: grades a second on a Ray of one and two workers.

Beside the local engine, each model with one thread, on nodes that are processes of this
machine; FLAN-T5-small's shape with random weights, whose answers are as short as
ratings. A pace is that from the first batch stored to the last, so the start, which
is printed too, does not count.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.collections import build_dl19, dl19_files
from benchmarks.flan_t5_shapes import SHAPES, save_model, save_tokenizer
from curator.workspace import Workspace

SETTINGS = {
    "OMP_NUM_THREADS": "1",
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # on loopback alone
    "RAY_worker_niceness": "0",  # as the local engine's process
}


def main() -> None:
    """Print seconds to the first batch and grades a second of each way."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cluster")
    parser.add_argument("--passages", type=int, default=40, help="of one query")
    parser.add_argument("--shape", choices=SHAPES, default="small")
    options = parser.parse_args()
    files = dl19_files()
    if files is None:
        print("DL19 is not at hand: set CURATOR_REAL_DATA to its folder's parent.")
        return
    os.environ |= SETTINGS
    import torch

    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        save_tokenizer(folder / "t5", files["bank"].parent)
        save_model(folder / "t5", SHAPES[options.shape], short_answers=True)
        build_dl19(folder / "dl19.db", files)
        grader = f"flan-t5:{folder / 't5'}/float32"
        grade(folder, "here, no Ray", grader, options.passages)
        from ray.cluster_utils import Cluster

        cluster = Cluster(
            initialize_head=True,
            head_node_args={"num_cpus": 0, "include_dashboard": False},
        )
        for workers in (1, 2):
            cluster.add_node(num_cpus=1)
            where = {"engine": "ray", "address": cluster.address}
            grade(folder, f"Ray, workers: {workers}", grader, options.passages, **where)
        cluster.shutdown()


def grade(folder: Path, name: str, grader: str, passages: int, **where: Any) -> None:
    """Grade a copy of the workspace and print how fast that was."""
    path = Path(shutil.copy(folder / "dl19.db", folder / "copy.db"))
    stored: list[tuple[float, int]] = []

    def progress(done: int, total: int) -> None:
        if done and (not stored or done > stored[-1][1]):
            stored.append((time.perf_counter(), done))

    start = time.perf_counter()
    with Workspace.open(path) as workspace:
        query_id = next(iter(workspace.collection().pools))
        workspace.grade(
            grader, query_id=query_id, sample=passages, progress=progress, **where
        )
    (first, before), (last, done) = stored[0], stored[-1]
    pace = (done - before) / (last - first)
    print(f"{name:<20}{first - start:8.1f} s to the first batch {pace:8.2f} grades/s",
          flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
