"""A trained transformer: scores, what is hashed, damaged folders, its encoder."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from grading.ava import open_ava
from grading.ava.card import Card, Data
from grading.ava.configurations import configuration_named
from grading.ava.network import new_network
from grading.ava.transformer import TransformerAva
from grading.errors import InvalidSpecError, MissingModelError
from tests.samples.tiny_encoder import Kind
from tests.samples.triples import KINDS, TRIPLES

DATA = Data(("made up",), 1, 2, 3, 4, 5, 6)
pytestmark = pytest.mark.usefixtures("one_thread")


def saved(name: str, encoder: Path, folder: Path, **changes: Any) -> TransformerAva:
    """An untrained model with large weights in its head, so that scores differ."""
    folder.mkdir()
    torch.manual_seed(5)
    network = new_network(encoder, configuration_named(name), max_tokens=48)
    torch.nn.init.normal_(network.head.weight, std=0.2)
    network.write_encoder(folder)
    network.write_weights(folder / "model.safetensors")
    card = Card(name="m", configuration=name, data=DATA, settings={"max_tokens": 48})
    card = replace(card, **changes)
    card.write(folder)
    return TransformerAva(folder, card)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["a0", "a2:r,qt+t,qr"])
def test_a_score_does_not_depend_on_the_batch(
    name: str, kind: Kind, encoders: dict[str, Path], tmp_path: Path
) -> None:
    model = saved(name, encoders[kind], tmp_path / "m")
    together = model.scores(TRIPLES)
    alone = np.array([model.scores([triple])[0] for triple in TRIPLES])
    assert together.dtype == np.float64
    assert np.ptp(together) > 1e-3
    assert np.abs(together - alone).max() <= 1e-5


def test_the_fingerprint_is_of_what_decides_a_score(
    encoders: dict[str, Path], tmp_path: Path
) -> None:
    model = saved("a1:r,qt", encoders["bert"], tmp_path / "m")

    def card(**changes: Any) -> Any:
        return lambda folder: replace(model.card, **changes).write(folder)

    def longer(file: str) -> Any:
        return lambda folder: (folder / file).write_bytes(
            (folder / file).read_bytes() + b" "
        )

    found = [model.fingerprint]
    for number, change in enumerate(
        [
            card(name="another", data=replace(DATA, left_out=3), seed=9),
            card(threshold=0.2, tuned_on="dev"),
            longer("model.safetensors"),
            longer("encoder/config.json"),
            longer("encoder/tokenizer.json"),
            card(configuration="a1:t,qr"),
            card(settings={"max_tokens": 64}),
        ]
    ):
        folder = shutil.copytree(tmp_path / "m", tmp_path / str(number))
        change(folder)
        found.append(str(open_ava(folder).fingerprint))
    # by hand: neither names nor the threshold decide a score; each other change does
    assert found[0] == found[1] == found[2]
    assert len(set(found)) == 6


def test_a_damaged_model_says_so_in_one_line(
    encoders: dict[str, Path], tmp_path: Path
) -> None:
    model = saved("a1:r,qt", encoders["bert"], tmp_path / "m")
    weights = tmp_path / "m" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    with pytest.raises(MissingModelError, match="does not hold the AVA model") as error:
        model.scores(TRIPLES)
    assert "\n" not in str(error.value)
    weights.unlink()
    with pytest.raises(MissingModelError, match=r"lacks model\.safetensors"):
        _ = TransformerAva(tmp_path / "m", model.card).fingerprint
    with pytest.raises(InvalidSpecError, match="max_tokens"):
        TransformerAva(tmp_path / "m", replace(model.card, settings={}))
