"""REALSumm through the whole program: a bank of nuggets, each pair judged by people.

The file is read here with dicts and fractions, which share no code with curator.
"""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from fractions import Fraction
from pathlib import Path

import pytest

from curator import Workspace

pytestmark = pytest.mark.real_data

HUMAN = "human-majority/HumanNuggetCheck"


def test_the_board_of_its_judges_is_the_official_one_and_recomputed(
    shared_data: Path, tmp_path: Path
) -> None:
    folder = shared_data / "realsumm"
    if not folder.is_dir():
        pytest.skip(f"no REALSumm at {folder}")
    with Workspace.open(tmp_path / "w.db", create=True) as workspace:
        workspace.import_(
            autograder=folder / "graded.jsonl.gz",
            bank=folder / "nuggets.jsonl.gz",
            official=folder / "human_leaderboard.json",
        )
        board = workspace.leaderboard(grader=HUMAN, measure="cover")
    official = json.loads((folder / "human_leaderboard.json").read_text())
    assert {one.system: one.rank for one in board.standings} == official
    present: defaultdict[str, list[Fraction]] = defaultdict(list)
    with gzip.open(folder / "graded.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            _, passages = json.loads(line)
            for one in passages:
                (grades,) = (
                    g for g in one["exam_grades"] if g["llm"] == "human-majority"
                )
                rated = [r["self_rating"] for r in grades["self_ratings"]]
                for entry in one["paragraph_data"]["rankings"]:
                    share = Fraction(sum(r >= 4 for r in rated), len(rated))
                    present[entry["method"]].append(share)
    assert (board.known, board.needed, board.queries) == (26_400, 26_400, 100)
    expected = {s: float(sum(shares) / 100) for s, shares in present.items()}
    assert board.scores() == pytest.approx(expected, abs=1e-12)
