"""The self-rating parse of Farzi & Dietz 2024, section 3.2.3."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.ratings import UNANSWERABLE, parse_self_rating


@pytest.mark.parametrize(
    ("raw", "rating"),
    [
        ("5", 5),
        (" 4 \n", 4),
        ("4.", 4),
        ("4:", 4),
        ("4: The answer is mostly relevant and complete.", 4),
        ("2.\nBecause the passage\nsays little.", 2),
        ("unanswerable", 0),
        ("Unanswerable.", 0),
        ("No.", 0),
        ("'no answer'", 0),
        ("Not enough information!", 0),
        ("unknown", 0),
        ("It  does not say", 0),
        ("", 1),
        ("123", 1),
        ("6", 1),
        ("4 5", 1),
        ("4:The answer", 1),
        ("4 The answer", 1),
        ("Rating: 4", 1),
        ("No, it does not say.", 1),
    ],
)
def test_a_response_has_the_rating_of_the_published_rule(raw, rating):
    assert parse_self_rating(raw) == rating


@given(st.text())
def test_every_response_has_a_rating_from_0_to_5(raw):
    assert 0 <= parse_self_rating(raw) <= 5


def test_the_unanswerable_phrases_are_the_eight_of_footnote_5():
    assert len(UNANSWERABLE) == 8
    assert all(parse_self_rating(phrase) == 0 for phrase in UNANSWERABLE)
