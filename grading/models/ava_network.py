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

Source: Vu & Moschitti 2020, section 4.2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from grading.ava.triples import Scores
from grading.models.ava_reading import TextsRead

PEER_TOKENS = 1  # that the second pass reads beside the pair's own
_HEAD_SPREAD = 0.02  # as BERT initialises its layers
_SCORED_AT_ONCE = 32
_READ = ("input_ids", "attention_mask", "token_type_ids")

Inputs = Mapping[str, Tensor]
"""What a tokenizer makes of a batch of pairs, each [n, tokens]; padding at the end."""


class AvaNetwork(nn.Module):  # type: ignore[misc]
    """Encoders with weights of their own under one linear layer.

    With ``peer_attention`` there are two encoders, whose representations are as wide
    as their word embeddings.
    """

    def __init__(self, encoders: Sequence[nn.Module], *, peer_attention: bool) -> None:
        super().__init__()
        self.encoders = nn.ModuleList(encoders)
        self.peer_attention = peer_attention
        width = sum(encoder.config.hidden_size for encoder in encoders)
        self.head = nn.Linear(width, 1)
        nn.init.normal_(self.head.weight, std=_HEAD_SPREAD)
        nn.init.zeros_(self.head.bias)

    def forward(self, parts: Sequence[Inputs]) -> Tensor:
        """The logits [n] of n triples, given each part's inputs."""
        x = torch.cat(self.representations(parts), dim=-1)
        return self.head(x).squeeze(-1)

    def representations(self, parts: Sequence[Inputs]) -> list[Tensor]:
        """What is classified of each part, [n, d]."""
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


def beside_peer(encoder: nn.Module, inputs: Inputs, peer: Tensor) -> dict[str, Tensor]:
    """The inputs of the second pass: ``peer`` [n, d] stands at index 1.

    It counts as a token of the first text, as [CLS] does.
    """
    embedded = encoder.get_input_embeddings()(inputs["input_ids"])
    given = {"inputs_embeds": _with_second(embedded, peer.unsqueeze(1))}
    for name in ("attention_mask", "token_type_ids"):
        if name in inputs:
            given[name] = _with_second(inputs[name], inputs[name][:, :1])
    return given


def tokenised(
    tokenizer: Any, batch: Sequence[TextsRead], *, max_tokens: int, device: Any
) -> list[Inputs]:
    """Each part's inputs for a batch of triples; the longer text of a pair is cut."""
    parts: list[Inputs] = []
    for pairs in zip(*batch, strict=True):
        tokens = tokenizer(
            [first for first, _ in pairs],
            [second for _, second in pairs],
            truncation="longest_first",
            max_length=max_tokens,
            padding=True,
            return_tensors="pt",
        )
        parts.append(
            {name: tokens[name].to(device) for name in _READ if name in tokens}
        )
    return parts


def scored(
    network: AvaNetwork,
    read: Callable[[Sequence[TextsRead]], list[Inputs]],
    texts: Sequence[TextsRead],
) -> Scores:
    """The score of each, in order; equal texts are scored once, so they score alike.

    ``read`` makes inputs of a batch. The network is left in the mode it was in.
    """
    different = list(dict.fromkeys(texts))
    # Texts of like length share a batch, so that little is padded.
    different.sort(key=lambda pairs: -sum(len(text) for pair in pairs for text in pair))
    score_of: dict[TextsRead, float] = {}
    was_training = network.training
    network.eval()
    try:
        with torch.inference_mode():
            for start in range(0, len(different), _SCORED_AT_ONCE):
                batch = different[start : start + _SCORED_AT_ONCE]
                logits = network(read(batch)).cpu().double()
                score_of.update(zip(batch, logits.sigmoid().tolist(), strict=True))
    finally:
        network.train(was_training)
    return np.array([score_of[pairs] for pairs in texts], dtype=np.float64)


def _with_second(rows: Tensor, second: Tensor) -> Tensor:
    return torch.cat([rows[:, :1], second, rows[:, 1:]], dim=1)
