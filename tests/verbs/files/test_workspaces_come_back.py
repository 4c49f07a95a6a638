"""Import, export and import again give an equal workspace, byte for byte the same file.

All formats together; ``formats/test_every_format.py`` has each alone.
"""

from __future__ import annotations

import gzip
import json
import shutil
from collections import Counter
from operator import itemgetter
from pathlib import Path

import pytest

from curator.workspace import Workspace
from tests.formats.autograder.test_grades import in_any_order
from tests.samples.files import sample
from tests.samples.workspace_facts import assert_equal_workspaces, facts

QUERY = {
    "request_id": "a1",
    "title": "Où est-ce ? \u2028 ici",
    "problem_statement": "I must know.",
    "background": "I am\n\nin a hurry.",
    "meta": {"z": [1, {"a": 2.5}], "é": "ü"},
    "subtopics": [{"subtopic_id": "s1", "text": "In the north", "weight": 0.5}],
}
BANK = {
    "query_id": "a1",
    "facet_id": "s1",
    "facet_text": "In the north",
    "test_collection": "tests",
    "query_text": "Où est-ce ? \u2028 ici",
    "unknown": [None],
    "items": [
        {"query_id": "a1", "question_id": "a1/a", "question_text": " Pourquoi ? ",
         "facet_id": "s1", "gold_answers": ["because", "=so"], "unknown": {"y": [2]}},
        {"query_id": "a1", "question_id": "a1/c", "question_text": None,
         "facet_id": "s1", "choices": {"A": "one", "B": "two"}, "correctKey": "B",
         "correct": "two"},
        {"query_id": "a1", "nugget_id": "a1/n", "nugget_text": "A nugget", "w": 1,
         "facet_id": "s1"},
    ],
}  # fmt: skip
LONG = " ".join(f"Sentence {n} has exactly seven words here." for n in range(120))
CONTENT = {
    "queries": json.dumps(QUERY),
    "passages": '{"docid": "t1", "contents": "Naïve\\u2028\\nof t1.", "n": [[]]}',
    "bank": json.dumps(BANK),
    "autograder": sample("autograder").decode(),
    # Ranks from 0 with a gap and p1 listed again; two passages at one rank, ordered
    # by score; tied scores; a passage without a text; a score with all its digits.
    "runs": (
        "q1 Q0 p1 0 9 päss\nq1 Q0 p2 1 9 päss\nq1 Q0 p1 4 0.1 päss\n"
        "q2\tQ0\tp3\t1\t0.30000000000000004\tpäss\nq2 Q0 p0 1 -1e-7 päss\n"
    ),
    "judgments": "q1 0 p5 3\nq1 0 p0 -2\nq2 Q0 p4 0\nq1/s1 0 p9 1\nq1 0 p5 3\n",
    "official": json.dumps({"päss": 1.5, "=a b": 1.5, "nobody": 1 / 3 + 3}),
    "gold": json.dumps({"query_id": "a1", "text": LONG, "cites": [{"a": None}]}),
}


def given(folder: Path, kind: str) -> Path:
    """The file of this kind, written to the folder."""
    path = folder / f"{kind}.txt"
    path.write_text(CONTENT[kind])
    return path


def exported(path: Path, folder: Path, kinds: list[str]) -> dict[str, Path]:
    """Files of these kinds, written out of the workspace."""
    folder.mkdir()
    files = {kind: folder / f"{kind}.out" for kind in kinds}
    with Workspace.open(path) as workspace:
        for kind, file in files.items():
            workspace.export(kind, file)
    return files


def imported(path: Path, files: dict[str, Path]) -> Path:
    with Workspace.open(path, create=True, judge="ann") as workspace:
        workspace.import_(**files)
        assert workspace.verify().problems == ()
    return path


def assert_comes_back(folder: Path, first: Path, kinds: list[str]) -> None:
    """What was imported there goes out, comes in and goes out the same."""
    out = exported(first, folder / "out", kinds)
    second = imported(folder / "second.db", out)
    assert_equal_workspaces(first, second)
    again = exported(second, folder / "again", kinds)
    for kind in kinds:
        assert again[kind].read_bytes() == out[kind].read_bytes(), kind


def test_all_formats_together_come_back_whole(tmp_path):
    files = {kind: given(tmp_path, kind) for kind in CONTENT}
    first = imported(tmp_path / "first.db", files)
    held = facts(first)
    assert [part for part, fact in held.items() if not fact] == ["votes", "settings"]
    assert_comes_back(tmp_path, first, list(files))


# The published files


def published(path: Path) -> list[object]:
    """The values of the file's lines."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt") as lines:
        return [json.loads(line) for line in lines]


@pytest.mark.long
@pytest.mark.real_data
def test_dl19_comes_out_record_by_record_as_it_was_published(
    tmp_path, shared_data, built_dl19
):
    folder = shared_data / "dl19"
    files = {
        "autograder": folder / "graded.jsonl.gz",
        "bank": folder / "questions.jsonl.gz",
        "queries": folder / "queries.json",
        "official": folder / "official_leaderboard.json",
    }
    path = Path(shutil.copy(built_dl19, tmp_path / "w.db"))
    with Workspace.open(path) as workspace:
        assert workspace.verify().problems == ()
    out = exported(path, tmp_path / "out", list(files))
    graded, again = published(files["autograder"]), published(out["autograder"])
    graded.sort(key=itemgetter(0))  # queries.json has an order of its own
    assert in_any_order(sorted(again, key=itemgetter(0))) == in_any_order(graded)
    # the newest form calls them items
    bank = published(files["bank"])
    for line in bank:
        line["items"] = line.pop("questions")
    assert published(out["bank"]) == bank
    queries = json.loads(files["queries"].read_text())
    assert {q["query_id"]: q["text"] for q in published(out["queries"])} == queries
    official = json.loads(files["official"].read_text())
    assert json.loads(out["official"].read_text()) == official


@pytest.mark.long
@pytest.mark.real_data
def test_llmjudge_comes_out_record_by_record_as_it_was_published(tmp_path, shared_data):
    file = shared_data / "llmjudge" / "graded.jsonl.gz"
    path = imported(tmp_path / "w.db", {"autograder": file})
    with Workspace.open(path) as workspace:
        graders = [(s.kind, s.item_kind, s.known) for s in workspace.graders()]
        kinds = Counter(question.kind for question in workspace.bank())
    # as counted in the file
    assert graders == [
        ("rated", "question", 72_630),
        ("answered", "question", 72_630),
        ("rated", "nugget", 71_785),
        ("answered", "nugget", 71_785),
        ("direct", "query", 7_263),
    ]
    assert kinds == {"question": 250, "nugget": 245}
    out = exported(path, tmp_path / "out", ["autograder"])
    assert published(out["autograder"]) == published(file)
