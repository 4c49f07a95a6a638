"""Where a workspace's model is asked: set by the organizer, with a key that is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.errors import PromptError
from curator.store.bundles.copies import without_endpoint
from curator.verbs.proposals.request import GenerationRequest
from curator.workspace import Workspace
from grading.models.endpoint import Endpoint
from tests.samples.chat_server import ChatServer
from tests.samples.proposals import three_questions
from tests.samples.workspaces import dump

KEY = "sk-only-here"


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch):
    """An endpoint that nothing in the environment names; its key is there."""
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with ChatServer(answer=three_questions, key=KEY) as server:
        yield server


def test_a_key_that_is_another_servers_is_not_sent(
    workspace: Workspace, elsewhere: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A key without an address is OpenAI's.
    assert Endpoint.from_url(elsewhere.url).key == ""
    assert Endpoint.from_url("https://api.openai.com/v1").key == KEY
    monkeypatch.setenv("OPENAI_BASE_URL", "https://api.example.com/v1")
    assert Endpoint.from_url(elsewhere.url).key == ""
    assert Endpoint.from_url("https://API.example.com:443/other").key == KEY
    # The same machine without encryption, or at another port, is another server.
    assert Endpoint.from_url("http://api.example.com/v1").key == ""
    assert Endpoint.from_url("https://api.example.com:8443/v1").key == ""
    assert (Endpoint.from_url("").host, Endpoint.from_url("").key) == (
        "api.example.com",
        KEY,
    )
    elsewhere.key = "no-key"  # what the client sends in place of one
    workspace.set_up(generation=GenerationRequest("m", endpoint=elsewhere.url))
    assert workspace.generate(workspace.default_request().about("rain")).asked == 1


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("api.example.com/v1", "of http or https"),
        ("file:///etc/passwd", "of http or https"),
        ("http://[::1", "of http or https"),
        ("https://ann:hunter2@api.example.com/v1", "leave out name, password"),
        ("https://api.example.com/v1?key=hunter2", "leave out name, password"),
        ("http://169.254.169.254/latest", "link-local"),
        ("http://2852039166/latest", "link-local"),
        ("http://[::ffff:169.254.169.254]/latest", "link-local"),
        ("http://h/" + "x" * 500, "500 characters"),
    ],
)
def test_what_is_no_address_or_holds_a_secret_is_refused_and_not_repeated(
    workspace: Workspace, url: str, words: str
) -> None:
    before = dump(workspace.path)
    with pytest.raises(PromptError, match=words) as refused:
        workspace.set_up(generation=GenerationRequest("m", endpoint=url))
    assert "hunter2" not in str(refused.value)
    assert dump(workspace.path) == before


def test_a_bundle_leads_nobody_to_anothers_endpoint(
    workspace: Workspace, tmp_path: Path
) -> None:
    request = GenerationRequest("m", count=3, endpoint="http://10.0.0.7:8000/v1")
    workspace.set_up(generation=request)
    workspace.export("bundle", tmp_path / "b.zip", allow_partial=True)
    with Workspace.open(tmp_path / "rebuilt.db", create=True) as rebuilt:
        rebuilt.import_bundle(tmp_path / "b.zip")
        assert rebuilt.default_request() == GenerationRequest("m", count=3)
    # One that somebody has written an address into is read without it.
    assert without_endpoint('{"grader": "m", "endpoint": "http://x"}') == (
        '{"grader": "m"}'
    )
    assert without_endpoint('{"grader": "m"}') == '{"grader": "m"}'
    assert without_endpoint("no JSON") == "no JSON"
