"""Self-ratings that are fractions are probabilities, in and out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from curator.workspace import Workspace
from tests.samples.workspaces import dump, graded_file, graded_passage, question_bank

SURE = "fake-llm/Rated"


def graded(folder: Path, *many: dict[str, float], name: str = "g.jsonl") -> Path:
    """Passages p1, p2, … of q1 with these self-ratings."""
    passages = [
        graded_passage(
            f"p{n}", "q1", one, ranks={"one": n}, raws=dict.fromkeys(one, "?")
        )
        for n, one in enumerate(many, 1)
    ]
    return graded_file(folder / name, {"q1": passages})


def opened(folder: Path, file: Path) -> Workspace:
    bank = question_bank(
        folder / "bank.jsonl", {"q1": {"q1/a": "Why is it?", "q1/b": "How is it?"}}
    )
    workspace = Workspace.open(folder / "w.db", create=True, judge="ann")
    workspace.import_(autograder=file, bank=bank)
    return workspace


TWO = ({"q1/a": 0.73, "q1/b": 1}, {"q1/a": 0, "q1/b": 0.05})


@pytest.fixture
def workspace(tmp_path: Path):
    with opened(tmp_path, graded(tmp_path, *TWO)) as workspace:
        yield workspace


def test_they_come_in_with_the_ratings_that_follow(workspace):
    found = workspace.current_snapshot().matrices(SURE, workspace.bank(), ["q1"])["q1"]
    # by hand: .73 reaches 3/5, .05 none
    assert found.ratings.tolist() == [[3, 0], [5, 0]]
    assert found.gains.tolist() == [
        [pytest.approx(0.73), 0],
        [1, pytest.approx(0.05)],
    ]
    assert workspace.verify().problems == ()


def test_they_go_out_and_come_back_the_same(workspace, tmp_path):
    workspace.export("autograder", tmp_path / "out.jsonl")
    (line,) = (tmp_path / "out.jsonl").read_text().splitlines()
    _, passages = json.loads(line)
    (record,) = passages[0]["exam_grades"]
    assert record["self_ratings"] == [
        {"question_id": "q1/a", "self_rating": 0.73},
        {"question_id": "q1/b", "self_rating": 1.0},
    ]
    before = dump(workspace.path)
    (again,) = workspace.import_(autograder=tmp_path / "out.jsonl")
    assert again.new == {}
    assert dump(workspace.path)["response"] == before["response"]
    assert dump(workspace.path)["rating_vector"] == before["rating_vector"]
