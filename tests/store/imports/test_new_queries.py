"""Topics that match no query are left out and named, unless they are to be added."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from curator.errors import ImportConflictError
from curator.workspace import Workspace
from tests.samples.workspaces import dump, write_lines

TEXTS = {"q1": "Why do leaves fall?", "q2": "What is cork?"}
RUN = "q1 Q0 p1 1 2 A\nq2 Q0 p2 1 2 A\n"
ADDS = "`--add-queries`, or its box in the browser, adds them."


def bank_line(query_id: str, text: str | None = None) -> dict[str, object]:
    item = {
        "query_id": query_id,
        "question_id": f"{query_id}/1",
        "question_text": "How?",
    }
    line: dict[str, object] = {"query_id": query_id, "items": [item]}
    return line if text is None else line | {"query_text": text}


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
    exam = {
        "correctAnswered": [f"{topic}/1"],
        "wrongAnswered": [],
        "answers": [[f"{topic}/1", "4"]],
        "llm": "m",
        "llm_options": {},
        "exam_ratio": 1.0,
        "prompt_info": {"prompt_class": "P", "is_self_rated": True},
        "self_ratings": [{"question_id": f"{topic}/1", "self_rating": 4}],
    }
    data = {"judgments": [], "rankings": [rank("p9", topic)]}
    passage = {"paragraph_id": "p9", "text": "New.", "paragraph_data": data}
    return [topic, [passage | {"exam_grades": [exam]}]]


def rank(passage_id: str, topic: str) -> dict[str, object]:
    return {
        "method": "C",
        "paragraphId": passage_id,
        "queryId": topic,
        "rank": 1,
        "score": 1.0,
    }


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


def test_what_else_the_file_says_comes_in(workspace, folder):
    (folder / "b.run").write_text("q1 Q0 p2 1 2 B\nQ2 Q0 p1 1 2 B\nQ2 Q0 p9 2 1 C\n")
    (found,) = workspace.import_(runs=folder / "b.run")
    assert found.new == {"systems": 1, "rankings": 1, "pooled passages": 1}
    assert "Like an id here (1): Q2 (q2)" in found.notices[-1]
    assert workspace.collection().systems == ("A", "B")


def test_a_bank_brings_a_query_if_its_text_is_new_and_a_run_ranks_it(workspace, folder):
    lines = [
        bank_line("x", " Why do\u00a0leaves fall?"),
        bank_line("y", "What is rain?"),
    ]
    bank = write_lines(folder / "more.jsonl", lines)
    (found,) = workspace.import_(bank=bank)
    assert found.new == {}
    assert "left out (2): x, y." in found.notices[-1]
    assert "Equal in text (1): 'x' and 'q1'." in found.notices[-1]
    (folder / "y.run").write_text("y Q0 p1 1 2 B\n")
    with_run, _ = workspace.import_(bank=bank, runs=folder / "y.run")
    assert with_run.new == {"queries": 1, "questions": 1}


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


def test_passages_systems_items_and_gold_articles_are_named_too(workspace, folder):
    (folder / "b.run").write_text("q1 Q0 P1 1 2 B\nq1 Q0 x 2 1 B\n")
    (run,) = workspace.import_(runs=folder / "b.run")
    assert "Passages without a text here (2): P1, x." in run.notices[0]
    assert "Like an id here (1): P1 (p1)." in run.notices[0]
    (folder / "official.json").write_text('{"A": 1, "input.B": 2}')
    (official,) = workspace.import_(official=folder / "official.json")
    assert "without a run here (1): input.B." in official.notices[0]
    assert "Like an id here (1): input.B (B)." in official.notices[0]
    line = json.dumps(graded("q1")).replace("q1/1", "Q1/1")
    (folder / "graded.jsonl").write_text(line)
    (grades,) = workspace.import_(autograder=folder / "graded.jsonl")
    assert "whose ids no bank here has (1): Q1/1." in grades.notices[0]
    article = {"query_id": "Q1", "text": "Leaves."}
    gold = write_lines(folder / "gold.jsonl", [article])
    with pytest.raises(ImportConflictError, match=r"Like an id here \(1\): Q1 \(q1\)"):
        workspace.import_(gold=gold)
