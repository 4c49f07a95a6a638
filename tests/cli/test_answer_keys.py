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


def test_a_key_is_given_changed_and_taken_away(path):
    ran("edit", path, "key", "q1/a", "--answer", "Bonn", "--answer", "the Rhine")
    assert key_of(path, "q1/a") == (["Bonn", "the Rhine"], None)
    ran("edit", path, "key", "q1/a", "--no-key")
    assert key_of(path, "q1/a") == (None, None)
    said = ran("history", path, "--limit", 2).stdout
    assert "key removed: “Bonn or the Rhine”" in said
    assert "key added: “Bonn or the Rhine”" in said
    ran("edit", path, "undo")
    assert key_of(path, "q1/a") == (["Bonn", "the Rhine"], None)


def test_history_says_what_became_of_choices_and_key(path):
    ran("edit", path, "key", "q1/a", "--choice", "* Bonn", "--choice", "Ulm")
    ran("edit", path, "key", "q1/a", "--choice", "Bonn", "--choice", "* Ulm")
    ran("edit", path, "key", "q1/a", "--no-choices", "--no-key")
    said = ran("history", path, "--limit", 3, "--format", "tsv").stdout
    for words in (
        "(choices and key added: “A) Bonn”)",
        "(key changed: “A) Bonn” → “B) Ulm”)",
        "(choices and key removed: “B) Ulm”)",
    ):
        assert words in said


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


def test_a_rewording_says_that_the_key_was_kept(path):
    ran("edit", path, "key", "q1/a", "--answer", "Bonn")
    kept = ran("edit", path, "reword", "q1/a", "Why was it?")
    assert kept.stderr.count("\n") == 1
    assert "q1/a keeps its answer key, Bonn." in kept.stderr
    both = ran("edit", path, "reword", "q1/a", "How?", "--answer", "so")
    assert both.stderr == ""
    (event,) = json.loads(ran("history", path, "--limit", 1, "--format", "json").stdout)
    assert (event["kind"], event["before"], event["after"]) == (
        "reword",
        "Why was it?",
        "How?",
    )
    assert (event["key_before"], event["key_after"]) == ("Bonn", "so")
    assert ran("edit", path, "reword", "q1/b", "No key?").stderr == ""


def test_an_answer_that_is_no_choice_is_one_line(path):
    ran("edit", path, "key", "q1/a", "--choice", "x", "--choice", "* y")
    refused = ran("edit", path, "key", "q1/a", "--answer", "C", code=1)
    assert refused.stderr.startswith("Error: 'C' is none of the choices A, B;")


@pytest.mark.parametrize("text", ["", " ", "- ", "* "])
def test_a_choice_without_text_is_one_line_and_leaves_the_key(path, text):
    ran("edit", path, "key", "q1/a", "--answer", "Bonn")
    said = ran("edit", path, "key", "q1/a", "--choice", text, code=1)
    assert said.stderr.splitlines() == [
        "Error: A choice has no text; remove choices with --no-choices."
    ]
    assert key_of(path, "q1/a") == (["Bonn"], None)


@pytest.mark.parametrize(("none", "given"), [("key", "answer"), ("choices", "choice")])
def test_what_is_given_and_taken_away_at_once_is_refused(path, none, given):
    both = ("key", "q1/a", f"--no-{none}", f"--{given}", "Bonn")
    assert "not both" in ran("edit", path, *both, code=2).stderr
    assert key_of(path, "q1/a") == (None, None)


def test_what_a_bootstrap_draws_is_refused_where_nothing_is_tested(path):
    said = ran("pyramid", path, "--seed", "1", code=2).stderr
    assert "--seed needs --test." in said


def test_a_pasted_list_is_added_as_questions_of_their_own(path):
    pasted = '1.\tWhy\u00a0red?\n2.\t"Why ""dry""?"\n3.\tWhy red?'
    ran("edit", path, "add", "q1", pasted)
    found = json.loads(ran("questions", path, "--format", "json").stdout)
    texts = {question["text"] for question in found}
    assert {"Why red?", 'Why "dry"?'} <= texts
    again = ran("edit", path, "add", "q1", "Why\u200b red?", code=1)
    assert "already asks 'Why red?'" in again.output
