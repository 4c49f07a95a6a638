"""A long prompt loses the end of its passage, as little as will do, nothing else."""

import random

import pytest

from grading.errors import PromptTooLongError
from grading.models.protocol import PromptParts
from grading.models.t5_prompts import FittedPrompt, fit_prompts
from tests.samples.tiny_t5 import passages

BEFORE = "choose one:\nQuestion: Why do leaves turn red?\nContext: "
AFTER = "\nSay why, in one word: "
LONG = " ".join(passages()[:12])


@pytest.fixture(scope="module")
def tokenizer(tiny_model):
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(tiny_model)


def fit(tokenizer, prompt, max_tokens):
    (result,) = fit_prompts(tokenizer, [prompt], max_tokens=max_tokens)
    return result


def test_no_longer_beginning_of_the_passage_fits(tokenizer):
    draw = random.Random(0)
    words = [*LONG.split(), "red-brown,", "(1930)", "x" * 30, "…", "naïve"]
    for _ in range(12):
        passage = " ".join(draw.choices(words, k=120))
        prompt = PromptParts(BEFORE, passage, draw.choice(["", AFTER, "ness."]))
        size = draw.randint(40, 120)
        result = fit(tokenizer, prompt, size)
        # Every beginning, tried letter by letter at the tokens' borders.
        spans = tokenizer(prompt.text, return_offsets_mapping=True)["offset_mapping"]
        borders = {b - len(BEFORE) for b, _ in spans} | {0}
        fits = [
            ids
            for border in sorted(b for b in borders if 0 <= b < len(passage))
            if len(
                ids := tokenizer(
                    f"{prompt.before}{passage[:border]}{prompt.after}"
                ).input_ids
            )
            <= size
        ]
        assert result == FittedPrompt(fits[-1], cut=True)


def test_a_question_that_is_too_long_by_itself_is_named_with_its_length(tokenizer):
    question = "Why " * 600
    prompt = PromptParts(f"choose one: Question: {question}Context: ", "Some text.", "")
    length = len(tokenizer(f"{prompt.before}").input_ids)
    error = fit(tokenizer, prompt, 512)
    assert isinstance(error, PromptTooLongError)
    assert f"{length} tokens" in str(error)
    assert "'Why Why" in str(error)
    assert "\n" not in str(error)
