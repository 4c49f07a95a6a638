"""The topics to ask about, and an endpoint that answers three questions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from curator.verbs.proposals import generate
from curator.workspace import Workspace
from tests.samples.chat_server import ChatServer
from tests.samples.proposals import opened, three_questions


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    """An endpoint that this process's clients are led to."""
    monkeypatch.setattr(generate, "SAVE_INTERVAL", 0.0)  # no test waits
    with ChatServer(answer=three_questions) as server:
        yield server.lead(monkeypatch)


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """A workspace of ``topic_files``; query rain has one imported question."""
    with opened(tmp_path) as workspace:
        yield workspace
