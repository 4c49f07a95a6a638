"""What is kept of a report in a model's folder, and read again."""

import json
from pathlib import Path

import pytest

from curator.results import to_json
from curator.verbs.answers.ava_report import (
    REPORT,
    AnswerCheckingReport,
    read_saved_report,
    report,
    save_report,
)
from tests.samples.ava_samples import KnownScores, question, write_linear, write_run

TEST = [question(name, "good fine", "bad") for name in ("t1", "t2")]
DEV = [question("d1", "good fine", "bad")]
SCORES = {"good": 0.9, "fine": 0.4, "bad": 0.2}
MODEL = KnownScores(lambda triple: SCORES[triple.candidate.split()[0]])


@pytest.fixture
def found(tmp_path: Path) -> AnswerCheckingReport:
    runs = tmp_path / "runs"
    runs.mkdir()
    write_run(runs / "ada", "ada", {"t1": "good bad", "t2": "good bad", "d1": "fine"})
    write_run(runs / "bob", "bob", {"t1": "bad good", "t2": "fine bad", "d1": "bad"})
    return report([MODEL], TEST, dev=DEV, runs=[runs], names=("T", "D"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_linear(tmp_path / "model")
    return tmp_path / "model"


def test_what_is_saved_is_read_again(folder: Path, found: AnswerCheckingReport) -> None:
    assert read_saved_report(folder) is None
    (model,) = found.models
    save_report(folder, model, found)
    saved = read_saved_report(folder)
    assert saved is not None
    assert (saved["references"], saved["tuned_on"]) == ("others", "D")
    # by hand: ada's "fine" is right and has .4, bob's "bad" is wrong and has .2
    assert saved["threshold"] == pytest.approx(0.3)
    # by hand, at .5: of each question's two positives good is hit, fine is missed
    points = saved["points"]
    assert (points["data"], points["threshold"], points["questions"]) == ("T", 0.5, 2)
    assert points["found"]["f1"] == pytest.approx(2 / 3)
    splits = saved["splits"]
    assert [(one["data"], one["questions"]) for one in splits] == [("D", 1), ("T", 2)]
    assert [one["agreements"] for one in splits] == [
        to_json(one.agreements) for one in model.splits
    ]
    stored = json.loads((folder / REPORT).read_text())
    assert stored == {"format": "ava-report/1"} | saved
    assert [one.name for one in folder.glob("*.part")] == []
