"""Where a training stands, on disk: enough to go on as if it had not been stopped.

In a model's folder, while it trains:

    checkpoint/state.pt               network, optimiser, random numbers, progress
    checkpoint/best-2.safetensors     the weights after the best epoch so far

Each file is written beside its name and then renamed, and a state is written after
the weights that it names: a process that is killed at any time leaves a state that can
be read. It is read with ``weights_only``, so it cannot run code.
"""

from __future__ import annotations

import pickle
import shutil
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import torch

from grading.ava.card import Point
from grading.ava.folders import writing
from grading.errors import TrainingError
from grading.models.ava_files import write_weights
from grading.models.ava_network import AvaNetwork

CHECKPOINT = "checkpoint"
_STATE = "state.pt"


@dataclass
class Stand:
    """How far a training is. ``step`` counts over all epochs.

    ``loss_sum`` is over the ``loss_steps`` since the curve's last point.
    """

    step: int = 0
    loss_sum: float = 0.0
    loss_steps: int = 0
    best_epoch: int = 0
    best_f1: float = 0.0
    curve: list[Point] = field(default_factory=list)


class RandomNumbers(NamedTuple):
    """Where torch's random numbers are, on the CPU and on each GPU."""

    cpu: torch.Tensor
    cuda: list[torch.Tensor]


def random_numbers() -> RandomNumbers:
    """Where torch's random numbers are now."""
    return RandomNumbers(torch.get_rng_state(), torch.cuda.get_rng_state_all())


class Checkpoint:
    """The checkpoint in a model's folder; ``key`` says of which training it is."""

    def __init__(self, folder: Path, key: str) -> None:
        self._folder = folder / CHECKPOINT
        self._model_folder = folder
        self._key = key

    @property
    def exists(self) -> bool:
        """Whether a training can go on from here."""
        return (self._folder / _STATE).is_file()

    def save(
        self,
        stand: Stand,
        network: AvaNetwork,
        optimizer: Any,
        numbers: RandomNumbers | None = None,
    ) -> None:
        """Write where the training stands; the one before is gone.

        ``numbers`` are torch's random numbers there; None takes them as they are.
        Raises TrainingError where that cannot be written.
        """
        numbers = numbers or random_numbers()
        part = self._folder / f"{_STATE}.part"
        state = {
            "key": self._key,
            "stand": asdict(stand),
            "network": network.state_dict(),
            "optimizer": optimizer.state_dict(),
            "random": numbers.cpu,
            "cuda_random": numbers.cuda,
        }
        with writing(self._folder):
            self._folder.mkdir(exist_ok=True)
            try:
                torch.save(state, part)
            except RuntimeError as error:  # a full disk is one
                raise OSError(str(error).partition("\n")[0]) from error
            part.replace(self._folder / _STATE)
            for file in self._folder.glob("best-*.safetensors*"):
                if file != self.best(stand):
                    file.unlink()

    def save_best(self, stand: Stand, network: AvaNetwork) -> None:
        """Keep the weights of ``stand.best_epoch``; to be followed by ``save``."""
        with writing(self._folder):
            self._folder.mkdir(exist_ok=True)
        write_weights(network, self.best(stand))

    def best(self, stand: Stand) -> Path:
        """The weights after the best epoch so far."""
        return self._folder / f"best-{stand.best_epoch}.safetensors"

    def restore(self, network: AvaNetwork, optimizer: Any) -> Stand:
        """Set network, optimiser and torch's random numbers to what was saved.

        Raises TrainingError for another training's checkpoint, and for one that
        cannot be read.
        """
        try:
            state: dict[str, Any] = torch.load(
                self._folder / _STATE, map_location="cpu", weights_only=True
            )
            key, stand = state["key"], dict(state["stand"])
            stand["curve"] = [Point(**point) for point in stand["curve"]]
        except (
            *(EOFError, KeyError, OSError, RuntimeError, TypeError, ValueError),
            pickle.UnpicklingError,
        ) as error:
            raise TrainingError(
                f"The checkpoint in '{self._folder}' cannot be read; remove "
                f"'{self._model_folder}' and train from the beginning"
            ) from error
        if key != self._key:
            raise TrainingError(
                f"The training in '{self._model_folder}' was begun with other data, "
                "settings, configuration or encoder; resume it with the same, or train "
                "into another folder"
            )
        network.load_state_dict(state["network"])
        optimizer.load_state_dict(state["optimizer"])
        torch.set_rng_state(state["random"])
        if len(state["cuda_random"]) == torch.cuda.device_count():
            torch.cuda.set_rng_state_all(state["cuda_random"])
        return Stand(**stand)

    def remove(self) -> None:
        """Remove the checkpoint; the training has ended well."""
        shutil.rmtree(self._folder, ignore_errors=True)
