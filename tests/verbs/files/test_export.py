"""``export``: what is written reads back, here and with someone else's reader."""

from __future__ import annotations

import sqlite3

import ir_measures
import pytest

from curator.bank.edits import Retire, Reword
from curator.errors import EvaluationError
from curator.formats.codec import THINGS
from curator.store.counts import read_counts
from curator.workspace import Workspace
from tests.samples.workspaces import (
    RATED,
    write_lines,
)


@pytest.fixture
def fresh(tmp_path):
    with Workspace.open(tmp_path / "fresh.db", create=True, judge="bob") as opened:
        yield opened


def again(workspace, fresh):
    """The fresh workspace with what was exported of the first one."""
    for kind in ("bank", "autograder"):
        target = workspace.path.with_name(f"out-{kind}.jsonl")
        workspace.export(kind, target)
        fresh.import_(**{kind: target})
    return fresh


def test_retired_questions_are_left_out_of_bank_grades_and_qrels(workspace, fresh):
    workspace.apply(Retire("q1/a"))
    target = workspace.path.with_name("out.qrels")
    workspace.export("qrels", target, grader=RATED, allow_partial=True)
    again(workspace, fresh)
    assert [q.question_id for q in fresh.bank()] == ["q1/b", "q2/c"]
    qrels = ir_measures.read_trec_qrels(str(target))
    # by hand: q1/b rates p1 0 and p2 4, q2/c rates p3 0 and p4 5
    labels = {line.doc_id: line.relevance for line in qrels}
    assert labels == {"p1": 0, "p2": 4, "p3": 0, "p4": 5}


def test_grades_of_other_words_are_not_exported_as_the_questions(workspace, fresh):
    workspace.apply(Reword("q1/a", "Why so?"))
    again(workspace, fresh)
    board = fresh.leaderboard()
    # by hand: q1/b and q2/c on two passages each; of q1/a, and on p0, nothing
    assert (board.known, board.needed) == (4, 2 * 3 + 1 * 2)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        # by hand: the best rating of each passage; nobody graded p0
        ({}, {"p1": 5, "p2": 4, "p3": 0, "p4": 5}),
        ({"binary": True}, {"p1": 1, "p2": 1, "p3": 0, "p4": 1}),
        ({"binary": True, "min_rating": 5}, {"p1": 1, "p2": 0, "p3": 0, "p4": 1}),
    ],
)
def test_qrels_are_read_by_someone_elses_reader(workspace, tmp_path, options, expected):
    target = tmp_path / "out.qrels"
    summary = workspace.export(
        "qrels", target, grader=RATED, allow_partial=True, **options
    )
    qrels = [*ir_measures.read_trec_qrels(str(target))]
    assert {line.doc_id: line.relevance for line in qrels} == expected
    assert [line.query_id for line in qrels] == ["q1", "q1", "q2", "q2"]
    assert summary.written == 4


def test_question_qrels_are_diversity_qrels_to_someone_elses_reader(
    workspace, tmp_path
):
    target = tmp_path / "out.qrels"
    asked = {"grader": RATED, "allow_partial": True}
    summary = workspace.export("question_qrels", target, **asked)
    # by hand: 1 from rating 4; nobody graded p0, so it has no line
    assert target.read_text().splitlines() == [
        *("q1 q1/a p1 1", "q1 q1/a p2 1", "q1 q1/b p1 0", "q1 q1/b p2 1"),
        *("q2 q2/c p3 0", "q2 q2/c p4 1"),
    ]
    assert summary.notices == ("2 grades are missing; they have no line.",)
    runs = workspace.runs()
    names = ("alpha_nDCG@20", "ERR_IA@10", "NRBP", "StRecall@5")
    qrels = [*ir_measures.read_trec_qrels(str(target))]
    for name in names:
        measure = ir_measures.parse_measure(name)
        board = workspace.leaderboard(name, grader=RATED).scores()
        for system, run in runs.items():
            found = ir_measures.calc_aggregate([measure], qrels, run)[measure]
            assert board[system] == pytest.approx(found, abs=1e-9)
    workspace.export("question_qrels", target, graded=True, min_rating=5, **asked)
    assert target.read_text().splitlines()[:2] == ["q1 q1/a p1 5", "q1 q1/a p2 4"]
    as_values = workspace.question_qrels(graded=True, **asked)
    assert as_values["q1"] == {"q1/a": {"p1": 5, "p2": 4}, "q1/b": {"p1": 0, "p2": 4}}


@pytest.mark.parametrize("kind", ["qrels", "question_qrels", "leaderboard"])
def test_what_rests_on_missing_grades_is_refused_unless_asked_for(
    workspace, tmp_path, kind
):
    target = tmp_path / "out.txt"
    with pytest.raises(EvaluationError, match="2 of 8 grades are missing") as refused:
        workspace.export(kind, target, grader=RATED)
    assert "--allow-partial" in str(refused.value)
    assert not target.exists()
    workspace.export(kind, target, grader=RATED, allow_partial=True)
    assert target.exists()


def lost(workspace: Workspace, kind: str) -> tuple[str, ...]:
    return workspace.dropped(kind)


def test_unknown_fields_are_lost_to_every_other_format(tmp_path, workspace):
    query = {"query_id": "q1", "text": "What of q1?", "mood": "cheerful"}
    workspace.import_(queries=write_lines(tmp_path / "more.jsonl", [query]))
    assert "the unknown fields of 1 record" in lost(workspace, "bank")
    assert "the unknown fields of 1 record" not in lost(workspace, "queries")


def test_everything_counted_has_its_words(workspace):
    connection = sqlite3.connect(workspace.path)
    assert read_counts(connection).keys() <= THINGS.keys()
    connection.close()
