"""Answer keys and choices on the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.samples.command_line import json_of, run
from tests.samples.hand_made import hand_made_workspace


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return hand_made_workspace(tmp_path)


def question_of(path: Path, text: str) -> dict[str, Any]:
    (found,) = [one for one in json_of("questions", path) if one["text"] == text]
    return found


def test_choices_are_lettered_or_as_given_and_the_right_one_is_marked(
    path: Path,
) -> None:
    new = ("add", "q1", "Which gas?", "--choice", "oxygen")
    run("edit", path, *new, "--choice", "* N) nitrogen")
    added = question_of(path, "Which gas?")
    assert added["choices"] == {"A": "oxygen", "N": "nitrogen"}
    assert added["answers"] == ["nitrogen"]
    key = ("edit", path, "key", added["question_id"])
    assert "has no text" in run(*key, "--choice", "* ", code=1).stderr
    assert "not both" in run(*key, "--no-key", "--answer", "a", code=2).stderr
    run(*key, "--answer", "a")
    assert question_of(path, "Which gas?")["answers"] == ["oxygen"]
    run(*key, "--no-choices")
    assert "choices" not in question_of(path, "Which gas?")


def test_a_pasted_list_is_added_as_questions_of_their_own(path: Path) -> None:
    run(
        "edit", path, "add", "q1", '1.\tWhy\u00a0red?\n2.\t"Why ""dry""?"\n3.\tWhy red?'
    )
    assert question_of(path, "Why red?")
    assert question_of(path, 'Why "dry"?')
    again = run("edit", path, "add", "q1", "Why\u200b red?", code=1)
    assert "already asks 'Why red?'" in again.output
