"""Train an AVA transformer on examples, and leave a model's folder behind.

Importing this module loads nothing heavy. Where the paper is silent ("the default
hyperparameter setting for typical GLUE trainings"), the values are those of Hugging
Face's GLUE example, and ours where that has none; ``TrainingSettings`` says which.

Source: Vu & Moschitti 2020, section 6.2.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from grading.ava.card import CARD, Card, Data
from grading.ava.configurations import Configuration
from grading.ava.examples import Example
from grading.ava.folders import made, writing
from grading.errors import TrainingError
from grading.keys import content_key
from grading.models.ava import TransformerAva
from grading.models.ava_curve import CURVE, start_curve
from grading.models.ava_encoder import encoder_folder, encoder_identity, not_installed
from grading.models.ava_files import WEIGHTS, new_network, write_encoder
from grading.models.ava_reading import READING_VERSION, texts_read
from grading.models.devices import device_here, out_of_memory
from grading.models.identity import ModelIdentity

if TYPE_CHECKING:
    from grading.models.ava_checkpoint import Checkpoint

MOST_SEED = 2**63 - 1  # what torch takes for one, and a card's reader too
_DECIDES_NOTHING = "checkpoint_every"


@dataclass(frozen=True)
class TrainingSettings:
    """How a model is trained; the defaults are the paper's where it gives any.

    The paper's: AdamW, ``learning_rate``, ``max_tokens`` of a pair, two ``epochs``,
    and early stopping on dev F1 after the first. GLUE's: no ``weight_decay``,
    gradients clipped to a norm of ``clip``, the rate falling to 0 in a straight line
    without warm-up. Ours: ``batch_size`` (fixed in the paper, but not told), stopping
    after ``patience`` epochs that were no better than the best, and the seed.

    A point of the curve is noted every ``point_every`` steps, and a checkpoint written
    every ``checkpoint_every``; both also after each epoch.

    Raises TrainingError for a value that cannot be.
    """

    learning_rate: float = 1e-6
    max_tokens: int = 128
    epochs: int = 2
    batch_size: int = 32
    patience: int = 1
    weight_decay: float = 0.0
    clip: float = 1.0
    seed: int = 0
    point_every: int = 50
    checkpoint_every: int = 250

    def __post_init__(self) -> None:
        least = {
            **{"max_tokens": 8, "epochs": 1, "batch_size": 1, "patience": 1},
            **{"seed": 0, "point_every": 1, "checkpoint_every": 1, "weight_decay": 0},
        }
        for name, value in asdict(self).items():
            # NaN is not within anything.
            if name in least and not value >= least[name]:
                raise TrainingError(
                    f"{name} is {value}; it must be at least {least[name]}"
                )
            if name not in least and not 0 < value < float("inf"):
                raise TrainingError(f"{name} is {value}; it must be above 0")
        if self.seed > MOST_SEED:
            raise TrainingError(f"seed is {self.seed}; it must be at most {MOST_SEED}")


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


def train(
    configuration: Configuration,
    encoder: str,
    train: Sequence[Example],
    dev: Sequence[Example],
    folder: Path,
    *,
    settings: TrainingSettings | None = None,
    name: str,
    data: Data,
    progress: Callable[[Progress], None] | None = None,
    resume: bool = False,
) -> TransformerAva:
    """The model trained on ``train``, as it was after its best epoch on ``dev``.

    It is written to ``folder``, with its card last. Everything random follows from
    the settings' seed; on a CPU the same call gives the same weights bit for bit, and
    so does one that was stopped anywhere and goes on with ``resume``. Where there is
    nothing to resume, that begins anew. torch's own random numbers are left alone.
    What ``progress`` raises stops the training; the last checkpoint stands, and a
    KeyboardInterrupt leaves one of the last step. Without one nothing is left.

    Raises TrainingError for data without both labels, a folder that is taken or cannot
    be written, a training that diverges, or a checkpoint of another one;
    MissingModelError for an encoder that is not on this machine or cannot read this
    configuration.
    """
    settings = settings or TrainingSettings()
    _check_labels("training", train)
    _check_labels("dev", dev)
    source = encoder_folder(encoder)
    identity = encoder_identity(encoder)
    try:
        import torch

        from grading.models import ava_checkpoint as stored
        from grading.models.ava_loop import run
    except ImportError:
        raise not_installed() from None
    checkpoint = stored.Checkpoint(
        folder, _key(configuration, identity, train, dev, settings)
    )
    _check_folder(folder, unfinished=folder / stored.CHECKPOINT, resume=resume)
    device = device_here()
    try:
        with torch.random.fork_rng(range(torch.cuda.device_count())):
            torch.manual_seed(settings.seed)
            network, tokenizer = new_network(
                source, configuration, max_tokens=settings.max_tokens
            )
            with made(folder), _tidied(folder, checkpoint):
                stand = run(
                    network.to(device),
                    tokenizer,
                    [(texts_read(configuration, e.triple), e.correct) for e in train],
                    [(texts_read(configuration, e.triple), e.correct) for e in dev],
                    folder,
                    checkpoint=checkpoint,
                    settings=settings,
                    device=device,
                    progress=progress,
                )
    except RuntimeError as error:
        if not out_of_memory(error):
            raise
        raise TrainingError(
            f"Out of memory on '{device}' with {settings.batch_size} triples in a "
            "batch; train with a smaller batch size"
        ) from error
    write_encoder(network, tokenizer, folder)
    part = folder / f"{WEIGHTS}.part"
    with writing(folder):
        shutil.copyfile(checkpoint.best(stand), part)
        part.replace(folder / WEIGHTS)
    told = asdict(settings) | {"encoder_revision": identity.revision}
    card = Card(
        name=name,
        configuration=configuration.name,
        data=data,
        encoder=identity.name,
        seed=told.pop("seed"),
        settings=told,
        curve=tuple(stand.curve),
        best_epoch=stand.best_epoch,
    )
    card.write(folder)
    checkpoint.remove()
    return TransformerAva(folder, card)


def _check_labels(what: str, examples: Sequence[Example]) -> None:
    right = sum(example.correct for example in examples)
    if not 0 < right < len(examples):
        raise TrainingError(
            f"The {what} data has {right} positives and {len(examples) - right} "
            "negatives; it needs both: questions with two correct answers and one "
            "incorrect"
        )


@contextmanager
def _tidied(folder: Path, checkpoint: Checkpoint) -> Iterator[None]:
    """A curve is begun; what was broken off with nothing to go on from is removed.

    So the same command, corrected, finds the folder as it was.
    """
    try:
        if not checkpoint.exists:
            start_curve(folder, ())
        yield
    except BaseException:
        if not checkpoint.exists:
            checkpoint.remove()
            for name in (CURVE, f"{CURVE}.part"):
                with suppress(OSError):
                    (folder / name).unlink()
        raise


def _check_folder(folder: Path, *, unfinished: Path, resume: bool) -> None:
    with writing(folder):
        _refuse_taken(folder, unfinished=unfinished, resume=resume)


def _refuse_taken(folder: Path, *, unfinished: Path, resume: bool) -> None:
    if (folder / CARD).is_file():
        if resume:
            # The card is written last: what else is there was only not removed yet.
            shutil.rmtree(unfinished, ignore_errors=True)
        raise TrainingError(
            f"'{folder}' already holds a trained model; train into another folder"
        )
    if folder.exists() and not folder.is_dir():
        raise TrainingError(f"'{folder}' is a file; train into a folder")
    if unfinished.is_dir() and not resume:
        raise TrainingError(
            f"'{folder}' holds a training that has not ended; resume it, or train into "
            "another folder"
        )


def _key(
    configuration: Configuration,
    encoder: ModelIdentity,
    train: Sequence[Example],
    dev: Sequence[Example],
    settings: TrainingSettings,
) -> str:
    """Key over all that decides the weights and the curve."""
    deciding = asdict(settings)
    deciding.pop(_DECIDES_NOTHING)
    texts = [
        [[*texts_read(configuration, e.triple), e.correct] for e in examples]
        for examples in (train, dev)
    ]
    return content_key(
        [
            *("ava training", READING_VERSION, configuration.name),
            *(encoder.revision, deciding, texts),
        ]
    )
