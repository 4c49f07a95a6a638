"""A published bank may ask the same twice: each is retired and taken back alone."""

from __future__ import annotations

import pytest

from curator.bank.edits import Restore, Retire
from curator.errors import AlreadyAskedError
from curator.workspace import Workspace
from tests.samples.workspaces import write_lines

TWICE = "Why is it?"


@pytest.fixture
def ann(tmp_path):
    """q1 asks the same under subtopics s and t, and once more under t."""
    items = {
        "s": [("q1/s/a", TWICE)],
        "t": [("q1/t/a", TWICE), ("q1/t/b", TWICE), ("q1/t/c", "Who?")],
    }
    records = [
        {
            "query_id": "q1",
            "facet_id": facet,
            "query_text": "What is it?",
            "items": [
                {"question_id": name, "question_text": text} for name, text in questions
            ],
        }
        for facet, questions in items.items()
    ]
    bank = write_lines(tmp_path / "bank.jsonl", records)
    with Workspace.open(tmp_path / "w.db", create=True, judge="ann") as workspace:
        workspace.import_(bank=bank)
        yield workspace


def states(workspace):
    return {q.question_id: (q.state, q.text) for q in workspace.bank()}


def test_one_is_restored_beside_another_subtopics_but_not_beside_its_own(ann):
    ann.apply(Retire("q1/s/a"))
    ann.apply(Restore("q1/s/a"))
    assert states(ann)["q1/s/a"] == ("kept", TWICE)
    ann.apply(Retire("q1/t/a"))
    with pytest.raises(AlreadyAskedError, match="already asks 'Why is it"):
        ann.apply(Restore("q1/t/a"))
    ann.apply(Retire("q1/t/b"))
    ann.apply(Restore("q1/t/a"))
    assert states(ann)["q1/t/a"] == ("kept", TWICE)
