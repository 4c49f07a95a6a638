"""``curator.ava``: what the commands do, as functions."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator import ava
from tests.samples.ava_samples import question

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


def test_a_model_is_evaluated_by_its_folder_or_itself(folder: Path) -> None:
    by_folder = ava.evaluate(folder, QUESTIONS)
    assert by_folder == ava.evaluate(ava.open_model(folder), QUESTIONS)
