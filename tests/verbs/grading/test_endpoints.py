"""One endpoint for graders and proposals: the workspace's, else the environment's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from curator.errors import RestrictedError
from curator.verbs.proposals.request import GenerationRequest
from curator.workspace import Workspace
from grading.registry import keeps_texts_local
from tests.samples.chat_callers import KEY, no_settings_of_this_machine
from tests.samples.chat_server import ChatServer
from tests.samples.command_line import json_of, run
from tests.samples.jobs import end_jobs
from tests.samples.workspaces import small_workspace

__all__ = ["no_settings_of_this_machine"]

CHAT = "chat:test-model"


@pytest.fixture
def settings_server() -> Iterator[ChatServer]:
    """Where the organizer has models asked."""
    with ChatServer("4") as server:
        yield server


@pytest.fixture
def environment_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    """Where the environment has them asked, with its key."""
    with ChatServer("4", key=KEY) as server:
        yield server.lead(monkeypatch)


@pytest.fixture
def workspace(tmp_path: Path, settings_server: ChatServer) -> Iterator[Workspace]:
    with small_workspace(tmp_path) as workspace:
        workspace.set_up(generation=GenerationRequest("", endpoint=settings_server.url))
        yield workspace
        end_jobs(workspace)


def test_graders_and_proposals_are_asked_where_the_organizer_says(
    workspace, settings_server, environment_server
):
    hosts: list[str] = []

    def announce(host: str) -> None:
        assert not settings_server.requests or hosts
        hosts.append(host)

    counted = workspace.grade(CHAT, dry_run=True, announce=announce)
    assert (counted.host, hosts) == (settings_server.host, [])
    workspace.grade(CHAT, announce=announce)
    graded = len(settings_server.requests)
    assert graded == counted.prompts
    workspace.generate(GenerationRequest("m", query_id="q1"), announce=announce)
    assert len(settings_server.requests) > graded
    assert hosts == [settings_server.host] * 2
    # The key is the environment's server's; nobody else has seen it, or been asked.
    assert all(KEY not in str(one.headers) for one in settings_server.requests)
    assert not environment_server.requests
    # What is known asks nothing, and so names no host.
    assert workspace.grade(CHAT, announce=announce).host == ""
    assert len(hosts) == 2


def test_restricted_queries_are_asked_about_by_where_the_endpoint_is(
    workspace, environment_server
):
    assert keeps_texts_local("chat")
    assert not keeps_texts_local("chat", "https://models.test/v1")
    workspace.restrict(["q1"])
    workspace.set_up(
        generation=GenerationRequest("m", endpoint="https://models.test/v1")
    )
    assert workspace.grade(CHAT, dry_run=True).restricted == 1
    with pytest.raises(RestrictedError, match="'q1'"):
        workspace.grade(CHAT, query_id=["q2", "q1"], dry_run=True)
    workspace.set_up(generation=GenerationRequest("m"))
    assert workspace.grade(CHAT, dry_run=True).restricted == 0


def test_an_endpoint_is_tested_at_the_address_of_the_settings(
    workspace, settings_server
):
    path = workspace.path
    found = json_of("endpoint", "test", path, "--model", "m")
    assert (found["host"], found["rating"]) == (settings_server.host, 4)
    assert (found["source"], found["remedy"]) == ("settings", "")
    wrong = settings_server.url.removesuffix("/v1")
    run("setup", path, "--endpoint", wrong)
    result = run("endpoint", "test", path, "--model", "m", code=1)
    assert f"use {settings_server.url}" in result.stderr
    refused = run("endpoint", "test", "--url", "http://169.254.169.254/v1", code=1)
    assert "link-local" in refused.stderr
