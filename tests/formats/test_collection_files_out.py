"""The collection as files: other tools' rules hold, and other tools read the same."""

from __future__ import annotations

import json
from pathlib import Path

import ir_measures
import pytest

from curator.errors import EvaluationError
from curator.formats.trec.runs import run_file_names
from curator.workspace import Workspace
from tests.samples.workspaces import (
    RATED,
    graded_file,
    graded_passage,
    question_bank,
    run_file,
    write_lines,
)


def test_a_run_has_six_columns_single_blanks_and_is_sorted(workspace, tmp_path):
    summary = workspace.export("runs", tmp_path / "all.run")
    # from small_collection, whose scores are 1/rank to six digits
    assert (tmp_path / "all.run").read_text() == (
        "q1 Q0 p1 1 1.0 one\nq1 Q0 p0 2 0.5 one\nq2 Q0 p3 1 1.0 one\n"
        "q1 Q0 p2 1 1.0 two\nq1 Q0 p1 2 0.5 two\nq2 Q0 p4 1 1.0 two\n"
    )
    assert (summary.written, summary.what, summary.notices) == (4, "rankings", ())


def test_no_system_becomes_a_path_or_the_file_of_another_one():
    names = run_file_names(["../x", "a/b", "a:b", "A_b", ".hidden", "bm25+rm3", "é"])
    assert names == {
        "../x": "_._x.run",
        "a/b": "a_b.run",
        "a:b": "a_b-2.run",
        "A_b": "A_b-3.run",
        ".hidden": "_hidden.run",
        "bm25+rm3": "bm25+rm3.run",
        "é": "é.run",
    }


@pytest.mark.parametrize("kind", ["runs", "judgments", "official", "autograder"])
def test_what_judges_are_not_to_see_is_not_written_for_them(workspace, tmp_path, kind):
    workspace.set_up(blind=True)
    target = tmp_path / "secret.out"
    with (
        Workspace.open(workspace.path, judge="jo", as_judge=True) as judging,
        pytest.raises(EvaluationError, match=f"curator export WORKSPACE --{kind} "),
    ):
        judging.export(kind, target)
    assert not target.exists()
    workspace.export(kind, target)  # the organizer may
    assert target.exists()


# Other readers


def subtopic_workspace(folder: Path) -> Workspace:
    """One query with questions a and b of subtopic s, c of t; two systems. By hand.

    Ratings (a, b, c): p1 (5, 0, 1), p2 (4, 4, 0), p3 (0, 0, 3).
    """
    ratings = {"p1": (5, 0, 1), "p2": (4, 4, 0), "p3": (0, 0, 3)}
    ids = ("q/s/a", "q/s/b", "q/t/c")
    passages = [
        graded_passage(p, "q", dict(zip(ids, given, strict=True)))
        for p, given in ratings.items()
    ]
    bank = question_bank(folder / "bank.jsonl", {"q": dict.fromkeys(ids, "Why?")})
    lines = json.loads(bank.read_text())
    for item in lines["items"]:
        item["facet_id"] = item["question_id"].split("/")[1]
        item["question_text"] = f"Why {item['question_id']}?"
    write_lines(bank, [lines])
    workspace = Workspace.open(folder / "s.db", create=True)
    workspace.import_(
        autograder=graded_file(folder / "g.jsonl", {"q": passages}),
        bank=bank,
        runs=[
            run_file(folder / "one.run", {"q": ["p1", "p2", "p3"]}, "one"),
            run_file(folder / "two.run", {"q": ["p3", "p1", "p2"]}, "two"),
        ],
    )
    return workspace


def computed(qrels: Path, run: Path, system: str, measure: object, topic: str = "q"):
    """What ir_measures says of a system's list for the query, of one topic of it."""
    judged = [q for q in ir_measures.read_trec_qrels(str(qrels)) if q.query_id == topic]
    ranked = [
        ir_measures.ScoredDoc(topic, line.split()[2], float(line.split()[4]))
        for line in run.read_text().splitlines()
        if line.endswith(f" {system}")
    ]
    return ir_measures.calc_aggregate([measure], judged, ranked)[measure]


@pytest.mark.parametrize(
    ("topic", "binary", "system", "precision"),
    [
        # at rating 4, by hand: of s p1 and p2 are relevant, of t nothing
        ("q/s", True, "one", 2 / 2),
        ("q/t", True, "one", 0),
        # graded and relevant from 1: of t p1 (1) and p3 (3)
        ("q/t", False, "two", 2 / 2),
    ],
)
def test_ir_measures_reads_qrels_of_subtopics(
    tmp_path, topic, binary, system, precision
):
    with subtopic_workspace(tmp_path) as workspace:
        workspace.export("runs", tmp_path / "out.run")
        workspace.export("qrels", tmp_path / "out.qrels", grader=RATED, binary=binary,
                         by_subtopic=True)  # fmt: skip
    files = tmp_path / "out.qrels", tmp_path / "out.run"
    assert computed(*files, system, ir_measures.P @ 2, topic) == precision
