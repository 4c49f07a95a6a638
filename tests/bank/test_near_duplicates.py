"""Questions that say almost the same are found by their words."""

import gzip
import json

import pytest

from curator.bank.near_duplicates import find_near_duplicates, near_duplicates
from curator.bank.questions import Question


def asked(*texts, **states):
    """Questions q/0, q/1, … of these texts; ``q0="retired"`` retires the first."""
    return tuple(
        Question(f"q/{i}", "q", text, state=states.get(f"q{i}", "kept"))
        for i, text in enumerate(texts)
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("How do trees know it is autumn?", "how do trees know, it is autumn"),
        # from the CAR Y3 bank
        (
            "What is the relationship between the glands of the endocrine system and "
            "the immune system?",
            "What is the relationship between the endocrine system and the immune "
            "system?",
        ),
    ],
)
def test_the_same_words_in_another_dress_are_near(one, other):
    assert near_duplicates(asked(one, other)) == {"q/0": "q/1", "q/1": "q/0"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        # from the DL19 bank
        (
            "Is there a significant difference in taste between a McDouble and a "
            "Double Cheeseburger?",
            "Is there a difference in the bun used for a McDouble and a Double "
            "Cheeseburger?",
        ),
        ("", ""),
    ],
)
def test_other_questions_of_the_same_query_are_not(one, other):
    assert near_duplicates(asked(one, other)) == {}


def test_the_first_kept_one_is_named():
    texts = 3 * ["What is the weather like?"]
    first = {"q/0": "q/1", "q/1": "q/0"}
    assert near_duplicates(asked(*texts)) == first | {"q/2": "q/0"}
    assert near_duplicates(asked(*texts, q2="retired")) == first
    assert near_duplicates(asked(*texts[:2], q1="proposed")) == {"q/1": "q/0"}


@pytest.mark.real_data
def test_few_questions_of_a_real_bank_are_near_each_other(shared_data):
    near = total = 0
    with gzip.open(shared_data / "dl19" / "questions.jsonl.gz", "rt") as lines:
        for line in lines:
            query = json.loads(line)
            texts = [q["question_text"] for q in query["questions"]]
            near += len(find_near_duplicates(asked(*texts)))
            total += len(texts)
    assert (near, total) == (2, 430)  # read off: RN degree, BSN degree
