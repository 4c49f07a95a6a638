"""A model's folder: the card next to its weights, and the curve of its training.

card.json            description of the model, its training and its results
curve.jsonl          the course of its training, one point per line
model.safetensors    a transformer's weights; a linear model's are in the card
encoder/             config.json and the tokenizer's files, of a transformer
checkpoint/          during training: everything needed to resume it
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
THRESHOLD = 0.5  # default score above which an answer is right
# Errors raised by a stored value that this program would not write.
_NOT_UNDERSTOOD = (
    AttributeError,
    KeyError,
    TypeError,
    ValueError,
    OverflowError,
    RecursionError,
)


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
class Progress:
    """Progress after a step; ``step`` counts to ``steps``, over all epochs.

    ``loss`` is this step's, ``seconds_per_step`` the mean since it began or was
    resumed.
    """

    epoch: int
    step: int
    steps: int
    loss: float
    seconds_per_step: float


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

    def tuned(self, threshold: float, on: str) -> Card:
        """Return the card with a threshold that was tuned on this dev set."""
        return replace(self, threshold=threshold, tuned_on=on)

    def write(self, folder: Path) -> None:
        """Write ``card.json`` atomically.

        Raises TrainingError if the folder cannot be written.
        """
        stored = {"format": FORMAT, **asdict(self)}
        text = json.dumps(stored, indent=2, ensure_ascii=False) + "\n"
        write_whole(folder, CARD, text)


def has_card(folder: Path) -> bool:
    """Return True if there is a model in the folder.

    Raises MissingModelError if it cannot be read.
    """
    with readable(folder):
        return (folder / CARD).is_file()


def read_card(folder: Path) -> Card:
    """Read the card in a model's folder.

    Raises MissingModelError if there is none or it cannot be read, InvalidSpecError for
    one that is not understood.
    """
    file = folder / CARD
    if not has_card(folder):
        raise MissingModelError(
            f"No AVA model in '{folder}': it has no {CARD}. `curator ava train` makes "
            "one"
        )
    with readable(folder):
        content = file.read_bytes()
    with understood(
        file, "card", "train the model again, or use a newer version of this program"
    ):
        stored: dict[str, Any] = json.loads(content.decode())
        if stored.pop("format") != FORMAT:
            raise ValueError("its format is another one")
        card: Card = from_stored(Card, stored)
        if not 0 <= card.threshold <= 1:
            raise ValueError("its threshold is not a number from 0 to 1")
    return card


def read_curve(folder: Path) -> tuple[Point, ...]:
    """Return the points so far, or the card's after the training; () before any.

    An incomplete last line is ignored. Raises InvalidSpecError for a curve that is not
    understood, MissingModelError for one that cannot be read.
    """
    if has_card(folder):
        return read_card(folder).curve
    file = folder / CURVE
    with readable(folder):
        content = file.read_bytes() if file.is_file() else b""
    complete_lines = [
        line for line in content.splitlines(keepends=True) if line[-1:] == b"\n"
    ]
    with understood(file, "curve", "delete the folder and train again"):
        return tuple(from_stored(Point, json.loads(line)) for line in complete_lines)


def start_curve(folder: Path, points: Iterable[Point]) -> None:
    """Replace the curve with these points, atomically."""
    write_whole(folder, CURVE, "".join(map(_line, points)))


def append_point(folder: Path, point: Point) -> None:
    with writable(folder), (folder / CURVE).open("a") as file:
        file.write(_line(point))


@contextmanager
def _allowed(
    folder: Path, *, kind: type[GradingError], done: str, able: str
) -> Iterator[None]:
    """Raise an error of this kind if the system refuses access."""
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
    """Create the folder if necessary, and check that it can be written.

    If the block fails, the new folders are removed, as far as they are empty. Raises
    TrainingError.
    """
    new: list[Path] = []
    try:
        with writable(folder):
            new += [
                new_parent
                for new_parent in (folder, *folder.parents)
                if not new_parent.exists()
            ]
            folder.mkdir(parents=True, exist_ok=True)
            if not os.access(folder, os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        yield
    except BaseException:
        for created in new:
            with suppress(OSError):  # not empty, or never created
                created.rmdir()
        raise


def refuse_taken(folder: Path, *, resume: bool) -> None:
    """Raise TrainingError if no model can be trained into this folder.

    With ``resume`` it should contain an interrupted training.
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
    if resume:
        raise TrainingError(
            f"'{folder}' holds no training that was interrupted. Name another folder."
        )
    raise TrainingError(
        f"'{folder}' is not empty. Name another folder; to go on with a training that "
        "was interrupted in it, give the same command with --resume."
    )


@contextmanager
def understood(file: Path, what: str, way_out: str) -> Iterator[None]:
    """Raise InvalidSpecError for a stored value that this program would not write.

    ``what`` is the expected content, ``way_out`` the advice.
    """
    try:
        yield
    except _NOT_UNDERSTOOD as error:
        raise InvalidSpecError(
            f"'{file}' is not a {what} that this program writes ({error}); {way_out}"
        ) from error


def write_whole(folder: Path, name: str, text: str) -> None:
    """Write a file of the folder atomically.

    Raises TrainingError if the folder cannot be written.
    """
    part = folder / f"{name}.part"
    with writable(folder):
        part.write_text(text, encoding="utf-8")
        part.replace(folder / name)


def _line(point: Point) -> str:
    return json.dumps(asdict(point)) + "\n"


def is_number(value: object) -> bool:
    """Return True for a finite number: neither NaN nor too large for a float."""
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
    """Convert the JSON value ``name`` to this type: a dataclass, or a field's type.

    Integer fields must not be negative, others must be finite. Raises an error caught
    by ``understood`` for a value of another type, which would fail later or show as
    nonsense.
    """
    if is_dataclass(kind):
        kinds = get_type_hints(kind)
        fields = {
            key: from_stored(kinds[key], value, key) for key, value in stored.items()
        }
        return kind(**fields)  # type: ignore[operator]
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is tuple and isinstance(stored, list):
        return tuple(from_stored(arguments[0], value, name) for value in stored)
    if origin is Mapping and isinstance(stored, dict):
        return {
            key: from_stored(arguments[1], value, key) for key, value in stored.items()
        }
    accepted_types = arguments if origin is UnionType else (kind,)
    if not any(
        _PLAIN[accepted](stored) for accepted in accepted_types if accepted in _PLAIN
    ):
        raise ValueError(f"its {name} is of another kind")
    return stored
