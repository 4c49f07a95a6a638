"""Training data for AVA, Vu & Moschitti 2020, section 5.2."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grading.ava.examples import AnsweredQuestion, examples_of, same_text, split


def test_pairs_of_right_answers_are_positives_and_right_with_wrong_negatives():
    question = AnsweredQuestion("q", ("a", "b"), ("x",), short_answer="s")
    made = [
        (one.triple.reference, one.triple.candidate, one.correct)
        for one in examples_of([question])
    ]
    # by hand: C x C without the pairs of a text with itself, and C x W
    assert set(made) == {
        ("a", "b", True),
        ("b", "a", True),
        ("a", "x", False),
        ("b", "x", False),
    }
    assert len(made) == 4
    assert {one.triple.question for one in examples_of([question])} == {"q"}
    assert {one.triple.short_answer for one in examples_of([question])} == {"s"}


answers = st.lists(st.sampled_from(["a", "A", "a.", " b", "b", "c", "d"]), max_size=5)


@settings(max_examples=30)
@given(answers, answers)
def test_counts_follow_from_how_many_different_answers_there_are(right, wrong):
    question = AnsweredQuestion("q", tuple(right), tuple(wrong))
    made = examples_of([question])
    both = {same_text(t) for t in right} & {same_text(t) for t in wrong}
    c = len({same_text(t) for t in right} - both)
    w = len({same_text(t) for t in wrong} - both)
    positives = sum(one.correct for one in made)
    # by hand: |C|(|C| - 1) positives and |C||W| negatives, from two right answers on
    assert positives == c * (c - 1)
    assert len(made) - positives == (c * w if c > 1 else 0)
    for one in made:
        assert same_text(one.triple.reference) != same_text(one.triple.candidate)


@pytest.mark.parametrize(
    "other",
    ["Chlorophyll", "  chlorophyll ", "chlorophyll.", "“Chlorophyll”", "chlorophyll…"],
)
def test_the_same_text_written_otherwise_is_one_answer(other):
    question = AnsweredQuestion("q", ("chlorophyll", other), ("x",))
    assert question.correct == ("chlorophyll",)
    assert examples_of([question]) == []


QUESTIONS = [AnsweredQuestion(f"question {n}", (f"a{n}", f"b{n}")) for n in range(10)]


def texts(parts):
    return [sorted(one.text for one in part) for part in parts]


def test_every_question_is_in_one_part_of_about_the_wished_share():
    parts = split(QUESTIONS, (0.6, 0.2, 0.2), seed=1)
    assert [len(part) for part in parts] == [6, 2, 2]
    assert sorted(one.text for part in parts for one in part) == [
        f"question {n}" for n in range(10)
    ]


@pytest.mark.parametrize("seed", range(5))
def test_questions_of_the_same_text_stay_together(seed):
    twins = [*QUESTIONS, AnsweredQuestion("QUESTION  3?", ("y", "z"))]
    parts = split(twins, (0.5, 0.5), seed=seed)
    with_twin = [{"question 3", "QUESTION  3?"} & set(part) for part in texts(parts)]
    assert sorted(len(found) for found in with_twin) == [0, 2]
