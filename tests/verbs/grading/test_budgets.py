"""What a budget leaves out is counted beforehand, stays unknown, and boards say so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from curator.bank.edits import Add
from curator.collection.budgets import Budget, selected
from curator.errors import BudgetError
from curator.workspace import Workspace
from tests.samples.chat_server import ChatServer
from tests.samples.workspaces import (
    FakeEncoder,
    graded_file,
    graded_passage,
    question_bank,
)

CHAT = "chat:test-model"
NOTE = "missing grades were left out by a grading budget"


@pytest.fixture
def server(monkeypatch) -> Iterator[ChatServer]:
    with ChatServer(answer=lambda prompt: "4") as server:
        server.lead(monkeypatch)
        yield server


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """One query, two questions; one's list is p0 p1 p2, two's p3 p4 p5; p5 judged."""
    ranks = [{"one" if i < 3 else "two": 1 + i % 3} for i in range(6)]
    judged = [None, None, None, None, None, 2]
    passages = [
        graded_passage(f"p{i}", "q1", {}, ranks=ranks[i], judgment=judged[i])
        for i in range(6)
    ]
    with Workspace.open(tmp_path / "w.db", create=True, judge="ann") as workspace:
        workspace.import_(
            autograder=graded_file(tmp_path / "graded.jsonl", {"q1": passages}),
            bank=question_bank(
                tmp_path / "bank.jsonl", {"q1": {"q1/a": "What?", "q1/b": "Why?"}}
            ),
            min_relevance=2,
        )
        yield workspace


def graded(workspace: Workspace, grader: str = CHAT) -> list[int]:
    """The positions of which every grade is known."""
    snapshot = workspace.current_snapshot()
    known = snapshot.matrix(grader, "q1", snapshot.bank).ratings >= 0
    assert (known.all(axis=0) == known.any(axis=0)).all()
    return np.flatnonzero(known.all(axis=0)).tolist()


def test_only_the_top_and_the_judged_are_asked_about(workspace, server):
    counted = workspace.grade(CHAT, depth=1, dry_run=True)
    # by hand: p0, p3 lead, p5 is judged: 2 questions by 3; the 3 others are left out
    assert (counted.asked, counted.prompts, counted.left_out) == (6, 6, 6)
    assert not server.asked
    done = workspace.grade(CHAT, depth=1)
    assert (done.asked, done.prompts, done.left_out) == (6, 6, 6)
    assert graded(workspace) == [0, 3, 5]
    assert workspace.grade(CHAT, depth=1).asked == 0
    with pytest.raises(BudgetError, match="not both"):
        workspace.grade(CHAT, depth=1, same_budget=True)
    assert workspace.verify().problems == ()


def test_a_sample_adds_to_the_depth_and_asks_nothing_twice(workspace, server):
    workspace.grade(CHAT, depth=1)
    assert workspace.grade(CHAT, depth=1, sample=2).asked == 4
    pool = workspace.collection().pools["q1"]
    drawn = np.flatnonzero(selected(pool, Budget(1, 2, 0))).tolist()
    assert graded(workspace) == drawn
    assert len(drawn) == 5
    assert workspace.grade(CHAT).asked == 2
    assert set(server.asked.values()) == {1}


def test_what_is_left_out_is_unknown_in_bounds_ranges_and_status(workspace, server):
    workspace.grade(CHAT, depth=1)
    board = workspace.leaderboard(grader=CHAT, measure="P@3")
    two, one = board.standings
    # by hand: of three ranks, one has p0 rated 4 and two unknown; two has p3, p5
    assert (two.system, two.score, two.lower, two.upper) == ("two", 2 / 3, 2 / 3, 1)
    assert (one.system, one.score, one.lower, one.upper) == ("one", 1 / 3, 1 / 3, 1)
    assert board.rank_ranges() == {"one": (1, 2), "two": (1, 2)}
    assert (board.needed, board.known) == (12, 6)
    assert board.notes == (
        f"6 of 6 {NOTE} (top 1 and judged): they are unknown, not 0.",
    )
    (grader,) = workspace.graders()
    assert (grader.known, grader.needed, grader.left_out) == (6, 12, 6)
    assert "6 of 6 missing grades left out" in " ".join(workspace.status().notes)
    workspace.grade(CHAT)
    board = workspace.leaderboard(grader=CHAT, measure="P@3")
    assert (board.notes, board.complete) == ((), True)
    assert workspace.status().notes == ()


def test_a_grader_of_vectors_reads_no_text_that_is_left_out(workspace):
    encoder = FakeEncoder()
    counted = workspace.grade("embedding", depth=1, dry_run=True)
    # by hand: 2 questions and 3 passages; 2 by 3 grades of 12
    assert (counted.asked, counted.left_out) == (6, 6)
    workspace.grade("embedding", depth=1, encoder=encoder)
    assert graded(workspace, "embedding") == [0, 3, 5]
    assert len(set(encoder.texts)) == 5
    assert workspace.verify().problems == ()
    board = workspace.leaderboard("cover", grader="embedding")
    assert board.notes[-1].startswith("6 of 6")
    # New text is graded beside the page within the same budget.
    workspace.apply(Add("q1", "Where?"))
    workspace.grade("embedding", encoder=encoder, same_budget=True)
    assert graded(workspace, "embedding") == [0, 3, 5]


@pytest.fixture
def all_judged(workspace: Workspace, tmp_path: Path) -> Workspace:
    """The same with a judgment of every passage."""
    lines = "".join(f"q1 0 p{i} {i % 3}\n" for i in range(6))
    qrels = tmp_path / "qrels.txt"
    qrels.write_text(lines)
    workspace.import_(judgments=qrels)
    return workspace


def test_a_depth_without_judged_passages_is_kept_and_graded_within(all_judged, server):
    all_judged.grade(CHAT, depth=1, without_judged=True)
    assert graded(all_judged) == [0, 3]
    board = all_judged.leaderboard(grader=CHAT, measure="P@3")
    assert board.notes[0].endswith("(top 1): they are unknown, not 0.")
    all_judged.apply(Add("q1", "Where?"))
    # by hand: 3 questions on 4 passages are left out; the new one on p0, p3 not
    board = all_judged.leaderboard(grader=CHAT, measure="P@3")
    assert board.notes[0].startswith(f"12 of 14 {NOTE}")
    assert all_judged.grade(CHAT, same_budget=True).asked == 2
    assert all_judged.verify().problems == ()
    with pytest.raises(BudgetError, match="give a depth"):
        all_judged.grade(CHAT, without_judged=True, dry_run=True)
