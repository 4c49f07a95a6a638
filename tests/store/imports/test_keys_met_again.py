"""A bank that comes again with other answer keys or choices is offered, never taken."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from curator.bank.edits import Reword
from curator.workspace import Workspace
from tests.samples.workspaces import question_bank

TEXTS = {"q1/a": "Which gas?", "q1/b": "Which city?", "q1/c": "Which river?"}


def bank(path: Path, answers: dict[str, list[str]]) -> Path:
    return question_bank(path, {"q1": TEXTS}, answers=answers)


@pytest.fixture
def workspace(tmp_path) -> Iterator[Workspace]:
    file = bank(tmp_path / "bank.jsonl", {"q1/a": ["oxygen"], "q1/b": ["Bonn"]})
    with Workspace.open(tmp_path / "w.db", create=True, judge="ann") as workspace:
        workspace.import_(bank=file)
        yield workspace


def keys(workspace: Workspace) -> dict[str, tuple[str, ...]]:
    return {one.question_id: one.answers for one in workspace.bank()}


def test_another_key_is_counted_and_how_to_take_it_is_said(workspace, tmp_path):
    # by hand: a has another, b is not in this file, c has none here
    file = bank(tmp_path / "new.jsonl", {"q1/a": ["ozone"], "q1/c": ["Rhine"]})
    before = keys(workspace)
    (found,) = workspace.import_(bank=file)
    assert found.new == {}
    assert "2 questions with another answer key" in found.notices[0]
    assert "`--take-keys`" in found.notices[0]
    assert keys(workspace) == before


def test_taken_keys_are_one_ordinary_edit(workspace, tmp_path):
    file = bank(tmp_path / "new.jsonl", {"q1/a": ["ozone"], "q1/c": ["Rhine"]})
    before = keys(workspace)
    (found,) = workspace.import_(bank=file, take_keys=True)
    assert found.new == {"answer keys": 2}
    assert keys(workspace) == before | {"q1/a": ("ozone",), "q1/c": ("Rhine",)}
    events = workspace.history()[:2]
    assert {one.batch_kind for one in events} == {"edit"}
    assert {one.change.reason for one in events} == {"as in new.jsonl"}
    assert workspace.import_(bank=file, take_keys=True)[0].new == {}
    workspace.undo()
    assert keys(workspace) == before


def test_a_key_for_other_words_is_not_taken(workspace, tmp_path):
    workspace.apply(Reword("q1/a", "Which gases?"))
    file = bank(tmp_path / "new.jsonl", {"q1/a": ["ozone"]})
    (found,) = workspace.import_(bank=file, take_keys=True)
    assert found.new == {}
    assert (
        "1 question with another text, and another answer key or choices"
        in found.notices[-1]
    )
    assert keys(workspace)["q1/a"] == ("oxygen",)
