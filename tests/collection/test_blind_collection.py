"""Blind mode hides who retrieved what and what the assessors said, and nothing else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from curator.collection.pools import UNJUDGED, Collection, Pool, blinded, masks
from curator.workspace import Workspace
from tests.samples.hand_made import hand_made_workspace


@pytest.fixture
def blind_path(tmp_path: Path) -> Path:
    path = hand_made_workspace(tmp_path / "hand-made")
    with Workspace.open(path) as workspace:
        workspace.set_up(blind=True)
    return path


def test_systems_stand_in_the_order_of_their_masks_each_with_its_own_ranking() -> None:
    names = tuple(f"run{letter}" for letter in "abcdefghijkl")
    # The system in row i has passage i on top, so that rankings name their systems.
    top = np.arange(12, dtype=np.int32).reshape(12, 1)
    judgments = np.full(12, UNJUDGED, dtype=np.int16)
    # And cites it.
    cited = np.array([[row, 0, row] for row in range(12)], dtype=np.int32)
    passages = tuple(f"p{i}" for i in range(12))
    pool = Pool("q", passages, top, judgments, citations=cited)
    collection = Collection("", (), names, {"q": pool}, blind=True, mask_salt="salt")
    seen = blinded(collection)
    assert list(seen.systems) == [f"System {n:02}" for n in range(1, 13)]
    masked = masks(names, "salt")
    assert dict(zip(seen.systems, seen.pools["q"].top[:, 0].tolist(), strict=True)) == {
        masked[name]: row for row, name in enumerate(names)
    }
    citations = seen.pools["q"].citations
    assert citations[:, 2].tolist() == seen.pools["q"].top[citations[:, 0], 0].tolist()
    assert seen.mask_salt == ""


def salt_in(path: Path) -> str:
    with Workspace.open(path) as workspace:
        return workspace.collection().mask_salt


def test_masks_are_new_with_every_start_of_blind_mode(blind_path: Path) -> None:
    first = salt_in(blind_path)
    assert len(first) == 32  # by hand: 16 bytes, two digits each
    with Workspace.open(blind_path) as workspace:
        workspace.set_up(blind=True)
        assert salt_in(blind_path) == first  # on already: judges know these masks
        workspace.set_up(blind=False)
        assert salt_in(blind_path) == ""
        workspace.set_up(blind=True)
    assert salt_in(blind_path) not in ("", first)


def test_no_result_for_a_judge_names_a_system(blind_path: Path) -> None:
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
