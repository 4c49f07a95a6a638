"""The reach of a new question while it is typed, and the question nearest to it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from curator.background.service import Service
from curator.background.tasks import AdditionPreviewTask
from curator.bank.edits import Add
from curator.errors import EditError
from curator.workspace import Workspace
from grading.similarity import Vectors

TEXT = "Which pigment is left when chlorophyll goes?"
QUERY = "autumn-leaves"


@pytest.fixture
def demo(demo_db: Path) -> Iterator[Workspace]:
    with Workspace.open(demo_db, judge="ann") as workspace:
        workspace.grade("embedding")
        yield workspace


class OneOfThem:
    """Gives every text the vectors of one stored question."""

    def __init__(self, workspace: Workspace, question_id: str) -> None:
        workspace.near(QUERY)  # reads the vectors
        self.vectors = workspace.current_snapshot().caches.text_vectors
        self.text = workspace.bank().question(question_id).text or ""

    def encode(self, texts: list[str]) -> list[Vectors]:
        from grading.keys import text_key

        (stored,) = self.vectors.values()
        return [stored[text_key(self.text.strip())] for _ in texts]


def test_the_reach_comes_true_when_the_question_is_added(demo: Workspace) -> None:
    settings = demo.settings(grader="embedding")
    found = demo.if_added(QUERY, TEXT, settings)
    assert found.nearest is None  # without an encoder
    before = {q.question_id for q in demo.bank()}
    demo.apply(Add(QUERY, TEXT))
    demo.grade("embedding")
    (line,) = [
        line
        for line in demo.questions(settings, query_id=QUERY)
        if line.question.question_id not in before
    ]
    assert line.influence is not None
    assert (found.passages, found.systems) == (
        line.influence.passages,
        line.influence.systems,
    )
    assert found.passages


def test_the_nearest_question_is_a_kept_one_of_the_query(demo: Workspace) -> None:
    question = demo.bank().questions_of(QUERY)[2]
    encoder = OneOfThem(demo, question.question_id)
    found = demo.if_added(
        QUERY, TEXT, demo.settings(grader="embedding"), encoder=encoder
    )
    assert found.nearest == question


def test_a_text_that_the_query_has_is_a_line(demo: Workspace) -> None:
    same = demo.bank().questions_of(QUERY)[0].text or ""
    settings = demo.settings(grader="embedding")
    with pytest.raises(EditError):
        demo.if_added(QUERY, same, settings)
    service = Service()
    try:
        task = AdditionPreviewTask(demo.path, "ann", QUERY, same, settings, 1)
        assert "already asks" in str(task.run(service))
    finally:
        service.model.close()
