"""Topics that match no query are left out and named, unless they are to be added."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from curator.workspace import Workspace
from tests.samples.workspaces import (
    collection_files,
    dump,
    graded_passage,
    run_file,
    write_lines,
)

TEXTS = {"q1": "Why do leaves fall?", "q2": "What is cork?"}
ADDS = "`--add-queries`, or its box in the browser, adds them."


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    return collection_files(
        tmp_path,
        titles=TEXTS,
        passages={f"p{n}": f"Text {n}." for n in range(1, 4)},
        questions={query: {f"{query}/1": "How?"} for query in TEXTS},
        runs={"A": {"q1": ["p1"], "q2": ["p2"]}},
    )


@pytest.fixture
def workspace(files: dict[str, Path], tmp_path: Path) -> Iterator[Workspace]:
    with Workspace.open(tmp_path / "w.db", create=True) as workspace:
        workspace.import_(**files)
        yield workspace


def bank_line(topic: str) -> dict[str, object]:
    item = {"query_id": topic, "question_id": f"{topic}/1", "question_text": "How?"}
    return {"query_id": topic, "items": [item]}


def report(topic: str) -> dict[str, object]:
    metadata = {"team_id": "t", "run_id": "C", "topic_id": topic}
    sentence = {"text": "Leaves fall.", "citations": ["p1"]}
    return {"metadata": metadata, "responses": [sentence], "references": ["p1"]}


def graded(topic: str) -> list[object]:
    passage = graded_passage(
        "p9", topic, {f"{topic}/1": 4}, text="New.", ranks={"C": 1}
    )
    return [topic, [passage]]


GRADE = {
    "run_id": "C",
    "nugget_id": "n",
    "question": "How?",
    "passage": "Leaves fall.",
    "grade": 5,
}
FILES = {
    "runs": lambda topic: f"{topic} Q0 p1 1 2 C\n",
    "judgments": lambda topic: f"{topic} 0 p1 2\n",
    "bank": lambda topic: json.dumps(bank_line(topic)),
    "reports": lambda topic: json.dumps(report(topic)),
    "autograder": lambda topic: json.dumps(graded(topic)),
    "grades": lambda topic: json.dumps(GRADE | {"query_id": topic}),
}


@pytest.mark.parametrize("kind", FILES)
def test_a_topic_in_another_spelling_is_left_out_and_named(kind, workspace, tmp_path):
    file = tmp_path / "other"
    file.write_text(FILES[kind]("001"))
    workspace.set_up(min_relevance=2)
    before = dump(workspace.path)
    (found,) = workspace.import_(**{kind: file})
    assert found.new == {}
    assert found.notices[-1] == (
        "Topics that match no query here, left out (1): 001. Like an id here (1): "
        f"001 (q1). {ADDS}"
    )
    assert dump(workspace.path) == before
    (added,) = workspace.import_(**{kind: file}, add_queries=True)
    assert added.new["queries"] == 1
    assert workspace.status().counts["queries"] == 3


def test_runs_and_a_bank_without_queries_make_the_queries(files, tmp_path):
    other = run_file(tmp_path / "b.run", {"q2": ["p1"], "q3": ["p1"]}, "B")
    with Workspace.open(tmp_path / "w.db", create=True) as workspace:
        workspace.import_(runs=files["runs"])
        bank = write_lines(tmp_path / "new.jsonl", map(bank_line, TEXTS))
        workspace.import_(runs=other, bank=bank)
        assert workspace.status().counts["queries"] == 3
        third = run_file(tmp_path / "c.run", {"Q1": ["p1"], "q1/x": ["p1"]}, "C")
        (found,) = workspace.import_(runs=third)
        assert found.new["queries"] == 1  # q1/x, a subtopic
        assert "left out (1): Q1. Like an id here" in found.notices[0]
        line = {"query_id": "Q2", "text": "What is cork?"}
        queries = write_lines(tmp_path / "queries.jsonl", [line])
        (found,) = workspace.import_(queries=queries)
        assert found.new == {"queries": 1}
        assert "Like an id here (1): Q2 (q2)." in found.notices[0]
