"""Checks as JSON lines: what goes out comes in again."""

from __future__ import annotations

import json
from pathlib import Path

from curator.bank.edits import CheckPair, Retire, Reword
from curator.workspace import Workspace
from tests.samples.command_line import run
from tests.samples.hand_made import hand_made_workspace


def test_checks_go_out_in_the_order_of_time_and_come_back(tmp_path: Path) -> None:
    path = hand_made_workspace(tmp_path / "here")
    with Workspace.open(path, judge="ann") as ann:
        ann.apply(CheckPair("q2", "q2/d", "p3", "no"))
        ann.apply(CheckPair("q1", "q1/a", "p1", "yes", 0.25, 8, 1.5), by="ben")
        ann.apply(CheckPair("q1", None, "p2", "3"))
        ann.apply([CheckPair("q1", "q1/c", "p2", "unsure"), Reword("q1/c", "Then?")])
        ann.apply(Retire("q1/a"))
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    run("export", path, "--checks", first)
    assert [json.loads(line) for line in first.read_text().splitlines()] == [
        {"query_id": "q2", "item_id": "q2/d", "passage_id": "p3", "answer": "no",
         "judge": "ann"},
        {"query_id": "q1", "item_id": "q1/a", "passage_id": "p1", "answer": "yes",
         "judge": "ben", "probability": 0.25, "drawn": 8, "seconds": 1.5},
        {"query_id": "q1", "item_id": None, "passage_id": "p2", "answer": 3,
         "judge": "ann"},
    ]  # fmt: skip
    other = hand_made_workspace(tmp_path / "there")
    run("checks", other, "record", first)
    run("export", other, "--checks", second)
    assert second.read_bytes() == first.read_bytes()
    with Workspace.open(path) as workspace:
        summary = workspace.export("checks", tmp_path / "again.jsonl")
        assert summary.lost[0] == "1 check of texts that no question has"
        assert "3 checks of passages" not in summary.lost
        assert any("check" in one for one in workspace.dropped("bank"))


def test_a_judge_writes_the_checks_that_they_may_see(tmp_path: Path) -> None:
    path, file = hand_made_workspace(tmp_path), tmp_path / "mine.jsonl"
    with Workspace.open(path, judge="ben") as ben:
        ben.apply(CheckPair("q1", "q1/a", "p1", "yes"))
    with Workspace.open(path, judge="ann", as_judge=True) as ann:
        assert ann.export("checks", file).written == 0
        ann.apply(CheckPair("q1", "q1/a", "p1", "no"))
        assert ann.export("checks", file).written == 2
