"""AVA's network: shapes, gradients, peer attention, padding; models on disk."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import T5Config

from grading.ava.card import Card, Data
from grading.ava.configurations import CONFIGURATIONS, configuration_named
from grading.ava.opening import open_ava
from grading.ava.triples import Triple
from grading.errors import InvalidSpecError, MissingModelError
from grading.models.ava import TransformerAva
from grading.models.ava_encoder import encoder_folder, encoder_identity
from grading.models.ava_files import new_network, write_encoder, write_weights
from grading.models.ava_network import beside_peer, tokenised
from grading.models.ava_reading import texts_read
from tests.samples.tiny_encoder import HIDDEN, POSITIONS, Kind, tiny_encoder

KINDS: tuple[Kind, ...] = ("roberta", "bert")
WORDS = (
    "who",
    "beat",
    "whom",
    "?",
    "Ada",
    "Ben",
    "Cleo",
    "in",
    "May",
    "it",
    "was",
    ",",
    "well",
)
TRIPLES = [
    Triple("who beat Ben ?", "Ada beat Ben", "it was Ada"),
    Triple("who ?", "Ada", "well , it was Cleo in May , Ada in May , and Ben in May"),
    Triple("who beat whom in May ?", "it was Ben who beat Ada in May", "Ben"),
    Triple("who beat Ben ?", "Ada beat Ben", "Cleo"),
]
DATA = Data(("made up",), 1, 2, 3, 4, 5, 6)


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Tiny matrices are slower on two threads."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def encoders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("encoders")
    return {kind: tiny_encoder(folder / kind, WORDS, kind) for kind in KINDS}


def network_of(name: str, folder: Path, *, max_tokens: int = 48) -> tuple[Any, Any]:
    """A network that drops nothing out, and what makes its inputs of triples."""
    configuration = configuration_named(name)
    torch.manual_seed(5)
    network, tokenizer = new_network(folder, configuration, max_tokens=max_tokens)

    def read(triples: Sequence[Triple]) -> Any:
        texts = [texts_read(configuration, triple) for triple in triples]
        return tokenised(tokenizer, texts, max_tokens=max_tokens, device="cpu")

    return network.eval(), read


def saved(name: str, encoder: Path, folder: Path, **changes: Any) -> TransformerAva:
    """An untrained model with large weights in its head, so that scores differ."""
    folder.mkdir()
    torch.manual_seed(5)
    network, tokenizer = new_network(encoder, configuration_named(name), max_tokens=48)
    torch.nn.init.normal_(network.head.weight, std=0.2)
    write_encoder(network, tokenizer, folder)
    write_weights(network, folder / "model.safetensors")
    card = Card(name="m", configuration=name, data=DATA, settings={"max_tokens": 48})
    card = replace(card, **changes)
    card.write(folder)
    return TransformerAva(folder, card)


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("a0:q,r", (("q", "r"),)),
        ("a0:r,t", (("r", "t"),)),
        ("a0:q,t", (("q", "t"),)),
        ("a0", (("q", "r"), ("r", "t"), ("q", "t"))),
        ("a1:q,rt", (("q", "r t"),)),
        ("a1:r,qt", (("r", "q t"),)),
        ("a1:t,qr", (("t", "q r"),)),
        ("a2:r,qt+t,qr", (("r", "q t"), ("t", "q r"))),
    ],
)
def test_a_configuration_names_the_texts_that_are_read_together(
    name: str, texts: tuple[tuple[str, str], ...]
) -> None:
    # As section 4.2 lists them; two texts in one are joined by a blank.
    assert texts_read(configuration_named(name), Triple("q", "r", "t", "s")) == texts


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_every_part_has_an_encoder_of_its_own_that_learns(
    name: str, kind: Kind, encoders: dict[str, Path]
) -> None:
    network, read = network_of(name, encoders[kind])
    parts = len(configuration_named(name).parts)
    inputs = read(TRIPLES)
    assert len(network.encoders) == len(inputs) == parts
    assert [tuple(x.shape) for x in network.representations(inputs)] == [
        (len(TRIPLES), HIDDEN)
    ] * parts
    assert tuple(network.head.weight.shape) == (1, HIDDEN * parts)
    logits = network(inputs)
    assert tuple(logits.shape) == (len(TRIPLES),)
    logits.sum().backward()
    assert all(reached(encoder) for encoder in network.encoders)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("name", "shared"), [("a1", False), ("a2", True)])
def test_only_peer_attention_lets_one_part_learn_from_the_other(
    name: str, shared: bool, kind: Kind, encoders: dict[str, Path]
) -> None:
    network, read = network_of(f"{name}:r,qt+t,qr", encoders[kind])
    first, _ = network.representations(read(TRIPLES))
    # The mean of a normalised vector is a constant: take one dimension.
    first[:, 0].sum().backward()
    assert reached(network.encoders[0])
    assert reached(network.encoders[1]) == shared


@pytest.mark.parametrize("kind", KINDS)
def test_a_part_reads_its_peers_representation(
    kind: Kind, encoders: dict[str, Path]
) -> None:
    network, read = network_of("a2:r,qt+t,qr", encoders[kind])
    one, other = read([TRIPLES[0]]), read([TRIPLES[1]])
    with torch.no_grad():
        plain = network.representations([one[0], one[1]])[0]
        beside_another = network.representations([one[0], other[1]])[0]
        # The same two pairs, without peers: the other pair makes no difference.
        network.peer_attention = False
        alone = network.representations([one[0], one[1]])[0]
        still = network.representations([one[0], other[1]])[0]
    assert (plain - beside_another).abs().max() > 0.01
    assert (plain - alone).abs().max() > 0.01
    assert torch.equal(alone, still)


def test_the_peer_stands_right_after_cls_and_padding_stays_at_the_end(
    encoders: dict[str, Path],
) -> None:
    network, read = network_of("a2:r,qt+t,qr", encoders["bert"])
    (inputs, _), peer = read(TRIPLES[:2]), torch.ones(2, HIDDEN)
    given = beside_peer(network.encoders[0], inputs, peer)
    embedded = network.encoders[0].get_input_embeddings()(inputs["input_ids"])
    assert torch.equal(given["inputs_embeds"][:, 1], peer)
    assert torch.equal(given["inputs_embeds"][:, 0], embedded[:, 0])
    assert torch.equal(given["inputs_embeds"][:, 2:], embedded[:, 1:])
    # One more token that is seen, of the first text; as many that are not.
    for name, more in (("attention_mask", 1), ("token_type_ids", 0)):
        assert (given[name].sum(1) - inputs[name].sum(1)).tolist() == [more, more]
    assert given["attention_mask"][:, :2].tolist() == [[1, 1], [1, 1]]


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


def test_a_long_pair_is_cut_to_the_tokens_that_are_read(
    encoders: dict[str, Path],
) -> None:
    _, read = network_of("a1:q,rt", encoders["roberta"], max_tokens=12)
    (inputs,) = read([Triple("who beat whom ?", "Ada " * 30, "Ben")])
    tokenizer_ids = inputs["input_ids"][0].tolist()
    # By hand: <s> q q q q </s> </s> r r r r </s>; the longer text is cut at its end.
    assert len(tokenizer_ids) == 12
    assert [at for at, number in enumerate(tokenizer_ids) if number == 2] == [5, 6, 11]


def test_without_the_candidate_all_candidates_score_alike(
    encoders: dict[str, Path], tmp_path: Path
) -> None:
    model = saved("a0:q,r", encoders["roberta"], tmp_path / "m")
    candidates = ["Ada", "Ben", "well , it was Cleo in May", "", "Ada beat Ben in May"]
    triples = [
        Triple(one.question, one.reference, candidate)
        for one in TRIPLES[:3]
        for candidate in candidates
    ]
    by_pair = model.scores(triples).reshape(3, len(candidates))
    # Bit for bit: no candidate ranks above another, an AUC of exactly .5.
    assert (by_pair == by_pair[:, :1]).all()
    assert len(set(by_pair[:, 0])) == 3


def test_an_opened_model_scores_as_the_one_that_was_saved(
    encoders: dict[str, Path], tmp_path: Path
) -> None:
    first = saved("a2:r,qt+t,qr", encoders["roberta"], tmp_path / "m")
    (tmp_path / "m").rename(tmp_path / "moved")
    opened = open_ava(tmp_path / "moved")
    moved = TransformerAva(tmp_path / "moved", first.card)
    assert opened.scores(TRIPLES).tolist() == moved.scores(TRIPLES).tolist()
    assert opened.scores([]).shape == (0,)
    suffixes = {path.suffix for path in (tmp_path / "moved").rglob("*.*")}
    assert suffixes == {".json", ".safetensors"}, "a pickle could run code"
    for file in (tmp_path / "moved").rglob("*.json"):
        assert str(tmp_path) not in file.read_text()


def test_the_fingerprint_is_of_what_decides_a_score(
    encoders: dict[str, Path], tmp_path: Path
) -> None:
    model = saved("a1:r,qt", encoders["bert"], tmp_path / "m")

    def changed(name: str, change: Any) -> str:
        folder = tmp_path / name
        shutil.copytree(tmp_path / "m", folder)
        change(folder)
        return str(open_ava(folder).fingerprint)

    def card(**changes: Any) -> Any:
        return lambda folder: replace(model.card, **changes).write(folder)

    def end_of(file: str) -> Any:
        def edit(folder: Path) -> None:
            with (folder / file).open("ab") as stream:
                stream.write(b" ")

        return edit

    same = {
        "copied": lambda folder: None,
        "renamed": card(name="another", data=replace(DATA, left_out=3), seed=9),
        "tuned": card(threshold=0.2, tuned_on="dev"),
    }
    other = {
        "weights": end_of("model.safetensors"),
        "encoder": end_of("encoder/config.json"),
        "tokenizer": end_of("encoder/tokenizer.json"),
        "configuration": card(configuration="a1:t,qr"),
        "tokens": card(settings={"max_tokens": 64}),
    }
    assert {changed(name, change) for name, change in same.items()} == {
        model.fingerprint
    }
    different = {changed(name, change) for name, change in other.items()}
    assert len(different - {model.fingerprint}) == len(other)


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
    with pytest.raises(InvalidSpecError, match="how many tokens"):
        TransformerAva(tmp_path / "m", replace(model.card, settings={}))


def test_an_encoder_is_found_on_this_machine_only(
    encoders: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(MissingModelError, match="hf download roberta-base`") as error:
        encoder_folder("roberta-base")
    assert "\n" not in str(error.value)
    identity = encoder_identity(str(encoders["bert"]))
    copied = shutil.copytree(encoders["bert"], tmp_path / "bert")
    assert identity == encoder_identity(str(copied))
    assert identity.name == "bert"
    (copied / "tokenizer.json").write_text("{}")
    assert identity.revision != encoder_identity(str(copied)).revision


def test_an_encoder_that_cannot_read_pairs_is_refused_in_one_line(
    encoders: dict[str, Path], tmp_path: Path
) -> None:
    def refused(name: str, folder: Path, max_tokens: int = 48) -> str:
        with pytest.raises(MissingModelError) as error:
            network_of(name, folder, max_tokens=max_tokens)
        assert "\n" not in str(error.value)
        return str(error.value)

    def with_file(name: str, file: str, **changes: Any) -> Path:
        folder = shutil.copytree(encoders["bert"], tmp_path / name)
        told = json.loads((folder / file).read_text()) | changes
        (folder / file).write_text(json.dumps(told))
        return folder

    T5Config().save_pretrained(tmp_path / "t5")
    assert "encoder-decoder" in refused("a0", tmp_path / "t5")
    without = with_file("without", "tokenizer_config.json", cls_token="Ada")
    assert "no [CLS]" in refused("a0", without)
    (empty := tmp_path / "empty").mkdir()
    assert "holds no encoder" in refused("a0", empty)
    # The table has POSITIONS places, of which the peer needs one.
    read = partial(refused, folder=encoders["bert"], max_tokens=POSITIONS)
    assert "peer attention" in read("a2:r,qt+t,qr")
    network_of("a0", encoders["bert"], max_tokens=POSITIONS)
    assert f"not read {POSITIONS + 1} tokens" in refused(
        "a0", encoders["roberta"], POSITIONS + 1
    )


def reached(encoder: Any) -> bool:
    """Whether a gradient came to an encoder's word embeddings and last layer."""
    last = encoder.encoder.layer[-1].output.dense.weight
    grads = [encoder.get_input_embeddings().weight.grad, last.grad]
    return all(grad is not None and bool(grad.abs().sum() > 0) for grad in grads)
