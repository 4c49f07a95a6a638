"""The linear AVA model: a support vector machine with four features.

Its score can be verified by hand, and scoring needs only numpy. The features are
similarities of question, reference and candidate; the tokenizer, which the paper does
not define, is ours.

Source: Vu & Moschitti 2020, sections 4.1 and 6.2: scikit-learn's SVM with Platt scaling
by its probability parameter. That is deprecated since scikit-learn 1.9, which
recommends calibration on cross-validated decision values instead: the same method, and
it lets us keep a question's pairs in one fold.
"""

from __future__ import annotations

import math
import random
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, cast, get_args

import numpy as np
import numpy.typing as npt

from grading.ava.card import Card, Data, Point
from grading.ava.configurations import LINEAR
from grading.ava.examples import Example, precision_recall_f1, same_text
from grading.ava.model import Scores, Triple
from grading.errors import InvalidSpecError, TrainingError
from grading.keys import content_key

FEATURES_VERSION = "ava-features/1"  # bump when any text would give different features
FEATURES = ("sim-token(s,r)", "sim-text(r,t)", "sim-text(r,q)", "sim-text(q,t)")
"""The features x1 to x4 by the paper's names, in its order."""

Inclusion = Literal["printed", "reverse"]
"""Inclusion tested by x1: r in s as printed, or s in r."""

_TOKEN_PATTERN = re.compile(r"[^\W_]+")
_CACHED_TEXTS = 4096  # number of texts with cached tokens: references occur often

WEIGHTS = (*FEATURES, "bias", "platt_a", "platt_b")
"""Names of all seven numbers of a model, as in its card."""
# The time of an SVM grows with the square of its examples, and four weights need far
# fewer.
MOST_PAIRS = 20_000
SVM_C = 1.0  # scikit-learn's default
FOLDS = 5  # as in scikit-learn's probability parameter


@dataclass(frozen=True, slots=True)
class Term:
    """A feature's part of a decision value: its value times its weight."""

    feature: str
    value: float
    weight: float
    contribution: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """A score as the sum it comes from, to be verified with a calculator.

    ``decision``, the sum of the contributions and the bias, is the distance from the
    SVM's plane, positive on the side of right answers. ``score``, in [0, 1], is
    1 / (1 + e^(A x decision + B)), with Platt's A and B.
    """

    features: tuple[Term, ...]
    bias: float
    decision: float
    platt_a: float
    platt_b: float

    @property
    def contributions(self) -> dict[str, float]:
        """The contributions by feature."""
        return {term.feature: term.contribution for term in self.features}

    @property
    def score(self) -> float:
        # 1 / (1 + e^z) without overflow of e^z. If z itself overflows, its sign is
        # right; NaN is left to the reader of the score.
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            z = np.float64(self.platt_a) * self.decision + self.platt_b
            return float(np.exp(-np.logaddexp(0.0, z)))


@dataclass(frozen=True)
class LinearAva:
    """A trained linear model; its card contains everything.

    Raises InvalidSpecError if the card lacks one of ``WEIGHTS``, holds one that is not
    a finite number, or names an unknown inclusion.
    """

    card: Card

    def __post_init__(self) -> None:
        for name in WEIGHTS:
            if not math.isfinite(self.card.weights.get(name, math.nan)):
                raise InvalidSpecError(
                    f"The card of the linear model '{self.card.name}' has no finite "
                    f"number for '{name}'; train the model again"
                )
        if self.inclusion not in get_args(Inclusion):
            raise InvalidSpecError(
                f"Unknown inclusion '{self.inclusion}' of the linear model's first "
                f"feature. There are: {', '.join(get_args(Inclusion))}"
            )

    @property
    def inclusion(self) -> Inclusion:
        stored = self.card.settings.get("inclusion", "printed")
        return cast(Inclusion, stored)

    @property
    def fingerprint(self) -> str:
        """Content hash of the seven numbers and the version of the features."""
        numbers = self._numbers
        return content_key(["ava linear", FEATURES_VERSION, self.inclusion, numbers])

    def scores(self, triples: Sequence[Triple]) -> Scores:
        """Return the score of each triple, in order."""
        return np.array([self.explained(triple).score for triple in triples])

    def explained(self, triple: Triple) -> Explanation:
        """Return the explanation of this triple's score."""
        values = features(triple, inclusion=self.inclusion)
        *weights, bias, platt_a, platt_b = self._numbers
        terms = tuple(
            Term(name, value, weight, value * weight + 0.0)  # 0, never -0
            for name, value, weight in zip(FEATURES, values, weights, strict=True)
        )
        decision = 0.0  # sum() rounds differently in Python 3.12 and later
        for term in terms:
            decision += term.contribution
        return Explanation(terms, bias, decision + bias, platt_a, platt_b)

    @property
    def _numbers(self) -> list[float]:
        return [float(self.card.weights[name]) for name in WEIGHTS]


def train_linear(
    train: Sequence[Example],
    dev: Sequence[Example],
    *,
    name: str,
    data: Data,
    inclusion: Inclusion = "printed",
    seed: int = 0,
) -> LinearAva:
    """Train a model on ``train``; its results on ``dev`` go into the card.

    Platt's two numbers are fitted to decision values of unseen questions: folds contain
    whole questions. Of more than ``MOST_PAIRS`` pairs that many are drawn uniformly,
    and the card says so. The same seed and examples give the same model.

    Raises TrainingError with fewer than two questions that have right and wrong
    candidates, InvalidSpecError for an unknown inclusion.
    """
    drawn = train
    if len(train) > MOST_PAIRS:
        chosen = random.Random(seed).sample(range(len(train)), MOST_PAIRS)
        drawn = [train[position] for position in sorted(chosen)]
    folds = question_folds(drawn, seed)
    card = Card(
        name=name,
        configuration=LINEAR,
        data=data,
        seed=seed,
        settings={
            "inclusion": inclusion,
            "C": SVM_C,
            "folds": int(folds.max()) + 1,
            "pairs": len(drawn),
            "drawn": len(drawn) < len(train),
        },
        best_epoch=1,
        weights=_fitted(drawn, folds, inclusion),
    )
    if dev:
        scores = LinearAva(card).scores([example.triple for example in dev])
        results = precision_recall_f1(scores, [example.correct for example in dev])
        card = replace(card, curve=(Point(1, 1, None, *results),))
    return LinearAva(card)


def question_folds(examples: Sequence[Example], seed: int) -> npt.NDArray[np.int64]:
    """Return the fold of each example; those of a question share one.

    ``FOLDS`` folds, or as many as there are questions with right and wrong candidates.
    Those are distributed in turn, so that the others of every fold have both labels.

    Raises TrainingError with fewer than two such questions.
    """
    positions: dict[str, list[int]] = {}
    for position, example in enumerate(examples):
        positions.setdefault(same_text(example.triple.question), []).append(position)
    names = sorted(positions)
    random.Random(seed).shuffle(names)
    has_both = {
        name: len({examples[position].correct for position in positions[name]}) == 2
        for name in names
    }
    usable = sum(has_both.values())
    if usable < 2:
        raise TrainingError(
            "The linear model needs at least two training questions with both right "
            f"and wrong candidates, and there are {usable} of {len(names)}; add "
            "questions, or answers to these"
        )
    count = min(FOLDS, usable)
    fold_of = np.empty(len(examples), dtype=np.int64)
    for number, name in enumerate(sorted(names, key=has_both.__getitem__)):
        fold_of[positions[name]] = number % count
    return fold_of


def token_run(text: str) -> tuple[str, ...]:
    """Return the tokens of ``text`` in order: runs of letters and digits, lower-cased.

    In every script; normalized first, so that different forms of an accent are equal.
    """
    return tuple(_TOKEN_PATTERN.findall(unicodedata.normalize("NFC", text).lower()))


@lru_cache(maxsize=_CACHED_TEXTS)
def tokens(text: str) -> frozenset[str]:
    return frozenset(token_run(text))


def sim_text(first: str, second: str) -> float:
    """Return 2|A ∩ B| / (|A| + |B|) for the token sets of two texts, in [0, 1].

    0 if neither has a token. Source: section 4.1.
    """
    first_tokens, second_tokens = tokens(first), tokens(second)
    total = len(first_tokens) + len(second_tokens)
    return 2 * len(first_tokens & second_tokens) / total if total else 0.0


def sim_token(
    short_answer: str | None, reference: str, *, inclusion: Inclusion = "printed"
) -> float:
    """Return 1 if the reference is included in the short answer, else 0.

    This is as printed in the paper. Since a short answer is part of its reference, it
    is nearly always 0; ``inclusion="reverse"`` tests if the short answer is included in
    the reference. Included means a contiguous run of whole tokens in order: "39
    million" is not in "139 million". A text without tokens is never included.
    Source: section 4.1.
    """
    part, container = token_run(reference), token_run(short_answer or "")
    if inclusion == "reverse":
        part, container = container, part
    starts = range(len(container) - len(part) + 1)
    is_included = any(container[start : start + len(part)] == part for start in starts)
    return float(bool(part) and is_included)


def features(
    triple: Triple, *, inclusion: Inclusion = "printed"
) -> tuple[float, float, float, float]:
    """Return x1 to x4 of one triple, each in [0, 1], in the order of ``FEATURES``."""
    question, reference = triple.question, triple.reference
    return (
        sim_token(triple.short_answer, reference, inclusion=inclusion),
        sim_text(reference, triple.candidate),
        sim_text(reference, question),
        sim_text(question, triple.candidate),
    )


def _fitted(
    examples: Sequence[Example], folds: npt.NDArray[np.int64], inclusion: Inclusion
) -> dict[str, float]:
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.model_selection import PredefinedSplit
    from sklearn.svm import SVC

    matrix = [features(example.triple, inclusion=inclusion) for example in examples]
    labels = [example.correct for example in examples]
    calibrated = CalibratedClassifierCV(
        SVC(kernel="linear", C=SVM_C), ensemble=False, cv=PredefinedSplit(folds)
    ).fit(matrix, labels)
    fitted = calibrated.calibrated_classifiers_[0]
    machine, platt = fitted.estimator, fitted.calibrators[0]
    numbers = [*machine.coef_[0], machine.intercept_[0], platt.a_, platt.b_]
    return {name: float(number) for name, number in zip(WEIGHTS, numbers, strict=True)}
