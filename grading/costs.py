"""Estimate the costs of prompts to a chat model in advance.

Both the number of tokens of a text, counted without the model's tokenizer, and the
length of answers are estimated. ``Response.tokens_in`` and ``tokens_out`` are the
numbers that the server counted.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from grading.errors import InvalidPricesError

SELF_RATING_TOKENS = 2  # a digit and the end token
_BYTES_PER_TOKEN = 4
_MESSAGE_TOKENS = 8  # the tokens around a message, which are charged, too


@dataclass(frozen=True)
class Prices:
    """Dollars per million input tokens, and per million output tokens."""

    per_million_in: float
    per_million_out: float


@dataclass(frozen=True)
class CostEstimate:
    """Estimated tokens and costs of prompts; dollars are None without prices."""

    prompts: int
    tokens_in: int
    tokens_out: int
    dollars: float | None


def estimated_tokens(text: str) -> int:
    """Estimate the tokens of ``text``: one for every four bytes, rounded up.

    Four bytes are four characters in English; other scripts have more tokens and more
    bytes per character. With OpenAI's o200k_base the demo's 128 passages have 11 %
    fewer tokens than estimated, single ones from 27 % fewer to 10 % more; Korean,
    Chinese and Russian have fewer, too.
    """
    return math.ceil(len(text.encode("utf-8", "replace")) / _BYTES_PER_TOKEN)


def estimate(
    prompts: Iterable[str], *, answer_tokens: int, prices: Prices | None = None
) -> CostEstimate:
    """Estimate tokens and costs of ``prompts``, each sent once.

    ``answer_tokens`` is the assumed length of an answer: ``SELF_RATING_TOKENS`` for
    a rating, else the model's limit, which makes the estimate an upper bound. Thoughts
    of reasoning models are charged, too, up to the same limit.
    """
    sent = [_MESSAGE_TOKENS + estimated_tokens(prompt) for prompt in prompts]
    tokens_in, tokens_out = sum(sent), answer_tokens * len(sent)
    dollars = None if prices is None else cost(tokens_in, tokens_out, prices)
    return CostEstimate(len(sent), tokens_in, tokens_out, dollars)


def cost(tokens_in: int, tokens_out: int, prices: Prices) -> float:
    """Return the dollars for this many tokens."""
    dollars = tokens_in * prices.per_million_in + tokens_out * prices.per_million_out
    return dollars / 1_000_000


def parse_prices(text: str) -> Prices:
    """Parse prices such as "0.15,0.60": dollars per million tokens in, and out.

    Raises InvalidPricesError for anything but two numbers of at least 0.
    """
    try:
        sent, answered = map(float, text.split(","))
    except ValueError:
        sent = answered = math.nan
    if not (0 <= sent < math.inf and 0 <= answered < math.inf):
        raise InvalidPricesError(
            f"Prices '{text}' are not valid; give dollars per million tokens in and "
            "out, such as 0.15,0.60"
        )
    return Prices(sent, answered)
