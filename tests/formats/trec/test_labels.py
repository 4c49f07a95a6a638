"""The qrels that a model wrote become the grades of a direct grader."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from curator.errors import (
    ImportConflictError,
)
from curator.workspace import Workspace
from tests.samples.workspaces import dump, small_workspace

# p4 is in the pool of q2 alone, p9 has no text here, and nobody asked q9.
LABELS = "q1 0 p1 3\nq1 0 p2 0\nq2 0 p3 1\nq1 0 p4 2\nq1 0 p9 3\nq9 0 p1 2\n"
MORE = (
    "1 grade of passages outside the pools, kept in case they join.",
    "Passages without a text here, whose grades are left out (1): p9.",
    "Queries that are not here, whose grades are left out (1): q9.",
)


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with small_workspace(tmp_path) as workspace:
        yield workspace


def qrels(folder: Path, content: str, name: str = "labels.qrels") -> Path:
    path = folder / name
    path.write_text(content)
    return path


def grades(workspace: Workspace, name: str = "umbrela") -> dict[str, list[int]]:
    snapshot = workspace.current_snapshot()
    found = snapshot.matrices(name, workspace.bank(), ["q1", "q2"])
    return {query_id: one.ratings[0].tolist() for query_id, one in found.items()}


def test_labels_are_a_direct_grader_of_what_is_here(workspace, tmp_path):
    file = qrels(tmp_path, LABELS)
    (found,) = workspace.import_(labels={"umbrela": file})
    assert found.new == {"grades": 4}
    assert found.notices == MORE
    # by hand: the pools are p1 p2 p0, and p3 p4
    assert grades(workspace) == {"q1": [3, 0, -1], "q2": [1, -1]}
    assert workspace.verify().problems == ()
    before = dump(workspace.path)
    (again,) = workspace.import_(labels={"umbrela": file})
    assert (again.new, again.notices) == ({}, MORE)
    assert dump(workspace.path) == before


def test_what_a_model_says_otherwise_later_is_refused_whole(workspace, tmp_path):
    workspace.import_(labels={"umbrela": qrels(tmp_path, LABELS)})
    before = dump(workspace.path)
    other = qrels(tmp_path, "q1 0 p2 0\nq1 0 p1 2\n", "other.qrels")
    with pytest.raises(ImportConflictError, match="rates passage 'p1' 2, but") as told:
        workspace.import_(labels={"umbrela": other})
    assert "other.qrels, line 2" in str(told.value)
    assert dump(workspace.path) == before
    workspace.import_(labels={"another": other})
    assert grades(workspace, "another")["q1"] == [2, 0, -1]


def test_fractions_are_probabilities(workspace, tmp_path):
    file = qrels(tmp_path, "q1 0 p1 0.73\nq1 0 p2 1\nq1 0 p0 -1\n")
    workspace.import_(labels={"umbrela": file})
    found = workspace.current_snapshot().matrices("umbrela", workspace.bank(), ["q1"])[
        "q1"
    ]
    # by hand: .73 reaches 3/5
    assert found.ratings.tolist() == [[3, 5, -2]]
    assert found.probabilities[0].tolist() == [pytest.approx(0.73), 1, -2]
    assert workspace.verify().problems == ()
    before = dump(workspace.path)
    (again,) = workspace.import_(labels={"umbrela": file})
    assert again.new == {}
    assert dump(workspace.path) == before
