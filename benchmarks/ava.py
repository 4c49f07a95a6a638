"""`python -m benchmarks.ava`: seconds a training step and a scored triple of AVA take.

An encoder of roberta-base's shape with random weights, which take as long as learnt
ones; pairs as long as ``max_tokens`` allows, so that nothing is padded. The best
device that there is: a GPU where there is one.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path

import torch

from grading.ava.configurations import (
    BEST,
    TrainingSettings,
    configuration_named,
    texts_read,
)
from grading.ava.loop import compute_gradients
from grading.ava.model import Triple
from grading.ava.network import new_network
from grading.models.devices import default_device

VOCABULARY = 50_265
CONFIGURATIONS = ("a1:r,qt", BEST)


def main() -> None:
    """Print a line for each configuration."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ava")
    parser.add_argument("--batch-size", type=int, default=8)
    parser.add_argument("--max-tokens", type=int, default=128)
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--device", help="cuda, mps or cpu; the best there is")
    parser.add_argument("--threads", type=int)
    options = parser.parse_args()
    if options.threads:
        torch.set_num_threads(options.threads)
    device = options.device or default_device()
    print(
        f"roberta-base shape, {options.layers} layers, float32, {device}, batches of "
        f"{options.batch_size}, {options.max_tokens} tokens, {options.steps} steps"
    )
    with tempfile.TemporaryDirectory() as folder:
        save_encoder(Path(folder), layers=options.layers)
        for name in CONFIGURATIONS:
            print(line(Path(folder), name, device, options), flush=True)


def line(folder: Path, name: str, device: str, options: argparse.Namespace) -> str:
    """Median seconds of a step, after one that does not count, and of a triple."""
    settings = TrainingSettings()
    configuration = configuration_named(name)
    torch.manual_seed(0)
    network = new_network(folder, configuration, max_tokens=options.max_tokens)
    network.to(device).train()
    optimizer = torch.optim.AdamW(network.parameters(), lr=settings.learning_rate)
    triples = [
        Triple(*(" ".join([f"w{n + at}"] * options.max_tokens) for at in range(3)))
        for n in range(options.batch_size)
    ]
    texts = [texts_read(configuration, triple) for triple in triples]
    batch = [(pairs, n % 2 == 0) for n, pairs in enumerate(texts)]
    if device == "cuda":
        torch.cuda.reset_peak_memory_stats()
    times = []
    for _ in range(options.steps + 1):
        start = time.perf_counter()
        # It asks for the loss, and so waits for the device.
        compute_gradients(network, batch)
        optimizer.step()
        times.append(time.perf_counter() - start)
    memory = ""
    if device == "cuda":
        memory = f", {torch.cuda.max_memory_allocated() / 2**30:.1f} GiB at most"
    network.scores(texts)
    start = time.perf_counter()
    network.scores(texts)
    a_triple = (time.perf_counter() - start) / len(texts)
    size = sum(parameter.numel() for parameter in network.parameters()) / 1e6
    return (
        f"{name:<16}{size:>6.0f} M weights: {statistics.median(times[1:]):.3f} s a "
        f"step (most {max(times[1:]):.3f}), {a_triple:.4f} s a triple scored{memory}"
    )


def save_encoder(folder: Path, *, layers: int) -> None:
    """A RoBERTa of the published base's sizes, and a tokenizer of one token a word."""
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace
    from tokenizers.processors import TemplateProcessing
    from transformers import PreTrainedTokenizerFast, RobertaConfig, RobertaModel
    from transformers.utils import logging

    logging.disable_progress_bar()
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    words = [*special, *(f"w{n}" for n in range(VOCABULARY - len(special)))]
    tokenizer = Tokenizer(
        WordLevel({word: n for n, word in enumerate(words)}, unk_token="<unk>")
    )
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(
        single="<s> $A </s>",
        pair="<s> $A </s> </s> $B </s>",
        special_tokens=[("<s>", 0), ("</s>", 2)],
    )
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        cls_token="<s>",
        pad_token="<pad>",
        sep_token="</s>",
        unk_token="<unk>",
        model_input_names=["input_ids", "attention_mask"],
    ).save_pretrained(folder)
    torch.manual_seed(0)
    config = RobertaConfig(
        vocab_size=VOCABULARY,
        num_hidden_layers=layers,
        max_position_embeddings=514,
        type_vocab_size=1,
    )
    RobertaModel(config).save_pretrained(folder)


if __name__ == "__main__":
    main()
