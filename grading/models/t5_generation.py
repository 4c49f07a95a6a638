"""A T5's answers to batches of token ids, over the weights transformers has loaded.

``model.generate`` gives the same answers and takes several times as long, mostly
because it holds the prompt's keys and values once for every beam and copies them at
every token. Here they are computed once a prompt and its beams ask them together, as
so many queries. Finished prompts leave the batch; the first token is computed for one
beam, all being alike.

What a prompt's answer depends on: its own tokens, padded to a length that is a
function of their number (``batches.padded_length``), and nothing else *if* a matrix
product gives every row the same result whatever rows are beside it. On the CPUs it
was measured on (AVX-512, MKL and oneDNN) that holds bit for bit from ``FEWEST_ROWS``
rows on, so fewer are never multiplied. Elsewhere, GPUs included, it holds up to
rounding: a batch of another size may then tip a decision that is all but even.

Padding is masked with minus infinity before the softmax, so it weighs exactly 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import torch
from torch import Tensor
from torch.nn.functional import log_softmax, pad, scaled_dot_product_attention

from grading.models.batches import padded_length
from grading.models.beam_search import BeamSearch, GreedySearch

FEWEST_ROWS = 16

# Tokens of a batch by device; on a CPU, as many as it encodes in a few seconds.
_GPU_TOKENS = 16_384
_CPU_WORK = 1e12  # floating-point operations
_CPU_TOKENS = (512, 4096)


@dataclass(slots=True)
class _Memory:
    """What one decoder layer remembers.

    Of the prompts, [prompts, heads, prompt tokens, d]; of the answers so far,
    [prompts × beams, heads, answer tokens, d].
    """

    prompt_keys: Tensor
    prompt_values: Tensor
    keys: Tensor
    values: Tensor


class Generator:
    """Answers by beam search, or greedily with one beam.

    ``batch_tokens`` is how many tokens, padding included, make a good batch here.
    """

    def __init__(
        self, model: Any, *, beams: int, answer_tokens: int, length_penalty: float
    ) -> None:
        self._model = model.eval().requires_grad_(False)
        self._beams = beams
        self._answer_tokens = answer_tokens
        self._length_penalty = length_penalty
        self._device: torch.device = model.device
        self._heads: int = model.config.num_heads
        self._biases = torch.zeros(1, self._heads, 0, 0)
        if self._device.type == "cpu":
            weights = sum(w.numel() for w in model.encoder.block.parameters())
            low, high = _CPU_TOKENS
            self.batch_tokens = int(min(max(_CPU_WORK / weights / 2, low), high))
        else:
            self.batch_tokens = _GPU_TOKENS

    @torch.inference_mode()
    def answers(self, prompts: Sequence[Sequence[int]]) -> list[list[int]]:
        """Each prompt's answer as token ids, end mark included; in order.

        Prompts are token ids, of one padded length where it is to matter nothing what
        they are asked together with.
        """
        width = padded_length(max(len(prompt) for prompt in prompts))
        padding = int(self._model.config.pad_token_id)
        ids = torch.tensor([[*p, *[padding] * (width - len(p))] for p in prompts])
        lengths = torch.tensor([len(prompt) for prompt in prompts])
        # Added to attention scores: 0 for the prompt's own tokens, -inf for padding.
        mask = torch.zeros(ids.shape, dtype=self._model.dtype).masked_fill_(
            torch.arange(width) >= lengths[:, None], float("-inf")
        )
        mask = mask[:, None, None, :].to(self._device)
        return self.decoded(self.encoded(ids.to(self._device), mask), mask)

    def encoded(self, ids: Tensor, mask: Tensor) -> Tensor:
        """The encoder's output, [prompts, tokens, d]."""
        encoder = self._model.encoder
        states = encoder.embed_tokens(ids)
        first = encoder.block[0].layer[0].SelfAttention
        bias = first.compute_bias(ids.shape[1], ids.shape[1], device=self._device)
        bias = bias.to(mask.dtype) + mask
        for block in encoder.block:
            attention, forward = block.layer
            normed = attention.layer_norm(states)
            layer = attention.SelfAttention
            heads = scaled_dot_product_attention(
                *(self._split(part(normed)) for part in (layer.q, layer.k, layer.v)),
                attn_mask=bias,
                scale=1.0,  # T5 does not scale by the root of the dimension
            )
            states = states + layer.o(_joined(heads))
            states = states + forward.DenseReluDense(forward.layer_norm(states))
        return cast(Tensor, encoder.final_layer_norm(states))

    def decoded(self, encoded: Tensor, mask: Tensor) -> list[list[int]]:
        """Each prompt's best answer."""
        config = self._model.config
        prompts = encoded.shape[0]
        end, device = int(config.eos_token_id), self._device
        search: BeamSearch | GreedySearch = GreedySearch(
            prompts, end=end, max_tokens=self._answer_tokens, device=device
        )
        if self._beams > 1:
            search = BeamSearch(
                prompts,
                beams=self._beams,
                end=end,
                max_tokens=self._answer_tokens,
                length_penalty=self._length_penalty,
                device=device,
            )
        memories = self._memories(encoded)
        answers: list[list[int]] = [[] for _ in range(prompts)]
        asked = torch.arange(prompts, device=device)  # whose answers are not finished
        tokens = torch.full(
            (prompts, 1), int(config.decoder_start_token_id), device=device
        )
        while True:
            logits = self._logits(tokens, memories, mask)
            beams = (-1, self._beams, -1)  # at first there is one for all
            step = search.advance(log_softmax(logits.float(), dim=-1).expand(beams))
            for position in step.finished.nonzero()[:, 0].tolist():
                answers[int(asked[position])] = search.answer(position)
            going_on = (~step.finished).nonzero()[:, 0]
            if not len(going_on):
                return answers
            # Rows of the answers' memories: the beams that those who live came from.
            width = tokens.shape[1]
            rows = going_on[:, None] * width + step.parents[going_on] % width
            leaving = len(going_on) < len(asked)
            for memory in memories:
                memory.keys = memory.keys[rows.flatten()]
                memory.values = memory.values[rows.flatten()]
                if leaving:
                    memory.prompt_keys = memory.prompt_keys[going_on]
                    memory.prompt_values = memory.prompt_values[going_on]
            tokens = step.tokens[going_on]
            if leaving:
                search.keep(going_on)
                asked, mask = asked[going_on], mask[going_on]

    def _memories(self, encoded: Tensor) -> list[_Memory]:
        """Each decoder layer's view of the prompts; no answers yet."""
        nothing = encoded.new_zeros(
            encoded.shape[0], self._heads, 0, self._model.config.d_kv
        )
        asking = [block.layer[1].EncDecAttention for block in self._model.decoder.block]
        return [
            _Memory(
                self._split(layer.k(encoded)),
                self._split(layer.v(encoded)),
                nothing,
                nothing,
            )
            for layer in asking
        ]

    def _logits(
        self, tokens: Tensor, memories: Sequence[_Memory], mask: Tensor
    ) -> Tensor:
        """Of the next token, [prompts, beams, vocabulary]; the memories grow by one."""
        decoder = self._model.decoder
        prompts, beams = tokens.shape
        bias = self._answer_bias(memories[0].keys.shape[2] + 1)
        mask = mask.expand(-1, self._heads, beams, -1)
        states = decoder.embed_tokens(tokens.flatten())  # [prompts × beams, d]

        def of_answers(rows: Tensor) -> Tensor:
            return rows.view(prompts * beams, 1, self._heads, -1).transpose(1, 2)

        for block, memory in zip(decoder.block, memories, strict=True):
            own, asking, forward = block.layer
            normed, layer = own.layer_norm(states), own.SelfAttention
            q, k, v = (_product(part, normed) for part in (layer.q, layer.k, layer.v))
            memory.keys = torch.cat((memory.keys, of_answers(k)), dim=2)
            memory.values = torch.cat((memory.values, of_answers(v)), dim=2)
            heads = scaled_dot_product_attention(
                of_answers(q), memory.keys, memory.values, attn_mask=bias, scale=1.0
            )
            states = states + _product(layer.o, heads.flatten(1))

            layer = asking.EncDecAttention
            q = _product(layer.q, asking.layer_norm(states))
            heads = scaled_dot_product_attention(
                self._split(q.view(prompts, beams, -1)),
                memory.prompt_keys,
                memory.prompt_values,
                attn_mask=mask,
                scale=1.0,
            )
            states = states + _product(layer.o, _joined(heads).flatten(0, 1))

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

    def _split(self, states: Tensor) -> Tensor:
        """[prompts, tokens, heads × d] as [prompts, heads, tokens, d]."""
        return states.unflatten(-1, (self._heads, -1)).transpose(1, 2)

    def release_memory(self) -> None:
        """Give back what a batch that was too large has left behind."""
        if self._device.type == "cuda":
            torch.cuda.empty_cache()
        elif self._device.type == "mps":
            torch.mps.empty_cache()


def _joined(heads: Tensor) -> Tensor:
    """[prompts, heads, tokens, d] as [prompts, tokens, heads × d]."""
    return heads.transpose(1, 2).flatten(2)


def _product(layer: Callable[[Tensor], Tensor], rows: Tensor) -> Tensor:
    """``layer(rows)``, a row's result being the same however few rows there are."""
    lacking = FEWEST_ROWS - rows.shape[0]
    if lacking <= 0:
        return layer(rows)
    return layer(pad(rows, (0, 0, 0, lacking)))[: rows.shape[0]]
