"""Encoders that are small enough to be made in a test: RoBERTa's kind and BERT's.

Random weights, two layers, 32 dimensions, and a tokenizer with one token a word. They
are saved as such models are published and are loaded from their folder.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

Kind = Literal["roberta", "bert"]

HIDDEN = 32
POSITIONS = 64
SPREAD = 0.3
SEED = 11


def tiny_encoder(
    folder: Path,
    words: Iterable[str],
    kind: Kind = "roberta",
    *,
    seed: int = SEED,
    dropout: float = 0.1,
) -> Path:
    """The folder, with a model and a tokenizer that knows these words."""
    import torch
    from transformers import BertConfig, BertModel, RobertaConfig, RobertaModel

    tokenizer = word_tokenizer(words, kind)
    sizes: dict[str, Any] = {
        "vocab_size": len(tokenizer),
        "hidden_size": HIDDEN,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 2 * HIDDEN,
        "pad_token_id": tokenizer.pad_token_id,
        "hidden_dropout_prob": dropout,
        "attention_probs_dropout_prob": dropout,
        # So few dimensions need larger weights than the published ones do.
        "initializer_range": SPREAD,
    }
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        if kind == "roberta":
            # RoBERTa counts positions from behind the padding's id, which is 1.
            config = RobertaConfig(
                **sizes, max_position_embeddings=POSITIONS + 2, type_vocab_size=1
            )
            model = RobertaModel(config)
        else:
            model = BertModel(BertConfig(**sizes, max_position_embeddings=POSITIONS))
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def word_tokenizer(words: Iterable[str], kind: Kind = "roberta") -> Any:
    """A tokenizer of words and punctuation; a word it does not know is <unk>."""
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace
    from tokenizers.processors import TemplateProcessing
    from transformers import PreTrainedTokenizerFast

    if kind == "roberta":
        cls, pad, sep, unk = special = ("<s>", "<pad>", "</s>", "<unk>")
        pair = f"{cls} $A {sep} {sep} $B {sep}"
    else:
        pad, unk, cls, sep = special = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
        pair = f"{cls} $A {sep} $B:1 {sep}:1"
    ids = {
        word: number for number, word in enumerate(dict.fromkeys([*special, *words]))
    }
    tokenizer = Tokenizer(WordLevel(ids, unk_token=unk))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(
        single=f"{cls} $A {sep}",
        pair=pair,
        special_tokens=[(cls, ids[cls]), (sep, ids[sep])],
    )
    names = ["input_ids", "attention_mask"]
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        model_input_names=names + ["token_type_ids"] * (kind == "bert"),
        cls_token=cls,
        pad_token=pad,
        sep_token=sep,
        unk_token=unk,
    )
