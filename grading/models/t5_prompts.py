"""Tokenize prompts for T5: cut long passages, and batch prompts by length.

Loads no model.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grading.errors import PromptTooLongError
from grading.models.protocol import PromptParts, encodable

VERSION = "passage-end/1"  # bump when a long prompt would be cut differently

# Tokens may merge where the texts around a cut meet: a cut of exactly the excess tokens
# can turn out a few tokens longer or shorter.
_MERGED = 4
_SHOWN = 60  # characters of a question that is too long
_LABEL = re.compile(r"\b(?:question|nugget|query|fact)\w*\s*:\s*", re.IGNORECASE)

LENGTH_STEP = 16  # lengths are padded to a multiple of this
MAX_PROMPTS = 64  # a process that is killed loses one batch at most

Spans = Sequence[tuple[int, int]]


Tokenizer = Callable[..., Any]
"""A fast tokenizer of transformers: texts to ``input_ids`` and ``offset_mapping``."""


@dataclass(frozen=True, slots=True)
class FittedPrompt:
    """A prompt as token ids, including the end token; ``cut``: its passage was cut."""

    ids: list[int]
    cut: bool = False


def fit_prompts(
    tokenizer: Tokenizer, prompts: Sequence[PromptParts], *, max_tokens: int
) -> list[FittedPrompt | PromptTooLongError]:
    """Tokenize prompts, in order, to at most ``max_tokens`` with the end token.

    A longer prompt loses as few tokens as necessary from the end of its passage; the
    text before and after the passage stays complete. For a prompt that is too long
    without any passage the result is an error. Lone surrogates are read as "?".
    """
    clean = [
        PromptParts(*map(encodable, (p.before, p.context, p.after))) for p in prompts
    ]
    if not clean:
        return []
    tokens = _tokens(tokenizer, [prompt.text for prompt in clean], offsets=False)
    fitted: list[FittedPrompt | PromptTooLongError] = []
    for prompt, ids in zip(clean, tokens["input_ids"], strict=True):
        fits = len(ids) <= max_tokens
        fitted.append(
            FittedPrompt(ids) if fits else _cut(tokenizer, prompt, max_tokens)
        )
    return fitted


def _cut(
    tokenizer: Tokenizer, prompt: PromptParts, max_tokens: int
) -> FittedPrompt | PromptTooLongError:
    """Return the prompt with the longest beginning of its passage that fits."""
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
    """Lengths of the passage without its last token, its last two, …, without any.

    A length is repeated for a token that only marks the start of a word.
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
    """The first words of the question, after its label if there is one."""
    *_, last = [0, *(label.end() for label in _LABEL.finditer(prompt))]
    text = " ".join(prompt[last:].split())
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN].rstrip()}…"


def padded_length(length: int) -> int:
    """Round ``length`` up to the next multiple of ``LENGTH_STEP``."""
    return -(-length // LENGTH_STEP) * LENGTH_STEP


def length_batches(lengths: Mapping[int, int], *, max_tokens: int) -> list[list[int]]:
    """Batch prompts, by position, with similar lengths, the longest first.

    ``lengths`` are numbers of tokens. A batch has at most ``max_tokens``, including
    padding, and at most ``MAX_PROMPTS`` prompts, but at least one.
    """
    batches: list[list[int]] = []
    room = 0
    for position in sorted(lengths, key=lambda at: (-lengths[at], at)):
        width = padded_length(lengths[position])
        if not batches or width > room or len(batches[-1]) == MAX_PROMPTS:
            batches.append([])
            room = max_tokens
        batches[-1].append(position)
        room -= width
    return batches
