"""A collection small enough to check by hand, with texts that mean harm.

Questions a, b, c of query q1; system one retrieves p1, which answers a and b, system
two retrieves p2, which answers c. Cover@20 at rating 4: one 2/3, two 1/3. Without a
both have 1/2, so two rises from rank 2 to 1 and p1 keeps its label (b rates it 4).
"""

from __future__ import annotations

import json
import shutil
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from curator.workspace import Workspace
from tests.samples.workspaces import (
    graded_file,
    graded_passage,
    question_bank,
    run_file,
    write_lines,
)

HOSTILE = (
    '<script>window.hurt=1</script><img src=x onerror="window.hurt=1"> **bold** '
    ":red[r] {{x}} %s ${x}"
)
HOSTILE_QUESTION = f"Is {HOSTILE} a question?"
GRADER = "fake-llm (imported)"


def hand_made_workspace(folder: Path, judge: str = "ann") -> Path:
    """The workspace's path; built with the judge as its importer."""
    shutil.copytree(_made(judge).name, folder, dirs_exist_ok=True)
    return folder / "hand-made.db"


@cache
def _made(judge: str) -> TemporaryDirectory[str]:
    """Where it is made once a process, with the files that it is imported from."""
    made = TemporaryDirectory(prefix="hand-made-")
    folder = Path(made.name)
    bank = question_bank(
        folder / "bank.jsonl",
        {
            "q1": {
                "q1/a": "Why is it?",
                "q1/b": HOSTILE_QUESTION,
                "q1/c": "When is it?",
            },
            "q2": {"q2/d": "Who is it?"},
        },
    )
    graded = graded_file(
        folder / "graded.jsonl",
        {
            "q1": [
                graded_passage(
                    "p1",
                    "q1",
                    {"q1/a": 5, "q1/b": 4, "q1/c": 0},
                    text=f"Because. {HOSTILE}",
                ),
                graded_passage("p2", "q1", {"q1/a": 0, "q1/b": 0, "q1/c": 5}),
            ],
            "q2": [graded_passage("p3", "q2", {"q2/d": 0})],
        },
    )
    runs = folder / "runs"
    runs.mkdir(exist_ok=True)
    run_file(runs / "one.run", {"q1": ["p1"], "q2": ["p3"]}, "one")
    run_file(runs / "two.run", {"q1": ["p2"], "q2": ["p3"]}, "two")
    queries = write_lines(
        folder / "queries.jsonl",
        [{"query_id": "q1", "text": "What is it?"}, {"query_id": "q2", "text": "Who?"}],
    )
    qrels = folder / "judgments.qrels"
    qrels.write_text("q1 0 p1 2\nq1 0 p2 0\n")
    official = folder / "official.json"
    official.write_text(json.dumps({"one": 1, "two": 2}))
    path = folder / "hand-made.db"
    with Workspace.open(path, create=True, judge=judge) as workspace:
        workspace.import_(
            queries=queries,
            bank=bank,
            autograder=graded,
            runs=runs,
            judgments=qrels,
            official=official,
            min_relevance=2,
            title="Hand-made",
        )
    return made
