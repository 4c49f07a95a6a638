"""A local grader that was complete catches up with edits by itself, and only then."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.background.tasks import CommandTask
from curator.bank.edits import Reword
from curator.collection.budgets import Budget
from curator.store.connection import open_workspace, write_transaction
from curator.store.grades import write_budget
from curator.web.components import session
from curator.workspace import Workspace
from tests.samples.local_grader import LOCAL, grade
from tests.samples.noted_tasks import NotedTasks
from tests.web.conftest import OpenApp, page_html


@pytest.fixture
def noted(monkeypatch: pytest.MonkeyPatch) -> NotedTasks:
    """The server's tasks, none of which is run."""
    service = NotedTasks()
    monkeypatch.setattr(session, "service", lambda: service)
    return service


def reword(path: Path, question_id: str = "q1/a") -> None:
    with Workspace.open(path, judge="ann") as workspace:
        workspace.apply(Reword(question_id, f"Why was {question_id}?"))


def test_an_edit_starts_the_grader_that_was_complete_once(
    open_app: OpenApp, hand_made: Path, noted: NotedTasks
) -> None:
    grade(hand_made)
    app = open_app(hand_made, grader=LOCAL, query="q1", judge="ann")
    assert noted.sent == []
    reword(hand_made)
    html = page_html(app.run())
    assert noted.sent == [CommandTask(hand_made, "start", LOCAL, "ann")]
    assert "2 grades missing" in html
    app.run()
    assert len(noted.sent) == 1
    # The next edit is another reason.
    reword(hand_made, "q1/c")
    app.run()
    assert len(noted.sent) == 2


def test_it_catches_up_within_the_budget_of_last_time(
    open_app: OpenApp, hand_made: Path, noted: NotedTasks
) -> None:
    grade(hand_made)
    with Workspace.open(hand_made) as workspace:
        (record,) = workspace.current_snapshot().gradebook.match_graders(LOCAL)
    connection = open_workspace(hand_made)
    write_budget(connection, record.grader_id, ["q1"], Budget(sample=1, seed=0))
    connection.close()
    reword(hand_made)
    open_app(hand_made, grader=LOCAL, query="q1", judge="ann").run()
    (task,) = noted.sent
    assert "--same-budget" in task.arguments


def test_a_grader_that_was_never_complete_waits_to_be_told(
    open_app: OpenApp, hand_made: Path, noted: NotedTasks
) -> None:
    grade(hand_made)
    connection = open_workspace(hand_made)
    with write_transaction(connection):
        connection.execute("DELETE FROM rating_vector WHERE query_id = 'q2'")
    connection.close()
    reword(hand_made)
    html = page_html(open_app(hand_made, grader=LOCAL, query="q1", judge="ann"))
    assert noted.sent == []
    assert "3 grades missing under flan-t5-large." in html
    assert f'data-pick="grade:{LOCAL}"' in html


def test_the_grades_of_a_running_job_are_left_out_of_what_is_seen(
    hand_made: Path,
) -> None:
    with Workspace.open(hand_made) as workspace:
        whole, besides = (
            workspace.version(),
            workspace.version(besides=["fake-llm/Rated"]),
        )
        assert besides != whole
        assert workspace.version(besides=["no such grader"]) == whole
