"""``curator passages``: a query's pool on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.bank.edits import Retire
from curator.workspace import Workspace
from tests.samples.checked_answers import answered_workspace
from tests.samples.command_line import json_of, run


@pytest.fixture
def path(workspace: Workspace) -> Path:
    return workspace.path


def test_what_changed_is_compared_with_my_last_edit(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CURATOR_USER", "ann")
    nothing = run("passages", path, "--query", "q1", "--show", "changed", code=1)
    assert "--since EVENT" in nothing.stderr
    with Workspace.open(path, judge="ann") as workspace:
        workspace.apply(Retire("q1/a"))
    result = run(
        "passages", path, "--query", "q1", "--show", "changed", "--format", "tsv"
    )
    # By hand: without a, p1 falls from 5 to b's 0.
    assert result.stdout.splitlines()[1:] == ["p1\t5\t0\t2\t\tone 1, two 2"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--query", "q9"), "No query 'q9'"),
        (("--query", "q1", "--question", "q1/z"), "No question 'q1/z'"),
        (("--query", "q1", "--system", "three"), "No system 'three'"),
    ],
)
def test_what_is_not_there_is_one_line(
    path: Path, arguments: tuple[str, ...], said: str
) -> None:
    result = run("passages", path, *arguments, code=1)
    assert said in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_json_says_where_extracted_answers_stand(tmp_path: Path) -> None:
    said = {"p1": {"q/a": "of p1", "q/b": "elsewhere", "q/c": "unanswerable"}}
    path = answered_workspace(tmp_path, said=said)
    given = ["passages", path, "--query", "q", "-m", "cover"]
    (found,) = json_of(*given)["passages"]
    # By hand: the passage is "Text of p1."
    assert found["extracted"] == {
        "q/a": {"answer": "of p1", "start": 5, "end": 10},
        "q/b": {"answer": "elsewhere", "start": None, "end": None},
    }


def test_a_pool_to_a_depth_takes_no_settings_and_needs_no_grader(
    path: Path, tmp_path: Path
) -> None:
    refused = run("passages", path, "--depth", 2, "-m", "P@10", code=2).stderr
    assert "--depth does not go with --measure" in refused
    refused = run("passages", path, "--since", "1", "--depth", 2, code=2).stderr
    assert "--depth does not go with --since" in refused
    assert "Give --query, or --depth" in run("passages", path, code=2).stderr
    runs, passages = tmp_path / "a.run", tmp_path / "passages.tsv"
    runs.write_text("q Q0 d1 1 2 a\nq Q0 gone 2 1 a\n")
    passages.write_text("d1\tA text.\n")
    new = tmp_path / "new.db"
    run("import", new, "--runs", runs, "--passages", passages)
    printed = run("passages", new, "--depth", 5)
    assert "d1" in printed.stdout
    assert "1 rank of passages without a text left out." in printed.stderr
