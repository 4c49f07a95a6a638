"""Two graders of 4 queries, 3 questions and 8 passages each, and people's checks.

``low+high`` begins as ``low`` does and holds a plus; ``direct/Direct`` grades passages.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from curator.bank.edits import CheckPair
from curator.workspace import Workspace
from tests.samples.workspaces import (
    copied,
    graded_file,
    graded_passage,
    question_bank,
)

QUERIES = ("q0", "q1", "q2", "q3")
LETTERS = "abc"
PASSAGES = tuple(range(8))
LOW, HIGH, DIRECT = "low/Rated", "low+high/Rated", "low/Direct"


def two_graders(folder: Path) -> Path:
    """The path of a new workspace of these graders, without any check."""
    copied(_make, folder)
    return folder / "checked.db"


def _make(folder: Path) -> None:
    rng = random.Random(5)
    bank = question_bank(
        folder / "bank.jsonl",
        {q: {f"{q}/{x}": f"What is {x} in {q}?" for x in LETTERS} for q in QUERIES},
    )
    with Workspace.open(folder / "checked.db", create=True) as workspace:
        workspace.import_(bank=bank)
        for llm in ("low", "low+high"):
            graded = {
                q: [
                    graded_passage(
                        *(f"{q}-{n}", q),
                        {f"{q}/{x}": rng.choice((0, 2, 3, 4, 5)) for x in LETTERS},
                        ranks={"one": n + 1, "two": len(PASSAGES) - n},
                        judgment=rng.choice((0, 1, 2, 3)),
                        llm=llm,
                        direct=rng.choice((0, 1, 2, 3)) if llm == "low" else None,
                    )
                    for n in PASSAGES
                ]
                for q in QUERIES
            }
            if llm != "low":
                for records in graded.values():
                    for one in records:
                        one["paragraph_data"] = {"judgments": [], "rankings": []}
            workspace.import_(autograder=graded_file(folder / f"{llm}.jsonl", graded))


def checks_of_pairs(path: Path, *graders: str) -> list[CheckPair]:
    """12 checks of each query: yes where these graders rate 3.5 or more in the mean."""
    found = []
    for query, (items, ids, ratings) in _ratings(path, graders).items():
        for n in range(12):
            row, place = n % 3, (2 * n) % 8 + (n // 6) % 2
            answer = "yes" if ratings[row, place] >= 3.5 else "no"
            found.append(CheckPair(query, items[row], ids[place], answer))
    return found


def checks_of_passages(path: Path, *graders: str) -> list[CheckPair]:
    """Of every passage the mean of these graders' ratings, as a grade of 0 to 3."""
    return [
        CheckPair(query, None, passage, str(round(3 * mean / 5)))
        for query, (_, ids, ratings) in _ratings(path, graders).items()
        for passage, mean in zip(ids, ratings.mean(axis=0).tolist(), strict=True)
    ]


def _ratings(path: Path, graders: Sequence[str]) -> dict[str, Any]:
    """By query: question ids, passage ids, and their mean ratings."""
    found = {}
    with Workspace.open(path) as workspace, workspace.snapshot() as snapshot:
        for query in QUERIES:
            every = [snapshot.matrix(one, query, snapshot.bank) for one in graders]
            mean = np.mean([one.ratings for one in every], axis=0)
            found[query] = (every[0].item_ids, every[0].pool.passage_ids, mean)
    return found
