"""Another key or other choices: what is graded anew, what stays, and that it undoes.

One question of one query, two passages, and an endpoint that says what a passage
holds; "verified" compares that with the key.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from curator.bank.edits import SetKey
from curator.errors import AnswerKeyError
from curator.workspace import Workspace
from tests.conftest import MadeOnce
from tests.samples.chat_server import ChatServer
from tests.samples.command_line import run
from tests.samples.workspaces import (
    FakeEncoder,
    graded_file,
    graded_passage,
    question_bank,
)

QA = "chat:test-model/qa"
RATING = "chat:test-model"
VERIFIED = f"{QA}/verified"
GASES = (("A", "oxygen"), ("B", "carbon dioxide"))


def said(prompt: str) -> str:
    """The gas that a passage names; a rating where one is asked for."""
    gas = "oxygen" if "is oxygen" in prompt else "carbon dioxide"
    return gas if "Rate" not in prompt and "rate" not in prompt else "3"


@pytest.fixture
def server(monkeypatch) -> Iterator[ChatServer]:
    with ChatServer(answer=said) as server:
        server.lead(monkeypatch)
        yield server


@pytest.fixture
def workspace(
    tmp_path: Path, server: ChatServer, made_once: MadeOnce
) -> Iterator[Workspace]:
    """q1/a with the key oxygen, q1/b with the key carbon dioxide; graded four ways."""
    path = shutil.copytree(made_once("answer-keys", graded), tmp_path / "keys") / "w.db"
    with Workspace.open(path, judge="ann") as workspace:
        yield workspace


def graded(folder: Path) -> None:
    """The workspace in a new folder, graded at an endpoint of its own."""
    folder.mkdir()
    passages = {
        "q1": [
            graded_passage("p1", "q1", {}, text="It is oxygen.", ranks={"one": 1}),
            graded_passage("p2", "q1", {}, text="It is CO2.", ranks={"two": 1}),
        ]
    }
    bank = question_bank(
        folder / "bank.jsonl",
        {"q1": {"q1/a": "Which gas?", "q1/b": "What?"}},
        answers={"q1/a": ["oxygen"], "q1/b": ["carbon dioxide"]},
    )
    with (
        ChatServer(answer=said) as server,
        pytest.MonkeyPatch.context() as patch,
        Workspace.open(folder / "w.db", create=True, judge="ann") as workspace,
    ):
        server.lead(patch)
        workspace.import_(
            autograder=graded_file(folder / "graded.jsonl", passages), bank=bank
        )
        for grader in (QA, VERIFIED, RATING):
            workspace.grade(grader)
        workspace.grade("embedding", encoder=FakeEncoder())


def ratings(workspace: Workspace, grader: str) -> list[list[int]]:
    snapshot = workspace.current_snapshot()
    return snapshot.matrix(grader, "q1", snapshot.bank).ratings.tolist()


def test_another_key_verifies_its_own_question_anew_and_asks_nobody(workspace, server):
    asked, others = len(server.requests), [QA, RATING, "embedding"]
    before = {one: ratings(workspace, one) for one in others}
    assert ratings(workspace, VERIFIED) == [[1, 0], [0, 1]]
    edit = SetKey("q1/a", ("carbon dioxide",))
    # by hand: one answers a before and nothing after; two answers b, then both
    found = {
        one.system: (one.score_before, one.score_after)
        for one in workspace.impact([edit], grader=VERIFIED, measure="cover").moves
    }
    assert found == {"one": (0.5, 0.0), "two": (0.5, 1.0)}
    workspace.apply(edit)
    assert ratings(workspace, VERIFIED) == [[0, 1], [0, 1]]
    assert {one: ratings(workspace, one) for one in others} == before
    assert len(server.requests) == asked
    assert workspace.verify().problems == ()
    workspace.undo()
    assert ratings(workspace, VERIFIED) == [[1, 0], [0, 1]]


def test_choices_leave_every_grade_that_does_not_look_at_them(workspace, server):
    asked, graders = len(server.requests), (QA, RATING, "embedding", VERIFIED)
    before = {one: ratings(workspace, one) for one in graders}
    edit = SetKey("q1/a", ("B",), GASES)
    workspace.apply(edit)
    after = {one: ratings(workspace, one) for one in graders}
    # by hand: the passage about oxygen is wrong by the new key
    assert after == before | {VERIFIED: [[0, 1], [0, 1]]}
    for grader in graders:
        assert workspace.grade(grader).asked == 0
    assert len(server.requests) == asked


@pytest.mark.parametrize(
    ("edit", "why"),
    [
        (SetKey("q1/a", ("C",), GASES), "'C' is none of the choices A, B"),
        (SetKey("q1/a", ("  ",)), "An answer is empty"),
        (SetKey("q1/a", (), (("A", "x"), ("a)", "y"))), "Two choices have the letter"),
    ],
)
def test_a_key_that_checks_nothing_is_refused(workspace, edit, why):
    with pytest.raises(AnswerKeyError, match=why):
        workspace.apply(edit)


def test_where_all_answers_are_needed_one_is_not_enough(workspace, tmp_path):
    """The first passage names oxygen, the second carbon dioxide."""
    workspace.apply(SetKey("q1/a", ("oxygen", "carbon dioxide")))
    assert ratings(workspace, VERIFIED) == [[1, 1], [0, 1]]
    run("edit", workspace.path, "key", "q1/a", "--aggregator", "AND")
    assert ratings(workspace, VERIFIED) == [[0, 0], [0, 1]]
    with pytest.raises(AnswerKeyError, match="a key of two or more answers first"):
        workspace.apply(SetKey("q1/b", aggregator="AND"))
    assert workspace.verify().problems == ()

    workspace.export("bundle", tmp_path / "w.zip")
    with Workspace.open(tmp_path / "again.db", create=True) as again:
        again.import_bundle(tmp_path / "w.zip")
        assert again.bank() == workspace.bank()
        assert ratings(again, VERIFIED) == [[0, 0], [0, 1]]
