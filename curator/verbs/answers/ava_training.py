"""Training an AVA model on answers that are known to be right or wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from curator.verbs.answers.ava_questions import Parts
from curator.verbs.answers.ava_saved_report import SavedReport, read_saved_report
from grading.ava import open_ava
from grading.ava.card import (
    CARD,
    CURVE,
    Card,
    Point,
    has_card,
    new_folder,
    read_card,
    read_curve,
    writable,
)
from grading.ava.configurations import (
    CONFIGURATIONS,
    LINEAR,
    Configuration,
    TrainingSettings,
    configuration_named,
)
from grading.ava.examples import examples_of
from grading.ava.linear import PRINTED
from grading.ava.transformer import DEFAULT_ENCODER, encoder_folder
from grading.errors import InvalidSpecError, TrainingError

if TYPE_CHECKING:
    from grading.ava.card import Progress
    from grading.ava.linear import Explanation
    from grading.ava.model import Ava, Triple

KINDS = (LINEAR, *CONFIGURATIONS)


@dataclass(frozen=True)
class Order:
    """What is to be trained: its kind, and what it starts from and goes by.

    ``kind`` is one of ``KINDS``, or ``a2`` for the paper's best. ``encoder`` and
    ``settings`` are a transformer's, ``inclusion`` is the linear model's; the seed of
    both is ``settings.seed``.
    """

    kind: str = LINEAR
    encoder: str = DEFAULT_ENCODER
    inclusion: str = PRINTED
    settings: TrainingSettings = field(default_factory=TrainingSettings)

    @property
    def configuration(self) -> Configuration | None:
        """What a transformer reads; None for a linear model.

        Raises InvalidSpecError for an unknown kind, with the nearest name.
        """
        return None if self.kind == LINEAR else _configuration(self.kind)

    def check(self) -> None:
        """Raise for what needs no data to be told.

        InvalidSpecError for an unknown kind, MissingModelError for an encoder that is
        not on this machine.
        """
        if self.configuration is not None:
            encoder_folder(self.encoder)


@dataclass(frozen=True)
class Training:
    """A training as its folder shows it: still going while ``card`` is None.

    ``report`` is what was saved of the model's figures on other data, if anything was.
    """

    name: str
    card: Card | None
    curve: tuple[Point, ...]
    report: SavedReport | None = None

    @property
    def epochs(self) -> tuple[Point, ...]:
        """A point for each epoch: its mean loss and its last results on dev."""
        return epochs_of(self.curve)

    @property
    def is_linear(self) -> bool:
        """Whether it is a linear model's, which knows no epochs."""
        return self.card is not None and self.card.configuration == LINEAR

    @property
    def kept(self) -> int | None:
        """The step whose weights the model has, None while nobody can know."""
        best = self.card.best if self.card else None
        return best.step if best else None


@dataclass(frozen=True)
class Explained:
    """A candidate's score under a model, and for a linear one how it comes about."""

    card: Card
    triple: Triple
    score: float
    explanation: Explanation | None

    @property
    def correct(self) -> bool:
        """Whether the model takes the candidate for right."""
        return self.score > self.card.threshold


def train(
    folder: Path,
    parts: Parts,
    order: Order,
    *,
    sources: Sequence[str] = (),
    resume: bool = False,
    progress: Callable[[Progress], None] | None = None,
) -> Ava:
    """The model that was trained on these questions, saved in ``folder``.

    ``sources`` are what its card says of where they came from. ``resume`` goes on
    from the last checkpoint in the folder, if there is one.

    Raises TrainingError where the folder is taken or the settings are others than
    those of the training that is to go on, MissingModelError without the libraries or
    the encoder.
    """
    configuration = order.configuration
    refuse_taken(folder, order, resume=resume)
    train, dev = examples_of(parts.train), examples_of(parts.dev)
    name, data = folder.resolve().name, parts.data(sources)
    if configuration is None:
        from grading.ava.linear import train_linear

        with new_folder(folder):
            model = train_linear(
                train,
                dev,
                name=name,
                data=data,
                inclusion=order.inclusion,
                seed=order.settings.seed,
            )
            model.save(folder)
        return model
    from grading.ava.transformer import train_transformer

    return train_transformer(
        configuration,
        order.encoder,
        train,
        dev,
        folder,
        settings=order.settings,
        name=name,
        data=data,
        progress=progress,
        resume=resume,
    )


def refuse_taken(folder: Path, order: Order, *, resume: bool) -> None:
    """Raise TrainingError where no model of this kind can be written."""
    with writable(folder):
        _refuse_taken(folder, order, resume=resume)


def _refuse_taken(folder: Path, order: Order, *, resume: bool) -> None:
    if resume and order.kind == LINEAR:
        raise TrainingError(
            "A linear model is trained in one go, and has no checkpoint to go on "
            "from. Say which --kind was interrupted."
        )
    if folder.exists() and not folder.is_dir():
        raise TrainingError(f"'{folder}' is a file; a model is a folder. Name another.")
    if not folder.exists() or not any(folder.iterdir()):
        return
    if (folder / CARD).is_file():
        raise TrainingError(
            f"In '{folder}' there is a model already. Name another folder, or delete "
            "that one."
        )
    if resume and (folder / CURVE).is_file():
        return
    raise TrainingError(
        f"'{folder}' is not empty. Name another folder; to go on with a training that "
        "was interrupted in it, give the same command with --resume."
        if not resume
        else f"'{folder}' holds no training that was interrupted. Name another folder."
    )


def training_in(folder: Path) -> Training:
    """The training in this folder, whether it has ended or still goes on.

    Raises MissingModelError where there is neither, InvalidSpecError where they are
    not understood.
    """
    if not has_card(folder) and (folder / CURVE).is_file():
        return Training(folder.resolve().name, None, read_curve(folder))
    card = read_card(folder)
    return Training(card.name, card, card.curve, read_saved_report(folder))


def explain(folder: Path, triple: Triple) -> Explained:
    """The score of this triple under the model in the folder.

    Raises InvalidScoreError for a model that gives none.
    """
    from grading.ava.linear import LinearAva
    from grading.ava.model import checked_scores

    model = open_ava(folder)
    (score,) = checked_scores(model, [triple]).tolist()
    explained = model.explained(triple) if isinstance(model, LinearAva) else None
    return Explained(model.card, triple, score, explained)


def epochs_of(curve: Sequence[Point]) -> tuple[Point, ...]:
    """A point for each epoch of a curve, in order.

    Its loss is the mean over the epoch's steps, its results the last of them.
    """
    found: list[Point] = []
    before, weighed, steps = 0, 0.0, 0
    for point in curve:
        if not found or found[-1].epoch != point.epoch:
            found.append(replace(point, loss=None))
            weighed, steps = 0.0, 0
        if point.loss is not None:
            weighed += point.loss * (point.step - before)
            steps += point.step - before
        before = point.step
        last = found[-1] if point.f1 is None else point
        loss = weighed / steps if steps else None
        found[-1] = replace(last, step=point.step, loss=loss)
    return tuple(found)


def _configuration(kind: str) -> Configuration:
    try:
        return configuration_named(kind)
    except InvalidSpecError as error:
        near = get_close_matches(kind.lower(), KINDS, 1)
        if near == [LINEAR]:  # a name that configurations do not know
            raise InvalidSpecError(
                f"Unknown kind '{kind}'. Did you mean '{LINEAR}'?"
            ) from error
        raise
