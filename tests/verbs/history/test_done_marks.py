"""Who has marked a query done, and who has changed it since."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from curator.bank.edits import Done, Propose, Retire, Reword, Vote, WriteNote
from curator.workspace import Workspace
from tests.samples.hand_made import hand_made_workspace


@pytest.fixture
def judges(tmp_path: Path) -> Iterator[tuple[Workspace, Workspace]]:
    path = hand_made_workspace(tmp_path)
    with (
        Workspace.open(path, judge="ann") as ann,
        Workspace.open(path, judge="bo") as bo,
    ):
        yield ann, bo


def changed_by(workspace: Workspace) -> dict[str, tuple[str, ...]]:
    return {one.judge: one.changed_by for one in workspace.done_marks()["q1"]}


def test_what_others_change_since_stands_beside_a_mark(
    judges: tuple[Workspace, Workspace],
) -> None:
    ann, bo = judges
    bo.apply(Reword("q1/a", "Why so?"))
    ann.apply(Done("q1"))
    assert changed_by(ann) == {"ann": ()}
    bo.apply(Retire("q1/c"))
    bo.apply(Done("q1"))
    ann.apply(Reword("q1/b", "How so?"))  # what one changes oneself one knows of
    assert changed_by(ann) == {"ann": ("bo",), "bo": ("ann",)}
    ann.apply([Done("q1", done=False), Done("q1")])
    assert changed_by(ann) == {"ann": (), "bo": ("ann",)}
    bo.undo("q1")  # of the mark, which is no change of a question
    bo.undo("q1")  # of the retirement
    assert changed_by(ann) == {"ann": ("bo",)}


def test_what_counts_nowhere_changes_nothing(
    judges: tuple[Workspace, Workspace],
) -> None:
    ann, bo = judges
    ann.apply(Done("q1"))
    (change,) = bo.apply(Propose("q1", "Where is it?", "{}")).changes
    bo.apply([Vote("q1/a", "vital"), WriteNote("q1/a", "Why?")])
    bo.apply(Retire(change.question_id or ""))
    assert changed_by(ann) == {"ann": ()}
    assert "q2" not in ann.done_marks()
