"""``ava train``, ``show`` and ``explain``: what they print, write and refuse."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from curator.bank.edits import JudgeAnswer
from tests.samples.command_line import json_of, run
from tests.samples.workspaces import demo_workspace

COLOURS = ("red", "blue", "green", "white", "black", "brown")
RIGHT = ("it is {}", "they say {} it is")
WRONG = ("it is not {}", "nobody knows")


def answers(path: Path, colours: tuple[str, ...] = COLOURS) -> Path:
    """A file as TREC-QA is published: a question for each colour, four answers each."""
    lines = [
        f"is the {colour} hat {colour}?\t{answer.format(colour)}\t{label}\n"
        for colour in colours
        for label, texts in ((1, RIGHT), (0, WRONG))
        for answer in texts
    ]
    path.write_text("".join(lines))
    return path


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return answers(tmp_path_factory.mktemp("ava") / "hats.tsv")


@pytest.fixture(scope="module")
def linear(data: Path) -> Path:
    """A linear model, trained on four of the six questions."""
    model = data.parent / "linear"
    run("ava", "train", model, "--data", data, "--dev-share", 1 / 3)
    return model


def test_a_linear_model_is_trained_and_shown(linear: Path, data: Path) -> None:
    found = json_of("ava", "show", linear)

    assert found["finished"] is True
    assert (found["name"], found["configuration"]) == ("linear", "linear")
    # by hand: a question gives 2 * 1 positives and 2 * 2 negatives
    assert found["data"] == {
        "sources": ["hats.tsv"],
        "train_questions": 4,
        "train_positives": 8,
        "train_negatives": 16,
        "dev_questions": 2,
        "dev_positives": 4,
        "dev_negatives": 8,
        "left_out": 0,
    }
    assert found["seed"] == 0
    assert found["settings"]["inclusion"] == "printed"
    assert str(data.parent) not in json.dumps(found)
    assert "sim-text(r,t)" in found["weights"]
    assert 0 <= found["curve"][0]["f1"] <= 1
    file = data.with_name("curve.svg")
    run("ava", "show", linear, "--figure", file)
    assert "Training of linear" in file.read_text()
    for form in ("table", "tsv", "latex", "markdown"):
        printed = run("ava", "show", linear, "--format", form).stdout
        assert "4 questions, 8 positives, 16 negatives" in printed


def test_a_model_learns_from_gold_answers_and_verdicts_of_a_workspace(
    tmp_path: Path, demo_folder: Path, data: Path
) -> None:
    path = tmp_path / "demo.db"
    with demo_workspace(path, demo_folder) as workspace:
        known = workspace.known_answers()
        several = [one for one in known if len(one.correct) > 1]
        single = next(one for one in known if len(one.correct) == 1)
        said = {f"Well, {single.correct[0]}": "right", "Nobody knows": "wrong"}
        for answer, value in said.items():
            workspace.apply(JudgeAnswer(single.question_id, answer, value))

    run("ava", "train", tmp_path / "m", "--workspace", path, "--data", data,
                 "--dev-share", 0)  # fmt: skip
    found = json_of("ava", "show", tmp_path / "m")["data"]
    # by hand: six hats of 2 * 2 negatives, and 2 * 1 of the question with verdicts
    assert found["train_negatives"] == 26
    assert found["train_questions"] == 6 + len(several) + 1
    assert found["left_out"] == len(known) - len(several) - 1
    assert found["sources"] == ["hats.tsv", "demo.db"]
