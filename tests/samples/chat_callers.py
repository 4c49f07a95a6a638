"""Who calls the chat models in these tests, and what a call leaves behind."""

import threading
import time

import pytest

from grading.models.chat import ChatModel
from tests.samples.chat_server import MODEL, refused

KEY = "sk-proj-a1b2c3d4e5f6g7h8i9j0KLMN"
SOON = 0.01  # seconds
BUSY = refused(429, "Rate limit reached", retry_after="0.01")

_BEFORE: set[threading.Thread] = set()


@pytest.fixture(autouse=True)
def no_settings_of_this_machine(monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "HTTP_PROXY", "http_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture(autouse=True)
def no_thread_is_left():
    _BEFORE.clear()
    _BEFORE.update(threading.enumerate())
    yield
    assert model_threads() == []


def model_threads():
    """Names of the threads that are neither other tests' nor the server's."""
    # The server's own may still be waiting for a client that has gone.
    new = (t.name for t in set(threading.enumerate()) - _BEFORE)
    return [n for n in new if n != "chat-server" and "process_request" not in n]


def chat_model(server, **options):
    """A model at ``server`` that retries soon and has time for a busy machine."""
    options = {"backoff": SOON, "timeout": 60.0} | options
    return ChatModel(options.pop("model", MODEL), base_url=server.url, **options)


def one_line(error):
    assert "\n" not in str(error)
    assert len(str(error)) < 500
    return error


def wait_for(met):
    deadline = time.monotonic() + 60
    while not met():
        assert time.monotonic() < deadline
        time.sleep(SOON)


def key_shows(text):
    return any(KEY[n : n + 6] in text for n in range(len(KEY) - 5))
