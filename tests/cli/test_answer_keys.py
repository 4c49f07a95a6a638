"""Answer keys and choices on the command line."""

import json
from pathlib import Path
from shutil import copy

import pytest
from click.testing import CliRunner

from curator.cli import main
from tests.samples.hand_made import hand_made_workspace


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    return hand_made_workspace(tmp_path_factory.mktemp("made"))


@pytest.fixture
def path(made, tmp_path) -> Path:
    return Path(copy(made, tmp_path))


def ran(*arguments, code=0):
    result = CliRunner().invoke(main, [str(one) for one in arguments])
    assert result.exit_code == code, result.output
    return result


def key_of(path, question_id):
    found = json.loads(ran("questions", path, "--format", "json").stdout)
    (one,) = (one for one in found if one["question_id"] == question_id)
    return one.get("answers"), one.get("choices")


def test_choices_are_lettered_or_as_given_and_the_right_one_is_marked(path):
    new = ("add", "q1", "Which gas?", "--choice", "oxygen")
    ran("edit", path, *new, "--choice", "* N) nitrogen")
    found = json.loads(ran("questions", path, "--format", "json").stdout)
    (one,) = (one for one in found if one["text"] == "Which gas?")
    assert one["choices"] == {"A": "oxygen", "N": "nitrogen"}
    assert one["answers"] == ["nitrogen"]
    ran("edit", path, "key", one["question_id"], "--answer", "a")
    assert key_of(path, one["question_id"])[0] == ["oxygen"]
    ran("edit", path, "key", one["question_id"], "--no-choices")
    assert key_of(path, one["question_id"]) == (["oxygen"], None)


def test_a_pasted_list_is_added_as_questions_of_their_own(path):
    pasted = '1.\tWhy\u00a0red?\n2.\t"Why ""dry""?"\n3.\tWhy red?'
    ran("edit", path, "add", "q1", pasted)
    found = json.loads(ran("questions", path, "--format", "json").stdout)
    texts = {question["text"] for question in found}
    assert {"Why red?", 'Why "dry"?'} <= texts
    again = ran("edit", path, "add", "q1", "Why\u200b red?", code=1)
    assert "already asks 'Why red?'" in again.output
