"""``grade``: what is missing is asked, once, and what is finished is kept."""

from __future__ import annotations

import numpy as np
import pytest

from curator.bank.edits import Add, Retire, Reword
from curator.snapshot.gradebook import GraderRecord
from curator.verbs.grading.resolve_grader import register_grader
from curator.workspace import Workspace
from grading.errors import UnknownGraderError
from grading.graders.embedding import COSINE_1, READINGS, spec
from tests.samples.workspaces import (
    FakeEncoder,
    demo_workspace,
    one_graded,
    small_workspace,
    vectors_of,
)


@pytest.fixture
def demo(tmp_path, demo_folder):
    with demo_workspace(tmp_path / "demo.db", demo_folder) as opened:
        yield opened


def asked(workspace, **options):
    """The texts the encoder is asked for by one grading, which are all different."""
    encoder = FakeEncoder()
    workspace.grade("embedding", encoder=encoder, **options)
    assert len(encoder.texts) == len(set(encoder.texts))
    return sorted(encoder.texts)


def test_a_passage_that_joins_a_pool_is_all_that_is_asked(workspace, tmp_path):
    asked(workspace)
    workspace.import_(
        autograder=one_graded(tmp_path / "more.jsonl", "p9", "q2", {}, ranks={"one": 2})
    )
    board = workspace.leaderboard(grader="embedding")
    assert board.needed - board.known == 1
    assert workspace.verify().problems == ()
    assert asked(workspace) == ["Text of p9."]
    assert workspace.leaderboard(grader="embedding").complete
    assert workspace.verify().problems == ()


@pytest.fixture
def portions_of_10(monkeypatch):
    monkeypatch.setattr("curator.verbs.grading.run_computed.PORTION", 10)


def test_a_grading_takes_nothing_from_one_of_the_same_query_meanwhile(
    demo, portions_of_10
):
    """Two gradings at once, each by portions: the slower undoes none of the other."""
    others = FakeEncoder()

    def grade_all_at_once(done, total):
        if done and not others.texts:
            with Workspace.open(demo.path) as other:
                other.grade("embedding", encoder=others)
                assert other.leaderboard(grader="embedding").complete
        elif done:
            with Workspace.open(demo.path) as other:
                assert other.leaderboard(grader="embedding").complete

    demo.grade("embedding", encoder=FakeEncoder(), progress=grade_all_at_once)
    assert others.texts
    assert demo.verify().problems == ()


def test_ratings_follow_from_the_vectors(tmp_path):
    """The cosine on its scale, cut into fifths, here computed by hand.

    Each passage is one sentence, so the best sentence has the passage's cosine. A
    grader that was stored before goes on by the cosine cut at .50 .55 .60 .65 .75.
    """
    with small_workspace(tmp_path) as workspace:
        register_grader(workspace.connection, GraderRecord(0, spec(reading=COSINE_1)))
        workspace.grade("embedding", encoder=FakeEncoder())
        workspace.grade("embedding (2)", encoder=FakeEncoder())
        snapshot = workspace.current_snapshot()
        stored, graded = (
            snapshot.matrix(name, "q2", snapshot.bank)
            for name in ("embedding", "embedding (2)")
        )
        (question,) = vectors_of("When is it?").astype(float)
        cosines = []
        for passage_id in graded.pool.passage_ids:
            (passage,) = vectors_of(f"Text of {passage_id}.").astype(float)
            cosine = question @ passage / (question @ question) ** 0.5
            cosine /= (passage @ passage) ** 0.5
            cosines.append(cosine)
        assert stored.probabilities is None
        cuts = (0.5, 0.55, 0.6, 0.65, 0.75)
        assert stored.ratings.tolist() == [[sum(c >= t for t in cuts) for c in cosines]]
        values = [
            0.8 * max(c, 0) / 0.65 if c < 0.65 else 0.8 + 0.2 * (c - 0.65) / 0.35
            for c in cosines
        ]
        np.testing.assert_allclose(graded.probabilities, [values], atol=1e-6)
        assert graded.ratings.tolist() == [[int(5 * value) for value in values]]


FACT = Add("q1", "It is a fact.", "nugget")


def test_questions_and_nuggets_are_graded_alike(workspace):
    workspace.apply(FACT)
    workspace.grade("embedding", encoder=FakeEncoder())
    board = workspace.leaderboard(grader="embedding")
    # by hand: (2 questions + 1 nugget) x 3 passages and 1 question x 2
    assert (board.known, board.needed) == (11, 11)
    assert workspace.leaderboard(grader="fake-llm/Rated").needed == 8


def test_a_grader_of_an_older_file_goes_on_with_questions(workspace):
    record = GraderRecord(0, spec(reading=READINGS[-1]))
    register_grader(workspace.connection, record)
    workspace.apply(FACT)
    done = workspace.grade("embedding", encoder=FakeEncoder())
    assert (done.asked, done.nuggets) == (8, 1)
    before = workspace.leaderboard(grader="embedding").scores()
    with pytest.raises(UnknownGraderError):
        workspace.grade("embedding (3)", encoder=FakeEncoder())
    beside = workspace.grade("embedding (2)", encoder=FakeEncoder())
    assert (beside.grader, beside.asked, beside.nuggets) == ("embedding (2)", 11, 0)
    assert workspace.leaderboard(grader="embedding").scores() == before
    name = workspace.grade("both:embedding+embedding (2)").grader
    kinds = {grader.name: grader.item_kind for grader in workspace.graders()}
    assert (kinds["embedding (2)"], kinds[name]) == ("any", "question")


def test_grades_since_an_event_cover_the_earlier_words_too(workspace):
    before = workspace.baselines().latest
    workspace.apply([Reword("q1/a", "Why so?"), Retire("q2/c")])
    texts = asked(workspace, since=before)
    assert {"Why is it?", "Why so?", "When is it?"} <= set(texts)
    impact = workspace.impact(since=before, grader="embedding")
    assert (impact.missing, impact.missing_before) == (0, 0)
