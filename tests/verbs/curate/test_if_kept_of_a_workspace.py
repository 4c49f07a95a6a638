"""``if_kept`` on a whole workspace: what it says is what keeping then does."""

from __future__ import annotations

import pytest

from curator.bank.edits import Keep, Propose
from curator.errors import UnknownNameError
from curator.workspace import Workspace
from tests.samples.proposals import opened
from tests.samples.tiny_exams import assert_says
from tests.samples.workspaces import FakeEncoder

TEXTS = (
    "Which pigment is left when chlorophyll goes?",
    "Why are some autumns more colourful than others?",
    "What does a pizza cost in Naples?",
)


@pytest.fixture(scope="module")
def demo(built_demo, tmp_path_factory):
    import shutil

    path = shutil.copy(built_demo, tmp_path_factory.mktemp("if kept") / "demo.db")
    with Workspace.open(path, judge="ann") as workspace:
        workspace.apply(
            [Propose("autumn-leaves", text, "{}") for text in TEXTS], by="chat:m"
        )
        workspace.grade("embedding")
        yield workspace


@pytest.mark.parametrize("measure", ["cover", "P@10", "nDCG@10", "RR"])
def test_it_says_what_keeping_does_whichever_the_measure(demo, measure):
    settings = demo.settings(grader="embedding", measure=measure)
    found = demo.if_kept("autumn-leaves", settings)
    assert found.settings == settings
    assert len(found.proposals) == 3
    for one in found.proposals:
        impact = demo.impact([Keep(one.question_id)], settings=settings)
        assert one.labels_rise == len(impact.labels)
        assert_says(one, impact)


def test_a_measure_of_ir_measures_says_nothing_of_scores(demo):
    settings = demo.settings(grader="embedding", measure="AP")
    for one in demo.if_kept("autumn-leaves", settings).proposals:
        assert (one.movers, one.missing) == (None, 0)


def test_a_query_where_nothing_waits_has_nothing_to_say(demo):
    settings = demo.settings(grader="embedding", measure="cover")
    assert demo.if_kept("pacemaker", settings).proposals == ()
    with pytest.raises(UnknownNameError, match="No query 'nobody'"):
        demo.if_kept("nobody", settings)


@pytest.fixture
def small(tmp_path):
    """An imported grader, which has not seen what waits."""
    with opened(tmp_path) as workspace:
        workspace.apply(Propose("rain", "What is drizzle?", "{}"), by="chat:m")
        yield workspace


def test_an_imported_grader_says_how_many_grades_are_missing(small):
    settings = small.settings(measure="cover")
    found = small.if_kept("rain", settings)
    (one,) = found.proposals
    assert found.settings == settings
    assert (one.missing, one.movers) == (4, None)  # the pool's four passages


def test_one_that_knows_the_proposals_speaks_in_its_place_of_its_own_board(small):
    settings = small.settings(measure="cover")
    small.grade("embedding", encoder=FakeEncoder())
    found = small.if_kept("rain", settings)
    assert found.settings == small.settings(grader="embedding", measure="cover")
    (one,) = found.proposals
    impact = small.impact([Keep(one.question_id)], settings=found.settings)
    assert one.missing == 0
    assert one.labels_rise == len(impact.labels)
    # What is proposed later it has not seen either, and says nothing for both.
    small.apply(Propose("rain", "What is hail?", "{}"), by="chat:m")
    found = small.if_kept("rain", settings)
    assert found.settings == settings
    assert [one.missing for one in found.proposals] == [4, 4]


def test_key_facts_and_questions_are_told_apart(small):
    small.apply(Propose("rain", "Drizzle is fine rain.", "{}", kind="nugget"))
    found = small.if_kept("rain", small.settings(measure="cover"))
    ids = {q.question_id: q.kind for q in small.bank().questions_of("rain")}
    assert [ids[one.question_id] for one in found.proposals] == ["question"]
