"""A trained model's card: what it is, on what and how it was trained, how it did."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from grading.ava.folders import reading, writing
from grading.errors import InvalidSpecError, MissingModelError

CARD = "card.json"
FORMAT = "ava-card/1"
NOT_UNDERSTOOD = (
    *(AttributeError, KeyError, TypeError, ValueError),
    *(OverflowError, RecursionError),
)
"""What is raised by a stored value that this program would not write."""
THRESHOLD = 0.5  # an answer is right above this score, unless another was tuned


@dataclass(frozen=True)
class Data:
    """What a model was trained on: where it came from, and how much that was.

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
    """Where training stood after an epoch, or now and then within one.

    ``loss`` is the mean since the point before; precision, recall and F1 are on the
    dev pairs at a score of .5, None where they were not asked.
    """

    epoch: int
    step: int
    loss: float | None
    precision: float | None = None
    recall: float | None = None
    f1: float | None = None


@dataclass(frozen=True)
class Card:
    """What stands beside a model's weights in its folder.

    ``configuration`` is a name of ``configurations`` or ``linear``; ``encoder`` what
    a transformer started from, "" for a linear model. ``settings`` are the training
    settings by name. ``weights`` are the linear model's, by feature.
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
        """The dev results of the weights that were kept."""
        known = [p for p in self.curve if p.f1 is not None]
        of_best = [p for p in known if p.epoch == self.best_epoch]
        return of_best[-1] if of_best else None

    def tuned(self, threshold: float, on: str) -> Card:
        """The card with a threshold that was tuned on this dev set."""
        return replace(self, threshold=threshold, tuned_on=on)

    def write(self, folder: Path) -> None:
        """Write ``card.json``, whole or not at all.

        Raises TrainingError where the folder cannot be written.
        """
        part = folder / f"{CARD}.part"
        stored = {"format": FORMAT, **asdict(self)}
        text = json.dumps(stored, indent=2, ensure_ascii=False) + "\n"
        with writing(folder):
            part.write_text(text, encoding="utf-8")
            part.replace(folder / CARD)


def read_card(folder: Path) -> Card:
    """The card in a model's folder.

    Raises MissingModelError where there is none or it cannot be read,
    InvalidSpecError for one that is not understood.
    """
    file = folder / CARD
    if not has_card(folder):
        raise MissingModelError(
            f"No AVA model in '{folder}': it has no {CARD}. `curator ava train` makes "
            "one"
        )
    with reading(folder):
        written = file.read_bytes()
    try:
        stored: dict[str, Any] = json.loads(written.decode())
        if stored.pop("format") != FORMAT:
            raise ValueError("its format is another one")
        data = dict(stored.pop("data"))
        if not isinstance(data["sources"], list):
            raise ValueError("its sources are no list")
        data["sources"] = tuple(data["sources"])
        curve = tuple(map(point_of, stored.pop("curve")))
        card = Card(data=Data(**data), curve=curve, **stored)
        _check_types(card)
        return card
    except NOT_UNDERSTOOD as error:
        raise InvalidSpecError(
            f"'{file}' is not a card that this program writes ({error}); train the "
            "model again, or use a newer version of this program"
        ) from error


def has_card(folder: Path) -> bool:
    """Whether there is a model in the folder.

    Raises MissingModelError where nobody can know.
    """
    with reading(folder):
        return (folder / CARD).is_file()


def point_of(stored: Any) -> Point:
    """A point of a curve as it was read. Raises one of ``NOT_UNDERSTOOD``."""
    point = Point(**stored)
    if not (_is_count(point.epoch) and _is_count(point.step)):
        raise ValueError("a point of its curve has no epoch and step")
    for value in (point.loss, point.precision, point.recall, point.f1):
        if not (value is None or is_number(value)):
            raise ValueError("a value of its curve is not a number")
    return point


def is_number(value: object) -> bool:
    """Whether it is a finite number: neither NaN nor too large for a float."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= sys.float_info.max


def _is_count(value: object) -> bool:
    return isinstance(value, int) and is_number(value) and value >= 0


def _check_types(card: Card) -> None:
    """Raise ValueError for what would fail far from here, or show as nonsense."""
    for name in ("name", "configuration", "encoder", "tuned_on"):
        if not isinstance(getattr(card, name), str):
            raise ValueError(f"its {name} is not a text")
    for name, value in asdict(card.data).items():
        if name != "sources" and not _is_count(value):
            raise ValueError(f"its {name} is not a count")
    if not all(isinstance(one, str) for one in card.data.sources):
        raise ValueError("its sources are no texts")
    for name in ("seed", "best_epoch"):
        if not _is_count(getattr(card, name)):
            raise ValueError(f"its {name} is not a whole number from 0")
    for name in ("settings", "weights"):
        if not isinstance(getattr(card, name), Mapping):
            raise ValueError(f"its {name} are no names with values")
    for name, setting in card.settings.items():
        if not (isinstance(setting, str | bool) or is_number(setting)):
            raise ValueError(f"its setting {name} is neither a text nor a number")
    for name, weight in card.weights.items():
        if not is_number(weight):
            raise ValueError(f"its weight {name} is not a finite number")
    if not (is_number(card.threshold) and 0 <= card.threshold <= 1):
        raise ValueError("its threshold is not a number from 0 to 1")
