"""Every command of ``curator ava`` has help, and its example runs."""

from __future__ import annotations

import shutil
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from curator import cli
from curator.formats.answer_selection import write_answers
from curator.workspace import Workspace
from tests.cli.test_help import example_of
from tests.samples.ava_samples import question, write_linear, write_run
from tests.samples.workspaces import graded_file, graded_passage, write_lines

AVA = cli.answers.ava
COMMANDS = sorted(AVA.commands)
ITEM = "q1/a"


def answered_workspace(path: Path) -> None:
    """One question with a gold answer, and what an imported model answered to it."""
    passages = []
    for number, answer in enumerate(("the skin", "bones")):
        passage = graded_passage(f"p{number}", "q1", {}, ranks={"one": number + 1})
        passage["exam_grades"] = [
            {
                "correctAnswered": [ITEM],
                "wrongAnswered": [],
                "answers": [[ITEM, answer]],
                "exam_ratio": 1.0,
                "llm": "some-llm",
                "llm_options": {},
                "prompt_info": {
                    "prompt_class": "QuestionAnswering",
                    "check_answer_key": True,
                },
            }
        ]
        passages.append(passage)
    item = {
        "query_id": "q1",
        "question_id": ITEM,
        "question_text": "What covers us?",
        "gold_answers": ["skin"],
    }
    bank = {"query_id": "q1", "query_text": "Biology", "items": [item]}
    folder = path.parent
    with Workspace.open(path, create=True) as workspace:
        workspace.import_(
            autograder=graded_file(folder / "graded.jsonl", {"q1": passages}),
            bank=write_lines(folder / "bank.jsonl", [bank]),
        )


@pytest.fixture
def folder(tmp_path: Path, demo_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What the examples name, where they run; the model is one made by hand."""
    (tmp_path / "data" / "demo").mkdir(parents=True)
    shutil.copy(demo_folder / "answers.tsv", tmp_path / "data" / "demo")
    write_answers(tmp_path / "test.tsv", [question("t1", "good better", "bad")])
    write_answers(tmp_path / "dev.tsv", [question("d1", "good better", "bad")])
    (tmp_path / "runs").mkdir()
    for system, ranked in (("ada", "good bad"), ("bob", "bad good")):
        rankings = {"t1": ranked, "d1": ranked}
        write_run(tmp_path / "runs" / system, system, rankings)
    write_linear(tmp_path / "models" / "linear")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", COMMANDS)
def test_the_example_in_a_commands_help_runs(name: str, folder: Path) -> None:
    if name == "train":  # it makes the model itself
        shutil.rmtree(folder / "models")
    if name == "compare":
        answered_workspace(folder / "answered.db")

    program, group, *arguments = example_of(AVA.commands[name])
    result = CliRunner().invoke(AVA, arguments)

    assert (program, group, arguments[0]) == ("curator", "ava", name)
    assert result.exit_code == 0, result.output
    assert result.stdout
    assert (folder / "models" / "linear" / "card.json").is_file()


def test_every_option_says_what_it_is_for() -> None:
    silent = [
        f"{name} {option.opts[0]}"
        for name, command in AVA.commands.items()
        for option in command.params
        if isinstance(option, click.Option) and not option.help
    ]
    assert silent == []


def test_a_line_of_the_groups_help_says_what_each_command_does() -> None:
    # click cuts what is longer; the first sentence should stand alone.
    for name, command in AVA.commands.items():
        assert command.help, name
        assert command.help.split("\n\n")[0].strip().endswith("."), name
