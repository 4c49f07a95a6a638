"""The whole way with a real T5: loader, prompts, decoding, parser and cache."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from curator.bank.edits import Reword
from curator.workspace import Workspace
from grading.models import flan_t5
from tests.samples.command_line import json_of, run
from tests.samples.tiny_t5 import rating_of
from tests.samples.workspaces import graded_file, graded_passage, question_bank

TEXTS = [
    "In October the leaves fall.",
    "The frost came late.",
    "Maples stood on three acres.",
    "Kansas lost its topsoil.",
    "A battery drives the generator.",
    "Nothing of all that.",
]
QUESTIONS = {"q1/a": "What is it?", "q1/b": "How is it done?"}


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    passages = [
        graded_passage(f"p{i}", "q1", {}, text=text, ranks={"one": i + 1})
        for i, text in enumerate(TEXTS)
    ]
    with Workspace.open(tmp_path / "w.db", create=True, judge="ann") as workspace:
        workspace.import_(
            autograder=graded_file(tmp_path / "graded.jsonl", {"q1": passages}),
            bank=question_bank(tmp_path / "bank.jsonl", {"q1": QUESTIONS}),
        )
        yield workspace


def by_rule(workspace: Workspace, rule: Callable[[str, str], Any] = rating_of) -> list:
    """What the model's rule says of every question and passage."""
    questions = [question.text for question in workspace.bank().questions_of("q1")]
    return [[rule(text, question) for text in TEXTS] for question in questions]


def ratings(workspace: Workspace, grader: str) -> list[list[int]]:
    snapshot = workspace.current_snapshot()
    return snapshot.matrix(grader, "q1", snapshot.bank).ratings.tolist()


def test_rewording_asks_for_one_question_and_a_moved_copy_is_the_same_grader(
    workspace, tiny_model, tmp_path
):
    name = workspace.grade(f"flan-t5:{tiny_model}").grader
    workspace.apply(Reword("q1/a", "How was it made?", based_on=1))
    copy = shutil.copytree(tiny_model, tmp_path / "copy")
    summary = workspace.grade(f"flan-t5:{copy}")
    assert (summary.grader, summary.prompts) == (name, len(TEXTS))
    assert ratings(workspace, name) == by_rule(workspace)


def test_greedy_and_precision_are_graders_of_their_own_and_agree_here(
    workspace, tiny_model, tmp_path, monkeypatch
):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    names = {
        workspace.grade(f"flan-t5:{tiny_model}{options}").grader
        for options in ("/float32", "/greedy/float32", "/bfloat16", "/int8")
    }
    assert len(names) == 4
    for name in names:
        assert ratings(workspace, name) == by_rule(workspace)


def test_a_dry_run_without_weights_counts_and_says_what_is_missing(
    workspace, monkeypatch
):
    # Whatever this machine has.
    monkeypatch.setattr(flan_t5, "model_folder", lambda name, owner: None)
    command = ("grade", workspace.path, "--grader", "flan-t5-large/float32")
    counted = json_of(*command, "--dry-run")
    assert counted["prompts"] == counted["asked"] == 12
    assert counted["tokens_in"] > 0
    assert "hf download google/flan-t5-large" in counted["missing_model"]
    assert "hf download google/flan-t5-large" in run(*command, code=1).stderr
