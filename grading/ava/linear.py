"""The linear AVA model: a support vector machine over four features.

Its score can be redone by hand, and scoring needs no more than numpy.

Source: Vu & Moschitti 2020, sections 4.1 and 6.2: scikit-learn's SVM with Platt scaling
by its probability parameter. That is deprecated since scikit-learn 1.9, which names
calibration over cross-validated decision values in its place: the same method, and it
lets us keep a question's pairs in one fold.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from grading.ava.card import Card, Data, Point, is_number
from grading.ava.configurations import LINEAR
from grading.ava.examples import Example
from grading.ava.explanations import Contribution, Explanation, platt
from grading.ava.features import (
    FEATURES,
    FEATURES_VERSION,
    PRINTED,
    checked_inclusion,
    feature_matrix,
    features,
)
from grading.ava.folders import made
from grading.ava.folds import Fold, question_folds
from grading.ava.triples import Scores, Triple
from grading.errors import InvalidSpecError, MissingModelError
from grading.keys import content_key

BIAS, PLATT_A, PLATT_B = "bias", "platt_a", "platt_b"
WEIGHTS = (*FEATURES, BIAS, PLATT_A, PLATT_B)
"""The names of all seven numbers of a model, as its card lists them."""
# The time of an SVM grows with the square of its examples, and four weights are known
# well from far fewer.
MOST_PAIRS = 20_000


@dataclass(frozen=True)
class LinearAva:
    """A trained linear model; all it knows stands in its card.

    Raises InvalidSpecError where the card lacks one of ``WEIGHTS``, holds one that is
    not a finite number, or names an unknown inclusion.
    """

    card: Card

    def __post_init__(self) -> None:
        for name in WEIGHTS:
            if not is_number(self.card.weights.get(name)):
                raise InvalidSpecError(
                    f"The card of the linear model '{self.card.name}' has no finite "
                    f"number for '{name}'; train the model again"
                )
        checked_inclusion(self.inclusion)

    @classmethod
    def opened(cls, folder: Path, card: Card) -> LinearAva:
        """The model of this card, which was read from ``folder``.

        Raises InvalidSpecError that names the folder for a card that is not whole.
        """
        try:
            return cls(card)
        except InvalidSpecError as error:
            raise InvalidSpecError(f"'{folder}': {error}") from error

    @property
    def inclusion(self) -> str:
        """Which text is included in which for the first feature."""
        return str(self.card.settings.get("inclusion", PRINTED))

    @property
    def weights(self) -> Mapping[str, float]:
        """The weight of each feature, by the paper's names and in its order."""
        return {name: self._number(name) for name in FEATURES}

    @property
    def bias(self) -> float:
        """What is added to the weighted features."""
        return self._number(BIAS)

    @property
    def fingerprint(self) -> str:
        """Content hash of the seven numbers and how the features are made."""
        numbers = [self._number(name) for name in WEIGHTS]
        return content_key(["ava linear", FEATURES_VERSION, self.inclusion, numbers])

    def scores(self, triples: Sequence[Triple]) -> Scores:
        """The score of each triple, in order."""
        matrix = feature_matrix(triples, inclusion=self.inclusion)
        decisions = np.zeros(len(triples))
        # One column after another, as ``explained`` adds them up: a product of
        # matrices may round otherwise in another batch.
        with np.errstate(over="ignore", invalid="ignore"):
            for column, weight in zip(matrix.T, self.weights.values(), strict=True):
                decisions += column * weight
            decisions += self.bias
        return platt(decisions, self._number(PLATT_A), self._number(PLATT_B))

    def explained(self, triple: Triple) -> Explanation:
        """How this triple comes by its score."""
        values = features(triple, inclusion=self.inclusion)
        weighted = zip(self.weights.items(), values, strict=True)
        return Explanation(
            tuple(Contribution(name, value, w) for (name, w), value in weighted),
            bias=self.bias,
            platt_a=self._number(PLATT_A),
            platt_b=self._number(PLATT_B),
        )

    def save(self, folder: Path) -> None:
        """Write the card, which is the whole model, into ``folder``; makes it.

        Raises TrainingError where that cannot be written.
        """
        with made(folder):
            self.card.write(folder)

    def _number(self, name: str) -> float:
        return float(self.card.weights[name])


def train_linear(
    train: Sequence[Example],
    dev: Sequence[Example],
    *,
    name: str,
    data: Data,
    inclusion: str = PRINTED,
    seed: int = 0,
    c: float = 1.0,
) -> LinearAva:
    """The model trained on ``train``; its results on ``dev`` go into the card.

    Platt's two numbers are fitted to decision values of questions that the machine
    had not seen: the folds are of whole questions. Of more than ``MOST_PAIRS`` pairs
    that many are drawn, every pair with the same chance, and the card says so. The
    same seed and examples give the same model.

    Raises TrainingError with fewer than two questions that have right and wrong
    candidates, InvalidSpecError for an unknown inclusion, MissingModelError without
    scikit-learn.
    """
    checked_inclusion(inclusion)
    drawn = _drawn(train, seed)
    folds = question_folds(drawn, seed)
    weights = _fitted(drawn, folds, inclusion=inclusion, c=c)
    card = Card(
        name=name,
        configuration=LINEAR,
        data=data,
        seed=seed,
        settings={
            "inclusion": inclusion,
            "C": c,
            "folds": len(folds),
            "pairs": len(drawn),
            "drawn": len(drawn) < len(train),
        },
        best_epoch=1,
        weights=weights,
    )
    model = LinearAva(card)
    return LinearAva(_with_results(model, dev)) if dev else model


def _fitted(
    examples: Sequence[Example], folds: list[Fold], *, inclusion: str, c: float
) -> dict[str, float]:
    try:
        from sklearn.calibration import CalibratedClassifierCV
        from sklearn.svm import SVC
    except ImportError as error:
        raise MissingModelError(
            "Training the linear model needs scikit-learn: pip install "
            '"exam-curator[ava]"'
        ) from error
    matrix = feature_matrix([one.triple for one in examples], inclusion=inclusion)
    labels = np.array([one.correct for one in examples])
    calibrated = CalibratedClassifierCV(
        SVC(kernel="linear", C=c), method="sigmoid", ensemble=False, cv=folds
    ).fit(matrix, labels)
    fitted = calibrated.calibrated_classifiers_[0]
    machine, platt = fitted.estimator, fitted.calibrators[0]
    numbers = [*machine.coef_[0], machine.intercept_[0], platt.a_, platt.b_]
    names = (*FEATURES, BIAS, PLATT_A, PLATT_B)
    return {name: float(n) for name, n in zip(names, numbers, strict=True)}


def _drawn(examples: Sequence[Example], seed: int) -> Sequence[Example]:
    if len(examples) <= MOST_PAIRS:
        return examples
    chosen = random.Random(seed).sample(range(len(examples)), MOST_PAIRS)
    return [examples[position] for position in sorted(chosen)]


def _with_results(model: LinearAva, dev: Sequence[Example]) -> Card:
    """The model's card with precision, recall and F1 on dev at a score of .5.

    0 where one is not defined.
    """
    accepted = model.scores([one.triple for one in dev]) > 0.5
    correct = np.array([one.correct for one in dev])
    hits = int((accepted & correct).sum())
    accepted_count, correct_count = int(accepted.sum()), int(correct.sum())
    point = Point(
        epoch=1,
        step=1,
        loss=None,
        precision=hits / accepted_count if accepted_count else 0.0,
        recall=hits / correct_count if correct_count else 0.0,
        f1=2 * hits / (accepted_count + correct_count) if hits else 0.0,
    )
    return replace(model.card, curve=(point,))
