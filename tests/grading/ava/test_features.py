"""The linear model's features, Vu & Moschitti 2020, section 4.1."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.ava.features import (
    FEATURES,
    feature_matrix,
    features,
    sim_text,
    sim_token,
    token_run,
    tokens,
)
from grading.ava.triples import Triple
from grading.errors import InvalidSpecError

# The paper's Table 2, word for word.
CALIFORNIA = Triple(
    question="What is the population of California?",
    reference=(
        "With slightly more than 39 million people (according to 2016 estimates), "
        "California is the nation’s most populous state—its population is almost one "
        "and a half times that of second-place Texas (28 million)."
    ),
    candidate=(
        "The resident population of California has been steadily increasing over the "
        "past few decades and has increased to 39.56 million people in 2018."
    ),
    short_answer="39 million",
)


def test_the_papers_example_has_the_features_one_counts_by_hand():
    # by hand: q has 6 tokens, r 33 and t 22; r and t share the, population, of,
    # california, and, to, 39, million, people; r and q share is, the, population, of,
    # california; q and t share the, population, of, california
    assert len(tokens(CALIFORNIA.question)) == 6
    assert len(tokens(CALIFORNIA.reference)) == 33
    assert len(tokens(CALIFORNIA.candidate)) == 22
    assert features(CALIFORNIA) == pytest.approx((0, 18 / 55, 10 / 39, 8 / 28))


def test_the_reverse_inclusion_finds_the_short_answer_in_its_reference():
    # by hand: "39 million" stands in r, and r does not stand in "39 million"
    assert features(CALIFORNIA, inclusion="reverse")[0] == 1
    assert features(CALIFORNIA)[1:] == features(CALIFORNIA, inclusion="reverse")[1:]


@pytest.mark.parametrize(
    ("short", "reference", "printed", "reverse"),
    [
        ("39 million", "39 million", 1, 1),
        ("39 million people", "39 Million.", 1, 0),
        ("39 million", "39 million people", 0, 1),
        ("39 million", "139 million people", 0, 0),  # whole tokens only
        ("39 million", "million 39", 0, 0),  # in order
        ("39 million", "39 or 40 million", 0, 0),  # without a gap
        (None, "39 million", 0, 0),
        ("", "39 million", 0, 0),
        ("39 million", "...", 0, 0),  # nothing is included in nothing
        ("...", "...", 0, 0),
    ],
)
def test_inclusion_is_of_a_run_of_whole_tokens(short, reference, printed, reverse):
    assert sim_token(short, reference) == printed
    assert sim_token(short, reference, inclusion="reverse") == reverse


def test_another_inclusion_is_refused_with_those_there_are():
    with pytest.raises(InvalidSpecError, match=r"'both'.*printed, reverse"):
        sim_token("a", "a", inclusion="both")


@pytest.mark.parametrize(
    ("text", "run"),
    [
        ("George W. Bush", ("george", "w", "bush")),
        ("39.56 %", ("39", "56")),
        ("snake_case isn't", ("snake", "case", "isn", "t")),
        ("Åke Senning, ÉTÉ", ("åke", "senning", "été")),
        ("e\u0301te\u0301", ("été",)),  # accents written as characters of their own
        ("Почему?", ("почему",)),
        (" -- ", ()),
    ],
)
def test_tokens_are_lower_cased_runs_of_letters_and_digits(text, run):
    assert token_run(text) == run


def test_a_word_that_stands_twice_counts_once():
    # by hand: {to, be, or, not} and {to, be}: 2 * 2 / (4 + 2)
    assert sim_text("to be or not to be", "To be") == pytest.approx(2 / 3)


def test_texts_without_a_token_share_nothing():
    assert sim_text("", "...") == 0
    assert sim_text("", "a") == 0


@given(st.text(max_size=20), st.text(max_size=20))
def test_similarity_is_symmetric_and_1_only_for_the_same_tokens(a, b):
    assert sim_text(a, b) == sim_text(b, a)
    assert 0 <= sim_text(a, b) <= 1
    assert (sim_text(a, b) == 1) == (tokens(a) == tokens(b) != frozenset())


def test_a_matrix_has_a_row_per_triple_and_a_column_per_feature():
    other = Triple("a b", "a", "b")
    matrix = feature_matrix([CALIFORNIA, other])
    assert matrix.tolist() == [list(features(CALIFORNIA)), list(features(other))]
    assert matrix.dtype == "float64"
    assert feature_matrix([]).shape == (0, len(FEATURES))
