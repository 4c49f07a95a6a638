"""Grades that are probabilities are kept beside the ratings that follow from them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from curator.bank.edits import Reword
from curator.evaluation.grades import GradedQuery, merge_segments
from curator.snapshot.gradebook import lower_ratings
from curator.store import grades as store_grades
from curator.store.connection import write_transaction
from curator.store.texts import item_ids, item_of
from curator.workspace import Workspace
from grading.ratings import NOT_ASKED, ratings_of
from grading.responders import GraderSpec, Reading, Responder
from tests.samples.tiny_exams import pool_of

SPEC = GraderSpec(
    "sure", Responder("sure", "1", "", ()), Reading("rated", "question", "given/1")
)


def put(workspace: Workspace, question_id: str, by_position: dict[int, float]) -> None:
    """Grades of one question, by pool position."""
    question = workspace.bank().question(question_id)
    connection = workspace.connection
    with write_transaction(connection):
        grader_id, _ = store_grades.store_grader(connection, SPEC)
        item = item_of(question)
        ids = item_ids(connection, [item])
        found = {(ids[item], 0): by_position}
        store_grades.write_ratings(connection, grader_id, question.query_id, found)


def graded(workspace: Workspace, query_id: str = "q1") -> GradedQuery:
    snapshot = workspace.current_snapshot()
    return snapshot.matrices("sure", workspace.bank(), [query_id])[query_id]


def test_ratings_follow_and_what_nobody_asked_is_unknown(workspace):
    put(workspace, "q1/a", {0: 0.73, 1: 0.0})
    found = graded(workspace)
    assert found.item_ids == ("q1/a", "q1/b")
    # by hand: .73 reaches 3/5; the pool of q1 has p1, p2 and p0
    assert found.ratings.tolist() == [[3, 0, -1], [-1, -1, -1]]
    assert found.probabilities.dtype == np.float32
    assert found.probabilities.tolist()[0] == [pytest.approx(0.73), 0, NOT_ASKED]
    assert found.gains[0].tolist() == [pytest.approx(0.73), 0, 0]
    assert found.known == 2


def test_an_edit_takes_the_probabilities_along_and_undo_brings_them_back(workspace):
    put(workspace, "q1/a", {0: 0.5, 1: 0.25, 2: 1.0})
    before = graded(workspace).probabilities.tolist()
    workspace.apply(Reword("q1/a", "Why ever?"))
    assert graded(workspace).probabilities is None  # nothing of these words is known
    workspace.undo("q1")
    assert graded(workspace).probabilities.tolist() == before


CASES = {
    # by hand: the document has the best of three segments, (parts, own, best, rating)
    "all known": ([0.1, 0.4, 0.73], -1, 0.73, 3),
    "one not asked": ([0.1, -1, 0.93], -1, -1, -1),  # it may be surer still
    "nothing is surer": ([1.0, -1, -2], -1, 1, 5),
}


@pytest.mark.parametrize(("parts", "own", "best", "rating"), CASES.values(), ids=CASES)
def test_a_document_has_the_best_of_its_segments(parts, own, best, rating):
    shares = np.array([[own, *parts]], dtype=np.float32)
    pool = pool_of([[0]], 4)
    pool = replace(pool, segments={0: (1, 2, 3)}, segment_only=(1, 2, 3))
    found = merge_segments(
        GradedQuery(pool, ("q/a",), ratings_of(shares), "rated", probabilities=shares)
    )
    assert found.probabilities.tolist() == [[np.float32(best), 0, 0, 0]]
    assert found.ratings.tolist() == [[rating, 0, 0, 0]]


def test_both_take_the_lower_one():
    one = np.array([0.2, 0.9, -1, -1, 0.7], dtype=np.float32)
    other = np.array([4, 2, 0, 3], dtype=np.int8)
    assert lower_ratings(one, other).tolist() == [
        *(np.float32(0.2), np.float32(0.4), 0, -1, -1)
    ]


def test_a_release_of_means_freezes_the_probabilities_that_they_are_of(workspace):
    put(workspace, "q1/a", {0: 0.25, 1: 0.75})
    put(workspace, "q1/b", {0: 0.5, 1: 0.0})
    given = {"grader": "sure", "measure": "nDCG@2", "allow_partial": True}
    best = workspace.release("best", **given)
    mean = workspace.release("mean", label="mean", **given)
    assert best.sha256 != mean.sha256
    assert "probabilities" not in workspace.release_named("best")[1].canonical
    _, frozen = workspace.release_named("mean")
    # by hand: 5 (.25 + .5) / 2 = 1.875 and 5 (.75 + 0) / 2 = 1.875
    labels = [label for (q, _), label in frozen.labels().items() if q == "q1"]
    assert labels == [1.875, 1.875]
    # times 6,000, the scale of labels that no smaller one makes whole
    assert {*workspace.qrels(release="mean")["q1"].values()} == {11250}
    assert workspace.release_difference("mean").is_empty
    put(workspace, "q1/a", {0: 0.3, 1: 0.75})
    drifts = {one.record.name: one for one in workspace.release_drifts()}
    (drift,) = drifts["mean"].labels
    assert (drift.before, drift.after) == (1.875, pytest.approx(2.0, abs=1e-6))
