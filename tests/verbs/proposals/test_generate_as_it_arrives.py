"""A question is proposed as soon as it is whole in the stream."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from curator.bank.edits import Keep
from curator.generation.responses import settled_texts
from curator.workspace import Workspace
from tests.samples.chat_server import ChatServer, Streamed
from tests.samples.proposals import ORDER, in_state, texts_of, three_questions

RAIN = replace(ORDER, query_id="rain")
WITHIN = 30.0  # seconds in which what was sent has been kept, on a busy machine


class Watching(list[str]):
    """Pieces, each sent once the query's proposals are as they are to be before it."""

    def __init__(
        self,
        path: Path,
        pieces: Sequence[tuple[str, list[str]]],
        query_id: str = "rain",
    ) -> None:
        super().__init__(piece for piece, _ in pieces)
        self._path, self._before = path, [before for _, before in pieces]
        self._query_id = query_id

    def __iter__(self) -> Iterator[str]:
        for piece in super().__iter__():
            if self._before:  # not where tokens are counted in the end
                self.wait(self._before.pop(0))
            yield piece

    def wait(self, texts: list[str]) -> None:
        deadline = time.monotonic() + WITHIN
        with Workspace.open(self._path) as workspace:
            while texts_of(workspace, self._query_id, "proposed") != texts:
                assert time.monotonic() < deadline, texts
                time.sleep(0.01)


def test_somebody_else_stops_an_asking_and_what_arrived_stays(
    workspace: Workspace, server: ChatServer
) -> None:
    path = workspace.path

    class Stopping(Watching):
        def wait(self, texts: list[str]) -> None:
            super().wait(texts)
            if texts:
                with Workspace.open(path, judge="bob", as_judge=True) as other:
                    other.stop_asking("tides")
                    assert other.generations(asking=True) == ()

    pieces = [
        ('["What is a tide?", "Wh', []),
        ('y twice?", "Wh', ["What is a tide?"]),
        ('en?"]', []),
    ]
    watching = Stopping(path, pieces, "tides")
    server.answer = lambda prompt: Streamed(watching)
    summary = workspace.generate(replace(ORDER, query_id="tides"))
    assert summary.stopped
    assert len(server.requests) == 1  # of two prompts
    assert texts_of(workspace, "tides", "proposed") == ["What is a tide?"]
    (kept,) = workspace.generations()
    assert (kept.state, kept.error) == ("broken", "Stopped by bob.")
    server.answer = three_questions
    assert workspace.generate(replace(ORDER, query_id="tides")).asked == 2
    assert workspace.verify().problems == ()


def test_drafts_before_the_answer_are_taken_back_unless_somebody_decided(
    workspace: Workspace, server: ChatServer
) -> None:
    path = workspace.path

    class Keeping(Watching):
        def wait(self, texts: list[str]) -> None:
            super().wait(texts)
            if texts:
                with Workspace.open(path, judge="ann") as other:
                    other.apply(
                        Keep(in_state(other, "rain", "proposed")[0].question_id)
                    )

    # Thoughts whose beginning stood in the prompt look like an answer until they end.
    pieces = [
        ("- What is sleet?\n- What is mist?\n- What is hail?\n- ", []),
        (
            '</think>\n["What is hail?", "What is fog?"]',
            ["What is sleet?", "What is mist?", "What is hail?"],
        ),
    ]
    server.answer = lambda prompt: Streamed(Keeping(path, pieces))
    summary = workspace.generate(RAIN)
    assert (summary.proposed, summary.repeated) == (2, 0)
    assert texts_of(workspace, "rain", "proposed") == ["What is hail?", "What is fog?"]
    assert texts_of(workspace, "rain", "kept") == ["What is a cloud?", "What is sleet?"]
    # What its model took back may be proposed another time.
    server.answer = lambda prompt: '["What is mist?"]'
    assert workspace.generate(replace(RAIN, again=True)).proposed == 1
    assert workspace.verify().problems == ()


@pytest.mark.parametrize(
    ("raw", "whole"),
    [
        ('["One is it?", "Two', ["One is it?"]),
        ('["One is it?", ', ["One is it?"]),
        ('{"questions": ["One is it?",', ["One is it?"]),
        ("- One is it,", []),
        ('["One is it?"', []),  # a string may go on behind its quote
        ("1. One is it?\n2. Two is", ["One is it?"]),
        ("- One is it?", []),
        ("- One is it?\n- Two is it?\n- ", ["One is it?", "Two is it?"]),
        ("<think>\n- One is it?\n- Two is it?\n", []),
    ],
)
def test_a_text_is_whole_when_nothing_that_may_follow_changes_it(
    raw: str, whole: list[str]
) -> None:
    assert list(settled_texts(raw)) == whole
