"""AVA's network: one encoder for each part of a configuration, and one linear layer.

A pair of texts is read "in the standard sentence pair fashion"; the last hidden state
of its first token, [CLS], represents it. The representations of all parts x are
concatenated, and W^T x + b is the logit of the candidate's being right.

Peer attention. The paper describes it by a figure and few words: "the representation
output after processing one pair, captured in H_[CLS], is input to the second pass of
fine-tuning for the other pair. Thus, the representation in one pair can attend over the
representation in the other pair". Our reading: each encoder reads its pair, and then
reads it again with the other's H_[CLS] as one more input vector right after its own
[CLS], where an embedded word would stand; self-attention does the rest. Both passes of
a pair use the same weights, and the second passes' [CLS] are classified. The place is
fixed, so that padding, which follows the text, moves nothing.

A network is made from an encoder's folder, or read from a model's, which holds nothing
that could run code. Source: Vu & Moschitti 2020, section 4.2.
"""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_model, save_model
from torch import Tensor, nn
from transformers import AutoConfig, AutoModel, AutoTokenizer
from transformers.utils import logging

from grading.ava.card import ENCODER, WEIGHTS
from grading.ava.configurations import Configuration, TextsRead
from grading.ava.model import Scores
from grading.errors import MissingModelError

_HEAD_SPREAD = 0.02  # as BERT initialises its layers
_BATCH_SIZE = 32
_INPUT_NAMES = ("input_ids", "attention_mask", "token_type_ids")
_LOCATION_KEYS = ("_name_or_path", "name_or_path", "local_files_only", "is_local")
# Errors of transformers for files that are missing or invalid.
_UNREADABLE = (AttributeError, KeyError, OSError, RuntimeError, TypeError, ValueError)

# One thread of tokenizers is enough, and more cause warnings when a process forks.
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
_logging: Any = logging  # transformers has no types for it
_logging.set_verbosity_error()
_logging.disable_progress_bar()

Inputs = Mapping[str, Tensor]
"""A tokenizer's output for a batch of pairs, each [n, tokens]; padding at the end."""


class AvaNetwork(nn.Module):  # type: ignore[misc]
    """Encoders with separate weights under one linear layer, and a tokenizer.

    The encoders start as copies of one; the layer starts at random, so seed torch
    first. A pair is cut to ``max_tokens``, the longer text first. With peer attention
    there are two encoders, whose representations are as wide as their embeddings.
    """

    def __init__(
        self,
        encoder: nn.Module,
        tokenizer: Any,
        configuration: Configuration,
        *,
        max_tokens: int,
    ) -> None:
        super().__init__()
        if getattr(encoder, "pooler", None) is not None:
            encoder.pooler = None  # a layer above [CLS] that is not used
        parts = configuration.parts
        copies = [encoder, *(copy.deepcopy(encoder) for _ in parts[1:])]
        self.encoders = nn.ModuleList(copies)
        self.peer_attention = configuration.peer_attention
        self.head = nn.Linear(len(parts) * encoder.config.hidden_size, 1)
        nn.init.normal_(self.head.weight, std=_HEAD_SPREAD)
        nn.init.zeros_(self.head.bias)
        tokenizer.padding_side = "right"
        self._tokenizer = tokenizer
        self._max_tokens = max_tokens

    def forward(self, parts: Sequence[Inputs]) -> Tensor:
        """Return the logits [n] of n triples, given each part's inputs."""
        representation = torch.cat(self.representations(parts), dim=-1)
        return self.head(representation).squeeze(-1)

    def representations(self, parts: Sequence[Inputs]) -> list[Tensor]:
        """Return each part's representation for the classifier, [n, d]."""
        first = [
            encoder(**inputs).last_hidden_state[:, 0]
            for encoder, inputs in zip(self.encoders, parts, strict=True)
        ]
        if not self.peer_attention:
            return first
        return [
            encoder(**beside_peer(encoder, inputs, peer)).last_hidden_state[:, 0]
            for encoder, inputs, peer in zip(
                self.encoders, parts, reversed(first), strict=True
            )
        ]

    def tokenised(self, batch: Sequence[TextsRead]) -> list[Inputs]:
        """Return each part's inputs for a batch of triples, on the network's device."""
        parts: list[Inputs] = []
        for pairs in zip(*batch, strict=True):
            tokens = self._tokenizer(
                [first for first, _ in pairs],
                [second for _, second in pairs],
                truncation="longest_first",
                max_length=self._max_tokens,
                padding=True,
                return_tensors="pt",
            )
            names = [name for name in _INPUT_NAMES if name in tokens]
            device = self.head.weight.device
            parts.append({name: tokens[name].to(device) for name in names})
        return parts

    def scores(self, texts: Sequence[TextsRead]) -> Scores:
        """Return the score of each, in order; equal ones are scored once.

        The network's mode is restored.
        """
        distinct = list(dict.fromkeys(texts))
        # Texts of similar length share a batch to reduce padding.
        distinct.sort(
            key=lambda pairs: -sum(len(text) for pair in pairs for text in pair)
        )
        score_of: dict[TextsRead, float] = {}
        was_training = self.training
        self.eval()
        try:
            with torch.inference_mode():
                for start in range(0, len(distinct), _BATCH_SIZE):
                    batch = distinct[start : start + _BATCH_SIZE]
                    logits = self(self.tokenised(batch)).cpu().double()
                    score_of.update(zip(batch, logits.sigmoid().tolist(), strict=True))
        finally:
            self.train(was_training)
        return np.array([score_of[pairs] for pairs in texts], dtype=np.float64)

    def write_weights(self, file: Path) -> None:
        """Write the weights. Raises SafetensorError."""
        save_model(self, str(file))

    def write_encoder(self, folder: Path) -> None:
        """Write configuration and tokenizer of the encoders next to their weights."""
        self.encoders[0].config.save_pretrained(folder / ENCODER)
        self._tokenizer.save_pretrained(folder / ENCODER)
        # Paths are private, and a moved encoder is the same.
        for name in ("config.json", "tokenizer_config.json"):
            file = folder / ENCODER / name
            entries = json.loads(file.read_text())
            for key in _LOCATION_KEYS:
                entries.pop(key, None)
            file.write_text(json.dumps(entries, indent=2, sort_keys=True) + "\n")


def new_network(
    folder: Path, configuration: Configuration, *, max_tokens: int
) -> AvaNetwork:
    """Create a network whose encoders all start from the one in ``folder``.

    Raises MissingModelError for a folder without an encoder that can read this
    configuration.
    """
    try:
        encoder = AutoModel.from_pretrained(
            folder, local_files_only=True, dtype=torch.float32
        )
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        network = AvaNetwork(encoder, tokenizer, configuration, max_tokens=max_tokens)
        if tokenizer("a", "b")["input_ids"][0] != tokenizer.cls_token_id:
            raise ValueError("its tokenizer puts no [CLS] before a pair")
        longest = torch.full((2, max_tokens), tokenizer.cls_token_id)
        inputs = {"input_ids": longest, "attention_mask": torch.ones_like(longest)}
        tokenizer(["a", "a b"], padding=True)  # fails without a padding token
        with torch.no_grad():
            network.eval()([inputs] * len(configuration.parts))
    except (*_UNREADABLE, IndexError) as error:
        peer = " and a peer" if configuration.peer_attention else ""
        raise MissingModelError(
            f"'{folder}' holds no encoder that reads {max_tokens} tokens{peer} "
            f"({_first_line(error)}); give the folder of an encoder such as RoBERTa or "
            "BERT, or fewer tokens"
        ) from error
    return network


def read_network(
    folder: Path, configuration: Configuration, *, max_tokens: int
) -> AvaNetwork:
    """Read the network in a model's folder.

    Raises MissingModelError if one of its files is missing or invalid.
    """
    try:
        encoder_folder = folder / ENCODER
        config = AutoConfig.from_pretrained(encoder_folder, local_files_only=True)
        encoder = AutoModel.from_config(config).float()
        tokenizer = AutoTokenizer.from_pretrained(encoder_folder, local_files_only=True)
        network = AvaNetwork(encoder, tokenizer, configuration, max_tokens=max_tokens)
        load_model(network, str(folder / WEIGHTS))
    except (*_UNREADABLE, SafetensorError) as error:
        raise MissingModelError(
            f"'{folder}' does not hold the AVA model that its card describes "
            f"({_first_line(error)}); copy it again, or train it again"
        ) from error
    network.eval()
    return network


def beside_peer(encoder: nn.Module, inputs: Inputs, peer: Tensor) -> dict[str, Tensor]:
    """Return the inputs of the second pass, with ``peer`` [n, d] at index 1.

    It counts as a token of the first text, as [CLS] does.
    """
    embedded = encoder.get_input_embeddings()(inputs["input_ids"])
    peer_inputs = {"inputs_embeds": _with_second(embedded, peer.unsqueeze(1))}
    for name in ("attention_mask", "token_type_ids"):
        if name in inputs:
            peer_inputs[name] = _with_second(inputs[name], inputs[name][:, :1])
    return peer_inputs


def _with_second(rows: Tensor, second: Tensor) -> Tensor:
    return torch.cat([rows[:, :1], second, rows[:, 1:]], dim=1)


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else repr(error)
