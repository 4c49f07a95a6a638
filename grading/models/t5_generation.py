"""Generate answers of T5 models in batches of token ids, with transformers' weights.

``model.generate`` gives the same answers but takes several times as long: it stores the
keys and values of a prompt for every beam, copies them at every token, and pads. Here
they are computed once per prompt, and all its beams query them together. Outside
attention the tokens of all prompts are rows of one matrix, so prompts of all lengths
share a batch. Finished prompts leave the batch. The first token is computed for one
beam, since all beams start equal.

A prompt's answer depends only on its own tokens, padded to a length that is a function
of their number (``t5_prompts.padded_length``), *if* each row of a matrix product is
independent of the other rows. On the CPU it was measured on (AVX-512; MKL in float32,
oneDNN in bfloat16) that holds bit for bit from 12 rows on, so fewer than
``FEWEST_ROWS`` rows are never multiplied. Elsewhere, GPUs included, it holds up to
rounding: with another batch size or number of threads, close decisions may differ.

Padding is masked with minus infinity before the softmax, so its weight is exactly 0.
CUDA and MPS run the same code; they have not been tested.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, groupby
from typing import Any, cast

import torch
from torch import Tensor
from torch.nn.functional import log_softmax, pad, scaled_dot_product_attention

from grading.models.t5_prompts import length_batches, padded_length

FEWEST_ROWS = 16

# The value that transformers subtracts to exclude a candidate; sums must be equal.
RULED_OUT = -1.0e9

# Tokens of a batch by device; on a CPU, as many as it encodes in a few seconds. The
# encoder gets fewer at once there because of CPU caches (measured: 4096 took a quarter
# longer than 2048), while the decoder is faster with many prompts.
_GPU_TOKENS = 16_384
_CPU_WORK = 1e12  # floating-point operations
_CPU_TOKENS = (512, 8192)
_CPU_ENCODED = 2048


@dataclass(slots=True)
class _Group:
    """Prompts of one padded length, adjacent in every tensor.

    ``mask`` [prompts, 1, 1, length] is added to attention scores: 0 for a prompt's own
    tokens, minus infinity for padding. ``keys`` and ``values`` are those of each
    decoder layer's cross-attention, [prompts, heads, length, d].
    """

    ids: Tensor
    mask: Tensor
    keys: list[Tensor] = field(default_factory=list)
    values: list[Tensor] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.mask)

    def keep(self, prompts: Tensor) -> None:
        """Drop all prompts but these, by their current positions."""
        self.mask = self.mask[prompts]
        self.keys = [keys[prompts] for keys in self.keys]
        self.values = [values[prompts] for values in self.values]


_Memory = tuple[Tensor, Tensor]
"""A decoder layer's keys and values of the answers so far.

[prompts × beams, heads, tokens, d] each.
"""


class TransformersGenerator:
    """Generates answers by beam search, or greedily with one beam.

    ``batch_tokens`` is a good number of tokens per batch, including padding.
    """

    def __init__(
        self, model: Any, *, beams: int, answer_tokens: int, length_penalty: float
    ) -> None:
        self._model = model.eval().requires_grad_(False)
        self._beams = beams
        self._device: torch.device = model.device
        self._search: Callable[[int], BeamSearch] = partial(
            BeamSearch,
            beams=beams,
            end=int(model.config.eos_token_id),
            max_tokens=answer_tokens,
            length_penalty=length_penalty,
            device=model.device,
        )
        self._heads: int = model.config.num_heads
        self._biases = torch.zeros(1, self._heads, 0, 0)
        if self._device.type == "cpu":
            weights = sum(w.numel() for w in model.encoder.block.parameters())
            low, high = _CPU_TOKENS
            self.batch_tokens = int(min(max(_CPU_WORK / weights / 2, low), high))
            self._encoded_tokens = _CPU_ENCODED
        else:
            self.batch_tokens = self._encoded_tokens = _GPU_TOKENS

    def answers(self, prompts: Sequence[Sequence[int]]) -> list[list[int]]:
        """Generate each prompt's answer as token ids, including the end token."""
        lengths = {number: len(prompt) for number, prompt in enumerate(prompts)}
        portions = length_batches(lengths, max_tokens=self._encoded_tokens)
        groups: list[_Group] = []
        with torch.inference_mode():
            for portion in portions:
                together = self._groups([prompts[number] for number in portion])
                self.encode(together)
                groups += together
            decoded = self.decode(groups)
        answers = dict(zip(chain(*portions), decoded, strict=True))
        return [answers[number] for number in lengths]

    def _groups(self, prompts: Sequence[Sequence[int]]) -> list[_Group]:
        """Group prompts, sorted by length, by their padded length."""
        padding, dtype = int(self._model.config.pad_token_id), self._model.dtype
        groups = []
        by_width = groupby(prompts, lambda prompt: padded_length(len(prompt)))
        for width, members in by_width:
            together = list(members)
            lengths = torch.tensor([len(prompt) for prompt in together])
            mask = torch.zeros(len(together), 1, 1, width, dtype=dtype)
            mask.masked_fill_(
                torch.arange(width) >= lengths[:, None, None, None], float("-inf")
            )
            ids = [[*prompt, *[padding] * (width - len(prompt))] for prompt in together]
            groups.append(
                _Group(torch.tensor(ids, device=self._device), mask.to(self._device))
            )
        return groups

    def encode(self, groups: Sequence[_Group]) -> Tensor:
        """Return the encoder's output, [tokens of all prompts, d]; set groups' keys."""
        encoder, decoder = self._model.encoder, self._model.decoder
        bias_of = encoder.block[0].layer[0].SelfAttention.compute_bias
        biases = [
            bias_of(*2 * group.ids.shape[1:], device=self._device).to(group.mask.dtype)
            + group.mask
            for group in groups
        ]
        # One row per token of any prompt; only attention separates prompts.
        states = encoder.embed_tokens(torch.cat([g.ids.flatten() for g in groups]))
        for block in encoder.block:
            attention, forward = block.layer
            normed, layer = attention.layer_norm(states), attention.SelfAttention
            parts = [
                self._by_group(part(normed), groups)
                for part in (layer.q, layer.k, layer.v)
            ]
            # T5 does not scale by the root of the dimension.
            heads = [
                _join_heads(
                    scaled_dot_product_attention(q, k, v, attn_mask=bias, scale=1.0)
                )
                for q, k, v, bias in zip(*parts, biases, strict=True)
            ]
            states = states + layer.o(torch.cat(heads))
            states = states + forward.DenseReluDense(forward.layer_norm(states))
        states = encoder.final_layer_norm(states)
        for block in decoder.block:
            layer = block.layer[1].EncDecAttention
            keys, values = layer.k(states), layer.v(states)
            for group, group_keys, group_values in zip(
                groups,
                self._by_group(keys, groups),
                self._by_group(values, groups),
                strict=True,
            ):
                group.keys.append(group_keys)
                group.values.append(group_values)
        return cast(Tensor, states)

    def _by_group(self, rows: Tensor, groups: Sequence[_Group]) -> list[Tensor]:
        """Split [tokens of all prompts, heads × d] into [prompts, heads, tokens, d]."""
        parts = rows.split([group.ids.numel() for group in groups])
        return [
            part.view(*group.ids.shape, self._heads, -1).transpose(1, 2)
            for part, group in zip(parts, groups, strict=True)
        ]

    def decode(self, groups: list[_Group]) -> list[list[int]]:
        """Return each prompt's best answer, in the groups' order."""
        config = self._model.config
        prompts = sum(map(len, groups))
        search = self._search(prompts)
        nothing = groups[0].keys[0].new_zeros(prompts, self._heads, 0, config.d_kv)
        memories = [(nothing, nothing) for _ in self._model.decoder.block]
        answers: list[list[int]] = [[] for _ in range(prompts)]
        unfinished = list(range(prompts))
        start = int(config.decoder_start_token_id)
        tokens = torch.full((prompts, 1), start, device=self._device)
        while True:
            logits = self._logits(tokens, memories, groups)
            beams = (-1, self._beams, -1)  # repeats the one beam of the first step
            parents, following, ended = search.advance(
                log_softmax(logits.float(), dim=-1).expand(beams)
            )
            finished = ended.tolist()
            for position, is_finished in enumerate(finished):
                if is_finished:
                    answers[unfinished[position]] = search.answer(position)
            if all(finished):
                return answers
            living = (~ended).nonzero()[:, 0]
            # Rows of the memories: the parents of the living beams.
            width = tokens.shape[1]
            rows = (living[:, None] * width + parents[living] % width).flatten()
            # One by one: for long answers they fill much of a GPU.
            for number, (keys, values) in enumerate(memories):
                memories[number] = keys[rows], values[rows]
            tokens = following[living]
            if any(finished):
                search.keep(living)
                unfinished = [unfinished[position] for position in living.tolist()]
                continuing = (~ended).split([*map(len, groups)])
                for group, mask in zip(groups, continuing, strict=True):
                    group.keep(mask.nonzero()[:, 0])
                groups = [group for group in groups if len(group)]

    def _logits(
        self, tokens: Tensor, memories: list[_Memory], groups: Sequence[_Group]
    ) -> Tensor:
        """Logits of the next token, [prompts, beams, vocabulary]; extends memories."""
        decoder = self._model.decoder
        prompts, beams = tokens.shape
        bias = self._answer_bias(memories[0][0].shape[2] + 1)
        states = decoder.embed_tokens(tokens.flatten())  # [prompts × beams, d]

        def split_heads(rows: Tensor) -> Tensor:
            return rows.view(prompts * beams, 1, self._heads, -1).transpose(1, 2)

        for number, block in enumerate(decoder.block):
            self_attention, cross_attention, forward = block.layer
            normed = self_attention.layer_norm(states)
            layer = self_attention.SelfAttention
            q, k, v = (
                split_heads(_product(part, normed))
                for part in (layer.q, layer.k, layer.v)
            )
            keys, values = memories[number]
            keys, values = torch.cat((keys, k), dim=2), torch.cat((values, v), dim=2)
            memories[number] = keys, values
            heads = scaled_dot_product_attention(
                q, keys, values, attn_mask=bias, scale=1.0
            )
            states = states + _product(layer.o, heads.flatten(1))

            layer = cross_attention.EncDecAttention
            q = _product(layer.q, cross_attention.layer_norm(states))
            read = [
                # All beams of a prompt query its keys together.
                _join_heads(
                    scaled_dot_product_attention(
                        part.view(len(group), beams, self._heads, -1).transpose(1, 2),
                        group.keys[number],
                        group.values[number],
                        attn_mask=group.mask.expand(-1, self._heads, beams, -1),
                        scale=1.0,
                    )
                )
                for part, group in zip(
                    q.split([beams * len(group) for group in groups]),
                    groups,
                    strict=True,
                )
            ]
            states = states + _product(layer.o, torch.cat(read))

            normed = forward.layer_norm(states)
            states = states + _product(forward.DenseReluDense, normed)
        states = decoder.final_layer_norm(states)
        # FLAN-T5 has a separate head and does not scale; the first T5 does.
        if self._model.config.scale_decoder_outputs:
            states = states * self._model.config.d_model**-0.5
        return _product(self._model.lm_head, states).view(prompts, beams, -1)

    def _answer_bias(self, length: int) -> Tensor:
        """Position bias of an answer's last token for all tokens up to it."""
        if self._biases.shape[-1] < length:
            longer = max(16, 2 * self._biases.shape[-1])
            layer = self._model.decoder.block[0].layer[0].SelfAttention
            bias = layer.compute_bias(longer, longer, device=self._device)
            self._biases = bias.to(self._model.dtype)
        return self._biases[:, :, length - 1 : length, :length]


def _join_heads(heads: Tensor) -> Tensor:
    """[prompts, heads, tokens, d] as [prompts × tokens, heads × d]."""
    return heads.transpose(1, 2).flatten(2).flatten(0, 1)


def _product(layer: Callable[[Tensor], Tensor], rows: Tensor) -> Tensor:
    """``layer(rows)``, with padding so that results do not depend on other rows."""
    missing = FEWEST_ROWS - rows.shape[0]
    if missing <= 0:
        return layer(rows)
    return layer(pad(rows, (0, 0, 0, missing)))[: rows.shape[0]]


Step = tuple[Tensor, Tensor, Tensor]
"""Result of one step of a search: (parents, tokens, finished).

The beams that continue, by their parent and new token, [prompts, beams] each; a mask of
the prompts with an answer, [prompts].
"""


class BeamSearch:
    """Beam search for several prompts; ``advance`` adds one token to each beam.

    Implements ``_beam_search`` of transformers 5.23 (generation/utils.py) with early
    stopping for each prompt. One beam is greedy search: always the likeliest token.

    A prompt is finished when it has as many ended answers as beams (early stopping),
    or when answers reach ``max_tokens``. An answer's score is the sum of its tokens'
    log-probabilities over its length to the power of ``length_penalty``.
    """

    def __init__(
        self,
        prompts: int,
        *,
        beams: int,
        end: int,
        max_tokens: int,
        length_penalty: float,
        device: torch.device,
    ) -> None:
        self._end = end
        self._max_tokens = max_tokens
        self._length_penalty = length_penalty
        # All beams start equal, so only the first one counts at first.
        self._scores = torch.zeros(prompts, beams, device=device)
        self._scores[:, 1:] = RULED_OUT
        self._tokens = torch.zeros(prompts, beams, 0, dtype=torch.long, device=device)
        self._ended_scores = torch.full_like(self._scores, RULED_OUT)
        self._ended_tokens = self._tokens
        self._ended_lengths = torch.zeros_like(self._scores, dtype=torch.long)
        self._ended = torch.zeros_like(self._scores, dtype=torch.bool)

    def advance(self, log_probabilities: Tensor) -> Step:
        """Add the best next tokens, from [prompts, beams, vocabulary], float32."""
        prompts, beams, words = log_probabilities.shape
        length = self._tokens.shape[2] + 1
        sums = log_probabilities + self._scores[:, :, None]
        # Every beam may end at most once, so enough candidates continue.
        scores, best = torch.topk(sums.reshape(prompts, -1), 2 * beams)
        parents, tokens = best // words, best % words
        sequences = torch.cat((_rows(self._tokens, parents), tokens[:, :, None]), dim=2)
        ends = tokens == self._end
        if length == self._max_tokens:
            ends = torch.ones_like(ends)
        self._collect(scores, sequences, ends, length)
        still_open = scores + ends * RULED_OUT
        chosen = torch.topk(still_open, beams)[1]
        if beams > 1:  # a single beam competes with no other
            self._scores = still_open.gather(1, chosen)
        self._tokens = _rows(sequences, chosen)
        finished = self._ended.all(dim=1)
        if length == self._max_tokens:
            finished = torch.ones_like(finished)
        return parents.gather(1, chosen), tokens.gather(1, chosen), finished

    def _collect(
        self, scores: Tensor, sequences: Tensor, ends: Tensor, length: int
    ) -> None:
        """Keep the best answers among those that end now or ended before."""
        beams = self._scores.shape[1]
        # The worse half of the candidates may continue, but not end.
        ends = ends & (torch.arange(2 * beams, device=ends.device) < beams)
        scores = scores / (length**self._length_penalty) + ~ends * RULED_OUT
        merged = torch.cat((self._ended_scores, scores), dim=1)
        self._ended_scores, kept = torch.topk(merged, beams)
        self._ended = torch.cat((self._ended, ends), dim=1).gather(1, kept)
        lengths = torch.full_like(ends, length, dtype=torch.long)
        self._ended_lengths = torch.cat((self._ended_lengths, lengths), dim=1).gather(
            1, kept
        )
        before = pad(self._ended_tokens, (0, 1))
        self._ended_tokens = _rows(torch.cat((before, sequences), dim=1), kept)

    def answer(self, prompt: int) -> list[int]:
        """Return the best answer of a finished prompt, including the end token."""
        length = int(self._ended_lengths[prompt, 0])
        return [int(token) for token in self._ended_tokens[prompt, 0, :length]]

    def keep(self, prompts: Tensor) -> None:
        """Drop all prompts but these, by their current positions."""
        # Every tensor of a search has a row for each prompt.
        for name, value in list(vars(self).items()):
            if isinstance(value, Tensor):
                setattr(self, name, value[prompts])


def _rows(sequences: Tensor, chosen: Tensor) -> Tensor:
    """Select sequences of each prompt, [prompts, chosen, length]."""
    index = chosen[:, :, None].expand(-1, -1, sequences.shape[2])
    return sequences.gather(1, index)
