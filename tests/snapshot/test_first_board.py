"""The first board: nDCG@10 of questions, Cover of nuggets; the best rating counts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from curator.bank.edits import Add, Retire
from curator.errors import EvaluationError
from curator.evaluation.settings import Settings
from curator.snapshot.settings import reference_settings
from curator.workspace import Workspace
from tests.samples.command_line import json_of, run
from tests.samples.workspaces import FakeEncoder


@pytest.fixture
def workspace(hand_made: Path):
    with Workspace.open(hand_made) as workspace:
        yield workspace


def test_a_bank_of_questions_has_ndcg_under_its_first_grader(workspace):
    assert workspace.settings() == Settings("fake-llm/Rated", "nDCG@10", k=10)


def test_a_bank_of_nuggets_has_cover(workspace):
    kept = [question for question in workspace.bank() if question.state == "kept"]
    workspace.apply([Retire(question.question_id) for question in kept])
    workspace.apply(Add("q1", "Ploughing", kind="nugget"))
    workspace.grade("instant", encoder=FakeEncoder())
    assert workspace.settings("instant") == Settings("instant", "cover")
    # A grader of questions has nothing to do with nuggets.
    assert workspace.settings("fake").measure == "nDCG@10"
    workspace.apply([Add("q1", "What else?"), Add("q1", "And what then?")])
    assert workspace.settings("instant").measure == "nDCG@10"


def test_the_instant_grader_comes_first_once_it_has_graded_every_query(workspace):
    queries = [*workspace.collection().pools]
    for query_id in queries[:-1]:
        workspace.grade("instant", query_id=query_id, encoder=FakeEncoder())
    assert workspace.settings().grader == "fake-llm/Rated"
    workspace.grade("instant", encoder=FakeEncoder())
    first = Settings("instant", "nDCG@10", k=10)
    assert workspace.settings() == first
    assert workspace.leaderboard().settings == first
    workspace.apply(Add("q1", "What else?"))
    assert workspace.settings() == first
    shown = json_of("leaderboard", workspace.path)["settings"]
    assert shown["grader"] == "instant"
    assert shown.get("label", "max") == "max"


def test_labels_are_the_best_ratings_under_every_measure(workspace):
    workspace.grade("instant", encoder=FakeEncoder())
    for measure in ("nDCG@10", "cover", "P@5", "AP", "nDCG(dcg='exp-log2')@10"):
        assert workspace.settings(measure=measure).label == "max"
    assert workspace.settings(label="top3").measure == "nDCG@10"
    every = workspace.qrels(label="max", allow_partial=True)
    assert workspace.qrels(allow_partial=True) == every
    best = workspace.qrels(label="max", binary=True, allow_partial=True)
    assert workspace.qrels(binary=True, allow_partial=True) == best


def test_a_mean_is_refused_where_it_is_cut_at_the_rating_of_an_answer(workspace):
    for measure in ("P@20", "AP", "RR"):
        with pytest.raises(EvaluationError, match="hardly ever reaches"):
            workspace.leaderboard(measure=measure, label="mean")
    workspace.leaderboard(measure="P(rel=1)@20", label="mean")
    workspace.leaderboard(measure="nDCG@10", label="mean")
    with pytest.raises(EvaluationError, match="all binary labels would be 0"):
        workspace.qrels(label="mean", binary=True, min_rating=5, allow_partial=True)


def test_default_measures_that_refuse_a_mean_are_left_out(workspace):
    path = workspace.path
    boards = json_of("compare", path, "--label", "mean")["measures"]
    assert [one["settings"]["measure"] for one in boards] == ["nDCG@10", "cover"]
    run("compare", path, "--measure", "P@20", "--label", "mean", code=1)
    rows = workspace.validity(labels="mean", bootstrap=0)
    assert "P@20" not in {row.settings.measure for row in rows}
    with pytest.raises(EvaluationError, match="hardly ever reaches"):
        workspace.validity("P@20", labels="mean", bootstrap=0)
    # A reference has the best ratings where its measure refuses a mean.
    settings = workspace.settings(label="mean")
    reference = reference_settings(
        workspace.current_snapshot(), settings, "grader:fake:P@1"
    )
    assert (reference.measure, reference.label) == ("P@1", "max")


@pytest.mark.parametrize("graded", [False, True])
def test_every_command_begins_with_the_same_board(workspace, tmp_path, graded):
    if graded:
        workspace.grade("instant", encoder=FakeEncoder())
    first = workspace.settings()
    path = workspace.path
    said = [
        json_of("leaderboard", path)["settings"],
        json_of("compare", path)["measures"][0]["settings"],
        json_of("correlate", path, "--against", "judgments:P@1")["settings"],
        json_of("sweep", path, "--against", "judgments:P@1")[0],
    ]
    run("export", path, "--qrels", tmp_path / "x.qrels", "--allow-partial")
    said.append(
        json.loads((tmp_path / "x.qrels.manifest.json").read_text())["settings"]
    )
    for one in said:
        assert (one["measure"], one["grader"]) == (first.measure, first.grader)
        assert one.get("label", "max") in (first.label, None)
        assert one.get("min_rating", 4) == first.min_rating == 4
    run("figure", path, "bump", tmp_path / "bump.svg")
    assert f"{first.measure}" in (tmp_path / "bump.svg").read_text()


def test_who_grades_goes_on_where_nobody_is_named(workspace):
    assert workspace.grade(dry_run=True).grader == "instant"
    workspace.grade("embedding", encoder=FakeEncoder())
    assert workspace.grade(dry_run=True).grader == "embedding"
    workspace.grade("instant", encoder=FakeEncoder())
    assert workspace.grade(dry_run=True).grader == "instant"


def test_a_grader_of_passages_has_no_cover_to_show_first(workspace, tmp_path):
    (tmp_path / "labels.qrels").write_text("q1 0 p1 1\n")
    workspace.import_(labels={"umbrela": tmp_path / "labels.qrels"})
    assert workspace.settings("umbrela").measure == "nDCG@10"
    assert workspace.settings("umbrela", "cover").measure == "cover"


def test_a_third_of_the_demos_questions_move_a_rank_when_they_are_retired(demo_db):
    with Workspace.open(demo_db) as workspace:
        kept = [question for question in workspace.bank() if question.state == "kept"]
        moving = [
            question
            for question in kept
            if workspace.impact(Retire(question.question_id)).movers
        ]
        assert 3 * len(moving) >= len(kept)
        # The tour begins with this one.
        first = workspace.questions(query_id="autumn-leaves")[0].question
        assert first in moving
