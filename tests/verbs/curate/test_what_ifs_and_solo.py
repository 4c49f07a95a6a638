"""What the page asks of the engine beside the impact: what-ifs, solo, was."""

from __future__ import annotations

import shutil

import pytest

from curator import Workspace
from curator.bank.edits import Add, Restore, Retire
from curator.evaluation.impact import SystemMove
from tests.samples.hand_made import hand_made_workspace
from tests.samples.tiny_exams import assert_says


@pytest.fixture
def workspace(tmp_path):
    path = hand_made_workspace(tmp_path / "hand-made")
    with Workspace.open(path, judge="ann") as opened:
        yield opened


def by_id(workspace, query_id, settings):
    return {x.question_id: x for x in workspace.what_ifs(query_id, settings)}


def test_a_what_if_is_the_impact_nobody_has_made_yet(workspace):
    settings = workspace.settings(measure="cover")
    found = by_id(workspace, "q1", settings)
    assert list(found) == ["q1/a", "q1/b", "q1/c"]
    # by hand: one has 2/3 and 0, two 1/3 and 0 over q1 and q2; without a 1/2 each
    assert [(m.system, m.rank_before, m.rank_after) for m in found["q1/a"].movers] == [
        ("two", 2, 1)
    ]
    assert found["q1/a"].labels_fall == 1  # p1 falls from 5 to the 4 of question b
    assert found["q1/a"].scores_changed == 2


def test_where_grades_are_missing_a_what_if_names_no_mover(workspace):
    settings = workspace.settings(measure="cover")
    workspace.apply(Add("q1", "Ungraded?"))
    for one in workspace.what_ifs("q1", settings):
        assert one.movers is None
        assert one.missing == 2  # the new question on p1 and p2


def test_a_what_if_is_without_questions_of_other_queries_that_lack_grades(workspace):
    settings = workspace.settings(measure="cover")
    before = workspace.what_ifs("q1", settings)[0]
    workspace.apply(Add("q2", "Ungraded?"))
    found = workspace.what_ifs("q1", settings, graded_only=True)
    assert found[0] == before  # the graded question of q2 still counts
    retired = workspace.apply(Retire("q1/a")).event_ids[0]
    impact = workspace.impact(edit=retired, settings=settings, graded_only=True)
    assert_says(found[0], impact)
    assert (found[0].queries_before, found[0].missing) == (2, 0)
    # A query that lacks grades itself has no board to be moved.
    assert workspace.what_ifs("q2", settings, graded_only=True)[0].movers is None


def test_solo_compares_the_query_with_itself_under_one_question(workspace):
    settings = workspace.settings(measure="cover")
    # by hand: p1 alone answers a, so one has 1 and two has 0; before 2/3 and 1/3
    found = workspace.solo("q1/a", settings)
    assert found.moves == (
        SystemMove("one", 2 / 3, 1.0, 1, 1),
        SystemMove("two", 1 / 3, 0.0, 2, 2),
    )
    alone = workspace.solo("q1/c", settings)  # answered by p2 alone
    assert [(m.system, m.rank_before, m.rank_after) for m in alone.movers] == [
        ("two", 2, 1),
        ("one", 1, 2),
    ]


@pytest.mark.parametrize("measure", ["cover", "P@1", "nDCG@2", "RR", "Success@1"])
def test_a_retired_question_keeps_the_influence_it_had(workspace, measure):
    settings = workspace.settings(measure=measure)

    def lines():
        found = workspace.questions(settings, query_id="q1")
        return {line.question.question_id: line for line in found}

    before = lines()
    assert {line.influence_if_kept for line in before.values()} == {None}
    workspace.apply(Retire("q1/a"))
    after = lines()
    assert after["q1/a"].influence is None
    assert after["q1/a"].influence_if_kept == pytest.approx(
        before["q1/a"].influence.influence
    )
    assert after["q1/b"].influence_if_kept is None
    workspace.apply(Restore("q1/a"))
    assert lines()["q1/a"].influence_if_kept is None


@pytest.fixture(scope="module")
def dl19(built_dl19, tmp_path_factory):
    path = shutil.copy(built_dl19, tmp_path_factory.mktemp("dl19"))
    with Workspace.open(path, judge="ann") as opened:
        yield opened


@pytest.mark.real_data
@pytest.mark.parametrize(
    "measure", ["cover", "P@20", "P(rel=2)@10", "nDCG@10", "RR", "Success@5"]
)
def test_on_real_grades_every_what_if_is_its_impact(dl19, measure):
    settings = dl19.settings(measure=measure)
    official = dl19.collection().official
    for query_id in list(dl19.collection().pools)[::8]:
        for one in dl19.what_ifs(query_id, settings):
            impact = dl19.impact([Retire(one.question_id)], settings=settings)
            assert one.labels_fall == len(impact.labels)
            assert_says(one, impact)
    assert len(official) == 36
