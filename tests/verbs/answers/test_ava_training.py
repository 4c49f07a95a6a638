"""What a model is trained on, how that went, and where none can begin."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.verbs.answers.ava_training import (
    TrainingStatus,
    show,
    split_questions,
)
from grading.ava.card import CURVE, Point, refuse_taken, write_curve
from grading.ava.examples import AnsweredQuestion, merged, same_text
from grading.errors import TrainingError


def question(number: int, correct: int = 2, incorrect: int = 1) -> AnsweredQuestion:
    """A question with so many answers, all of different texts."""
    return AnsweredQuestion(
        f"question {number}?",
        tuple(f"right {number} {at}" for at in range(correct)),
        tuple(f"wrong {number} {at}" for at in range(incorrect)),
    )


TEN = [question(number) for number in range(10)]


def test_questions_of_one_text_are_one_with_the_answers_of_all() -> None:
    (one,) = merged(
        [
            AnsweredQuestion("Who?", ("Ann",), ("Bob",)),
            AnsweredQuestion("WHO", ("ann", "Eve"), (), "Eve"),
        ]
    )
    assert one == AnsweredQuestion("Who?", ("Ann", "Eve"), ("Bob",), "Eve")


def test_a_share_of_the_questions_is_set_aside_and_no_text_is_in_both_parts() -> None:
    parts = split_questions([*TEN, *TEN], dev_share=0.2, seed=0)

    assert (len(parts.train), len(parts.dev)) == (8, 2)
    texts = [{same_text(one.text) for one in part} for part in (parts.train, parts.dev)]
    assert not texts[0] & texts[1]
    assert parts.notes == ()


def test_what_is_left_out_is_counted() -> None:
    both = AnsweredQuestion("Which?", ("a", "b", "c"), ("c", "d"))
    across = [
        AnsweredQuestion("Who?", ("e", "f")),
        AnsweredQuestion("Who?", (), ("f",)),
    ]
    parts = split_questions([question(0), both, *across], dev_share=0, seed=0)

    # by hand: "c" within one question, "f" across two; "Who?" keeps one right answer
    assert parts.left_out == 1
    assert [one.text for one in parts.train] == ["question 0?", "Which?"]
    data = parts.data(["a.tsv"])
    assert (data.train_questions, data.train_positives, data.train_negatives) == (
        2,
        4,
        4,
    )
    assert (data.sources, data.left_out, data.dev_questions) == (("a.tsv",), 1, 0)


@pytest.mark.parametrize(
    ("questions", "dev", "share", "pairs"),
    [
        ([question(0, correct=1)], None, 0, "0 positives and 0 negatives"),
        ([question(0, incorrect=0)], None, 0, "2 positives and 0 negatives"),
        (TEN, None, 0.99, "0 positives and 0 negatives"),
    ],
)
def test_data_that_gives_nothing_to_learn_is_refused(
    questions: list[AnsweredQuestion],
    dev: list[AnsweredQuestion] | None,
    share: float,
    pairs: str,
) -> None:
    with pytest.raises(TrainingError, match=pairs):
        split_questions(questions, dev, dev_share=share, seed=0)


POINTS = (Point(1, 50, 0.6), Point(1, 60, 0.3, 0.5, 0.25, 1 / 3), Point(2, 100, 0.2))


def test_an_epochs_loss_is_the_mean_over_its_steps() -> None:
    first, second = TrainingStatus("m", None, POINTS).epochs

    # by hand: (50 * 0.6 + 10 * 0.3) / 60
    assert first == Point(1, 60, pytest.approx(0.55), 0.5, 0.25, 1 / 3)
    assert second == Point(2, 100, pytest.approx(0.2))


def test_a_training_that_has_not_ended_is_read_from_its_curve(tmp_path: Path) -> None:
    write_curve(tmp_path, POINTS)

    found = show(tmp_path)

    assert (found.card, found.curve, found.saved_step) == (None, POINTS, None)
    assert found.name == tmp_path.name
    (tmp_path / CURVE).write_text("")  # begun, and no point yet
    assert show(tmp_path).curve == ()


@pytest.mark.parametrize(
    ("name", "resume"), [("file", False), ("card.json", True), (CURVE, False)]
)
def test_a_folder_that_is_taken_is_refused(
    tmp_path: Path, name: str, resume: bool
) -> None:
    (tmp_path / name).write_text("")
    folder = tmp_path / "file" if name == "file" else tmp_path
    with pytest.raises(TrainingError, match=r"not an empty folder.*--resume"):
        refuse_taken(folder, resume=resume)
