"""What a chat model's response states, and what it does not."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.chat_ratings import final_text, parse_rating
from grading.ratings import (
    UNANSWERABLE,
    UNREADABLE,
    parse_chat_rating,
    parse_self_rating,
    stated_digit,
    without_thoughts,
)


@pytest.mark.parametrize(
    ("raw", "rating"),
    [
        ("0", 0),
        ("4: The answer is mostly relevant and complete.", 4),
        ("4: 20 of them are", 4),
        ("**4:** mostly relevant", 4),
        ("```\n4\n```", 4),
        ("Rating: 4", 4),
        ("**Rating**: 4", 4),
        ("Final answer: **4**", 4),
        ('{"rating": 4, "reason": "It names 2 of 3."}', 4),
        ("The passage names two of three causes.\n\nRating: 4", 4),
        ("4 out of 5", 4),
        ("4 (mostly relevant)", 4),
        ("4\n\n1. It names the cause.\n2. It lacks the year.", 4),
        ("<think>Is it a 3? No.</think>\n\n4", 4),
        ("Is it a 3? No.\n</think>\n4", 4),
    ],
)
def test_a_rating_that_is_stated_is_read(raw, rating):
    assert parse_chat_rating(raw) == parse_rating(raw) == rating


@pytest.mark.parametrize(
    ("raw", "rating"),
    [
        ("I would rate this passage a 4 out of 5", 4),
        ("This passage deserves a score of 3 because it names 2 of 3.", 3),
        ("The rating is four.", 4),
        ("Rating: 4, because it names the cause.", 4),
        ("1. It names the cause.\n2. It lacks the year.\nFinal answer: 3", 3),
        ("**Final Answer**\n\n\\[ \\boxed{\\text{4}} \\]", 4),
        ("<answer>\n4\n</answer>", 4),
        ("４", 4),
        ("Rating: 3. If it named cork, I would give it a 5.", 3),
        ("It names no date, so I would rate it 1.", 1),
        ("<reasoning>Rating: 2</reasoning>\nRating: 4", 4),
        ("<|channel|>analysis<|message|>Rating: 3", UNREADABLE),
        ("I would rate it between 3 and 4.", UNREADABLE),
        ("Rating: 3. Final rating: 4", UNREADABLE),
        ("If cork were named I would give it a 5.", UNREADABLE),
        ("I would give it no more than 2.", UNREADABLE),
        ("Rating: 4? No, 2", UNREADABLE),
    ],
)
def test_newer_graders_read_more_forms(raw, rating):
    assert parse_rating(raw) == rating


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "I'm sorry, but I can't help with that.",
        "4 or 5",
        "4-5",
        "Rating: 4 or 5",
        "5: highly relevant\n4: mostly relevant\n3: partially relevant",
        "6",
        "-1",
        "4.5",
        "Rating: 4.5",
        "٤",
        "The answer is 4.",
        "<think>Well, 4",
    ],
)
def test_whatever_states_no_one_rating_is_unreadable_and_neither_0_nor_1(raw):
    assert parse_chat_rating(raw) == parse_rating(raw) == UNREADABLE


def test_every_unanswerable_phrase_is_0():
    for phrase in UNANSWERABLE:
        assert parse_chat_rating(phrase) == parse_rating(phrase) == 0


@pytest.mark.parametrize(
    ("response", "digit"),
    [("2", 2), ("Rating: 1", 1), ("2/2", 2), ("3", None), ("2/5", None), ("", None)],
)
def test_a_digit_is_read_on_the_scale_that_was_asked(response, digit):
    assert stated_digit(response, highest=2) == digit


@given(st.text(alphabet="0123456 .:)-/\n*ratingscoeRSis<>"))
def test_any_text_like_a_rating_is_one_or_unreadable(raw):
    assert parse_chat_rating(raw) in {0, 1, 2, 3, 4, 5, UNREADABLE}


@given(st.sampled_from("012345"), st.text(alphabet="abc ,;").filter(str.strip))
def test_where_flan_t5s_rule_reads_a_digit_and_its_reason_so_does_this(digit, reason):
    for raw in (digit, f"{digit}.", f"{digit}: {reason}", f"{digit}) {reason}"):
        assert parse_chat_rating(raw) == parse_self_rating(raw) == int(digit)


@pytest.mark.parametrize(
    "raw",
    [
        "4" + ")" * 50_000 + "x",
        "Rating: " * 20_000,
        " " * 50_000 + "4x",
    ],
)
def test_a_text_of_any_make_takes_little_time(raw):
    began = time.process_time()
    parse_chat_rating(raw)
    parse_rating(raw)
    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (" 4 \n", "4"),
        ("<think>a</think> 4", "4"),
        ("<think>4", ""),
        ("the tag <think> is text", "the tag <think> is text"),
    ],
)
def test_thoughts_are_no_part_of_what_was_said(raw, said):
    assert without_thoughts(raw) == final_text(raw) == said
