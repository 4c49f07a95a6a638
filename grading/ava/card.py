"""A model's folder: the card next to its weights, and the curve of its training.

card.json            description of the model, its training and its results
curve.jsonl          the course of its training, one point per line
model.safetensors    a transformer's weights; a linear model's are in the card
encoder/             config.json and the tokenizer's files, of a transformer
checkpoint/          during training: everything needed to resume it
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from grading.errors import InvalidSpecError, MissingModelError, TrainingError

CARD, CURVE = "card.json", "curve.jsonl"
WEIGHTS, ENCODER, CHECKPOINT = "model.safetensors", "encoder", "checkpoint"
FORMAT = "ava-card/1"
THRESHOLD = 0.5  # default score above which an answer is right


@dataclass(frozen=True)
class Data:
    """Training data of a model: sources and sizes.

    ``sources`` are names of files or workspaces, without their folders. Pairs are
    (reference, candidate) pairs; ``left_out`` questions have fewer than two correct
    answers.
    """

    sources: tuple[str, ...]
    train_questions: int
    train_positives: int
    train_negatives: int
    dev_questions: int
    dev_positives: int
    dev_negatives: int
    left_out: int = 0


@dataclass(frozen=True)
class Point:
    """A point of the training curve, after an epoch or within one.

    ``loss`` is the mean since the previous point; precision, recall and F1 are on the
    dev pairs at a score of .5, None if they were not computed.
    """

    epoch: int
    step: int
    loss: float | None
    precision: float | None = None
    recall: float | None = None
    f1: float | None = None


@dataclass(frozen=True)
class Card:
    """Description of a model: its kind, its training and its results.

    ``configuration`` is a name of ``configurations`` or ``linear``; ``encoder`` the
    encoder a transformer started from, "" for a linear model. ``settings`` are the
    training settings by name. ``weights`` are the linear model's, by feature.
    """

    name: str
    configuration: str
    data: Data
    encoder: str = ""
    seed: int = 0
    settings: Mapping[str, str | int | float | bool] = field(default_factory=dict)
    curve: tuple[Point, ...] = ()
    best_epoch: int = 0
    threshold: float = THRESHOLD
    tuned_on: str = ""
    weights: Mapping[str, float] = field(default_factory=dict)

    @property
    def best(self) -> Point | None:
        """Dev results of the weights that were kept."""
        evaluated = (point for point in reversed(self.curve) if point.f1 is not None)
        return next(
            (point for point in evaluated if point.epoch == self.best_epoch), None
        )

    def write(self, folder: Path) -> None:
        """Write ``card.json`` atomically."""
        write_json(folder / CARD, {"format": FORMAT, **asdict(self)})


def has_card(folder: Path) -> bool:
    """Return True if there is a model in the folder that can be read."""
    return os.path.isfile(folder / CARD)  # False without permission


def read_card(folder: Path) -> Card:
    """Read the card in a model's folder.

    Raises MissingModelError if there is none, InvalidSpecError for one that is not
    understood.
    """
    if not has_card(folder):
        raise MissingModelError(
            f"No AVA model in '{folder}': it has no {CARD}. `curator ava train` makes "
            "one"
        )
    advice = "train the model again, or use a newer version of this program"
    with understood(folder / CARD, advice):
        stored = read_json(folder / CARD, FORMAT)
        data = Data(**stored["data"] | {"sources": tuple(stored["data"]["sources"])})
        curve = tuple(Point(**point) for point in stored["curve"])
        card = Card(**stored | {"data": data, "curve": curve})
        if not 0 <= card.threshold <= 1:
            raise ValueError("its threshold is not a number from 0 to 1")
    return card


def is_unfinished(folder: Path) -> bool:
    """Return True if a training in the folder is running or was interrupted."""
    return not has_card(folder) and (folder / CURVE).is_file()


def read_curve(folder: Path) -> tuple[Point, ...]:
    """Return the points so far of a training that has not ended.

    Raises InvalidSpecError for a curve that is not understood.
    """
    with understood(folder / CURVE, "delete the folder and train again"):
        lines = (folder / CURVE).read_text("utf-8").splitlines()
        return tuple(Point(**json.loads(line)) for line in lines)


def write_curve(folder: Path, points: Iterable[Point]) -> None:
    """Write the points of a training so far, atomically."""
    lines = (json.dumps(asdict(point)) + "\n" for point in points)
    write_text(folder / CURVE, "".join(lines))


def refuse_taken(folder: Path, *, resume: bool) -> None:
    """Raise TrainingError for a folder that is not empty.

    With ``resume`` it may contain an interrupted training.
    """
    is_empty = not folder.exists() or (folder.is_dir() and not any(folder.iterdir()))
    if not is_empty and not (resume and is_unfinished(folder)):
        raise TrainingError(
            f"'{folder}' is not an empty folder. Name another one; only an "
            "interrupted training continues there, by the same command with --resume."
        )


@contextmanager
def understood(file: Path, advice: str) -> Iterator[None]:
    """Raise InvalidSpecError with the advice if the block cannot use the file."""
    try:
        yield
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
        raise InvalidSpecError(
            f"'{file}' is not a {file.stem} that this program writes ({error}); "
            f"{advice}"
        ) from error


def read_json(file: Path, format_name: str) -> dict[str, Any]:
    """Return the fields of a JSON object of this format. Raises ValueError."""
    stored: dict[str, Any] = json.loads(file.read_text("utf-8"))
    if stored.pop("format") != format_name:
        raise ValueError("its format is another one")
    return stored


def write_json(file: Path, value: object) -> None:
    """Write a file of a model's folder atomically."""
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
    write_text(file, text + "\n")


def write_text(file: Path, text: str) -> None:
    """Write a text file atomically; its folder is created if necessary."""
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_name(f"{file.name}.part")
    part.write_text(text, "utf-8")
    part.replace(file)
