"""The test of an endpoint: one prompt, and the cause of each usual failure."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from grading.endpoint_check import PASSAGE, check_endpoint
from tests.samples.chat_callers import KEY, no_settings_of_this_machine
from tests.samples.chat_server import MODEL, ChatServer, Reply, Streamed, refused

__all__ = ["no_settings_of_this_machine"]


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer("4", models=[MODEL, "other"]) as server:
        yield server


def test_one_prompt_is_sent_and_its_answer_read(server, monkeypatch):
    server.lead(monkeypatch)
    check = check_endpoint(MODEL)
    assert (check.problem, check.answer, check.rating) == ("", "4", 4)
    assert (check.host, check.model) == (server.host, MODEL)
    (request,) = server.requests
    # As the server counts: a word is a token.
    assert (check.tokens_in, check.tokens_out) == (len(request.prompt.split()), 1)
    assert check.seconds > 0
    assert PASSAGE in request.prompt
    assert request.body["temperature"] == 0


def test_a_cut_or_faulty_answer_has_no_rating_though_its_words_state_one(server):
    server.answer = lambda prompt: Streamed("4", finish="length")
    check = check_endpoint(MODEL, server.url)
    assert (check.problem, check.answer, check.rating) == ("limit", "4", None)
    server.answer = lambda prompt: Streamed("4", finish="guardrail_intervened")
    check = check_endpoint(MODEL, server.url)
    assert (check.problem, check.rating) == ("unreadable", None)
    assert check.detail == "the answer ended with guardrail_intervened"
    assert server.requests[0].body["stream"] is True


@pytest.mark.parametrize("path", ["/chat/completions", "/models"])
def test_the_path_of_a_request_is_no_address(server, path):
    check = check_endpoint(MODEL, server.url + path)
    assert (check.problem, check.address) == ("whole path", server.url)
    assert not server.requests


@pytest.mark.parametrize("models", [[MODEL], None])
def test_the_address_that_has_the_models_is_found(server, models):
    server.models = models  # without a list the prompt itself is sent there
    check = check_endpoint(MODEL, server.url.removesuffix("/v1"))
    assert (check.problem, check.address) == ("base", server.url)


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (refused(402, "Insufficient credits"), "credit"),
        (refused(429, "Slow down"), "busy"),
        (refused(400, "API key not valid."), "key"),
        (refused(400, "This model's maximum context length is 256 tokens"), "context"),
        (refused(404, "Nothing here"), "not found"),
        (Reply(400, "Client sent an HTTP request to an HTTPS server."), "wants https"),
        (Reply(302, headers={"Location": "https://x.test/v1"}), "redirect"),
        (Reply(dropped=True), "broken"),
    ],
    ids=lambda one: one if isinstance(one, str) else str(one.status),
)
def test_what_the_server_sends_instead_names_the_problem(server, reply, problem):
    server.answer = lambda prompt: reply
    check = check_endpoint(MODEL, server.url)
    assert (check.problem, check.answer, check.rating) == (problem, None, None)


def test_a_refused_temperature_is_told_with_the_answer_without_it(server):
    server.refuses = {"temperature"}
    check = check_endpoint(MODEL, server.url)
    assert (check.problem, check.rating) == ("temperature", 4)
    assert [("temperature" in one.body) for one in server.requests] == [True, False]
    server.answer = lambda prompt: refused(500)
    check = check_endpoint(MODEL, server.url)
    assert (check.problem, check.rating) == ("temperature", None)


def test_a_key_goes_to_its_own_server_only(server, monkeypatch):
    server.key = KEY
    assert check_endpoint(MODEL, server.url).problem == "key"
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    check = check_endpoint(MODEL, server.url)
    assert (check.problem, check.address) == ("other key", server.url)
    assert all(KEY not in str(one.headers) for one in server.requests)
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    assert check_endpoint(MODEL, server.url).problem == ""


def test_a_port_where_nothing_listens_is_told():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    for model in (MODEL, ""):
        assert check_endpoint(model, f"http://127.0.0.1:{port}/v1").problem == "refused"


def test_silence_ends(server):
    server.delay = 3600
    assert check_endpoint(MODEL, server.url, timeout=0.2).problem == "silent"


def test_a_proxy_that_does_not_pass_it_on_is_named(server, monkeypatch):
    monkeypatch.setenv("NO_PROXY", "")
    monkeypatch.setenv("http_proxy", server.url.removesuffix("/v1"))
    server.reply = lambda path, headers, body: Reply(502, "no route")
    assert check_endpoint(MODEL, "http://models.test/v1").problem == "proxy"
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    assert check_endpoint(MODEL, server.url).problem == "proxy"


def test_the_environments_address_is_shown_without_its_secrets(server, monkeypatch):
    address = server.url.replace("http://", "http://ann:secret@")
    monkeypatch.setenv("OPENAI_BASE_URL", f"{address}/chat/completions")
    assert check_endpoint(MODEL).address == server.url
    monkeypatch.setenv("OPENAI_BASE_URL", "http://h.test/token/v1/models")
    assert check_endpoint(MODEL).address == "http://h.test/…/v1"
