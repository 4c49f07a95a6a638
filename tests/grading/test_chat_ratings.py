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
        # the paper's rule: a digit alone, or closed by a mark, then anything
        ("0", 0),
        (" 5\n", 5),
        ("4.", 4),
        ("4: The answer is mostly relevant and complete.", 4),
        ("3) partially relevant", 3),
        ("2.\nBecause the passage\nsays little.", 2),
        ("4: 2 of the three points are named", 4),
        ("4: 20 of them are", 4),
        # the paper's phrases
        ("Unanswerable.", 0),
        ("**Not enough information**", 0),
        # ours: wrapped
        ("**4**", 4),
        ("**4:** mostly relevant", 4),
        ("**4: mostly relevant**", 4),
        ("(4)", 4),
        ("(4) mostly relevant", 4),
        ("[4]", 4),
        ('"4"', 4),
        ("`4`", 4),
        ("“4”", 4),
        ("```\n4\n```", 4),
        ("- 4: The answer is mostly relevant", 4),
        # ours: labelled
        ("Rating: 4", 4),
        ("rating: 4/5", 4),
        ("**Rating:** 4", 4),
        ("**Rating**: 4", 4),
        ("Rating:\n4", 4),
        ("Rating (0-5): 4", 4),
        ("Score = 3", 3),
        ("Answer: 4", 4),
        ("Final answer: **4**", 4),
        ("The rating is 4.", 4),
        ('{"rating": 4}', 4),
        ('{"rating": 4, "reason": "It names 2 of 3."}', 4),
        ('{\n  "rating": 4,\n  "reason": "It names 2 of 3."\n}', 4),
        ("The passage names two of three causes.\n\nRating: 4", 4),
        ("4\nRating: 4", 4),
        # ours: out of five, dashes, parentheses, lists, lines of their own
        ("4/5", 4),
        ("4 out of 5", 4),
        ("4/5: mostly relevant", 4),
        ("4 - mostly relevant", 4),
        ("4 – mostly relevant", 4),
        ("4—mostly relevant", 4),
        ("4 (mostly relevant)", 4),
        ("4\n\n1. It names the cause.\n2. It lacks the year.", 4),
        ("I would choose:\n\n**4: The answer is mostly relevant**", 4),
        ("The passage answers it well.\n5", 5),
        # ours: after the thoughts of a reasoning model
        ("<think>Is it a 3? No.</think>\n\n4", 4),
        ("Is it a 3? No.\n</think>\n4", 4),
    ],
)
def test_a_rating_that_is_stated_is_read(raw, rating):
    assert parse_chat_rating(raw) == parse_rating(raw) == rating


@pytest.mark.parametrize(
    ("raw", "rating"),
    [
        # sentences
        ("I would rate this passage a 4 out of 5", 4),
        ("I'd give it a 4.", 4),
        ("I rate the passage as a 5/5.", 5),
        ("This passage deserves a score of 3 because it names 2 of 3.", 3),
        ("On a scale of 0 to 5, I would rate this passage a 4.", 4),
        ("On a scale from 0-5 the passage is rated **3**.", 3),
        ("I would assign a rating of 3 to this passage.", 3),
        ("It would receive 1 out of 5, as it only names 3 people.", 1),
        ("I would say it's a 4.", 4),
        ("I'd give it 5/5 stars.", 5),
        ("The rating is four.", 4),
        ("The final rating would be 2.", 2),
        ("The rating for this passage is 2.", 2),
        # labels and numbers
        ("Rating: 4, because it names the cause.", 4),
        ("Rating: 4 because it names the cause", 4),
        ("Rating - 4", 4),
        ("Rating (out of 5): 4", 4),
        ("My rating is: **4**", 4),
        ("Score: three", 3),
        ("4.0/5", 4),
        ('{"relevance_score": 4, "why": "It names 2 of 3."}', 4),
        ("1. It names the cause.\n2. It lacks the year.\nFinal answer: 3", 3),
        # wrapping
        ("\\boxed{4}", 4),
        ("The rating is $\\boxed{4}$.", 4),
        ("**Final Answer**\n\n\\[ \\boxed{\\text{4}} \\]", 4),
        ("<rating>4</rating>", 4),
        ("<answer>\n4\n</answer>", 4),
        ("$\\boxed{\\mathbf{4}}$", 4),
        # short
        ("This is a 4.", 4),
        ("It's a 4\nIt names cork.", 4),
        ("Rating 4", 4),
        ("4 of 5", 4),
        ("Score: 4 of 5.", 4),
        ("Final answer is 4", 4),
        ("４", 4),
        ("Rating: 4️⃣", 4),
        # beside a rating that is only thought of
        ("Rating: 3. If it named cork, I would give it a 5.", 3),
        ("Rating: 3\n\nTo get a 5, it would need to name cork.", 3),
        ("It would have been rated 5 with a date. Rating: 3", 3),
        ("It names no date, so I would rate it 1.", 1),
        # thoughts
        ("[THINK]Is it a 3?[/THINK]4", 4),
        ("<reasoning>Rating: 2</reasoning>\nRating: 4", 4),
        ("<thinking>Rating: 2</thinking><rating>4</rating>", 4),
        ("4\n<reasoning>It names 2 of 3.</reasoning>", 4),
        (
            "<|channel|>analysis<|message|>Rating: 3?<|end|><|start|>assistant"
            "<|channel|>final<|message|>4<|return|>",
            4,
        ),
        ("4<|im_end|>", 4),
        # no rating, or more than one
        ("<|channel|>analysis<|message|>Rating: 3", UNREADABLE),
        ("[THINK]Rating: 3", UNREADABLE),
        ("I would rate it between 3 and 4.", UNREADABLE),
        ("I'd rate it 3 or 4", UNREADABLE),
        ("I would not give it a 4.", UNREADABLE),
        ("It gets 2/5 for depth and 4/5 for breadth.", UNREADABLE),
        ("Rating: 3. Final rating: 4", UNREADABLE),
        ("4 out of 5 dentists recommend it", UNREADABLE),
        ("I can give 4 reasons why", UNREADABLE),
        ("The score is one of the best", UNREADABLE),
        ("I'd rate this 7 out of 10", UNREADABLE),
        ("If cork were named I would give it a 5.", UNREADABLE),
        ("I would rate this less than 3.", UNREADABLE),
        ("It deserves more than a 3.", UNREADABLE),
        ("I would give it no more than 2.", UNREADABLE),
        ("At most 4 out of 5.", UNREADABLE),
        ("Nobody would give it a 4.", UNREADABLE),
        ("Rating: 4? No, 2", UNREADABLE),
        ("Would I rate this a 4?", UNREADABLE),
        ("Rating: 4 -> 3", UNREADABLE),
        ("Rating: 0 (no) to 5 (yes)", UNREADABLE),
        ("I'd score it 4 for readability and 1 for relevance.", UNREADABLE),
        ("This is a 3 in 1 product.", UNREADABLE),
        ("4 of 5 parts are named", UNREADABLE),
    ],
)
def test_newer_graders_read_more_forms(raw, rating):
    assert parse_rating(raw) == rating


@pytest.mark.parametrize(
    "raw",
    [
        "",
        " \n",
        "...",
        # refusals, prose
        "I'm sorry, but I can't help with that.",
        "The passage answers the question completely.",
        "The answer is highly relevant, complete, and accurate.",
        "four",
        "none",
        "No, it does not say.",
        # two ratings
        "4 or 5",
        "4-5",
        "3 – 4",
        "4 - 5",
        "4 -  5",
        "4 — **5**",
        "4: 5",
        "4. 5: The answer",
        "between 3 and 4",
        "Rating: 4 or 5",
        "Rating: 3\nRating: 4",
        "4\nRating: 3",
        "5: highly relevant\n4: mostly relevant\n3: partially relevant",
        "5. highly relevant\n4. mostly relevant",
        "- 5: highly relevant\n- 4: mostly relevant",
        # other numbers
        "6",
        "45",
        "-1",
        "4.5",
        "4/10",
        "4 out of 10",
        "4/3",
        "Rating: 12",
        "Rating: -3",
        "Rating: 4.5",
        "4th",
        "٤",  # an Arabic 4
        # an answer to the question, not a rating of it
        "4 teeth",
        "4, 5 and 6",
        "Answer: 4 teeth",
        "The answer is 4.",
        "1492: Columbus",
        # cut before the thoughts came to an end
        "<think>Well, 4",
        "<think>\nRating: 4\n",
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


@given(st.text())
def test_any_text_is_a_rating_from_0_to_5_or_unreadable(raw):
    assert parse_rating(raw) in {0, 1, 2, 3, 4, 5, UNREADABLE}


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
        "4 " * 50_000,
        "\n4:" * 20_000,
        "*" * 50_000 + "4",
        " " * 50_000 + "4x",
        "4:" + "1" * 50_000,
        "4\n" * 30_000,
        "$" * 50_000,
        "<answer>" * 10_000,
        "[THINK]" * 10_000,
        "I rate it a " * 10_000,
        "scale of " * 10_000,
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
        ("a</think>b</think>4", "4"),
        ("<think>4", ""),
        ("the tag <think> is text", "the tag <think> is text"),
    ],
)
def test_thoughts_are_no_part_of_what_was_said(raw, said):
    assert without_thoughts(raw) == final_text(raw) == said
