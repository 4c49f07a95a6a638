"""Tokens and dollars before anything is asked."""

import pytest

from grading.costs import (
    SELF_RATING_TOKENS,
    CostEstimate,
    Prices,
    cost,
    estimate,
    estimated_tokens,
    parse_prices,
)
from grading.errors import InvalidPricesError


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("a", 1), ("four", 1), ("fives", 2), ("x" * 400, 100), ("\ud83d", 1)],
)
def test_four_characters_are_a_token_and_what_is_begun_counts(text, tokens):
    assert estimated_tokens(text) == tokens


def test_an_estimate_adds_up_prompts_answers_and_dollars():
    prices = Prices(1.0, 10.0)
    asked = ["x" * 40, "x" * 80]
    # by hand: 10 + 20 tokens and 8 for each message's marks; 2 an answer;
    # 46 of 1 dollar a million and 4 of 10
    assert estimate(asked, answer_tokens=SELF_RATING_TOKENS, prices=prices) == (
        CostEstimate(prompts=2, tokens_in=46, tokens_out=4, dollars=86 / 1_000_000)
    )


def test_cost_is_in_dollars_a_million_tokens():
    # by hand: 2 million at 0.15 and half a million at 0.60
    assert cost(2_000_000, 500_000, Prices(0.15, 0.60)) == pytest.approx(0.60)


@pytest.mark.parametrize("text", ["0.15,0.60", " 0.15 , .6 ", "15e-2,0.6"])
def test_prices_are_two_numbers(text):
    assert parse_prices(text) == Prices(0.15, 0.60)


@pytest.mark.parametrize("text", ["0.15", "0,15,0,60", "-1,2", "nan,1", "a,b"])
def test_anything_else_is_refused_in_one_line(text):
    with pytest.raises(InvalidPricesError, match=r"such as 0\.15,0\.60$") as error:
        parse_prices(text)
    assert f"'{text}'" in str(error.value)
