"""What other words for a question would do, before they are saved."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from curator.background.service import Service
from curator.background.tasks import RewordPreviewTask
from curator.bank.edits import Retire, Reword
from curator.errors import NothingToChangeError
from curator.verbs.curate.impact import IfReworded
from curator.web.pages.judge.impact_words import reworded_sentences
from curator.workspace import Workspace

TEXT = "Which pigment is left when chlorophyll goes?"


@pytest.fixture
def demo(demo_db: Path) -> Iterator[Workspace]:
    with Workspace.open(demo_db, judge="ann") as workspace:
        workspace.grade("embedding")
        yield workspace


def first(workspace: Workspace) -> str:
    return workspace.bank().questions_of("autumn-leaves")[0].question_id


def said(sentence: tuple[object, ...]) -> str:
    return "".join(part.text for part in sentence)  # type: ignore[attr-defined]


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


def test_words_that_nobody_has_graded_yet_are_weighed_too(demo: Workspace) -> None:
    settings, question_id = demo.settings(grader="embedding"), first(demo)
    there = demo.if_reworded(question_id, TEXT, settings)
    demo.apply(Reword(question_id, TEXT))
    back = demo.if_reworded(question_id, "What is a leaf?", settings)
    assert back.current == there.reworded
    assert back.impact.complete


def test_both_texts_are_put_in_words(demo: Workspace) -> None:
    settings = demo.settings(grader="embedding")
    found = demo.if_reworded(first(demo), TEXT, settings)
    assert found.current is not None
    assert found.reworded is not None
    now, then = map(said, reworded_sentences(found, "embedding"))
    passages = f"{found.current.passages} passages · {found.current.systems} systems"
    assert now == f"Reaches {passages}, by embedding."
    assert then.startswith(f"Would reach {found.reworded.passages} passage")
    assert "system" in then.partition(": ")[2]


def test_words_for_a_retired_question_count_nowhere(demo: Workspace) -> None:
    question_id = first(demo)
    demo.apply(Retire(question_id))
    found = demo.if_reworded(question_id, TEXT, demo.settings(grader="embedding"))
    assert (found.current, found.reworded) == (None, None)
    assert said(reworded_sentences(found, "x")[1]) == "Counts nowhere as things are."


def test_beside_a_page_words_that_cannot_be_are_a_line(demo: Workspace) -> None:
    question_id, settings = first(demo), demo.settings(grader="embedding")
    same = demo.bank().question(question_id).text or ""
    with pytest.raises(NothingToChangeError):
        demo.if_reworded(question_id, same, settings)
    service = Service()
    try:
        about = demo.path, "ann", question_id
        refused = RewordPreviewTask(*about, same, settings, 1).run(service)
        assert isinstance(refused, str)
        assert "text is already" in refused
        retired = RewordPreviewTask(*about, "Why?", settings, 1)
        demo.apply(Retire(question_id))
        assert isinstance(retired.run(service), str | IfReworded)
    finally:
        service.model.close()
