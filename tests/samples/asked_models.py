"""What models said when they were asked for questions, kept as askings keep it."""

from __future__ import annotations

from pathlib import Path

from curator.store import generations
from curator.store.connection import open_workspace, write_transaction
from curator.store.generations import FilledPrompt
from curator.verbs.proposals.generate import save_response
from grading.models.protocol import Response

MODEL = "some-model"


def answered(
    path: Path,
    raw: str,
    *,
    query_id: str = "q1",
    subtopic_id: str | None = None,
    passage_id: str | None = None,
    model: str = MODEL,
    error: str | None = None,
    key: str = "",
) -> int:
    """Keep a response to a question about this; the asking's number."""
    asked = FilledPrompt(
        query_id,
        subtopic_id,
        passage_id,
        prompt="dl",
        kind="question",
        text="Which questions?",
        model=model,
        parameters={},
        key=key or f"{model}/{query_id}/{subtopic_id}/{passage_id}",
    )
    connection = open_workspace(path)
    try:
        with write_transaction(connection):
            (number,) = generations.claim(
                connection, [asked], holder="here:1:a", by="ann", again=True
            )
        save_response(connection, number, asked, Response(raw), error=error)
    finally:
        connection.close()
    return number
