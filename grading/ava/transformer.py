"""AVA transformers: scoring, and the encoders that training starts from.

Encoders are only searched on this machine, never downloaded silently. Importing this
module loads nothing heavy: torch and transformers are imported with the first score.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from grading.ava.card import ENCODER, WEIGHTS, Card
from grading.ava.configurations import (
    READING_VERSION,
    configuration_named,
    texts_read,
)
from grading.ava.model import Scores, Triple
from grading.errors import InvalidSpecError, MissingModelError
from grading.keys import content_key
from grading.models.devices import default_device
from grading.models.identity import ModelIdentity, fingerprint, model_folder

if TYPE_CHECKING:
    from grading.ava.network import AvaNetwork

DEFAULT_ENCODER = "roberta-base"  # Vu & Moschitti 2020, section 6.2

# Hub names without an owner: as stored by older programs, and as today.
_OWNERS = ("", "FacebookAI")
_ENCODER_SUFFIXES = frozenset({".json", ".txt", ".model", ".safetensors"})


class TransformerAva:
    """The model in a folder written by ``train``.

    A triple's score is the same in any batch up to rounding, and equal for triples
    whose texts are equal as far as the configuration reads them.

    Raises InvalidSpecError for a card of another kind of model.
    """

    def __init__(self, folder: Path, card: Card) -> None:
        self.folder = folder
        self.card = card
        self._configuration = configuration_named(card.configuration)
        max_tokens = card.settings.get("max_tokens")
        if not isinstance(max_tokens, int):
            raise InvalidSpecError(
                f"The card of '{card.name}' has no settings.max_tokens; train the "
                "model again"
            )
        self._max_tokens = max_tokens

    @cached_property
    def fingerprint(self) -> str:
        """Content hash of weights, encoder, tokenizer and the way texts are read.

        Not of the card's name or data. Loads no torch. Raises MissingModelError where
        files are missing.
        """
        weights, encoder = self.folder / WEIGHTS, self.folder / ENCODER
        files = [path for path in encoder.rglob("*") if path.is_file()]
        if not files or not weights.is_file():
            raise MissingModelError(
                f"'{self.folder}' lacks {WEIGHTS} or {ENCODER}/, which an AVA "
                "transformer consists of; copy it again, or train it again"
            )
        contents = fingerprint(self.folder, [weights, *files])
        read = [READING_VERSION, self._configuration.name, self._max_tokens]
        return content_key(["ava transformer", *read, contents])

    def scores(self, triples: Sequence[Triple]) -> Scores:
        """Return the score of each triple, in order.

        Raises MissingModelError if the model's files were changed.
        """
        if not triples:
            return np.zeros(0)
        texts = [texts_read(self._configuration, triple) for triple in triples]
        return self._network.scores(texts)

    @cached_property
    def _network(self) -> AvaNetwork:
        from grading.ava.network import read_network

        network = read_network(
            self.folder, self._configuration, max_tokens=self._max_tokens
        )
        network.to(default_device())
        return network


def encoder_folder(name_or_path: str) -> Path:
    """Return the folder itself, or the hub's local copy of that name.

    Raises MissingModelError with the command that downloads it.
    """
    for owner in _OWNERS:
        folder = model_folder(name_or_path, owner=owner)
        if folder is not None and (folder / "config.json").is_file():
            return folder
    is_path = name_or_path.startswith((".", "/", "~")) or name_or_path.count("/") > 1
    fetched = DEFAULT_ENCODER if is_path or not name_or_path else name_or_path
    raise MissingModelError(
        f"No encoder '{name_or_path}' on this machine: give the folder of a Hugging "
        f"Face encoder, or fetch one with `hf download {fetched}`"
    )


def encoder_identity(name_or_path: str) -> ModelIdentity:
    """Return the encoder's name without folders, and a hash of its files.

    Raises MissingModelError for an encoder that is not on this machine.
    """
    folder = encoder_folder(name_or_path)
    is_path = Path(name_or_path).is_dir()
    name = folder.resolve().name if is_path else name_or_path
    files = [path for path in folder.iterdir() if path.is_file()]
    loaded_files = [path for path in files if path.suffix in _ENCODER_SUFFIXES]
    if not any(path.suffix == ".safetensors" for path in loaded_files):
        loaded_files += [path for path in files if path.suffix == ".bin"]
    return ModelIdentity(name, fingerprint(folder, loaded_files))
