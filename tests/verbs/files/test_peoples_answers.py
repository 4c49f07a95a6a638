"""What people say of answers goes out as grades and labels, and in a bundle as said."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from curator.bank.edits import JudgeAnswer
from curator.workspace import Workspace
from tests.samples.checked_answers import answered_workspace, judged
from tests.samples.command_line import json_of, run


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = answered_workspace(tmp_path / "answered")
    judged(path)
    return path


def board_of(path: Path, grader: str) -> list[tuple[str, float]]:
    found = json_of("leaderboard", path, "--grader", grader)
    return [(one["system"], one["score"]) for one in found["systems"]]


def test_grades_by_people_come_back_as_those_of_another_grader(path: Path) -> None:
    out = path.with_name("people.jsonl")
    said = run("export", path, "--autograder", out, "--grader", "people").stderr
    assert "Grades of 1 other grader left out." in said
    assert "1 kept item without a grade" in said  # q/c, which nobody was asked
    other = path.with_name("other.db")
    bank = path.with_name("bank.jsonl")
    run("import", other, "--bank", bank, "--autograder", out)
    (grader,) = json_of("status", other)["graders"]
    assert (grader["name"], grader["kind"]) == ("people/people", "rated")
    assert (grader["known"], grader["needed"]) == (5, 12)
    with Workspace.open(path) as here, Workspace.open(other) as there:
        ours = here.pool("q", grader="people")
        theirs = there.pool("q", grader="people/people")
        assert [one.answers for one in ours] == [one.answers for one in theirs]
        assert [one.label for one in ours] == [one.label for one in theirs]


def test_a_bundle_brings_verdicts_and_so_the_grader(path: Path) -> None:
    bundle, other = path.with_name("all.zip"), path.with_name("other.db")
    # Their missing grades are nobody's fault; the other grader's are one.
    run("export", path, "--bundle", bundle, "--allow-partial")
    names = zipfile.ZipFile(bundle).namelist()
    assert {"qrels/people.qrels", "boards/people-cover.tsv"} <= {*names}
    assert "grades/people.jsonl" not in names
    run("import", other, "--bundle", bundle)
    assert board_of(other, "people") == board_of(path, "people")
    assert "differ" not in run("verify", other).stdout
    # Computed again as people had said it then, whatever they say by now.
    with Workspace.open(other, judge="ann") as workspace:
        workspace.apply(JudgeAnswer("q/b", "in the White House", "wrong"))
        assert workspace.verify().problems == ()
        workspace.undo("q")
        workspace.undo("q")
        assert [one.name for one in workspace.graders()] == ["fake-llm/Answers"]
        assert workspace.verify().problems == ()
