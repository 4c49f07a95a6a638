"""Text the selected grader cannot grade: embedding does, once its model is there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from curator.bank.edits import Reword
from curator.web.components import session
from curator.workspace import Workspace
from grading.errors import WorkerError
from tests.samples.noted_tasks import finished, serving
from tests.samples.workspaces import FakeEncoder
from tests.web.conftest import OpenApp, given, page_html, question_rows


class FakeWorker(FakeEncoder):
    """The worker, its model a hash of the text."""

    state = "ready"
    error = ""

    def encode(  # type: ignore[override]
        self, texts: list[str], timeout: float | None = None
    ) -> list[np.ndarray]:
        return super().encode(texts)


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch) -> FakeWorker:
    """The model of the server under test."""
    fake = FakeWorker()
    service = serving(fake)
    monkeypatch.setattr(session, "service", lambda: service)
    return fake


def reword(app: AppTest, path: Path, text: str) -> None:
    """Save question a with this text as the page does, and draw until all is done."""
    with Workspace.open(path, judge="ann") as workspace:
        workspace.apply(Reword("q1/a", text))
    app.session_state[session.KEY].to_grade = "q1"
    drawn_until_done(app)


def drawn_until_done(app: AppTest) -> None:
    """Draw, wait for what is graded beside the page, and draw again."""
    app.run()
    finished(session.service())
    app.run()
    assert not app.exception


def test_all_in_sight_of_a_query_with_ungraded_text_is_of_one_grader(
    open_app: OpenApp, hand_made: Path, worker: FakeWorker
) -> None:
    app = open_app(hand_made, query="q1", passage="p1", judge="ann")
    own = {name: row["meta"] for name, row in question_rows(app).items()}
    assert given(app)["measure"] == "cover"
    reword(app, hand_made, "Why was it?")
    assert given(app)["measure"] == "cover, by instant"
    with Workspace.open(hand_made) as workspace:
        opened = workspace.passage("q1", "p1", workspace.settings(grader="instant"))
    rows = question_rows(app).values()
    assert not [row for row in rows if "not graded" in row["meta"] + row["reason"]]
    assert f">Label</dt><dd>{opened.label} by instant" in page_html(app)
    # What the judge could see is kept with the next edit.
    assert "cover · instant" in (app.session_state[session.KEY].settings_seen or "")
    # Once nothing here is ungraded any more all is the selected grader's again.
    with Workspace.open(hand_made, judge="ann") as workspace:
        workspace.undo("q1")
    app.run()
    assert {name: row["meta"] for name, row in question_rows(app).items()} == own
    assert given(app)["measure"] == "cover"


def test_what_failed_is_tried_again_only_when_it_is_asked_for(
    open_app: OpenApp,
    hand_made: Path,
    worker: FakeWorker,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[int] = []

    def fail(texts: list[str], timeout: float | None = None) -> list[np.ndarray]:
        calls.append(len(texts))
        raise WorkerError("The model ended.")

    app = open_app(hand_made, query="q1", question="q1/a", judge="ann")
    reword(app, hand_made, "Why was it?")
    monkeypatch.setattr(worker, "encode", fail)
    reword(app, hand_made, "Why would it be?")
    assert "The model ended." in page_html(app)
    app.run()
    drawn_until_done(app)
    assert len(calls) == 1
    app.session_state[session.KEY].to_grade = "q1"
    drawn_until_done(app)
    assert len(calls) == 2
