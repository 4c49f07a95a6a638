"""With the endpoint gone, all that models were asked is graded from what they said.

Nothing listens and no key is there, so whoever opens a client is refused; what does
not, asks nothing. By hand: a passage that names a question's number is rated with it.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from curator.bank.edits import Add
from curator.store.connection import write_transaction
from curator.workspace import Workspace
from tests.samples.chat_server import MODEL, ChatServer
from tests.samples.command_line import json_of, run
from tests.samples.proposals import ORDER, listed
from tests.samples.workspaces import (
    graded_file,
    graded_passage,
    question_bank,
)

CHAT = f"chat:{MODEL}"
ANSWERS = f"{CHAT}/qa"
TEXTS = {"p3": "The number 3.", "p5": "The number 5.", "p7": "The number 7."}
OTHERS = {"x3": "The number 3.", "x2": "The number 2."}


def said(prompt: str) -> str:
    asked = re.search(r"What of (\d)", prompt)
    if asked is None:
        return listed("What of 7?")
    return asked[1] if f"number {asked[1]}." in prompt else "0"


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a workspace whose models were asked all there is to ask."""
    folder = tmp_path_factory.mktemp("asked")
    passages = {
        query_id: [
            graded_passage(one, query_id, {}, text=text, ranks={"one": rank})
            for rank, (one, text) in enumerate(texts.items(), start=1)
        ]
        for query_id, texts in (("q1", TEXTS), ("q2", OTHERS))
    }
    bank = {
        "q1": {"q1/a": "What of 3?", "q1/b": "What of 5?"},
        "q2": {"q2/c": "What of 2?"},
    }
    with (
        ChatServer(answer=said) as server,
        pytest.MonkeyPatch.context() as patch,
        Workspace.open(folder / "w.db", create=True, judge="ann") as workspace,
    ):
        server.lead(patch)
        workspace.import_(
            autograder=graded_file(folder / "graded.jsonl", passages),
            bank=question_bank(folder / "bank.jsonl", bank, answers={"q1/a": ["3"]}),
        )
        workspace.grade(CHAT)
        workspace.grade(ANSWERS)
        assert workspace.generate(ORDER).asked == 2
    run("export", folder / "w.db", "--bundle", folder / "w.zip", "--grader", CHAT)
    return folder


@pytest.fixture(autouse=True)
def nobody_there(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(params=["the file", "a bundle"])
def path(request: pytest.FixtureRequest, asked: Path, tmp_path: Path) -> Path:
    """The workspace as it lies there, and as somebody else imports it."""
    path = tmp_path / "copy.db"
    if request.param == "a bundle":
        run("import", path, "--bundle", asked / "w.zip")
    else:
        shutil.copy(asked / "w.db", path)
    return path


@pytest.fixture
def workspace(path: Path) -> Iterator[Workspace]:
    with Workspace.open(path, judge="bob") as workspace:
        yield workspace


def ratings(workspace: Workspace, query_id: str, grader: str = CHAT) -> list[list[int]]:
    snapshot = workspace.current_snapshot()
    return snapshot.matrix(grader, query_id, snapshot.bank).ratings.tolist()


BY_HAND = [[3, 0, 0], [0, 5, 0]]


@pytest.mark.parametrize("address", ["", "http://127.0.0.1:9/v1"])
def test_the_same_commands_ask_nothing(path, monkeypatch, address):
    monkeypatch.setenv("OPENAI_BASE_URL", address)
    monkeypatch.setenv("OPENAI_API_KEY", address and "another")
    assert "nothing left to grade" in run("grade", path, "--grader", CHAT).output
    board = json_of("leaderboard", path, "--grader", CHAT)
    assert board["grades"] == {"needed": 8, "known": 8}
    generated = json_of("generate", path, "--model", MODEL)
    assert (generated["asked"], generated["had"]) == (0, 2)


def test_graders_and_ratings_come_back_from_the_responses_alone(workspace):
    with write_transaction(workspace.connection):
        for table in ("rating_vector", "budget", "grader"):
            workspace.connection.execute(f"DELETE FROM {table}")
    assert workspace.grade(CHAT).prompts == 0
    assert ratings(workspace, "q1") == BY_HAND
    assert workspace.leaderboard(grader=CHAT).complete


def test_what_is_missing_is_counted_in_one_line_and_the_rest_is_kept(path, monkeypatch):
    """Also what comes after the window that could not be asked."""
    monkeypatch.setattr("curator.verbs.grading.run_grader.WINDOW", 1)
    with Workspace.open(path, judge="bob") as workspace:
        with write_transaction(workspace.connection):
            workspace.connection.execute("DELETE FROM rating_vector")
        workspace.apply(Add("q1", "What of 1?"))
    result = run("grade", path, "--grader", CHAT, code=1)
    assert result.stderr.count("\n") == 1
    assert "OPENAI_API_KEY" in result.stderr
    assert "Still missing: 3 grades" in result.stderr
    board = json_of("leaderboard", path, "--grader", CHAT)
    assert board["grades"] == {"needed": 11, "known": 8}
