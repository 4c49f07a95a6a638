"""Train an AVA model on answers that are known to be right or wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np

from curator.formats.text.notices import counted
from curator.results import FLAT, NOWHERE, Result, column, to_json
from curator.verbs.answers.ava_report import read_saved_report
from grading.ava import open_ava
from grading.ava.card import (
    Card,
    Data,
    Point,
    is_unfinished,
    read_card,
    read_curve,
    refuse_taken,
)
from grading.ava.configurations import LINEAR, TrainingSettings, configuration_named
from grading.ava.examples import (
    AnsweredQuestion,
    Questions,
    examples_of,
    merged,
    pair_counts,
    same_text,
    split,
)
from grading.ava.linear import Explanation, Inclusion, LinearAva, train_linear
from grading.ava.model import Ava, Triple, checked_scores
from grading.ava.transformer import DEFAULT_ENCODER, encoder_folder
from grading.errors import TrainingError

PUBLISHED_SETTINGS = TrainingSettings()


@dataclass(frozen=True)
class TrainingQuestions:
    """Questions to train on and questions to check on, with no text in both.

    All of them make examples; ``left_out`` have fewer than two correct answers.
    """

    train: tuple[AnsweredQuestion, ...]
    dev: tuple[AnsweredQuestion, ...]
    left_out: int = 0
    notes: tuple[str, ...] = ()

    def data(self, sources: Sequence[str] = ()) -> Data:
        """Counts of the questions and pairs, as recorded in a model's card."""
        return Data(
            tuple(sources),
            len(self.train),
            *pair_counts(self.train),
            len(self.dev),
            *pair_counts(self.dev),
            left_out=self.left_out,
        )


@dataclass(frozen=True)
class TrainingStatus(Result[Any], table="answers.card_tables"):
    """A training as its folder shows it: still running while ``card`` is None.

    ``report`` is the saved report of the model on other data, None without one.
    """

    name: str
    card: Card | None
    curve: tuple[Point, ...]
    report: dict[str, Any] | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the card in the model's folder, and whether training has ended."""
        if self.card is None:
            curve = to_json(self.curve)
            return {"name": self.name, "finished": False, "curve": curve}
        reported = {"report": self.report} if self.report else {}
        return {"finished": True, **to_json(self.card), **reported}

    @property
    def epochs(self) -> tuple[Point, ...]:
        """A point for each epoch: mean loss over its steps, last results on dev."""
        epochs, start = [], 0
        for _, group in groupby(self.curve, key=attrgetter("epoch")):
            points = list(group)
            losses = [point.loss for point in points if point.loss is not None]
            steps = np.diff([start, *(point.step for point in points)])
            loss = float(np.average(losses, weights=steps)) if losses else None
            start = points[-1].step
            last = [point for point in points if point.f1 is not None] or points
            epochs.append(replace(last[-1], step=start, loss=loss))
        return tuple(epochs)

    @property
    def is_linear(self) -> bool:
        return self.card is not None and self.card.configuration == LINEAR

    @property
    def saved_step(self) -> int | None:
        """Step of the saved weights; None while running, and for a linear model."""
        best = self.card.best if self.card else None
        return best.step if best else None


@dataclass(frozen=True)
class ExplainedScore(Result[Any], table="answers.explained_table"):
    """A candidate's score under a model, and a linear model's explanation of it."""

    model: str
    threshold: float
    score: float
    correct: bool
    triple: Triple = field(metadata=FLAT)
    explanation: Explanation | None = field(
        metadata=column(only=NOWHERE, flat=True, json_if=bool)
    )


def train(
    folder: str | Path,
    questions: Questions,
    *,
    dev: Questions | None = None,
    kind: str = LINEAR,
    encoder: str = DEFAULT_ENCODER,
    inclusion: Inclusion = "printed",
    settings: TrainingSettings = PUBLISHED_SETTINGS,
    dev_share: float = 0.2,
    sources: Sequence[str] = (),
    resume: bool = False,
    report_questions: Callable[[TrainingQuestions], None] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Ava:
    """Train a model on these questions and save it in ``folder``.

    ``settings`` hold the seed of either kind of model, and epochs, learning rate and
    the like of a transformer. The model's ``card`` records all of this, and the
    ``sources`` of the questions. Arguments are checked before any question is read;
    ``report_questions`` gets the questions before the training begins.

    Raises TrainingError for questions that give nothing to learn, a folder that is
    taken or cannot be written or settings out of range, MissingModelError without the
    libraries or the encoder, InvalidSpecError for an unknown kind or inclusion.

    Args:
        kind (KIND): linear, or what a transformer reads: a0, a1:r,qt+t,qr, a2 …
        encoder (NAME): Encoder that a transformer starts from: a name or a folder.
        inclusion: Is the reference in the short answer, as printed,
            or the reverse?
        dev_share (X): Share of the questions used as dev data without --dev.
        resume: Continue from the last checkpoint of the same command.
    """
    folder = Path(folder)
    configuration = None if kind == LINEAR else configuration_named(kind)
    if configuration is not None:
        encoder_folder(encoder)
    elif resume:
        raise TrainingError(
            "A linear model has no checkpoint to resume from. Give the --kind of the "
            "interrupted training."
        )
    refuse_taken(folder, resume=resume)
    parts = split_questions(
        questions,
        dev,
        dev_share=dev_share,
        seed=settings.seed,
        needs_dev=configuration is not None,
    )
    if report_questions is not None:
        report_questions(parts)
    examples = examples_of(parts.train), examples_of(parts.dev)
    name, data = folder.resolve().name, parts.data(sources)
    if configuration is not None:
        from grading.ava.loop import train_transformer  # which loads torch

        return train_transformer(
            configuration,
            encoder,
            *examples,
            folder,
            settings=settings,
            name=name,
            data=data,
            progress=progress,
            resume=resume,
        )
    seed = settings.seed
    model = train_linear(
        *examples, name=name, data=data, inclusion=inclusion, seed=seed
    )
    model.card.write(folder)
    return model


def split_questions(
    questions: Questions,
    dev: Questions | None = None,
    *,
    dev_share: float,
    seed: int,
    needs_dev: bool = False,
) -> TrainingQuestions:
    """Split questions for training: ``dev`` as given, or else this share of them.

    A question that is also in ``dev`` is not trained on, so that a shared dev set stays
    the same. Raises TrainingError for a share outside [0, 1), and where no question
    makes a positive and a negative; ``needs_dev``, for transformers, requires that of
    both parts.
    """
    if not 0 <= dev_share < 1:
        raise TrainingError(
            f"The share for dev is {dev_share:g}; give a number from 0 to below 1."
        )
    notes = []
    all_questions, dev_questions = merged(questions), merged(dev or ())
    dev_texts = {same_text(question.text) for question in dev_questions}
    others = [q for q in all_questions if same_text(q.text) not in dev_texts]
    if common := len(all_questions) - len(others):
        notes.append(
            f"{counted(common, 'question')} in the dev set too, and left out of "
            "training."
        )
    usable, usable_dev = (
        tuple(question for question in part if question.makes_examples)
        for part in (others, dev_questions)
    )
    left_out = len(others) - len(usable) + len(dev_questions) - len(usable_dev)
    if dev is None:
        shares = (1 - dev_share, dev_share)
        usable, usable_dev = map(tuple, split(usable, shares, seed=seed))
    parts = {"training": usable, "dev": usable_dev}
    for part in parts if needs_dev else ["training"]:
        positives, negatives = pair_counts(parts[part])
        if not (positives and negatives):
            raise TrainingError(
                f"The {part} questions make {counted(positives, 'positive')} and "
                f"{counted(negatives, 'negative')}; both are needed. Give more "
                "questions with two correct answers and an incorrect one by --data, "
                "--workspace or --dev, or another --dev-share."
            )
    if not usable_dev:
        notes.append(
            "The dev set is empty, so the quality of the model is unknown. Give --dev, "
            "more questions or a higher --dev-share."
        )
    return TrainingQuestions(usable, usable_dev, left_out, tuple(notes))


def show(folder: str | Path) -> TrainingStatus:
    """Load the training in this folder, finished or still running.

    Raises MissingModelError where there is neither, InvalidSpecError where they are
    not understood.
    """
    folder = Path(folder)
    if is_unfinished(folder):
        return TrainingStatus(folder.resolve().name, None, read_curve(folder))
    card = read_card(folder)
    return TrainingStatus(card.name, card, card.curve, read_saved_report(folder))


def explain(folder: str | Path, triple: Triple) -> ExplainedScore:
    """Score this triple with the model in the folder.

    For a linear model also what each feature adds to it. Raises InvalidScoreError for
    a model that gives none.
    """
    model = open_ava(Path(folder))
    (score,) = checked_scores(model, [triple]).tolist()
    explained = model.explained(triple) if isinstance(model, LinearAva) else None
    name, threshold = model.card.name, model.card.threshold
    return ExplainedScore(name, threshold, score, score > threshold, triple, explained)
