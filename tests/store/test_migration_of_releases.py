"""The seventh step: a file of version 6 gains releases and keeps all that it has."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.bank.edits import Add, Done, JudgeAnswer, MarkIdeal, Reword, Vote
from curator.bank.marks import Ideal
from curator.store.connection import APPLICATION_ID, SCHEMA_VERSION, open_workspace
from curator.workspace import Workspace
from tests.samples.workspaces import small_workspace
from tests.store.test_migrations import (
    as_it_was,
    rows_of,
    stays_where_a_step_fails,
    tables_of,
    version_of,
)

pytestmark = pytest.mark.usefixtures("by_migrations")


@pytest.fixture
def version_six(tmp_path: Path) -> Path:
    """A file of version 6 with a history, votes, a verdict, an ideal and a done."""
    with small_workspace(tmp_path) as workspace:
        workspace.apply(Add("q1", "Where is it?"), shown="board", nonce="once")
        workspace.undo()
        workspace.apply([Vote("q1/a", "vital"), Done("q2")])
        workspace.apply(JudgeAnswer("q1/a", "so", "right"))
        workspace.apply(MarkIdeal("q1", Ideal("p1")))
        workspace.apply(Reword("q1/b", "How was it?"))
    return as_it_was(tmp_path / "small.db", tmp_path / "six.db", before="m007_releases")


def test_version_six_becomes_the_current_one_with_all_its_rows(tmp_path, version_six):
    assert version_of(version_six)[0] == 6
    assert not {"release", "published"} & tables_of(version_six)
    before = rows_of(version_six)
    with Workspace.open(version_six) as workspace:
        assert workspace.releases() == ()
        assert workspace.verify().problems == ()
    assert version_of(version_six) == (SCHEMA_VERSION, APPLICATION_ID)
    after = rows_of(version_six)
    assert tables_of(version_six) == tables_of(tmp_path / "small.db")
    assert after == rows_of(tmp_path / "small.db")
    assert {name: after[name] for name in before} == before
    open_workspace(version_six).close()
    assert rows_of(version_six) == after


def test_a_seventh_step_that_fails_halfway_leaves_version_six(monkeypatch, version_six):
    stays_where_a_step_fails(monkeypatch, version_six, "_RELEASES")


def test_a_file_of_version_six_can_be_released(version_six):
    with Workspace.open(version_six, judge="ann") as workspace:
        made = workspace.release("v1", allow_partial=True)
        # by hand: q1/b was reworded, so its grades of q1's passages are unknown
        assert made.known < made.needed
        assert workspace.releases() == (made,)
