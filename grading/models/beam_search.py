"""Which answers to go on with: beam search over next-token probabilities.

The same rules as ``_beam_search`` of transformers 5 with early stopping, prompt by
prompt; no model here, only numbers. Source: transformers 5.23, generation/utils.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

# What transformers subtracts to rule a candidate out; the sums must be the same.
RULED_OUT = -1.0e9


@dataclass(frozen=True, slots=True)
class Step:
    """How the search goes on: the beams that live, and each one's last token.

    ``parents`` [prompts, beams] are the beams they continue. ``finished`` [prompts]
    says which prompts have their answer.
    """

    parents: Tensor
    tokens: Tensor
    finished: Tensor


class BeamSearch:
    """The beams of several prompts, all of the same length; ``advance`` adds a token.

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
        going_on = scores + ends * RULED_OUT
        chosen = torch.topk(going_on, beams)[1]
        self._scores = going_on.gather(1, chosen)
        self._tokens = _rows(sequences, chosen)
        finished = self._ended.all(dim=1)
        if length == self._max_tokens:
            finished = torch.ones_like(finished)
        return Step(parents.gather(1, chosen), tokens.gather(1, chosen), finished)

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
        before = torch.nn.functional.pad(self._ended_tokens, (0, 1))
        self._ended_tokens = _rows(torch.cat((before, sequences), dim=1), kept)

    def answer(self, prompt: int) -> list[int]:
        """The best ended answer of a finished prompt, end mark included."""
        length = int(self._ended_lengths[prompt, 0])
        return [int(token) for token in self._ended_tokens[prompt, 0, :length]]

    def keep(self, prompts: Tensor) -> None:
        """Go on with these prompts only, by their present positions."""
        self._scores = self._scores[prompts]
        self._tokens = self._tokens[prompts]
        self._ended_scores = self._ended_scores[prompts]
        self._ended_tokens = self._ended_tokens[prompts]
        self._ended_lengths = self._ended_lengths[prompts]
        self._ended = self._ended[prompts]


class GreedySearch:
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
        return Step(torch.zeros_like(tokens), tokens, finished)

    def answer(self, prompt: int) -> list[int]:
        """The answer of a finished prompt, end mark included."""
        return [int(token) for token in self._tokens[prompt]]

    def keep(self, prompts: Tensor) -> None:
        """Go on with these prompts only, by their present positions."""
        self._tokens = self._tokens[prompts]


def _rows(sequences: Tensor, chosen: Tensor) -> Tensor:
    """Each prompt's chosen sequences, [prompts, chosen, length]."""
    index = chosen[:, :, None].expand(-1, -1, sequences.shape[2])
    return sequences.gather(1, index)
