"""Who may grade by itself: a local grader that lacks nothing but what was edited."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.bank.edits import Add, Reword
from curator.errors import UnknownNameError
from curator.verbs.grading.resolve_grader import register_grader, resolve_grader
from curator.workspace import Workspace
from tests.samples.hand_made import hand_made_workspace
from tests.samples.local_grader import LOCAL, PAID, grade

OTHER = "flan-t5-base"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The hand-made collection, graded by the local grader."""
    made = hand_made_workspace(tmp_path / "hand-made")
    grade(made)
    return made


def lags(path: Path, name: str) -> bool:
    with Workspace.open(path) as workspace:
        return workspace.lags_behind_edits(name)


def edit(path: Path, *edits: object) -> None:
    with Workspace.open(path, judge="ann") as workspace:
        workspace.apply(edits or Reword("q1/a", "Why was it?"))


def test_a_complete_grader_lags_behind_once_something_is_written(path: Path) -> None:
    assert not lags(path, LOCAL)
    edit(path)
    assert lags(path, LOCAL)
    edit(path, Add("q2", "Whose is it?"))
    assert lags(path, LOCAL)


def test_imported_ones_chat_models_and_vectors_never_do(path: Path) -> None:
    grade(path, PAID)
    edit(path)
    assert not lags(path, PAID)
    assert not lags(path, "fake-llm/Rated")
    with pytest.raises(UnknownNameError, match="No grader 'gone'"):
        lags(path, "gone")


def test_two_local_ones_agreeing_lag_behind_as_each_does(path: Path) -> None:
    grade(path, OTHER)
    grade(path, PAID)
    with Workspace.open(path) as workspace:
        snapshot = workspace.current_snapshot()
        both = register_grader(
            workspace.connection, resolve_grader(snapshot, f"both:{LOCAL}+{OTHER}")[0]
        )
        mixed = register_grader(
            workspace.connection, resolve_grader(snapshot, f"both:{LOCAL}+{PAID}")[0]
        )
        engines = {one.name: one.engines for one in workspace.graders()}
    assert engines[both.name] == ("flan-t5",)
    assert set(engines[mixed.name]) == {"flan-t5", "chat"}
    edit(path)
    assert lags(path, both.name)
    assert not lags(path, mixed.name)
