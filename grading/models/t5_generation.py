"""A T5's answers to batches of token ids, over the weights transformers has loaded.

``model.generate`` gives the same answers and takes several times as long: it holds a
prompt's keys and values once for every beam, copies them at every token, and pads.
Here they are computed once a prompt and its beams ask them together, as so many
queries; everything but attention sees the tokens of all prompts as one list of rows,
so prompts of all lengths share a batch; finished prompts leave it; the first token is
computed for one beam, all being alike.

What a prompt's answer depends on: its own tokens, padded to a length that is a
function of their number (``t5_prompts.padded_length``), and nothing else *if* a matrix
product gives every row the same result whatever rows are beside it. On the CPU it was
measured on (AVX-512; MKL in float32, oneDNN in bfloat16) that holds bit for bit from
12 rows on, so fewer than ``FEWEST_ROWS`` are never multiplied. Elsewhere, GPUs
included, it holds up to rounding: in a batch of another size, or with another number
of threads, a decision that is all but even may then fall the other way.

Padding is masked with minus infinity before the softmax, so it weighs exactly 0. The
paths for CUDA and MPS are the same code; they have not been run.
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

# What transformers subtracts to rule a candidate out; the sums must be the same.
RULED_OUT = -1.0e9

# Tokens of a batch by device; on a CPU, as many as it encodes in a few seconds. There
# the encoder takes fewer at once, for the sake of its caches (measured: 4096 took a
# quarter longer than 2048), while the decoder likes many prompts.
_GPU_TOKENS = 16_384
_CPU_WORK = 1e12  # floating-point operations
_CPU_TOKENS = (512, 8192)
_CPU_ENCODED = 2048


@dataclass(slots=True)
class _Group:
    """Prompts of one padded length, which stand together in every tensor.

    ``mask`` [prompts, 1, 1, length] is added to attention scores: 0 for a prompt's own
    tokens, minus infinity for padding. ``keys`` and ``values`` are what each decoder
    layer asks, [prompts, heads, length, d].
    """

    ids: Tensor
    mask: Tensor
    keys: list[Tensor] = field(default_factory=list)
    values: list[Tensor] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.mask)

    def keep(self, prompts: Tensor) -> None:
        """Go on with these prompts only, by their present positions."""
        self.mask = self.mask[prompts]
        self.keys = [keys[prompts] for keys in self.keys]
        self.values = [values[prompts] for values in self.values]


_Memory = tuple[Tensor, Tensor]
"""A decoder layer's keys and values of the answers so far.

[prompts × beams, heads, tokens, d] each.
"""


class TransformersGenerator:
    """Answers by beam search, or greedily with one beam.

    ``batch_tokens`` is how many tokens, padding included, make a good batch here.
    """

    def __init__(
        self, model: Any, *, beams: int, answer_tokens: int, length_penalty: float
    ) -> None:
        self._model = model.eval().requires_grad_(False)
        self._beams = beams
        self._device: torch.device = model.device
        given = {
            "end": int(model.config.eos_token_id),
            "max_tokens": answer_tokens,
            "device": model.device,
        }
        self._search: Callable[[int], BeamSearch | GreedySearch] = (
            partial(GreedySearch, **given)
            if beams == 1
            else partial(
                BeamSearch, beams=beams, length_penalty=length_penalty, **given
            )
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
        """Each prompt's answer as token ids, end mark included; in order."""
        lengths = {number: len(prompt) for number, prompt in enumerate(prompts)}
        portions = length_batches(lengths, max_tokens=self._encoded_tokens)
        groups: list[_Group] = []
        with torch.inference_mode():
            for portion in portions:
                together = self._groups([prompts[number] for number in portion])
                self.encoded(together)
                groups += together
            found = self.decoded(groups)
        answers = dict(zip(chain(*portions), found, strict=True))
        return [answers[number] for number in lengths]

    def _groups(self, prompts: Sequence[Sequence[int]]) -> list[_Group]:
        """Prompts that are in the order of their lengths, group by group."""
        padding, dtype = int(self._model.config.pad_token_id), self._model.dtype
        groups = []
        for width, some in groupby(prompts, lambda prompt: padded_length(len(prompt))):
            together = list(some)
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

    def encoded(self, groups: Sequence[_Group]) -> Tensor:
        """The encoder's output, [tokens of all prompts, d]; groups get their keys."""
        encoder, decoder = self._model.encoder, self._model.decoder
        bias_of = encoder.block[0].layer[0].SelfAttention.compute_bias
        biases = [
            bias_of(*2 * group.ids.shape[1:], device=self._device).to(group.mask.dtype)
            + group.mask
            for group in groups
        ]
        # One row a token, whichever prompt it is of; only attention looks at prompts.
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
                _joined(
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
            for group, *own in zip(
                groups,
                self._by_group(keys, groups),
                self._by_group(values, groups),
                strict=True,
            ):
                group.keys.append(own[0])
                group.values.append(own[1])
        return cast(Tensor, states)

    def _by_group(self, rows: Tensor, groups: Sequence[_Group]) -> list[Tensor]:
        """[tokens of all prompts, heads × d] as [prompts, heads, tokens, d] each."""
        parts = rows.split([group.ids.numel() for group in groups])
        return [
            part.view(*group.ids.shape, self._heads, -1).transpose(1, 2)
            for part, group in zip(parts, groups, strict=True)
        ]

    def decoded(self, groups: list[_Group]) -> list[list[int]]:
        """Each prompt's best answer, in the groups' order."""
        config = self._model.config
        prompts = sum(map(len, groups))
        search = self._search(prompts)
        nothing = groups[0].keys[0].new_zeros(prompts, self._heads, 0, config.d_kv)
        memories = [(nothing, nothing) for _ in self._model.decoder.block]
        answers: list[list[int]] = [[] for _ in range(prompts)]
        asked = list(range(prompts))  # whose answers are not finished
        start = int(config.decoder_start_token_id)
        tokens = torch.full((prompts, 1), start, device=self._device)
        while True:
            logits = self._logits(tokens, memories, groups)
            beams = (-1, self._beams, -1)  # at first there is one for all
            parents, following, ended = search.advance(
                log_softmax(logits.float(), dim=-1).expand(beams)
            )
            finished = ended.tolist()
            for position, is_finished in enumerate(finished):
                if is_finished:
                    answers[asked[position]] = search.answer(position)
            if all(finished):
                return answers
            living = (~ended).nonzero()[:, 0]
            # Rows of the answers' memories: the beams that those who live came from.
            width = tokens.shape[1]
            rows = (living[:, None] * width + parents[living] % width).flatten()
            # One by one: at a long answer's end they fill much of a GPU.
            for number, (keys, values) in enumerate(memories):
                memories[number] = keys[rows], values[rows]
            tokens = following[living]
            if any(finished):
                search.keep(living)
                asked = [asked[position] for position in living.tolist()]
                staying = (~ended).split([*map(len, groups)])
                for group, stays in zip(groups, staying, strict=True):
                    group.keep(stays.nonzero()[:, 0])
                groups = [group for group in groups if len(group)]

    def _logits(
        self, tokens: Tensor, memories: list[_Memory], groups: Sequence[_Group]
    ) -> Tensor:
        """Of the next token, [prompts, beams, vocabulary]; the memories grow by one."""
        decoder = self._model.decoder
        prompts, beams = tokens.shape
        bias = self._answer_bias(memories[0][0].shape[2] + 1)
        states = decoder.embed_tokens(tokens.flatten())  # [prompts × beams, d]

        def of_answers(rows: Tensor) -> Tensor:
            return rows.view(prompts * beams, 1, self._heads, -1).transpose(1, 2)

        for number, block in enumerate(decoder.block):
            own, asking, forward = block.layer
            normed, layer = own.layer_norm(states), own.SelfAttention
            q, k, v = (
                of_answers(_product(part, normed))
                for part in (layer.q, layer.k, layer.v)
            )
            keys, values = memories[number]
            keys, values = torch.cat((keys, k), dim=2), torch.cat((values, v), dim=2)
            memories[number] = keys, values
            heads = scaled_dot_product_attention(
                q, keys, values, attn_mask=bias, scale=1.0
            )
            states = states + _product(layer.o, heads.flatten(1))

            layer = asking.EncDecAttention
            q = _product(layer.q, asking.layer_norm(states))
            read = [
                # A prompt's beams ask its keys together, as so many queries.
                _joined(
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
        # FLAN-T5 has a head of its own and does not scale; the first T5 does.
        if self._model.config.scale_decoder_outputs:
            states = states * self._model.config.d_model**-0.5
        return _product(self._model.lm_head, states).view(prompts, beams, -1)

    def _answer_bias(self, length: int) -> Tensor:
        """What an answer's last token adds to its scores of those before it."""
        if self._biases.shape[-1] < length:
            longer = max(16, 2 * self._biases.shape[-1])
            layer = self._model.decoder.block[0].layer[0].SelfAttention
            bias = layer.compute_bias(longer, longer, device=self._device)
            self._biases = bias.to(self._model.dtype)
        return self._biases[:, :, length - 1 : length, :length]


def _joined(heads: Tensor) -> Tensor:
    """[prompts, heads, tokens, d] as [prompts × tokens, heads × d]."""
    return heads.transpose(1, 2).flatten(2).flatten(0, 1)


def _product(layer: Callable[[Tensor], Tensor], rows: Tensor) -> Tensor:
    """``layer(rows)``, a row's result being the same however few rows there are."""
    missing = FEWEST_ROWS - rows.shape[0]
    if missing <= 0:
        return layer(rows)
    return layer(pad(rows, (0, 0, 0, missing)))[: rows.shape[0]]


Step = tuple[Tensor, Tensor, Tensor]
"""How a search goes on: the beams that live, and which prompts have their answer.

The beams they continue and each one's last token, [prompts, beams]; [prompts].
"""


class _Search:
    def keep(self, prompts: Tensor) -> None:
        """Go on with these prompts only, by their present positions."""
        # Every tensor of a search has a row for each prompt.
        for name, value in list(vars(self).items()):
            if isinstance(value, Tensor):
                setattr(self, name, value[prompts])


class BeamSearch(_Search):
    """The beams of several prompts, all of the same length; ``advance`` adds a token.

    The rules of ``_beam_search`` of transformers 5.23 (generation/utils.py) with early
    stopping, prompt by prompt.

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
        # All beams begin alike, so only the first one counts at first.
        self._scores = torch.zeros(prompts, beams, device=device)
        self._scores[:, 1:] = RULED_OUT
        self._tokens = torch.zeros(prompts, beams, 0, dtype=torch.long, device=device)
        self._ended_scores = torch.full_like(self._scores, RULED_OUT)
        self._ended_tokens = self._tokens
        self._ended_lengths = torch.zeros_like(self._scores, dtype=torch.long)
        self._ended = torch.zeros_like(self._scores, dtype=torch.bool)

    def advance(self, log_probabilities: Tensor) -> Step:
        """Take each prompt's next tokens from [prompts, beams, vocabulary], float32."""
        prompts, beams, words = log_probabilities.shape
        length = self._tokens.shape[2] + 1
        sums = log_probabilities + self._scores[:, :, None]
        # Every beam may end at most once, so as many as there are beams go on.
        scores, best = torch.topk(sums.reshape(prompts, -1), 2 * beams)
        parents, tokens = best // words, best % words
        sequences = torch.cat((_rows(self._tokens, parents), tokens[:, :, None]), dim=2)
        ends = (
            torch.ones_like(tokens, dtype=torch.bool)
            if length == self._max_tokens
            else tokens == self._end
        )
        self._collect(scores, sequences, ends, length)
        still_open = scores + ends * RULED_OUT
        chosen = torch.topk(still_open, beams)[1]
        self._scores = still_open.gather(1, chosen)
        self._tokens = _rows(sequences, chosen)
        finished = self._ended.all(dim=1)
        if length == self._max_tokens:
            finished = torch.ones_like(finished)
        return parents.gather(1, chosen), tokens.gather(1, chosen), finished

    def _collect(
        self, scores: Tensor, sequences: Tensor, ends: Tensor, length: int
    ) -> None:
        """Keep the best of the answers that have ended, now or before."""
        beams = self._scores.shape[1]
        # The worse half of the candidates is there to go on with, not to end.
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
        """The best ended answer of a finished prompt, end mark included."""
        length = int(self._ended_lengths[prompt, 0])
        return [int(token) for token in self._ended_tokens[prompt, 0, :length]]


class GreedySearch(_Search):
    """The likeliest next token, always: a search with one beam."""

    def __init__(
        self, prompts: int, *, end: int, max_tokens: int, device: torch.device
    ) -> None:
        self._end = end
        self._max_tokens = max_tokens
        self._tokens = torch.zeros(prompts, 0, dtype=torch.long, device=device)

    def advance(self, log_probabilities: Tensor) -> Step:
        """Take each prompt's next token from [prompts, 1, vocabulary]."""
        tokens = log_probabilities.argmax(dim=-1)
        self._tokens = torch.cat((self._tokens, tokens), dim=1)
        finished = tokens[:, 0] == self._end
        if self._tokens.shape[1] == self._max_tokens:
            finished = torch.ones_like(finished)
        return torch.zeros_like(tokens), tokens, finished

    def answer(self, prompt: int) -> list[int]:
        """The answer of a finished prompt, end mark included."""
        return [int(token) for token in self._tokens[prompt]]


def _rows(sequences: Tensor, chosen: Tensor) -> Tensor:
    """Each prompt's chosen sequences, [prompts, chosen, length]."""
    index = chosen[:, :, None].expand(-1, -1, sequences.shape[2])
    return sequences.gather(1, index)
