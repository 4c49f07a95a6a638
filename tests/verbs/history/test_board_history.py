"""The board over time: as imported, after edits, at releases."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.bank.edits import CheckPair, Restore, Retire
from curator.tables.figures import history_figure
from curator.verbs.history import history
from curator.workspace import Workspace
from tests.samples.hand_made import hand_made_workspace


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return hand_made_workspace(tmp_path)


def test_boards_follow_the_history(path: Path) -> None:
    with Workspace.open(path, judge="ann") as ann:
        assert ann.board_history(measure="cover") == ()
        ann.apply(CheckPair("q1", "q1/a", "p1", "yes"))  # moves no board
        assert ann.board_history(measure="cover") == ()
        (first,) = ann.apply(Retire("q1/a")).event_ids
        ann.release("v1", measure="cover")
        (last,) = ann.apply(Restore("q1/a")).event_ids
        past = ann.board_history(measure="cover")
        assert [board.label for board in past] == ["imported", "v1", f"#{last}"]
        # By hand: without a both answer half of q1, with it one has 2 of 3.
        assert [board.board.ranks()["two"] for board in past] == [2, 1, 2]
        assert [board.event_id for board in past] == [first - 1, first, last]
        assert past.frame()["two"].tolist() == [2, 1, 2]
        drawing = history_figure(past)
        assert b"v1" in drawing.svg()


def test_many_edits_have_boards_at_even_distances(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "MAX_EVENTS", 2)
    with Workspace.open(path, judge="ann") as ann:
        ids = [
            ann.apply(edit("q1/a")).event_ids[0]
            for _ in range(3)
            for edit in (Retire, Restore)
        ]
        past = ann.board_history()
        assert [board.event_id for board in past] == [ids[0] - 1, ids[3], ids[5]]
