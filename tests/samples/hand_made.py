"""A collection small enough to check by hand, with texts that mean harm.

Questions a, b, c of query q1; system one retrieves p1, which answers a and b, system
two retrieves p2, which answers c. Cover@20 at rating 4: one 2/3, two 1/3. Without a
both have 1/2, so two rises from rank 2 to 1 and p1 keeps its label (b rates it 4).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

from curator.workspace import Workspace
from tests.samples.workspaces import collection_files, copied, graded_passage

HOSTILE = (
    '<script>window.hurt=1</script><img src=x onerror="window.hurt=1"> **bold** '
    ":red[r] {{x}} %s ${x}"
)
HOSTILE_QUESTION = f"Is {HOSTILE} a question?"
GRADER = "fake-llm (imported)"


def hand_made_workspace(folder: Path, judge: str = "ann") -> Path:
    """The workspace's path; built with the judge as its importer."""
    copied(_maker(judge), folder)
    return folder / "hand-made.db"


@cache
def _maker(judge: str) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        p1 = graded_passage(
            "p1",
            "q1",
            {"q1/a": 5, "q1/b": 4, "q1/c": 0},
            text=f"Because. {HOSTILE}",
        )
        p2 = graded_passage("p2", "q1", {"q1/a": 0, "q1/b": 0, "q1/c": 5})
        p3 = graded_passage("p3", "q2", {"q2/d": 0})
        files = collection_files(
            folder,
            titles={"q1": "What is it?", "q2": "Who?"},
            questions={
                "q1": {
                    "q1/a": "Why is it?",
                    "q1/b": HOSTILE_QUESTION,
                    "q1/c": "When is it?",
                },
                "q2": {"q2/d": "Who is it?"},
            },
            graded={"q1": [p1, p2], "q2": [p3]},
            runs={
                "one": {"q1": ["p1"], "q2": ["p3"]},
                "two": {"q1": ["p2"], "q2": ["p3"]},
            },
            judgments="q1 0 p1 2\nq1 0 p2 0\n",
            official={"one": 1, "two": 2},
        )
        path = folder / "hand-made.db"
        with Workspace.open(path, create=True, judge=judge) as workspace:
            workspace.import_(**files, min_relevance=2, title="Hand-made")

    return make
