"""Yes or no, relevant or not."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.ratings import UNANSWERABLE, UNREADABLE
from grading.readings import parse_relevance, parse_yes_no, parse_yes_no_true


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("yes", 1),
        ("Yes.", 1),
        ("**Yes**", 1),
        ("Yes, because it names the year.", 1),
        ("Yes\nIt names the year.", 1),
        ("Answer: yes", 1),
        ("no", 0),
        ("No, the passage is about something else.", 0),
        ("<think>yes?</think>no", 0),
    ],
)
def test_yes_and_no_are_read_by_all(raw, value):
    assert parse_yes_no_true(raw) == value
    assert parse_yes_no(raw) == value
    assert parse_relevance(raw) == value


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("relevant", 1),
        ("Relevant: it names the year.", 1),
        ("The passage is relevant to the query.", 1),
        ("Yes, relevant", 1),
        ("not relevant", 0),
        ("irrelevant", 0),
        ("Non-relevant", 0),
        ("This passage is not relevant because it is about dogs.", 0),
    ],
)
def test_relevant_and_not_relevant_are_read_where_relevance_was_asked(raw, value):
    assert parse_relevance(raw) == parse_yes_no_true(raw) == value
    if not raw.lower().startswith(("yes", "no,")):
        assert parse_yes_no(raw) == UNREADABLE


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "I cannot say.",
        "Yes and no",
        "Yes. No.",
        "yesterday",
        "The passage says yes",
        "partially relevant",
        "relevant or not relevant",
        "<think>yes",
    ],
)
@pytest.mark.parametrize(
    "parse",
    [
        parse_yes_no,
        parse_relevance,
    ],
)
def test_anything_else_is_unreadable_and_not_0(parse, raw):
    assert parse(raw) == UNREADABLE


def test_a_yes_that_is_not_relevant_contradicts_itself():
    assert parse_relevance("Yes, not relevant") == UNREADABLE
    assert parse_yes_no_true("Yes, not relevant") == UNREADABLE


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        # the words that the published implementation takes for "yes" and for "no"
        *(("Yes", 1), ("TRUE", 1), ("correct", 1)),
        *(("No", 0), ("False.", 0), ("Incorrect", 0)),
        # and those that it takes for no answer (Farzi & Dietz 2024, footnote 5)
        *((phrase, 0) for phrase in sorted(UNANSWERABLE)),
        # what it takes for "not relevant", as it does any other words
        ("Perhaps", UNREADABLE),
        ("Correct. False.", UNREADABLE),
        ("correctly", UNREADABLE),
        ("", UNREADABLE),
    ],
)
def test_true_and_correct_are_yes_to_a_published_prompt(raw, value):
    assert parse_yes_no_true(raw) == value


@given(st.one_of(st.text(), st.text(alphabet="yesnorlvat ,.-*")))
def test_any_text_is_1_or_0_or_unreadable(raw):
    parsers = (parse_yes_no, parse_relevance, parse_yes_no_true)
    assert {parse(raw) for parse in parsers} <= {0, 1, UNREADABLE}


@pytest.mark.parametrize(
    "raw",
    [
        "yes" + " " * 50_000 + "x",
        "no or " * 9_999,
    ],
)
def test_a_text_of_any_make_takes_little_time(raw):
    began = time.process_time()
    parse_relevance(raw)
    assert time.process_time() - began < 2
