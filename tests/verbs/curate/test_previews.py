"""Previews of a new question, of other words and of a proposal come true."""

from __future__ import annotations

import shutil

import pytest

from curator.bank.edits import Add, Keep, Propose, Retire, Reword
from curator.workspace import Workspace
from tests.samples.proposals import opened
from tests.samples.tiny_exams import assert_says
from tests.samples.workspaces import FakeEncoder

QUERY = "autumn-leaves"
TEXT = "Which pigment is left when chlorophyll goes?"
PROPOSED = (
    "Why are some autumns more colourful than others?",
    "What does a pizza cost in Naples?",
)


@pytest.fixture(scope="module")
def demo(built_demo, tmp_path_factory):
    """The demo with two proposals, all of it graded by its embeddings."""
    path = shutil.copy(built_demo, tmp_path_factory.mktemp("previews") / "demo.db")
    with Workspace.open(path, judge="ann") as workspace:
        workspace.apply([Propose(QUERY, text, "{}") for text in PROPOSED], by="chat:m")
        workspace.grade("embedding")
        yield workspace


@pytest.fixture
def copied(demo, tmp_path):
    path = shutil.copy(demo.path, tmp_path / "demo.db")
    with Workspace.open(path, judge="ann") as workspace:
        yield workspace


@pytest.mark.parametrize("measure", ["cover", "P@10", "nDCG@10", "RR"])
def test_if_kept_is_the_impact_of_keeping(demo, measure):
    settings = demo.settings(grader="embedding", measure=measure)
    found = demo.if_kept(QUERY, settings)
    assert found.settings == settings
    assert len(found.proposals) == 2
    for proposal in found.proposals:
        impact = demo.impact([Keep(proposal.question_id)], settings=settings)
        assert proposal.labels_rise == len(impact.labels)
        assert_says(proposal, impact)


def test_a_grader_that_knows_the_proposals_replaces_one_that_does_not(tmp_path):
    with opened(tmp_path) as small:
        small.apply(Propose("rain", "What is drizzle?", "{}"), by="chat:m")
        settings = small.settings(measure="cover")
        (unknown,) = small.if_kept("rain", settings).proposals
        assert (unknown.missing, unknown.movers) == (4, None)  # the pool's passages
        small.grade("embedding", encoder=FakeEncoder())
        found = small.if_kept("rain", settings)
        assert found.settings == small.settings(grader="embedding", measure="cover")
        (known,) = found.proposals
        impact = small.impact([Keep(known.question_id)], settings=found.settings)
        assert (known.missing, known.labels_rise) == (0, len(impact.labels))
        # It has not graded a later proposal, and key facts are left out.
        small.apply(Propose("rain", "What is hail?", "{}"), by="chat:m")
        small.apply(Propose("rain", "Hail is ice.", "{}", kind="nugget"))
        found = small.if_kept("rain", settings)
        assert found.settings == settings
        assert [proposal.missing for proposal in found.proposals] == [4, 4]


def test_if_added_has_the_reach_of_the_question_once_it_is_added(copied):
    settings = copied.settings(grader="embedding")
    found = copied.if_added(QUERY, TEXT, settings)
    assert found.nearest is None  # without an encoder
    (change,) = copied.apply(Add(QUERY, TEXT)).changes
    copied.grade("embedding")
    lines = copied.questions(settings, query_id=QUERY)
    (influence,) = [
        line.influence
        for line in lines
        if line.question.question_id == change.question_id
    ]
    assert (found.passages, found.systems) == (influence.passages, influence.systems)
    assert found.passages


def test_if_reworded_comes_true_when_the_words_are_saved(copied):
    settings = copied.settings(grader="embedding")
    (first, *_) = copied.questions(settings, query_id=QUERY)
    question_id = first.question.question_id
    found = copied.if_reworded(question_id, TEXT, settings)
    assert found.current == first.influence
    copied.apply(Reword(question_id, TEXT))
    copied.grade("embedding")
    reworded = copied.questions(settings, query_id=QUERY)[0].influence
    assert found.reworded == reworded
    impact = copied.impact(since=copied.baselines(QUERY).last_edit, settings=settings)
    assert [one.score_after for one in impact.moves] == [
        one.score_after for one in found.impact.moves
    ]
    copied.apply(Retire(question_id))
    retired = copied.if_reworded(question_id, "Why?", settings)
    assert (retired.current, retired.reworded) == (None, None)
