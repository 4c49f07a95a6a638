"""A board as a file: EXAM and n-EXAM in their columns, any other measure in its own."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from zipfile import ZipFile

import pytest

from curator.errors import InputFileError
from curator.workspace import Workspace
from tests.samples.workspaces import (
    graded_file,
    graded_passage,
    question_bank,
)

WORKBENCH = ["method", "exam", "+/-", "exam-std", "n-exam", "+/-", "n-exam-std"]
RANK = "orig_TREC_leaderboard_rank"
EMPTY = ("", "+/-", "")
"""The columns of n-EXAM where there is none."""


@pytest.fixture
def deep_and_wide(tmp_path):
    """A system whose passages answer one question twice, and one that answers both.

    By hand, of q1 and q2: P@2 of deep 2/2 and 1/2, of wide 1/2 and 1/2; Cover of deep
    1/2 and 1, of wide 2/2 and 1. Every grade is known, and no official rank.
    """

    def passage(passage_id, query_id, ratings, **ranks):
        return graded_passage(passage_id, query_id, ratings, ranks=ranks)

    graded = {
        "q1": [
            passage("p1", "q1", {"q1/a": 5, "q1/b": 0}, deep=1),
            passage("p5", "q1", {"q1/a": 5, "q1/b": 0}, deep=2),
            passage("p2", "q1", {"q1/a": 4, "q1/b": 4}, wide=1),
            passage("p6", "q1", {"q1/a": 0, "q1/b": 0}, wide=2),
        ],
        "q2": [passage("p4", "q2", {"q2/c": 5}, deep=1, wide=1)],
    }
    bank = {"q1": {"q1/a": "Why?", "q1/b": "How?"}, "q2": {"q2/c": "When?"}}
    with Workspace.open(tmp_path / "w.db", create=True, judge="ann") as opened:
        opened.import_(
            autograder=graded_file(tmp_path / "graded.jsonl", graded),
            bank=question_bank(tmp_path / "bank.jsonl", bank),
        )
        yield opened


def official(folder: Path) -> Path:
    path = folder / "official.json"
    path.write_text(json.dumps({"wide": 1, "deep": 2}))
    return path


def board(workspace: Workspace, target: Path, **options):
    """The rows of the board as exported, and what its writer says."""
    summary = workspace.export("leaderboard", target, **options)
    text = target.read_text("utf-8-sig")
    between = "," if target.suffix == ".csv" else "\t"
    return list(csv.reader(text.splitlines(), delimiter=between)), summary.notices


def test_another_measure_has_columns_of_its_own_after_those_of_exam(
    workspace, tmp_path
):
    rows, notices = board(
        workspace, tmp_path / "b.tsv", measure="P@2", allow_partial=True
    )
    # by hand: one has p1 of q1, which answers a, and nothing of q2; two all of both
    # with p2 and p1 in q1 and p4 alone in q2
    assert rows == [
        [*WORKBENCH, RANK, "P@2", "+/-", "P@2-std"],
        ["_overall_", "1.0000", "+/-", "", *EMPTY, "", "", "", ""],
        ["two", "1.0000", "+/-", "0.0000", *EMPTY, "1", "0.7500", "+/-", "0.2500"],
        ["one", "0.2500", "+/-", "0.2500", *EMPTY, "2", "0.2500", "+/-", "0.2500"],
        ["spearman", "1.0000", *("", "", "", "", "", ""), "1.0000", "", ""],
        ["kendall", "1.0000", *("", "", "", "", "", ""), "1.0000", "", ""],
    ]
    said = "exam is Cover of the first 2 passages, the depth of P@2."
    assert said in notices


def test_the_order_is_that_of_the_measure_asked_for(deep_and_wide, tmp_path):
    deep_and_wide.import_(official=official(tmp_path))
    rows, _ = board(deep_and_wide, tmp_path / "b.csv", measure="P@2")
    found = {row[0]: row for row in rows}
    assert [name for name in found if name in ("deep", "wide")] == ["deep", "wide"]
    assert [found["deep"][i] for i in (1, 5, 6)] == ["0.75", "2", "0.75"]
    assert [found["wide"][i] for i in (1, 5, 6)] == ["1.0", "1", "0.5"]
    # by hand: Cover orders as the officials do, P@2 the other way round
    assert [found["kendall"][i] for i in (1, 6)] == ["1.0", "-1.0"]
    # by hand: two lines of two scores with their errors and a rank, the overall Cover,
    # and four correlations
    verified = deep_and_wide.verify(against=tmp_path / "b.csv")
    assert (verified.problems, verified.files[0].numbers) == ((), 2 * 5 + 1 + 4)


def test_a_releases_board_holds_what_was_frozen_and_no_ranks(deep_and_wide, tmp_path):
    deep_and_wide.release("v1", measure="P@2")
    rows, _ = board(deep_and_wide, tmp_path / "v1.tsv", release="v1")
    found = {row[0]: (row[1], row[7], row[8]) for row in rows[1:]}
    assert found == {"wide": ("", "", "0.5000"), "deep": ("", "", "0.7500")}
    deep_and_wide.import_(official=official(tmp_path))
    assert deep_and_wide.verify(against=tmp_path / "v1.tsv").problems == ()
    deep_and_wide.export("leaderboard", tmp_path / "b.tot", release="v1")
    lines = "deep\tP@2\tall\t0.75\nwide\tP@2\tall\t0.5\n"
    assert (tmp_path / "b.tot").read_text() == lines


@pytest.mark.parametrize("ending", ["tot", "ir_measures", "zip"])
def test_a_board_goes_out_as_evaluation_tools_read_it_with_every_querys_score(
    ending, deep_and_wide, tmp_path
):
    target = tmp_path / f"b.{ending}"
    summary = deep_and_wide.export("leaderboard", target, measure="P@2")
    assert not any("Cover" in one for one in summary.notices)  # no such column
    if ending == "zip":
        with pytest.raises(InputFileError, match=r"^b\.zip: .*trec_eval.*FILE\.tot"):
            deep_and_wide.verify(target)
        target = tmp_path / "boards"
        ZipFile(tmp_path / "b.zip").extractall(target)
        assert (target / "deep").read_text().splitlines()[1:] == [
            f"{'P_2':<22}\tq2\t0.5000",
            f"{'P_2':<22}\tall\t0.7500",
        ]
    else:  # by hand, as the fixture says
        columns = {"tot": ["deep", "P@2", "q2"], "ir_measures": ["deep", "q2", "P@2"]}
        lines = target.read_text().splitlines()
        assert lines[1] == "\t".join([*columns[ending], "0.5"])
        assert len(lines) == 6
        assert deep_and_wide.verify(target).problems == ()
        target.write_text(target.read_text().replace("0.75", "0.65"))
        assert "deep" in deep_and_wide.verify(target).problems[-1]
    with Workspace.open(tmp_path / "other.db", create=True) as other:
        other.import_(official=target)
        assert other.collection().official == {"deep": 1, "wide": 2}
