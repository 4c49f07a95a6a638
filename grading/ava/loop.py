"""The training loop of AVA transformers, and its checkpoint.

In a model's folder, while it trains:

    curve.jsonl            losses, and results on the dev examples
    checkpoint/state.pt    network, optimiser, random numbers, progress, best weights

Each file is written under a temporary name and then renamed: a process that is killed
at any time leaves a readable state. It is read with ``weights_only``, so it cannot run
code.
"""

from __future__ import annotations

import math
import random
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from grading.ava.card import (
    CHECKPOINT,
    CURVE,
    WEIGHTS,
    Card,
    Data,
    Point,
    refuse_taken,
    write_curve,
)
from grading.ava.configurations import (
    READING_VERSION,
    Configuration,
    TextsRead,
    TrainingSettings,
    texts_read,
)
from grading.ava.examples import Example, precision_recall_f1
from grading.ava.network import AvaNetwork, new_network
from grading.ava.transformer import TransformerAva, encoder_folder, encoder_identity
from grading.errors import TrainingError
from grading.keys import content_key
from grading.models.devices import default_device, is_out_of_memory

Labelled = tuple[TextsRead, bool]
_STATE = "state.pt"
_PROGRESS = ("key", "step", "losses", "best_epoch", "best_f1", "best_weights")
_CLIP = 1.0  # the norm to which gradients are clipped, as in GLUE's usual recipe


def train_transformer(
    configuration: Configuration,
    encoder: str,
    train: Sequence[Example],
    dev: Sequence[Example],
    folder: Path,
    *,
    settings: TrainingSettings,
    name: str,
    data: Data,
    progress: Callable[[int, int], None] | None = None,
    resume: bool = False,
) -> TransformerAva:
    """Train a model on ``train``; keep the weights of its best epoch on ``dev``.

    It is written to ``folder``, the card last. Everything random follows from the
    settings' seed; on a CPU the same call gives the same weights bit for bit, also if
    it was interrupted and continued with ``resume``. Without a checkpoint ``resume``
    starts anew. torch's own random numbers are not changed. ``progress`` gets the step
    and the number of steps over all epochs.

    ``train`` and ``dev`` have right and wrong candidates. Raises TrainingError for a
    folder that is not empty, a training that diverges or cannot be saved, or a
    checkpoint of another one; MissingModelError for an encoder that is not on this
    machine or cannot read this configuration.
    """
    source, identity = encoder_folder(encoder), encoder_identity(encoder)
    refuse_taken(folder, resume=resume)
    train_pairs, dev_pairs = (
        [
            (texts_read(configuration, example.triple), example.correct)
            for example in examples
        ]
        for examples in (train, dev)
    )
    # Hash of everything that affects the weights and the curve.
    key = content_key(
        [
            "ava training/2",
            READING_VERSION,
            configuration.name,
            identity.revision,
            asdict(replace(settings, checkpoint_every=1)),
            train_pairs,
            dev_pairs,
        ]
    )
    device = default_device()
    try:
        with torch.random.fork_rng(range(torch.cuda.device_count())):
            torch.manual_seed(settings.seed)
            network = new_network(
                source, configuration, max_tokens=settings.max_tokens
            ).to(device)
            training = Training(
                network, folder, train_pairs, dev_pairs, key, settings, progress
            )
            training.run()
        network.write_encoder(folder)
        network.write_weights(folder / WEIGHTS)
    except (OSError, RuntimeError, SafetensorError) as error:
        if is_out_of_memory(error):
            raise TrainingError(
                f"Out of memory on '{device}' with {settings.batch_size} triples in a "
                "batch; train with a smaller batch size"
            ) from error
        raise TrainingError(f"The training in '{folder}' failed: {error}") from error
    stored = asdict(settings) | {"encoder_revision": identity.revision}
    card = Card(
        name=name,
        configuration=configuration.name,
        data=data,
        encoder=identity.name,
        seed=stored.pop("seed"),
        settings=stored,
        curve=tuple(training.curve),
        best_epoch=training.best_epoch,
    )
    card.write(folder)
    shutil.rmtree(folder / CHECKPOINT, ignore_errors=True)
    return TransformerAva(folder, card)


@dataclass
class Training:
    """A training in a model's folder. ``step`` counts over all epochs.

    ``losses`` are those of the steps since the curve's last point.
    """

    network: AvaNetwork
    folder: Path
    train: Sequence[Labelled]
    dev: Sequence[Labelled]
    key: str
    settings: TrainingSettings
    progress: Callable[[int, int], None] | None
    step: int = 0
    losses: list[float] = field(default_factory=list)
    curve: list[Point] = field(default_factory=list)
    best_epoch: int = 0
    best_f1: float = 0.0
    best_weights: dict[str, Tensor] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._checkpoint = self.folder / CHECKPOINT / _STATE
        self._optimizer = torch.optim.AdamW(
            self.network.parameters(), lr=self.settings.learning_rate, weight_decay=0
        )
        # torch's random numbers, on the CPU and on each GPU, after the last completed
        # step. None while weights and progress do not match.
        self._random_state: tuple[Tensor, list[Tensor]] | None = None

    def run(self) -> None:
        """Train to the end; the network then has the weights of its best epoch.

        A KeyboardInterrupt writes a checkpoint of the last step. If the training fails
        without a checkpoint, its files are removed. Raises TrainingError.
        """
        try:
            if self._checkpoint.is_file():
                self._restore()
            write_curve(self.folder, self.curve)
            self._train()
        except BaseException as stop:
            is_interrupt = isinstance(stop, KeyboardInterrupt)
            if is_interrupt and self._random_state and self.step:
                self._save()
            if not self._checkpoint.is_file():
                shutil.rmtree(self._checkpoint.parent, ignore_errors=True)
                (self.folder / CURVE).unlink(missing_ok=True)
                with suppress(OSError):  # there is none, or other files are in it
                    self.folder.rmdir()
            raise
        self.network.load_state_dict(self.best_weights)

    def _train(self) -> None:
        settings, size = self.settings, self.settings.batch_size
        epoch_steps = math.ceil(len(self.train) / size)
        steps = settings.epochs * epoch_steps
        order: list[int] = []
        self.network.train()
        self._random_state = _random_numbers()
        for step in range(self.step, steps):
            completed_epochs, index = divmod(step, epoch_steps)
            if completed_epochs - self.best_epoch >= settings.patience:
                break
            epoch = completed_epochs + 1
            if not order or index == 0:
                order = list(range(len(self.train)))
                random.Random(f"{settings.seed}/{epoch}").shuffle(order)
            batch = [self.train[n] for n in order[index * size : (index + 1) * size]]
            for group in self._optimizer.param_groups:
                group["lr"] = settings.learning_rate * (1 - step / steps)
            loss = compute_gradients(self.network, batch)
            self._random_state = None
            self._optimizer.step()
            self.step += 1
            self.losses.append(loss)
            ends_epoch = index + 1 == epoch_steps
            if ends_epoch:
                self._evaluate(epoch)
            elif self.step % settings.point_every == 0:
                self._add_point(epoch)
            self._random_state = _random_numbers()
            if ends_epoch or self.step % settings.checkpoint_every == 0:
                self._save()
            if self.progress:
                self.progress(self.step, steps)

    def _evaluate(self, epoch: int) -> None:
        """Record an epoch's dev results, and keep its weights if it is the best."""
        results = dev_results(self.network, self.dev)
        self._add_point(epoch, *results)
        *_, f1 = results
        if not self.best_epoch or f1 > self.best_f1:
            self.best_epoch, self.best_f1 = epoch, f1
            weights = self.network.state_dict()
            self.best_weights = {
                name: weight.cpu().clone() for name, weight in weights.items()
            }

    def _add_point(self, epoch: int, *results: float) -> None:
        """Append a point to the curve, in memory and on disk."""
        loss = sum(self.losses) / len(self.losses) if self.losses else None
        self.curve.append(Point(epoch, self.step, loss, *results))
        self.losses = []
        write_curve(self.folder, self.curve)

    def _save(self) -> None:
        """Write the checkpoint, replacing the previous one."""
        numbers, cuda_numbers = self._random_state or (None, [])
        stored = {
            "progress": {name: getattr(self, name) for name in _PROGRESS},
            "curve": [asdict(point) for point in self.curve],
            "network": self.network.state_dict(),
            "optimizer": self._optimizer.state_dict(),
            "random": numbers,
            "cuda_random": cuda_numbers,
        }
        part = self._checkpoint.with_suffix(".part")
        part.parent.mkdir(exist_ok=True)
        torch.save(stored, part)
        part.replace(self._checkpoint)

    def _restore(self) -> None:
        """Restore network, optimizer and torch's random numbers from the checkpoint."""
        try:
            stored: dict[str, Any] = torch.load(
                self._checkpoint, map_location="cpu", weights_only=True
            )
            progress = stored["progress"]
            curve = [Point(**point) for point in stored["curve"]]
        except Exception as error:
            raise TrainingError(
                f"The checkpoint '{self._checkpoint}' cannot be read; remove "
                f"'{self.folder}' and train from the beginning"
            ) from error
        if progress["key"] != self.key:
            raise TrainingError(
                f"The training in '{self.folder}' was begun with other data, "
                "settings, configuration or encoder; resume it with the same, or train "
                "into another folder"
            )
        self.network.load_state_dict(stored["network"])
        self._optimizer.load_state_dict(stored["optimizer"])
        torch.set_rng_state(stored["random"])
        if len(stored["cuda_random"]) == torch.cuda.device_count():
            torch.cuda.set_rng_state_all(stored["cuda_random"])
        for name in _PROGRESS:
            setattr(self, name, progress[name])
        self.curve = curve


def _random_numbers() -> tuple[Tensor, list[Tensor]]:
    return torch.get_rng_state(), torch.cuda.get_rng_state_all()


def compute_gradients(network: AvaNetwork, batch: Sequence[Labelled]) -> float:
    """Compute the gradients of a training step; return the batch's mean loss.

    Raises TrainingError for a loss that is not a number.
    """
    logits = network(network.tokenised([texts for texts, _ in batch]))
    correct = torch.tensor([float(label) for _, label in batch], device=logits.device)
    loss = binary_cross_entropy_with_logits(logits, correct)
    network.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(network.parameters(), _CLIP)
    value = float(loss.item())
    if not math.isfinite(value):
        raise _diverged("the loss is")
    return value


def dev_results(
    network: AvaNetwork, dev: Sequence[Labelled]
) -> tuple[float, float, float]:
    """Return precision, recall and F1. Raises TrainingError for an invalid score."""
    scores = network.scores([texts for texts, _ in dev])
    if not np.isfinite(scores).all():
        raise _diverged("scores are")
    return precision_recall_f1(scores, [correct for _, correct in dev])


def _diverged(subject: str) -> TrainingError:
    return TrainingError(
        f"The training has diverged: {subject} not a number. Train with a lower "
        "learning rate, into another folder or after deleting this one"
    )
