"""A model's folder: the card beside its weights, and the curve while it is trained.

card.json            what the model is, on what and how it was trained, how it did
curve.jsonl          how its training went, as it goes; a point a line
model.safetensors    a transformer's weights; a linear model's stand in the card
encoder/             config.json and the tokenizer's files, of a transformer
checkpoint/          while it trains: enough to go on from
"""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, is_dataclass, replace
from functools import partial
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

from grading.errors import (
    GradingError,
    InvalidSpecError,
    MissingModelError,
    TrainingError,
)

CARD, CURVE = "card.json", "curve.jsonl"
WEIGHTS, ENCODER, CHECKPOINT = "model.safetensors", "encoder", "checkpoint"
FORMAT = "ava-card/1"
THRESHOLD = 0.5  # an answer is right above this score, unless another was tuned
# What is raised by a stored value that this program would not write.
_NOT_UNDERSTOOD = (
    *(AttributeError, KeyError, TypeError, ValueError),
    *(OverflowError, RecursionError),
)


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
class Progress:
    """Where a training is after a step; ``step`` counts over all epochs, to ``steps``.

    ``loss`` is this step's, ``seconds_per_step`` the mean since it began or went on.
    """

    epoch: int
    step: int
    steps: int
    loss: float
    seconds_per_step: float


@dataclass(frozen=True)
class Card:
    """What a model is, on what and how it was trained, and how it did.

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
        known = (p for p in reversed(self.curve) if p.f1 is not None)
        return next((p for p in known if p.epoch == self.best_epoch), None)

    def tuned(self, threshold: float, on: str) -> Card:
        """The card with a threshold that was tuned on this dev set."""
        return replace(self, threshold=threshold, tuned_on=on)

    def write(self, folder: Path) -> None:
        """Write ``card.json``, whole or not at all.

        Raises TrainingError where the folder cannot be written.
        """
        stored = {"format": FORMAT, **asdict(self)}
        text = json.dumps(stored, indent=2, ensure_ascii=False) + "\n"
        write_whole(folder, CARD, text)


def has_card(folder: Path) -> bool:
    """Whether there is a model in the folder.

    Raises MissingModelError where nobody can know.
    """
    with readable(folder):
        return (folder / CARD).is_file()


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
    with readable(folder):
        written = file.read_bytes()
    with understood(
        file, "card", "train the model again, or use a newer version of this program"
    ):
        stored: dict[str, Any] = json.loads(written.decode())
        if stored.pop("format") != FORMAT:
            raise ValueError("its format is another one")
        card: Card = from_stored(Card, stored)
        if not 0 <= card.threshold <= 1:
            raise ValueError("its threshold is not a number from 0 to 1")
    return card


def read_curve(folder: Path) -> tuple[Point, ...]:
    """The points so far, or the card's once the training has ended; () before any.

    A line that is still being written does not count. Raises InvalidSpecError for a
    curve that is not understood, MissingModelError for one that cannot be read.
    """
    if has_card(folder):
        return read_card(folder).curve
    file = folder / CURVE
    with readable(folder):
        written = file.read_bytes() if file.is_file() else b""
    whole = [line for line in written.splitlines(keepends=True) if line[-1:] == b"\n"]
    with understood(file, "curve", "delete the folder and train again"):
        return tuple(from_stored(Point, json.loads(line)) for line in whole)


def start_curve(folder: Path, points: Iterable[Point]) -> None:
    """Write these points and no others, whole or not at all."""
    write_whole(folder, CURVE, "".join(map(_line, points)))


def append_point(folder: Path, point: Point) -> None:
    """Write one more point at the end."""
    with writable(folder), (folder / CURVE).open("a") as file:
        file.write(_line(point))


@contextmanager
def _allowed(
    folder: Path, *, kind: type[GradingError], done: str, able: str
) -> Iterator[None]:
    """Raise an error of this kind where the machine does not let it be done."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error) or type(error).__name__
        raise kind(
            f"'{folder}' cannot be {done} ({reason}); name another folder, or make "
            f"this one {able}"
        ) from error


readable = partial(_allowed, kind=MissingModelError, done="read", able="readable")
writable = partial(_allowed, kind=TrainingError, done="written", able="writable")


@contextmanager
def new_folder(folder: Path) -> Iterator[None]:
    """The folder is there, and can be written.

    Where what follows is broken off, the folders that were made for it go again, as
    far as they are empty. Raises TrainingError.
    """
    new: list[Path] = []
    try:
        with writable(folder):
            new += [one for one in (folder, *folder.parents) if not one.exists()]
            folder.mkdir(parents=True, exist_ok=True)
            if not os.access(folder, os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        yield
    except BaseException:
        for one in new:
            with suppress(OSError):  # not empty, or never made
                one.rmdir()
        raise


def refuse_taken(folder: Path, *, resume: bool) -> None:
    """Raise TrainingError where no model can be trained into this folder.

    With ``resume`` a training that was interrupted there is to go on.
    """
    with writable(folder):
        if folder.exists() and not folder.is_dir():
            raise TrainingError(
                f"'{folder}' is a file; a model is a folder. Name another."
            )
        if not folder.exists() or not any(folder.iterdir()):
            return
        if (folder / CARD).is_file():
            raise TrainingError(
                f"In '{folder}' there is a model already. Name another folder, or "
                "delete that one."
            )
        if resume and (folder / CURVE).is_file():
            return
    raise TrainingError(
        f"'{folder}' is not empty. Name another folder; to go on with a training that "
        "was interrupted in it, give the same command with --resume."
        if not resume
        else f"'{folder}' holds no training that was interrupted. Name another folder."
    )


@contextmanager
def understood(file: Path, what: str, way_out: str) -> Iterator[None]:
    """Raise InvalidSpecError for a stored value that this program would not write.

    ``what`` the file should be, and what to do where it is not.
    """
    try:
        yield
    except _NOT_UNDERSTOOD as error:
        raise InvalidSpecError(
            f"'{file}' is not a {what} that this program writes ({error}); {way_out}"
        ) from error


def write_whole(folder: Path, name: str, text: str) -> None:
    """Write a file of the folder, whole or not at all.

    Raises TrainingError where the folder cannot be written.
    """
    part = folder / f"{name}.part"
    with writable(folder):
        part.write_text(text, encoding="utf-8")
        part.replace(folder / name)


def _line(point: Point) -> str:
    return json.dumps(asdict(point)) + "\n"


def is_number(value: object) -> bool:
    """Whether it is a finite number: neither NaN nor too large for a float."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= sys.float_info.max


_PLAIN: dict[Any, Callable[[Any], bool]] = {
    str: lambda value: isinstance(value, str),
    bool: lambda value: isinstance(value, bool),
    int: lambda value: isinstance(value, int) and is_number(value) and value >= 0,
    float: is_number,
    NoneType: lambda value: value is None,
}


def from_stored(kind: Any, stored: Any, name: str = "") -> Any:
    """The JSON value ``name`` as this type: a dataclass, or what a field of one is.

    A whole number is a count, any other is finite. Raises what ``understood`` catches
    for a value of another type, which would fail far from here, or show as nonsense.
    """
    if is_dataclass(kind):
        kinds = get_type_hints(kind)
        fields = {key: from_stored(kinds[key], one, key) for key, one in stored.items()}
        return kind(**fields)  # type: ignore[operator]
    of, inner = get_origin(kind), get_args(kind)
    if of is tuple and isinstance(stored, list):
        return tuple(from_stored(inner[0], one, name) for one in stored)
    if of is Mapping and isinstance(stored, dict):
        return {key: from_stored(inner[1], one, key) for key, one in stored.items()}
    plain = inner if of is UnionType else (kind,)
    if not any(_PLAIN[one](stored) for one in plain if one in _PLAIN):
        raise ValueError(f"its {name} is of another kind")
    return stored
