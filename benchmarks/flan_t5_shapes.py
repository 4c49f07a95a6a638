"""Models of FLAN-T5's shapes with random weights, and DL19's real prompts for them.

FLAN-T5's weights are not needed to measure how fast it runs: the time does not depend
on them, but for the length of the answers. So there are two kinds of random heads:
one whose answers run on to the limit, and one that ends them after one token and the
end mark, as a self-rating does.
"""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grading.items import Item
from grading.models.protocol import PromptParts
from grading.prompts.released import PROMPTS

PROMPT = PROMPTS["self-rating"]
END = 1
WORDS = 32_128


@dataclass(frozen=True)
class Shape:
    """The sizes in the published config.json."""

    d_model: int
    d_ff: int
    layers: int
    heads: int


SHAPES = {
    "small": Shape(512, 1024, 8, 6),
    "base": Shape(768, 2048, 12, 12),
    "large": Shape(1024, 2816, 24, 16),
}


def dl19_prompts(folder: Path, count: int) -> list[PromptParts]:
    """Self-rating prompts of random passages, each with its query's ten questions.

    In the order in which the published workbench asks them: passage by passage.
    """
    questions = {}
    with gzip.open(folder / "questions.jsonl.gz", "rt") as lines:
        for line in lines:
            bank = json.loads(line)
            questions[bank["query_id"]] = [
                PROMPT.render(Item("question", question["question_text"]))
                for question in bank["questions"]
            ]
    pairs = list(dl19_passages(folder))
    chosen = sorted(random.Random(0).sample(range(len(pairs)), -(-count // 10)))
    prompts = [
        PromptParts(before, pairs[position][1], after)
        for position in chosen
        for before, after in questions[pairs[position][0]]
    ]
    return prompts[:count]


def dl19_passages(folder: Path) -> Iterator[tuple[str, str]]:
    """(query id, passage) in the order of the published file."""
    with gzip.open(folder / "graded.jsonl.gz", "rt") as lines:
        for line in lines:
            query_id, passages = json.loads(line)
            for passage in passages:
                yield query_id, passage["text"]


def save_tokenizer(model_folder: Path, dl19: Path) -> float:
    """A Unigram tokenizer of DL19's own text; its tokens per word there."""
    from tokenizers import Tokenizer
    from tokenizers.models import Unigram
    from tokenizers.pre_tokenizers import Metaspace
    from tokenizers.trainers import UnigramTrainer
    from transformers import T5Tokenizer

    texts = [text for _, text in dl19_passages(dl19)]
    random.Random(0).shuffle(texts)
    learner = Tokenizer(Unigram())
    learner.pre_tokenizer = Metaspace()
    trainer = UnigramTrainer(
        vocab_size=16_000,
        special_tokens=["<pad>", "</s>", "<unk>"],
        unk_token="<unk>",
        show_progress=False,
    )
    learner.train_from_iterator([*texts[:4000], PROMPT.template], trainer)
    vocabulary = json.loads(learner.to_str())["model"]["vocab"]
    tokenizer = T5Tokenizer(vocab=[tuple(entry) for entry in vocabulary], extra_ids=0)
    tokenizer.save_pretrained(model_folder)
    unseen = texts[4000:4500]
    tokens = sum(map(len, tokenizer(unseen, add_special_tokens=False).input_ids))
    return tokens / sum(len(text.split()) for text in unseen)


def save_model(folder: Path, shape: Shape, *, short_answers: bool) -> None:
    """A T5 of this shape with random weights and a head of its own."""
    import torch
    from transformers import T5Config, T5ForConditionalGeneration

    torch.manual_seed(0)
    config = T5Config(
        vocab_size=WORDS,
        d_model=shape.d_model,
        d_kv=64,
        d_ff=shape.d_ff,
        num_layers=shape.layers,
        num_decoder_layers=shape.layers,
        num_heads=shape.heads,
        feed_forward_proj="gated-gelu",
        tie_word_embeddings=False,
        decoder_start_token_id=0,
        pad_token_id=0,
        eos_token_id=END,
    )
    with torch.no_grad():
        model = T5ForConditionalGeneration(config)
        head = torch.randn(WORDS, shape.d_model) * 0.1
        if short_answers:
            _end_after_one_token(model, head)
        model.lm_head.weight = torch.nn.Parameter(head)
    model.save_pretrained(folder)
    _say_that_the_head_is_its_own(folder / "config.json")


def _end_after_one_token(model: Any, head: Any) -> None:
    """Let the end mark be likely after any token, and unlikely at the start.

    All tokens but the start mark share a direction, which passes through the layers
    beside what they add; the end mark's row of the head points that way.
    """
    import torch

    direction = torch.nn.functional.normalize(torch.randn(head.shape[1]), dim=0)
    strength = 6 * head.shape[1] ** 0.5
    model.shared.weight += strength * direction
    model.shared.weight[0] -= 2 * strength * direction
    head -= head @ direction[:, None] * direction
    head[END] = 2 * direction


def _say_that_the_head_is_its_own(config: Path) -> None:
    said = json.loads(config.read_text())
    said.pop("scale_decoder_outputs", None)
    config.write_text(json.dumps(said | {"tie_word_embeddings": False}))
