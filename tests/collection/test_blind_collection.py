"""Blind mode hides who retrieved what and what the assessors said, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.collection.blind import masks
from curator.evaluation.leaderboard import Leaderboard
from curator.workspace import Workspace
from tests.ui.hand_made import hand_made_workspace


@pytest.fixture
def blind_path(tmp_path: Path) -> Path:
    path = hand_made_workspace(tmp_path / "hand-made")
    with Workspace.open(path) as workspace:
        workspace.set_up(blind=True)
    return path


def test_masks_tell_nothing_of_the_order_of_the_names() -> None:
    names = [f"run{letter}" for letter in "abcdefghijkl"]
    masked = masks(names)
    assert sorted(masked.values()) == [f"System {n:02}" for n in range(1, 13)]
    assert [masked[name] for name in names] != sorted(masked.values())
    assert masks(reversed(names)) == masked


def test_a_judge_sees_the_same_scores_under_masked_names(blind_path: Path) -> None:
    with Workspace.open(blind_path) as organizer:
        known = organizer.leaderboard()
    with Workspace.open(blind_path, as_judge=True) as judge:
        seen = judge.leaderboard()
    names = masks(known.scores())
    assert seen.scores() == {names[s]: score for s, score in known.scores().items()}
    assert not set(known.scores()) & set(seen.scores())


def test_nothing_a_judge_asks_for_names_a_system_or_a_judgment(
    blind_path: Path,
) -> None:
    with Workspace.open(blind_path, as_judge=True) as judge:
        collection = judge.collection()
        settings = judge.settings()
        assert collection.official == {}
        assert collection.min_relevance is None
        opened = judge.passage("q1", "p1", settings)
        assert opened.judgment is None
        assert set(opened.ranks) == set(collection.systems) & set(opened.ranks)
        said = repr(
            [
                judge.leaderboard(settings),
                judge.questions(settings),
                judge.impact(since=0, settings=settings),
                judge.what_ifs("q1", settings),
                judge.scores(settings),
                judge.pool("q1", settings),
                opened,
            ]
        )
    assert "'one'" not in said
    assert "'two'" not in said
    assert "System" in said
    assert "nonrelevant_share=0" not in said


def test_boards_are_kept_while_nothing_changes(blind_path: Path) -> None:
    boards: list[Leaderboard] = []
    for _ in range(2):
        with Workspace.open(blind_path, as_judge=True) as judge:
            boards.append(judge.leaderboard())
    assert boards[0] is boards[1]


def test_the_organizer_sees_everything_while_judges_are_blind(
    blind_path: Path,
) -> None:
    with Workspace.open(blind_path) as organizer:
        assert set(organizer.leaderboard().scores()) == {"one", "two"}
        assert organizer.collection().official == {"one": 1, "two": 2}
