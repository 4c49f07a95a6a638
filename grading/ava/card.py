"""A trained model's card: what it is, on what and how it was trained, how it did."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from math import isfinite
from pathlib import Path
from typing import Any

from grading.errors import InvalidSpecError, MissingModelError

CARD = "card.json"
FORMAT = "ava-card/1"
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
        """Write ``card.json``, whole or not at all."""
        part = folder / f"{CARD}.part"
        stored = {"format": FORMAT, **asdict(self)}
        text = json.dumps(stored, indent=2, ensure_ascii=False) + "\n"
        part.write_text(text, encoding="utf-8")
        part.replace(folder / CARD)


def read_card(folder: Path) -> Card:
    """The card in a model's folder.

    Raises MissingModelError where there is none, InvalidSpecError for one that is not
    understood.
    """
    file = folder / CARD
    if not file.is_file():
        raise MissingModelError(
            f"No AVA model in '{folder}': it has no {CARD}. `curator ava train` makes "
            "one"
        )
    try:
        stored: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        if stored.pop("format") != FORMAT:
            raise ValueError("its format is another one")
        data = dict(stored.pop("data"))
        data["sources"] = tuple(data["sources"])
        curve = tuple(Point(**point) for point in stored.pop("curve"))
        card = Card(data=Data(**data), curve=curve, **stored)
        _check_types(card)
        return card
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise InvalidSpecError(
            f"'{file}' is not a card that this program writes ({error}); train the "
            "model again, or use a newer version of this program"
        ) from error


def _check_types(card: Card) -> None:
    """Raise ValueError for what would fail far from here, when the model scores."""
    for name in ("settings", "weights"):
        if not isinstance(getattr(card, name), Mapping):
            raise ValueError(f"its {name} are no names with values")
    if not (isinstance(card.threshold, int | float) and isfinite(card.threshold)):
        raise ValueError("its threshold is not a number")
