"""The training loop of AVA transformers, and its files.

In a model's folder, while it trains:

    curve.jsonl                       losses, and results on the dev examples
    checkpoint/state.pt               network, optimiser, random numbers, progress
    checkpoint/best-2.safetensors     the weights after the best epoch so far

Each file is written under a temporary name and then renamed, and a state is written
after the weights that it names: a process that is killed at any time leaves a readable
state. It is read with ``weights_only``, so it cannot run code.
"""

from __future__ import annotations

import math
import random
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn.functional import binary_cross_entropy_with_logits

from grading.ava.card import CHECKPOINT, CURVE, Point, write_curve
from grading.ava.configurations import TextsRead, TrainingSettings
from grading.ava.examples import precision_recall_f1
from grading.ava.network import AvaNetwork
from grading.errors import TrainingError

Labelled = tuple[TextsRead, bool]
_STATE = "state.pt"
_CLIP = 1.0  # the norm to which gradients are clipped, as in GLUE's usual recipe


@dataclass
class TrainingProgress:
    """Progress of a training. ``step`` counts over all epochs.

    ``losses`` are those of the steps since the curve's last point.
    """

    step: int = 0
    losses: list[float] = field(default_factory=list)
    best_epoch: int = 0
    best_f1: float = 0.0
    curve: list[Point] = field(default_factory=list)


@dataclass
class Training:
    """A training in a model's folder; ``key`` identifies it in its checkpoint."""

    network: AvaNetwork
    folder: Path
    train: Sequence[Labelled]
    dev: Sequence[Labelled]
    key: str
    settings: TrainingSettings
    progress: Callable[[int, int], None] | None = None
    state: TrainingProgress = field(default_factory=TrainingProgress)

    def __post_init__(self) -> None:
        self._optimizer = torch.optim.AdamW(
            self.network.parameters(), lr=self.settings.learning_rate, weight_decay=0
        )
        self._checkpoint = self.folder / CHECKPOINT
        self._steps_per_epoch = math.ceil(len(self.train) / self.settings.batch_size)
        # torch's random numbers, on the CPU and on each GPU, after the last completed
        # step. None while weights and state do not match.
        self._random_state: tuple[Any, list[Any]] | None = None
        self._optimizer.register_step_pre_hook(self._mark_inconsistent)

    @property
    def best(self) -> Path:
        """Path of the weights after the best epoch so far."""
        return self._checkpoint / f"best-{self.state.best_epoch}.safetensors"

    def run(self) -> None:
        """Train to the end, from the checkpoint if there is one.

        The model's weights are then in ``best``, not in the network. torch's random
        generator must be seeded: it decides about dropout. If it fails without a
        checkpoint, all its files are removed, so that the corrected command finds the
        folder unchanged. Raises TrainingError.
        """
        try:
            if self._has_checkpoint:
                self._restore()
            write_curve(self.folder, self.state.curve)
            self._epochs()
        except BaseException as stop:
            if (
                isinstance(stop, KeyboardInterrupt)
                and self._random_state
                and self.state.step
            ):
                self._save()
            if not self._has_checkpoint:
                shutil.rmtree(self._checkpoint, ignore_errors=True)
                with suppress(OSError):  # there is none, or other files are in it
                    (self.folder / CURVE).unlink()
                    self.folder.rmdir()
            raise

    def _epochs(self) -> None:
        state, steps = self.state, self.settings.epochs * self._steps_per_epoch
        evaluated = [point.epoch for point in state.curve if point.f1 is not None]
        self.network.train()
        self._mark_consistent()
        for epoch in range(1, self.settings.epochs + 1):
            if epoch not in evaluated:
                for _ in self._steps(epoch):
                    if self.progress:
                        self.progress(state.step, steps)
                self._evaluate(epoch)
            if epoch - state.best_epoch >= self.settings.patience:
                break

    def _steps(self, epoch: int) -> Iterator[None]:
        """Run the remaining steps of an epoch, and yield after each."""
        network, state, settings = self.network, self.state, self.settings
        order = shuffled(len(self.train), seed=settings.seed, epoch=epoch)
        first = state.step - (epoch - 1) * self._steps_per_epoch
        for index in range(first, self._steps_per_epoch):
            start, end = index * settings.batch_size, (index + 1) * settings.batch_size
            batch = [self.train[number] for number in order[start:end]]
            completed = state.step / (settings.epochs * self._steps_per_epoch)
            for group in self._optimizer.param_groups:
                group["lr"] = settings.learning_rate * (1 - completed)
            loss = step(network, self._optimizer, batch)
            self._random_state = None
            state.step += 1
            state.losses.append(loss)
            is_within_epoch = index + 1 < self._steps_per_epoch
            if is_within_epoch and state.step % settings.point_every == 0:
                self._add_point(epoch)
            self._mark_consistent()
            if is_within_epoch and state.step % settings.checkpoint_every == 0:
                self._save()
            yield

    def _evaluate(self, epoch: int) -> None:
        """Record an epoch's dev results, and keep its weights if it is the best."""
        results = dev_results(self.network, self.dev)
        self._random_state = None
        self._add_point(epoch, *results)
        *_, f1 = results
        if not self.state.best_epoch or f1 > self.state.best_f1:
            self.state.best_epoch, self.state.best_f1 = epoch, f1
            self.network.write_weights(self.best)
        self._mark_consistent()
        self._save()

    def _add_point(self, epoch: int, *results: float) -> None:
        """Append a point to the curve, in memory and on disk."""
        state = self.state
        loss = sum(state.losses) / len(state.losses) if state.losses else None
        state.curve.append(Point(epoch, state.step, loss, *results))
        state.losses = []
        write_curve(self.folder, state.curve)

    def _mark_inconsistent(self, *_: Any) -> None:
        """Note, before a step, that weights and state do not match until it is done."""
        self._random_state = None

    def _mark_consistent(self) -> None:
        """Mark weights, optimizer and state as consistent after ``state.step``."""
        self._random_state = torch.get_rng_state(), torch.cuda.get_rng_state_all()

    @property
    def _has_checkpoint(self) -> bool:
        return (self._checkpoint / _STATE).is_file()

    def _save(self) -> None:
        """Write the checkpoint, replacing the previous one."""
        numbers, cuda_numbers = self._random_state or (None, [])
        stored = {
            "key": self.key,
            "stand": asdict(self.state),
            "network": self.network.state_dict(),
            "optimizer": self._optimizer.state_dict(),
            "random": numbers,
            "cuda_random": cuda_numbers,
        }
        part = self._checkpoint / f"{_STATE}.part"
        self._checkpoint.mkdir(exist_ok=True)
        torch.save(stored, part)
        part.replace(self._checkpoint / _STATE)
        for file in self._checkpoint.glob("best-*.safetensors*"):
            if file != self.best:
                file.unlink()

    def _restore(self) -> None:
        """Restore network, optimizer and torch's random numbers from the checkpoint."""
        try:
            stored: dict[str, Any] = torch.load(
                self._checkpoint / _STATE, map_location="cpu", weights_only=True
            )
            key, state = stored["key"], TrainingProgress(**stored["stand"])
            state.curve = [Point(**point) for point in stored["stand"]["curve"]]
        except Exception as error:
            raise TrainingError(
                f"The checkpoint in '{self._checkpoint}' cannot be read; remove "
                f"'{self.folder}' and train from the beginning"
            ) from error
        if key != self.key:
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
        self.state = state


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Seed torch's random numbers for the block, and restore them afterwards."""
    with torch.random.fork_rng(range(torch.cuda.device_count())):
        torch.manual_seed(seed)
        yield


def step(network: AvaNetwork, optimizer: Any, batch: Sequence[Labelled]) -> float:
    """Do one training step; return the batch's mean loss before it.

    Raises TrainingError for a loss that is not a number.
    """
    logits = network(network.tokenised([texts for texts, _ in batch]))
    correct = torch.tensor([float(label) for _, label in batch], device=logits.device)
    loss = binary_cross_entropy_with_logits(logits, correct)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(network.parameters(), _CLIP)
    value = float(loss.item())
    if not math.isfinite(value):
        raise _diverged("the loss is")
    optimizer.step()
    return value


def shuffled(count: int, *, seed: int, epoch: int) -> list[int]:
    """Return the order of ``count`` examples in an epoch."""
    order = list(range(count))
    random.Random(f"{seed}/{epoch}").shuffle(order)
    return order


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
