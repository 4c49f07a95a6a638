"""Titles, subtopics and moved questions, corrected here, in every format that goes out.

The files that a collection came in may hold its titles in fields of their own.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from curator.bank.edits import AddSubtopic, Move, SetTitle
from curator.errors import (
    EvaluationError,
)
from curator.workspace import Workspace
from tests.samples.workspaces import graded_file, graded_passage, write_lines

OLD, NEW = "Teh query", "The query"
OLD_FACET, NEW_FACET = "Frist facet", "First facet"


def autograder_bank(folder: Path) -> dict[str, Path]:
    lines = [
        {
            "query_id": "q",
            "query_text": f"{OLD} / {OLD_FACET}",
            "facet_id": "s",
            "facet_text": OLD_FACET,
            "test_collection": "tests",
            "items": [
                {"query_id": "q", "facet_id": "s", "question_id": "q/s/a",
                 "question_text": "Why?"},
                {"query_id": "q", "facet_id": "s", "question_id": "q/s/b",
                 "question_text": "When?"},
            ],
        }
    ]  # fmt: skip
    passage = graded_passage("p", "q", {"q/s/a": 5, "q/s/b": 0}, judgment=1)
    passage["paragraph_data"]["judgments"][0]["titleQuery"] = OLD
    return {
        "bank": write_lines(folder / "bank.jsonl", lines),
        "autograder": graded_file(folder / "graded.jsonl", {"q": [passage]}),
    }


def query_file(folder: Path) -> dict[str, Path]:
    subtopics = [{"subtopic_id": "s", "text": OLD_FACET, "weight": 1}]
    query = {"query_id": "q", "title": OLD, "subtopics": subtopics, "year": 2019}
    bank = [
        {"query_id": "q", "qid": f"q/s/{name}", "question": text, "facet_id": "s"}
        for name, text in (("a", "Why?"), ("b", "When?"))
    ]
    return {
        "queries": write_lines(folder / "queries.jsonl", [query]),
        "bank": write_lines(folder / "bank.jsonl", bank),
    }


@pytest.mark.parametrize("files", [autograder_bank, query_file])
def test_every_format_has_titles_and_subtopics_as_they_are_now(
    files, tmp_path: Path
) -> None:
    with Workspace.open(tmp_path / "made.db", create=True) as workspace:
        workspace.import_(**files(tmp_path))
        (query,) = workspace.collection().queries
        assert (query.title, query.subtopics[0].text) == (OLD, OLD_FACET)
        ids = sorted(one.question_id for one in workspace.bank())
        workspace.apply(
            [
                SetTitle("q", NEW),
                SetTitle("q", NEW_FACET, "s"),
                AddSubtopic("q", "t", "Another facet"),
                Move(ids[0], "t"),
            ]
        )
        wanted = now(workspace)
        assert {"s", "t"} == {one[1] for one in wanted["questions"]}
        written = 0
        for kind in ("bank", "queries", "nuggetbank", "autograder"):
            target = tmp_path / f"out-{kind}.jsonl"
            with suppress(EvaluationError):  # it writes what came in so, if anything
                workspace.export(kind, target)
                text = target.read_text()
                assert OLD not in text, kind
                assert OLD_FACET not in text, kind
                written += NEW in text
            if kind in ("bank", "nuggetbank"):
                with Workspace.open(tmp_path / f"{kind}.db", create=True) as again:
                    again.import_(bank=target)
                    assert now(again) == wanted, kind
        assert written >= 3  # bank, queries and the format that it came in
        workspace.undo()
        assert now(workspace)["title"] == OLD


def now(workspace: Workspace) -> dict[str, object]:
    (query,) = workspace.collection().queries
    questions = {(one.text, one.subtopic_id) for one in workspace.bank()}
    subtopics = {one.subtopic_id: one.text for one in query.subtopics}
    return {"title": query.title, "subtopics": subtopics, "questions": questions}
