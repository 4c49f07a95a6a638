"""A trained AVA transformer: triples in, scores out.

Importing this module loads nothing heavy: torch and transformers come in with the
first scores.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from grading.ava.card import Card
from grading.ava.configurations import configuration_named
from grading.ava.folders import reading
from grading.ava.triples import Scores, Triple
from grading.errors import InvalidSpecError
from grading.keys import content_key
from grading.models.ava_files import model_files, read_network
from grading.models.ava_reading import READING_VERSION, texts_read
from grading.models.identity import fingerprint


class TransformerAva:
    """The model in a folder that ``train`` has written.

    ``device`` is torch's name of one; None is the best there is. A triple's score is
    the same in any batch up to rounding, and equal for triples whose texts are equal
    as far as the configuration reads them.

    Raises InvalidSpecError for a card of another kind of model.
    """

    def __init__(self, folder: Path, card: Card, *, device: str | None = None) -> None:
        self.folder = folder
        self.card = card
        self._configuration = configuration_named(card.configuration)
        self._device = device
        max_tokens = card.settings.get("max_tokens")
        if not isinstance(max_tokens, int) or isinstance(max_tokens, bool):
            raise InvalidSpecError(
                f"The card of '{card.name}' does not say how many tokens the model "
                "reads (settings, max_tokens); train the model again"
            )
        self._max_tokens = max_tokens

    @cached_property
    def fingerprint(self) -> str:
        """Content hash of weights, encoder, tokenizer and how texts are read.

        Not of the card's name or data. Loads no torch. Raises MissingModelError where
        files are missing.
        """
        with reading(self.folder):
            files = fingerprint(self.folder, model_files(self.folder))
        return content_key(
            [
                "ava transformer",
                READING_VERSION,
                self._configuration.name,
                self._max_tokens,
                files,
            ]
        )

    def scores(self, triples: Sequence[Triple]) -> Scores:
        """The score of each triple, in order.

        Raises MissingModelError where the model's files are not what was written.
        """
        if not triples:
            return np.zeros(0)
        network, read = self._loaded
        from grading.models.ava_network import scored

        texts = [texts_read(self._configuration, triple) for triple in triples]
        return scored(network, read, texts)

    @cached_property
    def _loaded(self) -> tuple[Any, Callable[..., Any]]:
        """The network on its device, and what makes its inputs of texts."""
        network, tokenizer = read_network(self.folder, self._configuration)
        from functools import partial

        from grading.models.ava_network import tokenised
        from grading.models.devices import device_here

        device = self._device or device_here()
        return network.to(device), partial(
            tokenised, tokenizer, max_tokens=self._max_tokens, device=device
        )
