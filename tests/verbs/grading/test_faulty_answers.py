"""Grading where answers break off, are refused or look wrong: nothing becomes a 0."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from curator.bank.edits import Add
from curator.workspace import Workspace
from grading.ratings import UNREADABLE
from tests.samples.chat_server import ChatServer, Streamed, refused
from tests.samples.command_line import json_of, run
from tests.samples.workspaces import graded_file, graded_passage, question_bank

CHAT = "chat:test-model"
PASSAGES = 30


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    with ChatServer() as server:
        yield server.lead(monkeypatch)


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """One question on thirty passages."""
    passages = [
        graded_passage(f"p{i}", "q1", {}, text=f"Number {i}.", ranks={"one": i + 1})
        for i in range(PASSAGES)
    ]
    with Workspace.open(tmp_path / "w.db", create=True, judge="ann") as workspace:
        workspace.import_(
            autograder=graded_file(tmp_path / "graded.jsonl", {"q1": passages}),
            bank=question_bank(tmp_path / "bank.jsonl", {"q1": {"q1/a": "Which?"}}),
        )
        yield workspace


def number_in(prompt: str) -> int:
    found = re.search(r"Number (\d+)\.", prompt)
    return int(found[1]) if found else -1


def ratings(workspace: Workspace) -> list[int]:
    snapshot = workspace.current_snapshot()
    (row,) = snapshot.matrix(CHAT, "q1", snapshot.bank).ratings.tolist()
    return list(row)


def test_a_cut_answer_is_unknown_counted_and_asked_again_with_more_tokens(
    workspace: Workspace, server: ChatServer
) -> None:
    server.answer = lambda prompt: (
        Streamed("Let me see.\n4", finish="length") if number_in(prompt) == 7 else "3"
    )
    summary = workspace.grade(CHAT)
    assert (summary.unreadable, summary.unfinished, summary.max_tokens) == (1, 1, 128)
    assert ratings(workspace)[7] == UNREADABLE
    assert ratings(workspace).count(3) == PASSAGES - 1
    (response,) = workspace.unreadable(CHAT)
    assert (response.passage_id, response.raw) == ("p7", "Let me see.\n4")
    assert response.reason == "cut off at the limit of 128 tokens"
    assert not workspace.leaderboard(grader=CHAT).complete
    assert workspace.verify().problems == ()

    asked = len(server.requests)
    server.answer = lambda prompt: "4"
    assert workspace.grade(CHAT).prompts == 0  # it is asked again on request alone
    workspace.grade(CHAT, again=True)
    assert ratings(workspace)[7] == 4
    (request,) = server.requests[asked:]
    assert request.body["max_tokens"] == 4 * 128


def test_one_refused_prompt_is_unknown_with_the_words_of_the_server(
    workspace: Workspace, server: ChatServer
) -> None:
    server.answer = lambda prompt: (
        refused(400, "You are too curious") if number_in(prompt) == 0 else "4"
    )
    summary = workspace.grade(CHAT)
    assert (summary.refused, summary.unreadable, summary.asked) == (1, 1, PASSAGES)
    assert ratings(workspace) == [UNREADABLE, *[4] * (PASSAGES - 1)]
    (response,) = workspace.unreadable(CHAT)
    assert response.reason == (
        "refused by the server: answered 400 (You are too curious)"
    )
    server.answer = lambda prompt: "5"
    assert workspace.grade(CHAT, again=True).prompts == 1
    assert ratings(workspace)[0] == 5


def test_the_command_warns_of_equal_answers_and_counts_no_unknown_tokens(
    workspace: Workspace, server: ChatServer
) -> None:
    server.usage = False
    command = ("grade", workspace.path, "--grader", CHAT)
    done = run(*command, "--prices=1,1")
    assert "The first 20 answers are all rated 4" in done.stderr
    assert "unknown" in done.stdout
    server.answer = lambda prompt: "Hm."
    workspace.apply(Add("q1", "Who?"))
    assert json_of(*command)["tokens_in"] is None
    assert len(json_of(*command, "--unreadable")) == PASSAGES
