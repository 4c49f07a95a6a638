"""An AVA network's files: made from an encoder's folder, written, read again.

A model's folder holds all that it needs and nothing that could run code:

    card.json            what it is
    model.safetensors    the weights of every encoder and of the linear layer
    encoder/             config.json and the tokenizer's files
"""

from __future__ import annotations

import copy
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grading.ava.configurations import Configuration
from grading.ava.folders import reading, writing
from grading.errors import MissingModelError
from grading.models.ava_encoder import not_installed

if TYPE_CHECKING:
    from grading.models.ava_network import AvaNetwork

WEIGHTS = "model.safetensors"
ENCODER = "encoder"
_OF_A_PLACE = ("_name_or_path", "name_or_path", "local_files_only", "is_local")

# What transformers raises for files that are not there or not what it expects.
_UNREADABLE = (AttributeError, KeyError, OSError, RuntimeError, TypeError, ValueError)


def new_network(
    folder: Path, configuration: Configuration, *, max_tokens: int
) -> tuple[AvaNetwork, Any]:
    """A network whose encoders all start from the one in ``folder``; its tokenizer.

    The linear layer starts at random: seed torch before. Raises MissingModelError for
    a folder without an encoder that can read this configuration.
    """
    AutoConfig, AutoModel, _ = _transformers()  # noqa: N806
    import torch

    from grading.models.ava_network import AvaNetwork

    try:
        config = AutoConfig.from_pretrained(folder, local_files_only=True)
        _check_kind(folder, config)
        encoder = _without_pooler(
            AutoModel.from_pretrained(
                folder, local_files_only=True, config=config, dtype=torch.float32
            )
        )
    except _UNREADABLE as error:
        raise _unreadable(folder, error) from error
    tokenizer = _tokenizer(folder)
    _check_encoder(folder, encoder, tokenizer, configuration, max_tokens)
    encoders = [encoder, *(copy.deepcopy(encoder) for _ in configuration.parts[1:])]
    return AvaNetwork(encoders, peer_attention=configuration.peer_attention), tokenizer


def write_encoder(network: AvaNetwork, tokenizer: Any, folder: Path) -> None:
    """Write what is to be known of the encoders beside their weights."""
    with writing(folder):
        network.encoders[0].config.save_pretrained(folder / ENCODER)
        tokenizer.save_pretrained(folder / ENCODER)
        for name in ("config.json", "tokenizer_config.json"):
            # Where the encoder lay is nobody's business, and a moved one is the same.
            file = folder / ENCODER / name
            told = json.loads(file.read_text())
            for key in _OF_A_PLACE:
                told.pop(key, None)
            file.write_text(json.dumps(told, indent=2, sort_keys=True) + "\n")


def write_weights(network: AvaNetwork, file: Path) -> None:
    """Write the weights, whole or not at all."""
    from safetensors import SafetensorError
    from safetensors.torch import save_model

    part = file.with_name(f"{file.name}.part")
    with writing(file.parent):
        try:
            save_model(network, str(part))
        except SafetensorError as error:  # a full disk is one
            raise OSError(_first_line(error)) from error
        part.replace(file)


def read_network(folder: Path, configuration: Configuration) -> tuple[AvaNetwork, Any]:
    """The network in a model's folder and its tokenizer.

    Raises MissingModelError where one of its files is missing or is not what was
    written.
    """
    AutoConfig, AutoModel, _ = _transformers()  # noqa: N806
    from safetensors import SafetensorError
    from safetensors.torch import load_model

    from grading.models.ava_network import AvaNetwork

    try:
        config = AutoConfig.from_pretrained(folder / ENCODER, local_files_only=True)
        encoder = _without_pooler(AutoModel.from_config(config)).float()
        encoders = [encoder, *(copy.deepcopy(encoder) for _ in configuration.parts[1:])]
        network = AvaNetwork(encoders, peer_attention=configuration.peer_attention)
        load_model(network, str(folder / WEIGHTS))
    except (*_UNREADABLE, SafetensorError) as error:
        raise MissingModelError(
            f"'{folder}' does not hold the AVA model that its card describes "
            f"({_first_line(error)}); copy it again, or train it again"
        ) from error
    return network.eval(), _tokenizer(folder / ENCODER)


def model_files(folder: Path) -> list[Path]:
    """The files that decide a model's scores."""
    encoder = folder / ENCODER
    with reading(folder):
        files = [path for path in encoder.rglob("*") if path.is_file()]
        complete = bool(files) and (folder / WEIGHTS).is_file()
    if not complete:
        raise MissingModelError(
            f"'{folder}' lacks {WEIGHTS} or {ENCODER}/, which an AVA transformer "
            "consists of; copy it again, or train it again"
        )
    return [folder / WEIGHTS, *files]


def _check_kind(folder: Path, config: Any) -> None:
    if getattr(config, "is_encoder_decoder", False):
        raise MissingModelError(
            f"'{folder}' is an encoder-decoder ({config.model_type}); AVA reads with "
            "an encoder such as RoBERTa or BERT"
        )


def _check_encoder(
    folder: Path,
    encoder: Any,
    tokenizer: Any,
    configuration: Configuration,
    max_tokens: int,
) -> None:
    """Raise MissingModelError where the encoder cannot read this configuration."""
    import torch

    from grading.models.ava_network import beside_peer

    ids = tokenizer("a", "b")["input_ids"]
    if tokenizer.cls_token_id is None or ids[0] != tokenizer.cls_token_id:
        raise MissingModelError(
            f"The tokenizer in '{folder}' puts no [CLS] before a pair, whose "
            "representation AVA classifies; give an encoder such as RoBERTa or BERT"
        )
    encoder.eval()
    try:
        longest = torch.full((1, max_tokens), tokenizer.cls_token_id)
        inputs: dict[str, Any] = {
            "input_ids": longest,
            "attention_mask": torch.ones_like(longest),
        }
        with torch.no_grad():
            if configuration.peer_attention:
                width = encoder.config.hidden_size
                encoder(**beside_peer(encoder, inputs, torch.zeros(1, width)))
            else:
                encoder(**inputs)
    except (IndexError, NotImplementedError, RuntimeError, TypeError) as error:
        reads = f"{max_tokens} tokens"
        if configuration.peer_attention:
            reads += " and a vector among its word embeddings, for peer attention"
        raise MissingModelError(
            f"The encoder in '{folder}' does not read {reads} "
            f"({_first_line(error)}); give fewer tokens or another encoder"
        ) from error


def _without_pooler(encoder: Any) -> Any:
    """The encoder without the layer above [CLS] that some come with; it is not used."""
    if getattr(encoder, "pooler", None) is not None:
        encoder.pooler = None
    return encoder


def _tokenizer(folder: Path) -> Any:
    """The tokenizer in ``folder``, padding at the end."""
    _, _, AutoTokenizer = _transformers()  # noqa: N806
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    except _UNREADABLE as error:
        raise _unreadable(folder, error) from error
    if tokenizer.pad_token_id is None:
        raise MissingModelError(
            f"The tokenizer in '{folder}' has no padding token; give an encoder such "
            "as RoBERTa or BERT"
        )
    tokenizer.padding_side = "right"
    return tokenizer


def _transformers() -> tuple[Any, Any, Any]:
    """The classes that are used of transformers, which is told to print nothing."""
    # One thread of tokenizers is plenty, and it warns when a process forks later.
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    try:
        import safetensors.torch  # noqa: F401
        import torch  # noqa: F401
        from transformers import AutoConfig, AutoModel, AutoTokenizer
        from transformers.utils import logging
    except ImportError:
        raise not_installed() from None
    chatter: Any = logging  # untyped there
    chatter.set_verbosity_error()
    chatter.disable_progress_bar()
    return AutoConfig, AutoModel, AutoTokenizer


def _unreadable(folder: Path, error: Exception) -> MissingModelError:
    return MissingModelError(
        f"'{folder}' holds no encoder that can be loaded ({_first_line(error)}); give "
        "another folder, or fetch the encoder again with `hf download`"
    )


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else repr(error)
