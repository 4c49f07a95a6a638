"""A model that proposes questions for the hand-made collection's first query."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from curator.bank.questions import Question
from curator.verbs.proposals.request import GenerationRequest
from curator.workspace import Workspace
from tests.samples.chat_server import ChatServer, Said

NAMED = "gpt-4o-mini"
TEXTS = ("Where is it?", "How is it made?", "Whose is it?", "When was it?")
LISTED = json.dumps(TEXTS)


def listing(*texts: str) -> str:
    """What a model says that lists these."""
    return json.dumps(texts)


def propose(
    path: Path,
    monkeypatch: pytest.MonkeyPatch,
    said: Said = LISTED,
    query_id: str = "q1",
    passage_id: str | None = None,
) -> Sequence[Question]:
    """The proposals of the query, after a model was asked about it."""
    with ChatServer(said) as server, monkeypatch.context() as patched:
        for name, value in server.environment.items():
            patched.setenv(name, value)
        with Workspace.open(path, judge="ann") as workspace:
            workspace.generate(
                GenerationRequest(NAMED, again=True).about(
                    query_id, passage_id=passage_id
                )
            )
    return proposals(path, query_id)


def proposals(path: Path, query_id: str = "q1") -> Sequence[Question]:
    """The query's questions that nobody has decided on."""
    with Workspace.open(path) as workspace:
        of_query = workspace.bank().questions_of(query_id)
        return [one for one in of_query if one.state == "proposed"]
