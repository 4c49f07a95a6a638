"""Prompts as a T5 takes them: a long passage is cut, and like lengths go together.

Loads no model; a tokenizer is whatever counts tokens as transformers' fast ones do.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grading.errors import PromptTooLongError
from grading.models.protocol import PromptParts, encodable

VERSION = "passage-end/1"  # bump when a long prompt would be cut otherwise

# Where text meets text otherwise than before, tokens may merge: a cut that removes
# exactly the tokens too many can turn out a few tokens longer or shorter than that.
_MERGED = 4
_SHOWN = 60  # characters of a question that is too long
_LABEL = re.compile(r"\b(?:question|nugget|query|fact)\w*\s*:\s*", re.IGNORECASE)

LENGTH_STEP = 16  # lengths are padded to a multiple of this
MAX_PROMPTS = 64  # a process that is killed loses one batch at most

Spans = Sequence[tuple[int, int]]


Tokenizer = Callable[..., Any]
"""A fast tokenizer of transformers, which gives ``input_ids`` of texts.

Where they are asked for, it gives each text's ``offset_mapping`` too.
"""


@dataclass(frozen=True, slots=True)
class FittedPrompt:
    """A prompt as token ids, end mark included; ``cut`` where its passage was cut."""

    ids: list[int]
    cut: bool = False


def fit_prompts(
    tokenizer: Tokenizer, prompts: Sequence[PromptParts], *, max_tokens: int
) -> list[FittedPrompt | PromptTooLongError]:
    """Each prompt's tokens, in order, at most ``max_tokens`` with the end mark.

    A longer prompt loses tokens from the end of its passage, at a token's border and
    as few as will do; what stands before and after the passage stays whole. A prompt
    that is too long without any passage is an error in its place. Half a surrogate
    pair is read as "?".
    """
    clean = [
        PromptParts(*map(encodable, (p.before, p.context, p.after))) for p in prompts
    ]
    if not clean:
        return []
    tokens = _tokens(tokenizer, [prompt.text for prompt in clean], offsets=False)
    return [
        FittedPrompt(ids)
        if len(ids) <= max_tokens
        else _cut(tokenizer, prompt, max_tokens)
        for prompt, ids in zip(clean, tokens["input_ids"], strict=True)
    ]


def _cut(
    tokenizer: Tokenizer, prompt: PromptParts, max_tokens: int
) -> FittedPrompt | PromptTooLongError:
    """The prompt with the longest beginning of its passage that fits."""
    tokens = _tokens(tokenizer, [prompt.text], offsets=True)
    too_many = len(tokens["input_ids"][0]) - max_tokens
    borders = _borders(prompt, tokens["offset_mapping"][0])
    for border in dict.fromkeys(borders[max(0, too_many - 1 - _MERGED) :]):
        text = f"{prompt.before}{prompt.context[:border]}{prompt.after}"
        (ids,) = _tokens(tokenizer, [text], offsets=False)["input_ids"]
        if len(ids) <= max_tokens:
            return FittedPrompt(ids, cut=True)
    words = f"{prompt.before}{prompt.after}"
    (ids,) = _tokens(tokenizer, [words], offsets=False)["input_ids"]
    return PromptTooLongError(
        f"The question is too long for the model: without any passage the prompt has "
        f"{len(ids)} tokens, and {max_tokens} fit. Shorten '{_beginning(words)}'"
    )


def _borders(prompt: PromptParts, spans: Spans) -> list[int]:
    """Where the passage ends without its last token, its last two, …, without any.

    A border comes twice where a token holds nothing but the mark of a word's start.
    """
    start, end = len(prompt.before), len(prompt.before) + len(prompt.context)
    begins = [begin - start for begin, _ in spans if start < begin < end]
    return [*sorted(begins, reverse=True), 0]


def _tokens(tokenizer: Tokenizer, texts: list[str], *, offsets: bool) -> Any:
    return tokenizer(
        texts,
        add_special_tokens=True,
        return_offsets_mapping=offsets,
        return_attention_mask=False,
        truncation=False,
        padding=False,
        verbose=False,
    )


def _beginning(prompt: str) -> str:
    """The first words of what is asked, after its label where it has one."""
    *_, last = [0, *(found.end() for found in _LABEL.finditer(prompt))]
    asked = " ".join(prompt[last:].split())
    return asked if len(asked) <= _SHOWN else f"{asked[:_SHOWN].rstrip()}…"


def padded_length(length: int) -> int:
    """``length`` rounded up to the next multiple of ``LENGTH_STEP``."""
    return -(-length // LENGTH_STEP) * LENGTH_STEP


def length_batches(lengths: Mapping[int, int], *, max_tokens: int) -> list[list[int]]:
    """Prompts, by position, in batches of like lengths, the longest first.

    ``lengths`` are their tokens. A batch has at most ``max_tokens``, padding included,
    but never less than one prompt, and at most ``MAX_PROMPTS``.
    """
    batches: list[list[int]] = []
    room = 0
    for position in sorted(lengths, key=lambda one: (-lengths[one], one)):
        width = padded_length(lengths[position])
        if not batches or width > room or len(batches[-1]) == MAX_PROMPTS:
            batches.append([])
            room = max_tokens
        batches[-1].append(position)
        room -= width
    return batches
