"""``curator ava evaluate`` and ``curator ava report`` from a shell."""

import csv
import shutil
from pathlib import Path

import pytest

from curator.formats.answer_selection import write_answers
from grading.ava.card import read_card
from tests.samples.ava_samples import question, write_linear, write_run
from tests.samples.command_line import json_of, run

# "good of t1" and "good-old of t1" have three of three and four tokens in common,
# "bad of t1" has two with either: sim-text is 6/7, 4/6 and 4/7, the model's score
# 1 / (1 + e^-4(x - .5)), so .807, .661 and .571.
TEST = [question(name, "good good-old", "bad") for name in ("t1", "t2")]
DEV = [question("d1", "good good-old", "bad")]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What the examples in the help name, and the place they run in."""
    write_answers(tmp_path / "test.tsv", TEST)
    write_answers(tmp_path / "dev.tsv", DEV)
    write_linear(tmp_path / "models" / "linear")
    (tmp_path / "runs").mkdir()
    write_run(tmp_path / "runs" / "ada", "ada", {
        "t1": "good bad", "t2": "good-old bad", "d1": "good bad"})  # fmt: skip
    write_run(tmp_path / "runs" / "bob", "bob", {
        "t1": "bad good", "t2": "good bad", "d1": "bad good"})  # fmt: skip
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_model_and_the_string_check_as_json(folder: Path) -> None:
    evaluate = ("ava", "evaluate", "models/linear", "--data", "test.tsv")
    found = json_of(*evaluate)
    # by hand: two questions, each with two references and three candidates
    assert (found["positives"], found["negatives"]) == (4, 4)
    # by hand: every score is above the half
    assert (found["ava"]["precision"], found["ava"]["recall"]) == (0.5, 1)
    stricter = json_of(*evaluate, "--data", "dev.tsv", "--threshold", ".7")
    # by hand: only the right ones' .807 are above
    assert (stricter["ava"]["precision"], stricter["ava"]["recall"]) == (1, 1)
    assert stricter["questions"] == 3


def test_every_pair_as_tsv_with_the_features_of_a_linear_model(folder: Path) -> None:
    lines = run("ava", "evaluate", "models/linear", "--data", "dev.tsv", "--pairs",
                "--format", "tsv").stdout.splitlines()  # fmt: skip
    rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    assert len(rows) == 4
    assert [row["label"] for row in rows] == ["right", "wrong"] * 2
    assert float(rows[0]["sim-text(r,t)"]) == pytest.approx(6 / 7)


def test_the_threshold_tuned_on_dev_is_written_into_the_card(folder: Path) -> None:
    before = read_card(folder / "models" / "linear").threshold
    asked = ("ava", "report", "models/linear", "--data", "test.tsv",
             "--dev", "dev.tsv", "--runs", "runs")  # fmt: skip
    found = json_of(*asked)
    assert read_card(folder / "models" / "linear").threshold == before == 0.5
    assert found["data"][0]["data"] == "dev"
    run(*asked, "--save-threshold")
    card = read_card(folder / "models" / "linear")
    assert card.threshold == found["models"][0]["threshold"]
    assert card.tuned_on == "dev"
    # by hand: ada's first has .807, bob's wrong one (.661 + .571) / 2; half-way
    assert card.threshold == pytest.approx(
        (0.8067 + (0.6608 + 0.5710) / 2) / 2, abs=1e-4
    )


def test_a_report_is_saved_and_shown_with_the_model(folder: Path) -> None:
    shutil.copytree("models/linear", "copies/linear")
    asked = ("ava", "report", "models/linear", "copies/linear", "--data", "test.tsv",
             "--dev", "dev.tsv", "--runs", "runs")  # fmt: skip
    assert not (folder / "models" / "linear" / "report.json").exists()
    found = json_of(*asked, "--save")
    # Both cards have the same name: their folders tell them apart.
    assert [one["model"] for one in found["models"]] == [
        *("models/linear", "copies/linear"),
    ]
    for model in ("models/linear", "copies/linear"):
        kept = json_of("ava", "show", model)["report"]
        assert kept["threshold"] == found["models"][0]["threshold"]
        assert kept["tuned_on"] == "dev"
        assert [one["data"] for one in kept["splits"]] == ["dev", "test"]
        shown = run("ava", "show", model).stdout
        assert "tuned on dev" in shown
        assert "RMSE" in shown
    (folder / "models" / "linear" / "report.json").write_text("{}")
    assert "is not a report" in run("ava", "show", "models/linear", code=1).stderr


@pytest.mark.parametrize("form", ["table", "tsv", "latex", "markdown"])
def test_a_report_is_printed_in_every_form(form: str, folder: Path) -> None:
    asked = ("ava", "report", *["models/linear"] * 2, "--data", "test.tsv",
             "--runs", "runs", "--examples", "1", "--format", form)  # fmt: skip
    printed = run(*asked).stdout
    for word in ("kendall", "RMSE", "sigma", "MRR", "ada", "bob"):
        assert word in printed


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["evaluate", "models", "--data", "test.tsv"], "No AVA model in 'models'"),
        (["evaluate", "models/linear", "--data", "no.tsv"], "no such file"),
        (["evaluate", "models/linear", "--data", "runs/ada"], "1 column"),
        (["report", "models/linear", "--data", "test.tsv", "--save-threshold"],
         "--dev and --runs"),
        (["report", "models/linear", "--data", "test.tsv", "--runs", "test.tsv"],
         "a run has 6"),
    ],
)  # fmt: skip
def test_an_error_is_one_line(arguments: list[str], said: str, folder: Path) -> None:
    stderr = run("ava", *arguments, code=1).stderr
    assert said in stderr
    assert stderr.startswith("Error: ")
    assert stderr.count("\n") == 1
