"""A model's folder: the card next to its weights, and the curve of its training.

card.json            description of the model, its training and its results
curve.jsonl          the course of its training, one point per line
model.safetensors    a transformer's weights; a linear model's are in the card
encoder/             config.json and the tokenizer's files, of a transformer
checkpoint/          during training: everything needed to resume it
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

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
    if not has_card(folder):
        raise MissingModelError(
            f"No AVA model in '{folder}': it has no {CARD}. `curator ava train` makes "
            "one"
        )
    advice = "train the model again, or use a newer version of this program"
    with valid_content(folder, CARD, advice) as content:
        stored = read_fields(content, FORMAT)
        data = Data(**stored["data"] | {"sources": tuple(stored["data"]["sources"])})
        curve = tuple(Point(**point) for point in stored["curve"])
        card = Card(**stored | {"data": data, "curve": curve})
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
    if not (folder / CURVE).is_file():
        return ()
    advice = "delete the folder and train again"
    with valid_content(folder, CURVE, advice) as content:
        lines = content.splitlines(keepends=True)
        return tuple(Point(**json.loads(line)) for line in lines if line[-1:] == "\n")


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
    with writable(folder):
        new = [path for path in (folder, *folder.parents) if not path.exists()]
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{CARD}.part").touch()
        (folder / f"{CARD}.part").unlink()
    try:
        yield
    except BaseException:
        for created in new:
            with suppress(OSError):  # not empty
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
def valid_content(folder: Path, name: str, advice: str) -> Iterator[str]:
    """Yield a file's text.

    Raises InvalidSpecError with the advice if the block cannot use the text,
    MissingModelError for a file that cannot be read.
    """
    with readable(folder):
        content = (folder / name).read_bytes()
    try:
        yield content.decode()
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
        raise InvalidSpecError(
            f"'{folder / name}' is not a {name.partition('.')[0]} that this program "
            f"writes ({error}); {advice}"
        ) from error


def read_fields(content: str, format_name: str) -> dict[str, Any]:
    """Return the fields of a JSON object of this format. Raises ValueError."""
    stored: dict[str, Any] = json.loads(content)
    if stored.pop("format") != format_name:
        raise ValueError("its format is another one")
    return stored


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
