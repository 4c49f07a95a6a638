"""``leave_out``: the board without the questions that only one system raised.

By hand, over query rain of the small collection: system one ranks r1, r2; two ranks
r2, r3; three ranks r1, r3, r4. Three questions are kept: rain/a, which r1 answers, one
that was proposed from r2 and one from r4, each answered by the passage it is from.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from curator.bank.edits import Keep, Propose
from curator.workspace import Workspace
from tests.samples.proposals import opened
from tests.samples.workspaces import graded_file, graded_passage


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with opened(tmp_path) as workspace:
        proposals = [
            Propose("rain", f"What of {passage}?", json.dumps({"passage": passage}))
            for passage in ("r2", "r4")
        ]
        batch = workspace.apply(proposals, by="chat:some-model")
        r2, r4 = (str(change.question_id) for change in batch.changes)
        workspace.apply([Keep(r2), Keep(r4)])
        ratings = {"r2": (5, 0), "r4": (0, 5)}
        passages = [
            graded_passage(
                *(passage, "rain"),
                dict(zip((r2, r4), ratings.get(passage, (0, 0)), strict=True)),
                text=f"Rain, {passage}.",
            )
            for passage in ("r1", "r2", "r3", "r4")
        ]
        graded = graded_file(tmp_path / "more.jsonl", {"rain": passages})
        workspace.import_(autograder=graded)
        yield workspace


def cover(workspace: Workspace, k: int = 20):
    return workspace.settings(measure="cover", k=k)


def test_a_question_from_a_passage_that_one_system_found_is_left_out(workspace):
    found = workspace.leave_out("three", cover(workspace))
    assert [q.text for q in found.questions] == ["What of r4?"]
    moves = {move.system: move for move in found.impact.moves}
    # by hand: one answers a and r2's of three, two r2's, three a and r4's
    assert {s: m.score_before for s, m in moves.items()} == pytest.approx(
        {"one": 2 / 3, "two": 1 / 3, "three": 2 / 3}
    )
    # by hand: of the other two one answers both, two and three one each
    assert {s: m.score_after for s, m in moves.items()} == {
        "one": 1.0,
        "two": 0.5,
        "three": 0.5,
    }
    assert found.rank == (1, 2)


def test_how_deep_one_looks_decides_whose_a_passage_is(workspace):
    def whose(k: int) -> dict[str, list[str | None]]:
        found = workspace.leave_out_each(cover(workspace, k))
        return {one.system: [q.text for q in one.questions] for one in found}

    # by hand: first ranks are r1, r2, r1; r4 is in nobody's
    assert whose(1) == {"two": ["What of r2?"]}
    # second ranks are r2, r3, r3: one has r2 too now
    assert whose(2) == {}
    # r4 is third of three
    assert whose(3) == {"three": ["What of r4?"]}
    found = workspace.leave_out("two", cover(workspace, 1))
    # by hand: with all three, one, two and three answer one each; without r2's two of
    # a and r4's nothing
    assert found.rank == (1, 3)
