"""Count the texts of a collection that contain each word, and weigh words by rarity."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import log

import numpy as np

from grading.keys import content_key
from grading.stems import Stems


@dataclass(frozen=True)
class Frequencies:
    """The number of texts, and of texts with each stem (``grading.stems``)."""

    texts: int
    by_stem: Mapping[str, int]

    @classmethod
    def from_texts(cls, texts: Iterable[str]) -> Frequencies:
        """Count the stems of distinct texts."""
        distinct = list(dict.fromkeys(texts))
        stems = Stems()
        numbers, lengths = stems.stem_numbers(distinct)
        names = stems.names()
        owners = np.repeat(np.arange(len(distinct)), lengths)
        # Each stem counts once per text: encode (text, stem) pairs as numbers.
        pairs = np.unique(owners * max(len(names), 1) + numbers)
        counts = np.bincount(pairs % max(len(names), 1), minlength=len(names))
        return cls(len(distinct), dict(zip(names, counts.tolist(), strict=True)))

    @cached_property
    def key(self) -> str:
        """Content key of all counts."""
        return content_key(["frequencies", self.texts, dict(self.by_stem)])

    def weight(self, stem: str) -> float:
        """Return log((N + 1) / (n + 0.5)) of a stem in n of N texts; always above 0.

        Rarer stems weigh more; without any texts all stems weigh the same.
        """
        return log((self.texts + 1) / (self.by_stem.get(stem, 0) + 0.5))


NO_TEXTS = Frequencies(0, {})
