"""``ava train``, ``show`` and ``explain``: what they print, write and refuse."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from curator import cli
from curator.bank.edits import JudgeAnswer
from tests.samples.command_line import json_of, run
from tests.samples.tiny_encoder import tiny_encoder
from tests.samples.workspaces import demo_workspace

COLOURS = ("red", "blue", "green", "white", "black", "brown")
RIGHT = ("it is {}", "they say {} it is")
WRONG = ("it is not {}", "nobody knows")
TINY = ("--max-tokens", 32, "--batch-size", 8, "--learning-rate", 1e-3)


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
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    words = " ".join([*COLOURS, *RIGHT, *WRONG, "the hat ?"]).split()
    return tiny_encoder(tmp_path_factory.mktemp("encoder") / "tiny", words)


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
    for form in ("table", "tsv", "latex", "markdown"):
        printed = run("ava", "show", linear, "--format", form).stdout
        assert "4 questions, 8 positives, 16 negatives" in printed


def test_what_was_found_is_told_on_stderr_and_the_results_on_stdout(
    tmp_path: Path, data: Path
) -> None:
    few = tmp_path / "few.tsv"
    few.write_text(
        "who?\tann\t1\nwho?\tbob\t0\n"
        "is the red hat red?\tit is red\t0\n"  # of hats.tsv it is right
    )
    result = run("ava", "train", tmp_path / "m", "--data", data, "--data", few,
                 "--dev", few, "--inclusion", "reverse")  # fmt: skip
    assert "train: 5 questions, 10 positives, 20 negatives" in result.stderr
    assert "dev: 0 questions" in result.stderr
    assert "left out: 2 questions with fewer than two correct" in result.stderr
    assert "2 questions in the dev set too" in result.stderr
    assert "sim-token(s,r)" in result.stdout
    found = json_of("ava", "show", tmp_path / "m")
    assert found["data"]["sources"] == ["hats.tsv", "few.tsv", "few.tsv (dev)"]
    assert found["settings"]["inclusion"] == "reverse"


def stopping_at(step: int) -> Callable[[str], Any]:
    """A progress bar under which somebody presses Ctrl-C after this step."""

    @contextmanager
    def bar(label: str) -> Iterator[Callable[[int, int], None]]:
        def report(done: int, total: int) -> None:
            if done == step:
                raise KeyboardInterrupt

        yield report

    return bar


@pytest.mark.long
def test_a_transformer_that_was_stopped_goes_on_to_the_same_model(
    tmp_path: Path, data: Path, encoder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = ("--data", data, "--dev-share", 0.34, "--kind", "a1:r,qt", "--encoder",
             encoder, "--epochs", 2, *TINY)  # fmt: skip
    whole, model = tmp_path / "whole" / "m", tmp_path / "m"
    # by hand: 4 questions of 6 pairs are 24, in batches of 8 three steps an epoch
    with monkeypatch.context() as patch:
        patch.setattr(cli.answers, "progress_bar", stopping_at(5))
        stopped = run("ava", "train", model, *order, "--checkpoint-every", 2, code=1)
    assert stopped.stdout == ""
    assert "Stopped." in stopped.stderr
    assert "--resume" in stopped.stderr
    underway = json_of("ava", "show", model)
    assert underway["finished"] is False
    assert [point["step"] for point in underway["curve"]] == [3]
    refused = run("ava", "train", model, *order, code=1)
    assert "--resume" in refused.stderr
    others = run("ava", "train", model, *order, "--resume", "--seed", 1, code=1)
    assert "settings" in others.stderr

    again = json_of("ava", "train", model, *order, "--resume", "--checkpoint-every", 2)
    undisturbed = json_of("ava", "train", whole, *order, "--checkpoint-every", 2)

    assert again == undisturbed
    assert again["encoder"] == "tiny"
    assert again["settings"]["max_tokens"] == 32
    assert [point["step"] for point in again["curve"]] == [3, 6]
    printed = run("ava", "show", model).stdout
    assert "kept" in printed
    run("ava", "train", model, *order, "--resume", code=1)  # it has ended
    (score,) = {
        json_of("ava", "explain", folder, "is it?", "it is red", "it is")["score"]
        for folder in (model, whole)
    }
    assert 0 < score < 1


def test_a_figure_shows_a_training_that_has_ended_or_not(
    tmp_path: Path, linear: Path
) -> None:
    going = tmp_path / "going"
    going.mkdir()
    (going / "curve.jsonl").write_text(
        '{"epoch": 1, "step": 50, "loss": 0.6}\n'
        '{"epoch": 1, "step": 60, "loss": 0.5, "precision": 1, "recall": 0.5, '
        '"f1": 0.67}\n'
    )
    for folder, texts in (
        (linear, ("Training of linear", "seed 0")),
        (going, ("Training of going", "has not ended", "loss", "precision")),
    ):
        file = tmp_path / "curve.svg"
        result = run("ava", "show", folder, "--figure", file, "--dark")
        assert "curve.svg: Training of" in result.stderr
        assert all(text in file.read_text() for text in texts)
    refused = run("ava", "show", linear, "--figure", tmp_path / "curve.jpg", code=1)
    assert refused.stdout == ""


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
