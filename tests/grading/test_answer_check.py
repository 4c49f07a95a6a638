"""The answer-key check of Farzi & Dietz 2024, section 3.2.2."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.answers import answers_match, is_correct, normalise
from grading.items import AllOf

CHOICES = (("a", "oxygen"), ("b", "carbon dioxide"), ("c", "nitrogen"))


@pytest.mark.parametrize(
    ("answer", "normal"),
    [
        ("The Mitochondria!", "mitochondria"),
        ("running of the horses", "run hors"),
        ("It’s the children's ponies", "children' poni"),
        ("", ""),
        ("not soluble", "not solubl"),
    ],
)
def test_an_answer_normalises_to_the_stems_of_its_content_words(answer, normal):
    assert normalise(answer) == normal


@pytest.mark.parametrize(
    ("one", "other", "match"),
    [
        ("carbon dioxide", "The carbon dioxide.", True),
        ("photosynthesis", "photosynthesys", True),
        ("abcd1", "abcd2", False),
        ("abcd12", "abcd13", True),
        ("abcdefghi1", "abcdefgh22", False),
        ("abcdefghij1", "abcdefghi22", True),
        ("The Who", "the who", True),
        ("", "", True),
    ],
)
def test_answers_match_below_a_fifth_of_edits(one, other, match):
    assert answers_match(one, other) is match
    assert answers_match(other, one) is match


@given(st.text(max_size=30))
def test_every_answer_matches_itself(answer):
    assert answers_match(answer, answer)


@pytest.mark.parametrize(
    ("response", "correct"),
    [
        ("carbon dioxide", True),
        ("b", True),
        ("b) carbon dioxide", True),
        ("a", False),
        ("b) oxygen", False),
        ("", False),
    ],
)
@pytest.mark.parametrize("key", [["carbon dioxide"], ["B"]])
def test_with_choices_the_correct_letter_counts_as_well(response, correct, key):
    assert is_correct(response, key, choices=CHOICES) is correct


def test_a_choice_whose_text_is_the_answer_wins_over_one_with_that_letter():
    vitamins = (("a", "C"), ("b", "A"))
    assert is_correct("b", ["A"], choices=vitamins)
    assert not is_correct("C", ["A"], choices=vitamins)


@pytest.mark.parametrize(
    ("response", "answers", "correct"),
    [
        ("Bergen and Paris", ("Bergen", "Paris"), True),
        ("Paris, Bergen; and Rome", ("Bergen", "Paris"), True),
        ("it is carbon dioxyde with some oxygen", ("carbon dioxide", "oxygen"), True),
        ("dioxide of carbon and oxygen", ("carbon dioxide", "oxygen"), False),
        ("The Who and Queen", ("The Who", "Queen"), True),
    ],
)
def test_of_a_key_of_all_answers_each_has_to_be_found(response, answers, correct):
    assert is_correct(response, AllOf(answers)) is correct


def test_letters_name_choices_in_a_key_of_all_answers_too():
    assert is_correct("oxygen and nitrogen", AllOf(("A", "c")), choices=CHOICES)
    assert not is_correct("a", AllOf(("A", "c")), choices=CHOICES)
