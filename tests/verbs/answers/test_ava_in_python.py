"""``curator.ava``: what the commands do, as functions."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from curator import ava
from tests.samples.ava_samples import question, write_linear, write_run

QUESTIONS = [question(f"q{number}", "good better", "bad worse") for number in range(6)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A linear model that was trained on QUESTIONS."""
    path = tmp_path_factory.mktemp("models") / "linear"
    ava.train(path, QUESTIONS, sources=["by hand"])
    return path


def test_a_model_is_trained_opened_and_shown(folder: Path) -> None:
    model = ava.open_model(folder)
    training = ava.show(str(folder))

    assert training.card == model.card
    assert model.card.data.sources == ("by hand",)
    # by hand: a fifth of six questions is one
    assert (model.card.data.train_questions, model.card.data.dev_questions) == (5, 1)


def test_questions_may_be_given_as_texts_alone(folder: Path, tmp_path: Path) -> None:
    texts = [one.answered() for one in QUESTIONS]
    model = ava.train(tmp_path / "linear", texts)
    first = ava.open_model(folder).card
    named = replace(model.card, data=replace(model.card.data, sources=("by hand",)))
    assert named == first


def test_a_decision_is_explained(folder: Path) -> None:
    triple = ava.Triple("which one?", "good one", "bad one")
    found = ava.explain(folder, triple)

    assert found.explanation is not None
    assert found.score == pytest.approx(ava.open_model(folder).scores([triple])[0])
    assert found.correct is (found.score > 0.5)


def test_a_model_is_evaluated_by_its_folder_or_itself(folder: Path) -> None:
    by_folder = ava.evaluate(folder, QUESTIONS)
    assert by_folder == ava.evaluate(ava.open_model(folder), QUESTIONS)
    # by hand: six questions of 2 * 1 positives and 2 * 2 negatives
    assert (by_folder.positives, by_folder.negatives) == (12, 24)


def test_a_threshold_is_tuned_saved_and_opened_again(tmp_path: Path) -> None:
    folder, runs = tmp_path / "overlap", tmp_path / "runs"
    write_linear(folder)
    runs.mkdir()
    rankings = {one.question_id: "good bad" for one in QUESTIONS}
    write_run(runs / "ada", "ada", rankings)

    report = ava.report([folder], QUESTIONS[2:], dev=QUESTIONS[:2], runs=[runs])
    (found,) = report.models
    ava.save_threshold(folder, found, dev="dev.tsv")

    card = ava.open_model(folder).card
    assert (card.threshold, card.tuned_on) == (found.threshold, "dev.tsv")


def test_importing_it_loads_no_model_library() -> None:
    code = (
        "import sys; import curator.ava;"
        "print([m for m in ('torch', 'transformers', 'sklearn', 'scipy', 'matplotlib',"
        " 'sentence_transformers', 'curator.store') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    )
    assert done.stdout.strip() == "[]"
