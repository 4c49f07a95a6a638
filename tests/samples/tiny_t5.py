"""A real T5 that is small enough to be made in a test, and really answers prompts.

Its weights are not learnt but written down, in a second, so that what it says can be
told by hand for any text: it looks for ``KEY_WORDS`` in the passage and rates by the
highest of them; asked for an answer it gives that word. ``rating_of`` and
``answer_of`` say what it says. How: the embedding gives each word that matters a
dimension of its own; the decoder's cross-attention finds the highest key word (head
0), the words "concise" (head 1) and "How" (head 2); its gated feed-forward layer, a
product, takes from these either a rating or a word; the head turns that into a token.

It is saved as FLAN-T5 is published (gated GELU, an output head of its own, a Unigram
tokenizer) and is loaded by ``FlanT5`` from its folder.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import string
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]

# Words of the demo collection's passages (and of a hand-made one), not its questions'.
KEY_WORDS = {
    **{"October": 1, "grasshoppers": 1, "doctor": 1},
    **{"frost": 2, "topsoil": 2, "electrode": 2},
    **{"maples": 3, "acres": 3, "generator": 3},
    **{"anthocyanin": 4, "Kansas": 4, "chest": 4},
    **{"chlorophyll": 5, "ploughed": 5, "battery": 5, "Because": 5},
}
UNANSWERABLE = "unanswerable"
CONCISE, HOW = "concise", "How"
SEED = 7

# Dimensions of the model's vectors: what a token is, and what the decoder made of it.
_WORDS = len(KEY_WORDS) + 1  # the last one stands for "none of them"
_START, _ANSWER, _HOW = 0, 1, 2
_TOKEN = 3
_FOUND = _TOKEN + _WORDS
_IS_ANSWER, _IS_HOW = _FOUND + _WORDS, _FOUND + _WORDS + 1
_RATING = _IS_HOW + 1
_SAID = _RATING + 6
_DIMENSIONS = 80
assert _SAID + _WORDS <= _DIMENSIONS
_HEAD = 20  # dimensions of an attention head


def rating_of(passage: str, question: str = "") -> int:
    """The highest of the key words in either; one less where "How" is; never < 0."""
    text = f"{question} {passage}"
    rating = max((KEY_WORDS[word] for word in KEY_WORDS if word in text), default=0)
    return max(rating - (HOW in text), 0)


def answer_of(passage: str, question: str = "") -> str:
    """The last in the table of the key words in either, or that there is no answer."""
    text = f"{question} {passage}"
    return ([UNANSWERABLE] + [word for word in KEY_WORDS if word in text])[-1]


def tiny_t5(folder: Path) -> Path:
    """The folder with the model, made there unless it has been; safe in parallel."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with Path(f"{folder}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.is_dir():
            half = Path(f"{folder}.part")
            shutil.rmtree(half, ignore_errors=True)
            _make(half)
            half.rename(folder)
    return folder


def shared_folder(base: Path) -> Path:
    """Where all processes of a test run find it, and later runs of the same code.

    ``base`` is pytest's base folder, of which xdist has one for every process.
    """
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent
    digest = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()
    return base.parent / f"tiny-t5-{digest[:16]}"


def passages() -> list[str]:
    """The texts its tokenizer was made from."""
    lines = (ROOT / "data" / "demo" / "passages.jsonl").read_text().splitlines()
    return [json.loads(line)["text"] for line in lines]


def _make(folder: Path) -> None:
    import torch

    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(SEED)
        tokenizer = _tokenizer()
        model = _model(tokenizer)
    tokenizer.save_pretrained(folder)
    model.save_pretrained(folder)
    # FLAN-T5's config says that the head is not the embedding, which transformers 5
    # reads as "the decoder's output is not scaled" and writes down in other words.
    said = json.loads((folder / "config.json").read_text())
    said.pop("scale_decoder_outputs", None)
    said["tie_word_embeddings"] = False
    (folder / "config.json").write_text(json.dumps(said, indent=2))


def _tokenizer() -> Any:
    """Pieces of the demo collection's words; the words that matter come whole."""
    from tokenizers import Tokenizer
    from tokenizers.models import Unigram
    from tokenizers.pre_tokenizers import Metaspace
    from tokenizers.trainers import UnigramTrainer
    from transformers import T5Tokenizer

    learner = Tokenizer(Unigram())
    learner.pre_tokenizer = Metaspace()
    learner.train_from_iterator(
        [*passages(), *string.printable],
        UnigramTrainer(
            vocab_size=1500,
            special_tokens=["<pad>", "</s>", "<unk>"],
            unk_token="<unk>",
            show_progress=False,
        ),
    )
    scores = dict(json.loads(learner.to_str())["model"]["vocab"])
    for word in (*KEY_WORDS, CONCISE, HOW, UNANSWERABLE, *"012345"):
        scores |= dict.fromkeys((f"▁{word}", word), -0.1)
    return T5Tokenizer(vocab=list(scores.items()), extra_ids=0)


def _model(tokenizer: Any) -> Any:
    """The weights; whatever is not written here is small and random, or 0."""
    import torch
    from transformers import T5Config, T5ForConditionalGeneration

    config = T5Config(
        vocab_size=len(tokenizer),
        d_model=_DIMENSIONS,
        d_kv=_HEAD,
        d_ff=3 * _WORDS,
        num_layers=2,
        num_decoder_layers=1,
        num_heads=4,
        feed_forward_proj="gated-gelu",
        tie_word_embeddings=False,
        decoder_start_token_id=0,
        pad_token_id=0,
        eos_token_id=1,
    )
    model = T5ForConditionalGeneration(config)
    tokens = {
        word: [tokenizer.convert_tokens_to_ids(piece) for piece in (f"▁{word}", word)]
        for word in (*KEY_WORDS, CONCISE, HOW, UNANSWERABLE, *"012345")
    }
    model.shared.weight.copy_(_embedding(len(tokenizer), tokens))
    model.lm_head.weight = torch.nn.Parameter(_head(len(tokenizer), tokens))
    for block in model.encoder.block:
        # The encoder lets everything pass, with a little of everything else.
        block.layer[0].SelfAttention.o.weight.mul_(0.01)
        block.layer[1].DenseReluDense.wo.weight.mul_(0.01)
    # A one-hot vector stays what it is under the norm.
    model.encoder.final_layer_norm.weight.fill_(_DIMENSIONS**-0.5)
    own, cross, product = model.decoder.block[0].layer
    own.SelfAttention.o.weight.zero_()
    cross.layer_norm.weight.fill_(_DIMENSIONS**-0.5)
    _find(cross.EncDecAttention)
    _combine(product.DenseReluDense)
    return model


def _embedding(size: int, tokens: dict[str, list[int]]) -> Any:
    """Each token's vector: one-hot, one dimension for all that do not matter."""
    import torch

    vectors = torch.zeros(size, _DIMENSIONS)
    vectors[:, _TOKEN + _WORDS - 1] = 1
    dimensions = {word: _TOKEN + rank for rank, word in enumerate(KEY_WORDS)}
    for word, dimension in (dimensions | {CONCISE: _ANSWER, HOW: _HOW}).items():
        vectors[tokens[word]] = torch.eye(_DIMENSIONS)[dimension]
    vectors[0] = torch.eye(_DIMENSIONS)[_START]
    return vectors


def _find(attention: Any) -> None:
    """Cross-attention at the answer's start: what is in the prompt."""
    for weights in (attention.q, attention.k, attention.v, attention.o):
        weights.weight.zero_()
    q, k, v, o = (
        w.weight for w in (attention.q, attention.k, attention.v, attention.o)
    )
    for head in range(3):
        q[head * _HEAD, _START] = 1
    for rank in range(_WORDS):
        v[rank, _TOKEN + rank] = 1
        o[_FOUND + rank, rank] = 1
        if rank < len(KEY_WORDS):
            # More than hundreds of other tokens together, and than the next word.
            k[0, _TOKEN + rank] = 20 + 8 * rank
    for head, dimension, found in ((1, _ANSWER, _IS_ANSWER), (2, _HOW, _IS_HOW)):
        k[head * _HEAD, dimension] = 20
        v[head * _HEAD, dimension] = 1
        o[found, head * _HEAD] = 1


def _combine(layer: Any) -> None:
    """The product of what was found and what was asked: a rating or a word."""
    gate, value, out = layer.wi_0.weight, layer.wi_1.weight, layer.wo.weight
    for weights in (gate, value, out):
        weights.zero_()
    for rank, rating in enumerate((*KEY_WORDS.values(), 0)):
        rated, less, said = rank, _WORDS + rank, 2 * _WORDS + rank
        for unit in (rated, less, said):
            value[unit, _FOUND + rank] = 1
        # Gates are open at 1 and shut at 0 and below, in units of the vector's norm.
        gate[rated, [_START, _IS_ANSWER, _IS_HOW]] = _row(3, -3, -3)
        gate[less, [_IS_HOW, _IS_ANSWER]] = _row(3, -3)
        gate[said, _IS_ANSWER] = 3
        # After the first token nothing more is said, however short the prompt.
        for unit in (less, said):
            gate[unit, _TOKEN : _TOKEN + _WORDS] = -3
        out[_RATING + rating, rated] = 1
        out[_RATING + max(rating - 1, 0), less] = 1
        out[_SAID + rank, said] = 1


def _row(*values: float) -> Any:
    import torch

    return torch.tensor(values, dtype=torch.float32)


def _head(size: int, tokens: dict[str, list[int]]) -> Any:
    """Tokens by what is to be said; after the first token, the end."""
    import torch

    head = torch.randn(size, _DIMENSIONS) * 0.01
    for digit in range(6):
        for rating in range(6):
            head[tokens[str(digit)][0], _RATING + rating] = 4 - abs(digit - rating)
    for rank, word in enumerate((*KEY_WORDS, UNANSWERABLE)):
        head[tokens[word][0], _SAID + rank] = 4
    head[1, :] = 6
    head[1, [_START, *range(_RATING, _DIMENSIONS)]] = -4
    return head
