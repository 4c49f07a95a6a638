"""What an AVA model is trained on, and what is set aside to check it."""

from __future__ import annotations

import pytest

from curator.verbs.answers.ava_questions import merged, pairs_of, parted
from grading.ava.examples import AnsweredQuestion, examples_of, same_text
from grading.errors import TrainingError


def question(number: int, correct: int = 2, incorrect: int = 1) -> AnsweredQuestion:
    """A question with so many answers, all of different texts."""
    return AnsweredQuestion(
        f"question {number}?",
        tuple(f"right {number} {at}" for at in range(correct)),
        tuple(f"wrong {number} {at}" for at in range(incorrect)),
    )


TEN = [question(number) for number in range(10)]


def test_pairs_are_counted_as_examples_are_made() -> None:
    questions = [question(0, 3, 2), question(1, 2, 0), question(2, 1, 5)]
    made = [one.correct for one in examples_of(questions)]

    # by hand: 3 * 2 + 2 * 1 positives and 3 * 2 negatives; the last makes none
    assert pairs_of(questions) == (8, 6) == (made.count(True), made.count(False))


def test_questions_of_one_text_are_one_with_the_answers_of_all() -> None:
    (one,) = merged(
        [
            AnsweredQuestion("Who?", ("Ann",), ("Bob",)),
            AnsweredQuestion("WHO", ("ann", "Eve"), (), "Eve"),
        ]
    )
    assert one == AnsweredQuestion("Who?", ("Ann", "Eve"), ("Bob",), "Eve")


def test_a_share_of_the_questions_is_set_aside_and_no_text_is_in_both_parts() -> None:
    parts = parted([*TEN, *TEN], dev_share=0.2, seed=0)

    assert (len(parts.train), len(parts.dev)) == (8, 2)
    texts = [{same_text(one.text) for one in part} for part in (parts.train, parts.dev)]
    assert not texts[0] & texts[1]
    assert parts.notes == ()


def test_another_seed_sets_other_questions_aside() -> None:
    found = {parted(TEN, dev_share=0.2, seed=seed).dev for seed in range(5)}
    assert len(found) > 1
    assert (
        parted(TEN[::-1], dev_share=0.2, seed=3).data()
        == parted(TEN, dev_share=0.2, seed=3).data()
    )


def test_a_question_of_a_given_dev_set_is_not_trained_on() -> None:
    parts = parted(TEN, [question(3), question(11)], dev_share=0.2, seed=0)

    assert len(parts.train) == 9
    assert "question 3?" not in {one.text for one in parts.train}
    assert len(parts.dev) == 2
    assert parts.notes == (
        "1 question to train on is in the dev set too, and left out of training.",
    )


def test_what_is_left_out_is_counted() -> None:
    both = AnsweredQuestion("Which?", ("a", "b", "c"), ("c", "d"))
    across = [
        AnsweredQuestion("Who?", ("e", "f")),
        AnsweredQuestion("Who?", (), ("f",)),
    ]
    parts = parted([question(0), both, *across], dev_share=0, seed=0)

    # by hand: "c" within one question, "f" across two; "Who?" keeps one right answer
    assert parts.contradictions == 2
    assert parts.left_out == 1
    assert [one.text for one in parts.train] == ["question 0?", "Which?"]
    data = parts.data(["a.tsv"])
    assert (data.train_questions, data.train_positives, data.train_negatives) == (
        2,
        4,
        4,
    )
    assert (data.sources, data.left_out, data.dev_questions) == (("a.tsv",), 1, 0)


def test_without_a_question_to_check_on_that_is_said() -> None:
    (note,) = parted(TEN, dev_share=0, seed=0).notes
    assert "no question to check on" in note


@pytest.mark.parametrize(
    ("questions", "said"),
    [
        ([], "nothing to train on"),
        ([question(0, correct=1)], "None of 1 question to train on has two correct"),
        ([question(0, incorrect=0)], "nothing to tell apart"),
    ],
)
def test_data_that_gives_nothing_to_learn_is_refused(
    questions: list[AnsweredQuestion], said: str
) -> None:
    with pytest.raises(TrainingError, match=said):
        parted(questions, dev_share=0, seed=0)


def test_a_reason_for_nothing_to_train_on_is_the_true_one() -> None:
    with pytest.raises(TrainingError, match="two correct answers stands in the dev"):
        parted(TEN, TEN, dev_share=0.2, seed=0)
    with pytest.raises(TrainingError, match=r"set aside .* lower --dev-share"):
        parted(TEN, dev_share=0.99, seed=0)


def test_a_transformer_needs_both_labels_to_check_on() -> None:
    for dev, share in ((None, 0), ([], 0.2), ([question(11, incorrect=0)], 0.2)):
        with pytest.raises(TrainingError, match=r"Give --dev, .* --dev-share"):
            parted(TEN, dev, dev_share=share, seed=0, needs_dev=True)
    assert parted(TEN, dev_share=0.2, seed=0, needs_dev=True).notes == ()


@pytest.mark.parametrize("share", [-0.1, 1, float("nan")])
def test_a_share_is_from_0_to_below_1(share: float) -> None:
    with pytest.raises(TrainingError, match="from 0 to below 1"):
        parted(TEN, dev_share=share, seed=0)
