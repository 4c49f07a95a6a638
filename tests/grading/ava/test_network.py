"""AVA's network: shapes, gradients, peer attention, padding."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import T5Config

from grading.ava.configurations import CONFIGURATIONS, configuration_named, texts_read
from grading.ava.model import Triple
from grading.ava.network import beside_peer, new_network
from grading.errors import MissingModelError
from tests.samples.tiny_encoder import HIDDEN, POSITIONS, Kind
from tests.samples.triples import KINDS, TRIPLES

pytestmark = pytest.mark.usefixtures("one_thread")


def network_of(name: str, folder: Path, *, max_tokens: int = 48) -> tuple[Any, Any]:
    """A network that drops nothing out, and what makes its inputs of triples."""
    configuration = configuration_named(name)
    torch.manual_seed(5)
    network = new_network(folder, configuration, max_tokens=max_tokens)

    def read(triples: Sequence[Triple]) -> Any:
        return network.tokenised([texts_read(configuration, one) for one in triples])

    return network.eval(), read


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


def test_a_long_pair_is_cut_to_the_tokens_that_are_read(
    encoders: dict[str, Path],
) -> None:
    _, read = network_of("a1:q,rt", encoders["roberta"], max_tokens=12)
    (inputs,) = read([Triple("who beat whom ?", "Ada " * 30, "Ben")])
    tokenizer_ids = inputs["input_ids"][0].tolist()
    # By hand: <s> q q q q </s> </s> r r r r </s>; the longer text is cut at its end.
    assert len(tokenizer_ids) == 12
    assert [at for at, number in enumerate(tokenizer_ids) if number == 2] == [5, 6, 11]


def test_an_encoder_that_cannot_read_pairs_is_refused_in_one_line(
    encoders: dict[str, Path], tmp_path: Path
) -> None:
    T5Config().save_pretrained(tmp_path / "t5")
    # The table has POSITIONS places, of which the peer needs one.
    for name, folder, tokens, said in (
        ("a0", tmp_path / "t5", 48, "holds no encoder"),
        ("a0", tmp_path, 48, "holds no encoder"),
        ("a2:r,qt+t,qr", encoders["bert"], POSITIONS, f"{POSITIONS} tokens and a peer"),
        ("a0", encoders["roberta"], POSITIONS + 1, f"reads {POSITIONS + 1} tokens"),
    ):
        with pytest.raises(MissingModelError, match=said):
            network_of(name, folder, max_tokens=tokens)
    network_of("a0", encoders["bert"], max_tokens=POSITIONS)


def reached(encoder: Any) -> bool:
    """Whether a gradient came to an encoder's word embeddings and last layer."""
    last = encoder.encoder.layer[-1].output.dense.weight
    grads = [encoder.get_input_embeddings().weight.grad, last.grad]
    return all(grad is not None and bool(grad.abs().sum() > 0) for grad in grads)
