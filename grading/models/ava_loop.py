"""The training loop of an AVA transformer: steps, epochs, the curve, early stopping."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch.nn.functional import binary_cross_entropy_with_logits

from grading.ava.card import THRESHOLD, Point
from grading.errors import TrainingError
from grading.models.ava_checkpoint import Checkpoint, Stand, random_numbers
from grading.models.ava_curve import append_point, start_curve
from grading.models.ava_network import AvaNetwork, scored, tokenised
from grading.models.ava_reading import TextsRead

if TYPE_CHECKING:
    from grading.models.ava_training import Progress, TrainingSettings

Labelled = tuple[TextsRead, bool]


def run(
    network: AvaNetwork,
    tokenizer: Any,
    train: Sequence[Labelled],
    dev: Sequence[Labelled],
    folder: Path,
    *,
    checkpoint: Checkpoint,
    settings: TrainingSettings,
    device: str,
    progress: Callable[[Progress], None] | None,
) -> Stand:
    """Train to the end, from the checkpoint where there is one.

    The best epoch's weights are then in the checkpoint, not in the network. torch's
    random numbers must be as they are to be: they decide what is dropped out. A
    KeyboardInterrupt leaves a checkpoint at the last step that was done; anything else
    that is raised leaves the one before. Raises TrainingError where training diverges
    or the folder cannot be written.
    """
    from grading.models.ava_training import Progress

    read = partial(tokenised, tokenizer, max_tokens=settings.max_tokens, device=device)
    optimizer = torch.optim.AdamW(
        network.parameters(),
        lr=settings.learning_rate,
        weight_decay=settings.weight_decay,
    )
    stand = Stand()
    if checkpoint.exists:
        stand = checkpoint.restore(network, optimizer)
        start_curve(folder, stand.curve)
    of_epoch = math.ceil(len(train) / settings.batch_size)
    steps = settings.epochs * of_epoch
    network.train()
    began, first = time.perf_counter(), stand.step
    between = _BetweenSteps(optimizer)
    try:
        while not _ended(stand, of_epoch, steps, settings.patience):
            epoch = _epoch(stand, of_epoch)
            order = shuffled(len(train), seed=settings.seed, epoch=epoch)
            for at in range(stand.step - (epoch - 1) * of_epoch, of_epoch):
                start = at * settings.batch_size
                chosen = order[start : start + settings.batch_size]
                for group in optimizer.param_groups:
                    group["lr"] = settings.learning_rate * (1 - stand.step / steps)
                batch = [train[number] for number in chosen]
                loss = step(network, optimizer, read, batch, clip=settings.clip)
                between.leave()
                stand.step += 1
                stand.loss_sum += loss
                stand.loss_steps += 1
                if at + 1 < of_epoch and stand.step % settings.point_every == 0:
                    _note(stand, folder, epoch)
                between.reach()
                if at + 1 < of_epoch and stand.step % settings.checkpoint_every == 0:
                    checkpoint.save(stand, network, optimizer)
                if progress:
                    mean = (time.perf_counter() - began) / (stand.step - first)
                    progress(Progress(epoch, stand.step, steps, loss, mean))
            precision, recall, f1 = dev_results(network, read, dev)
            between.leave()
            _note(stand, folder, epoch, precision, recall, f1)
            if not stand.best_epoch or f1 > stand.best_f1:
                stand.best_epoch, stand.best_f1 = epoch, f1
                checkpoint.save_best(stand, network)
            between.reach()
            checkpoint.save(stand, network, optimizer)
    except KeyboardInterrupt:
        if between.here and stand.step:
            checkpoint.save(stand, network, optimizer, between.numbers)
        raise
    return stand


def step(
    network: AvaNetwork,
    optimizer: Any,
    read: Callable[[Sequence[TextsRead]], Any],
    batch: Sequence[Labelled],
    *,
    clip: float,
) -> float:
    """Move the weights once; the batch's mean loss before that.

    Raises TrainingError for a loss that is not a number.
    """
    labels = torch.tensor(
        [float(correct) for _, correct in batch], device=network.head.weight.device
    )
    logits = network(read([texts for texts, _ in batch]))
    loss = binary_cross_entropy_with_logits(logits, labels)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(network.parameters(), clip)
    value = float(loss.item())
    if not math.isfinite(value):
        raise _diverged("the loss is")
    optimizer.step()
    return value


def shuffled(count: int, *, seed: int, epoch: int) -> list[int]:
    """The order in which an epoch goes through ``count`` examples."""
    order = list(range(count))
    random.Random(f"{seed}/{epoch}").shuffle(order)
    return order


def dev_results(
    network: AvaNetwork,
    read: Callable[[Sequence[TextsRead]], Any],
    dev: Sequence[Labelled],
) -> tuple[float, float, float]:
    """Precision, recall and F1 at a score above .5; 0 where nothing was found.

    Raises TrainingError for a score that is not a number.
    """
    scores = scored(network, read, [texts for texts, _ in dev])
    if not np.isfinite(scores).all():
        raise _diverged("scores are")
    found = scores > THRESHOLD
    right = [correct for _, correct in dev]
    hits = sum(bool(f) and r for f, r in zip(found, right, strict=True))
    precision = hits / max(int(found.sum()), 1)
    recall = hits / max(sum(right), 1)
    f1 = 2 * hits / max(int(found.sum()) + sum(right), 1)
    return precision, recall, f1


class _BetweenSteps:
    """Whether weights, optimiser and stand are what they are after ``stand.step``.

    While a step is computed they still are: it moves the weights at its end, which the
    optimiser tells. ``numbers`` are torch's random numbers as that step began.
    """

    def __init__(self, optimizer: torch.optim.Optimizer) -> None:
        self.reach()
        optimizer.register_step_pre_hook(lambda *_: self.leave())

    def leave(self) -> None:
        """From here on they are not."""
        self.here = False

    def reach(self) -> None:
        """From here on they are."""
        self.numbers = random_numbers()
        self.here = True


def _diverged(what: str) -> TrainingError:
    return TrainingError(
        f"The training has diverged: {what} not a number. Train with a lower learning "
        "rate, into another folder or after deleting this one"
    )


def _epoch(stand: Stand, of_epoch: int) -> int:
    """The epoch that is under way, from 1; one is until its dev results are there."""
    return stand.step // of_epoch + 1 - _lacks_results(stand, of_epoch)


def _lacks_results(stand: Stand, of_epoch: int) -> bool:
    """Whether an epoch's steps are done, and its dev results are not."""
    noted = stand.curve[-1].step if stand.curve else 0
    return stand.step % of_epoch == 0 and noted < stand.step


def _ended(stand: Stand, of_epoch: int, steps: int, patience: int) -> bool:
    """Whether all steps are done, or an epoch ended ``patience`` after the best."""
    if _lacks_results(stand, of_epoch):
        return False
    done = stand.step // of_epoch
    stale = bool(stand.best_epoch) and stand.step % of_epoch == 0
    return stand.step >= steps or (stale and done - stand.best_epoch >= patience)


def _note(
    stand: Stand,
    folder: Path,
    epoch: int,
    precision: float | None = None,
    recall: float | None = None,
    f1: float | None = None,
) -> None:
    """Put a point on the curve, here and on disk."""
    loss = stand.loss_sum / stand.loss_steps if stand.loss_steps else None
    stand.curve.append(Point(epoch, stand.step, loss, precision, recall, f1))
    stand.loss_sum, stand.loss_steps = 0.0, 0
    append_point(folder, stand.curve[-1])
