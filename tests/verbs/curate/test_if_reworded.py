"""What other words for a question would do, before they are saved."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from curator.background.service import Service
from curator.background.tasks import RewordPreviewTask
from curator.bank.edits import Retire, Reword
from curator.errors import NothingToChangeError
from curator.workspace import Workspace

TEXT = "Which pigment is left when chlorophyll goes?"


@pytest.fixture
def demo(demo_db: Path) -> Iterator[Workspace]:
    with Workspace.open(demo_db, judge="ann") as workspace:
        workspace.grade("embedding")
        yield workspace


def first(workspace: Workspace) -> str:
    return workspace.bank().questions_of("autumn-leaves")[0].question_id


def test_what_is_said_of_other_words_comes_true_when_they_are_saved(
    demo: Workspace,
) -> None:
    settings, question_id = demo.settings(grader="embedding"), first(demo)
    lines = demo.questions(settings, query_id="autumn-leaves")
    found = demo.if_reworded(question_id, TEXT, settings)
    assert found.current == lines[0].influence
    demo.apply(Reword(question_id, TEXT))
    demo.grade("embedding")
    assert (
        demo.questions(settings, query_id="autumn-leaves")[0].influence
        == found.reworded
    )
    before = demo.baselines("autumn-leaves").last_edit
    impact = demo.impact(since=before, settings=settings)
    assert [one.score_after for one in impact.moves] == [
        one.score_after for one in found.impact.moves
    ]


def test_words_for_a_retired_question_count_nowhere(demo: Workspace) -> None:
    question_id = first(demo)
    demo.apply(Retire(question_id))
    found = demo.if_reworded(question_id, TEXT, demo.settings(grader="embedding"))
    assert (found.current, found.reworded) == (None, None)


def test_beside_a_page_words_that_cannot_be_are_a_line(demo: Workspace) -> None:
    question_id, settings = first(demo), demo.settings(grader="embedding")
    same = demo.bank().question(question_id).text or ""
    with pytest.raises(NothingToChangeError):
        demo.if_reworded(question_id, same, settings)
    service = Service()
    try:
        about = demo.path, "ann", question_id
        refused = RewordPreviewTask(*about, same, settings, 1).run(service)
        assert "text is already" in refused
    finally:
        service.model.close()
