"""Where a kept proposal comes from leaves with the bank, and comes in with it again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from curator.bank.edits import Add, Keep, Retire, Reword
from curator.verbs.proposals.request import MAX_ANSWER_TOKENS
from curator.workspace import Workspace
from tests.samples.chat_server import MODEL, ChatServer
from tests.samples.proposals import ORDER, in_state, listed, opened
from tests.samples.workspaces import dump

TEXTS = ("What is drizzle?", "What is hail?", "What is sleet?", "What is fog?", "Wind?")


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch) -> Iterator[Workspace]:
    """Proposals that were kept, reworded, dropped, typed, and one that waits."""
    with ChatServer(answer=lambda prompt: listed(*TEXTS)) as server:
        server.lead(monkeypatch)
        with opened(tmp_path) as workspace:
            workspace.generate(replace(ORDER, query_id="rain", passage_id="r2"))
            kept, reworded, dropped, typed, _ = in_state(workspace, "rain", "proposed")
            workspace.apply(Keep(kept.question_id), by="ann")
            workspace.apply(Reword(reworded.question_id, "Why hail?"), by="bob")
            workspace.apply(Retire(dropped.question_id))
            workspace.apply(Add("rain", str(typed.text)), by="bob")
            workspace.apply(Add("rain", "By hand?"))
            yield workspace


def exported(workspace: Workspace, folder: Path) -> dict[str, dict[str, object]]:
    """The items of the exported bank, by text."""
    path = folder / "bank.jsonl"
    workspace.export("bank", path)
    lines = map(json.loads, path.read_text().splitlines())
    return {item["question_text"]: item for line in lines for item in line["items"]}


def test_a_kept_proposal_says_who_was_asked_what_and_who_decided(workspace, tmp_path):
    items = exported(workspace, tmp_path)
    # Of what was dropped and of what waits nothing leaves.
    people, proposed = {"What is a cloud?", "By hand?"}, {"What is drizzle?"}
    assert items.keys() == people | proposed | {"Why hail?", "What is fog?"}
    (asked,) = workspace.generations()
    provenance = items["What is drizzle?"]["provenance"]
    decided = provenance.pop("decided")
    assert provenance == {
        "model": MODEL,
        "prompt": "passage",
        "prompt_text": asked.text,
        "parameters": {
            "temperature": "the model's own",
            "max answer tokens": str(MAX_ANSWER_TOKENS),
            "questions": "10",
        },
        "at": asked.at,
        "asked_by": "ann",
        "response": listed(*TEXTS),
        "passage": "r2",
        "proposed_text": "What is drizzle?",
    }
    assert (decided["by"], decided["as"]) == ("ann", "kept")
    assert decided["at"] >= asked.at
    reworded = items["Why hail?"]["provenance"]
    assert reworded["proposed_text"] == "What is hail?"
    assert (reworded["decided"]["by"], reworded["decided"]["as"]) == ("bob", "reworded")
    typed = items["What is fog?"]["provenance"]
    assert (typed["decided"]["by"], typed["decided"]["as"]) == ("bob", "written")
    assert not any("provenance" in items[text] for text in people)


def test_another_workspace_has_it_word_for_word(workspace, tmp_path):
    before = exported(workspace, tmp_path)
    there = dump(workspace.path)
    workspace.import_(bank=tmp_path / "bank.jsonl")  # which changes nothing
    assert dump(workspace.path)["event"] == there["event"]
    with Workspace.open(tmp_path / "other.db", create=True) as other:
        other.import_(bank=tmp_path / "bank.jsonl")
        assert {q.text for q in other.bank()} == set(before)
        again = tmp_path / "again"
        again.mkdir()
        assert exported(other, again) == before
        # There it is a question of an import: nobody decided anything here.
        assert other.decisions().bank.imported == 5
        assert other.decisions().judges == ()
        assert other.verify().problems == ()
        # What it rests on is known there too.
        assert other.grounded_questions() == 3


def test_a_nuggetbank_names_the_model_and_its_prompt(workspace, tmp_path):
    workspace.export("nuggetbank", tmp_path / "bank.jsonl")
    entries = {
        text: item
        for line in (tmp_path / "bank.jsonl").read_text().splitlines()
        for text, item in json.loads(line).get("nugget_bank", {}).items()
    }
    (asked,) = workspace.generations()
    model = {
        "is_human": False,
        "llm_model": MODEL,
        "creation_date": asked.at,
        "llm_prompt": [asked.text],
    }
    assert entries["What is drizzle?"]["creator"] == [model]
    first, second = entries["Why hail?"]["creator"]
    assert (first, second["assessor_id"]) == (model, "bob")
