"""Topics that match no query are left out and named, unless they are to be added."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from curator.workspace import Workspace
from tests.samples.workspaces import dump, graded_passage, write_lines

TEXTS = {"q1": "Why do leaves fall?", "q2": "What is cork?"}
RUN = "q1 Q0 p1 1 2 A\nq2 Q0 p2 1 2 A\n"
ADDS = "`--add-queries`, or its box in the browser, adds them."


def bank_line(query_id: str) -> dict[str, object]:
    item = {"question_id": f"{query_id}/1", "question_text": "How?"}
    return {"query_id": query_id, "items": [item | {"query_id": query_id}]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    queries = [{"query_id": q, "text": text} for q, text in TEXTS.items()]
    write_lines(tmp_path / "queries.jsonl", queries)
    passages = [{"passage_id": f"p{n}", "text": f"Text {n}."} for n in range(1, 4)]
    write_lines(tmp_path / "passages.jsonl", passages)
    write_lines(tmp_path / "bank.jsonl", [bank_line(q) for q in TEXTS])
    (tmp_path / "a.run").write_text(RUN)
    return tmp_path


@pytest.fixture
def workspace(folder: Path) -> Iterator[Workspace]:
    with Workspace.open(folder / "w.db", create=True) as workspace:
        workspace.import_(
            queries=folder / "queries.jsonl",
            passages=folder / "passages.jsonl",
            bank=folder / "bank.jsonl",
            runs=folder / "a.run",
        )
        yield workspace


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
def test_a_topic_in_another_spelling_is_left_out_and_named(kind, workspace, folder):
    file = folder / "other"
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


def test_runs_and_a_bank_without_queries_make_the_queries(folder):
    (folder / "b.run").write_text("q2 Q0 p1 1 2 B\nq3 Q0 p1 1 2 B\n")
    with Workspace.open(folder / "w.db", create=True) as workspace:
        workspace.import_(runs=folder / "a.run")
        workspace.import_(runs=folder / "b.run", bank=folder / "bank.jsonl")
        assert workspace.status().counts["queries"] == 3
        (folder / "c.run").write_text("Q1 Q0 p1 1 2 C\nq1/x Q0 p1 1 2 C\n")
        (found,) = workspace.import_(runs=folder / "c.run")
        assert found.new["queries"] == 1  # q1/x, a subtopic
        assert "left out (1): Q1. Like an id here" in found.notices[0]
        line = {"query_id": "Q2", "text": "What is cork?"}
        queries = write_lines(folder / "queries.jsonl", [line])
        (found,) = workspace.import_(queries=queries)
        assert found.new == {"queries": 1}
        assert "Like an id here (1): Q2 (q2)." in found.notices[0]
