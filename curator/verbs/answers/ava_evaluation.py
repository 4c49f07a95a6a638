"""Evaluate an AVA model on pairs of answers.

Source: Vu & Moschitti 2020, section 6.3.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from curator.errors import EvaluationError
from curator.evaluation.answer_checking import Confusion, confusion_of
from curator.results import FLAT, Result, column
from grading.answers import answers_match
from grading.ava import open_ava
from grading.ava.examples import Questions, examples_of, merged
from grading.ava.linear import LinearAva
from grading.ava.model import Ava, Triple, checked_scores


@dataclass(frozen=True, slots=True)
class ScoredPair:
    """A (reference, candidate) pair with its score and the string check's result.

    ``contributions`` are a linear model's, by feature; empty for any other.
    """

    triple: Triple = field(metadata=FLAT)
    correct: bool
    score: float
    called_right: bool
    matched: bool
    contributions: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class AvaEvaluation(Result[Confusion], table="answers.evaluation_table"):
    """Results of a model and of the string check on all pairs of some questions.

    ``left_out`` questions have fewer than two correct answers.
    """

    model: str
    configuration: str
    threshold: float
    questions: int
    left_out: int
    positives: int
    negatives: int
    ava: Confusion
    strings: Confusion
    pairs: tuple[ScoredPair, ...] = field(
        default=(), metadata=column(json="checked", json_if=bool)
    )


def evaluate(
    model: Ava | str | Path,
    questions: Questions,
    *,
    threshold: float | None = None,
    pairs: bool = False,
) -> AvaEvaluation:
    """Evaluate a model, or the one in a folder, on pairs of these answers.

    Precision, recall and F1 over every pair of ``examples_of``, for the model and for
    the answer-key check of reference and candidate. A candidate is right if its score
    is above the threshold, by default the card's. ``pairs`` keeps each pair. Questions
    of the same text are merged, with the answers of all, as in training.

    Raises EvaluationError where no question has two correct answers, and for a
    threshold outside [0, 1]; InvalidScoreError.
    """
    if threshold is not None and not 0 <= threshold <= 1:
        raise EvaluationError(f"The threshold is {threshold:g}; give one from 0 to 1.")
    evaluation = evaluate_pairs(
        open_model(model), questions, threshold=threshold, pairs=pairs
    )
    if not evaluation.questions:
        raise EvaluationError(
            f"None of {evaluation.left_out} questions has two correct answers, so "
            "there are no pairs to check; give more data."
        )
    return evaluation


def open_model(model: Ava | str | Path) -> Ava:
    """Open the trained model in a folder; weights are loaded when it scores.

    Raises MissingModelError if there is none.
    """
    return open_ava(Path(model)) if isinstance(model, str | Path) else model


def evaluate_pairs(
    model: Ava,
    questions: Questions,
    *,
    threshold: float | None = None,
    pairs: bool = False,
) -> AvaEvaluation:
    """Evaluate a model as ``evaluate`` does, also on questions without pairs."""
    distinct = merged(questions)
    examples = examples_of(distinct)
    triples = [example.triple for example in examples]
    right = [example.correct for example in examples]
    matched = [answers_match(triple.candidate, triple.reference) for triple in triples]
    scores = checked_scores(model, triples)
    cut = model.card.threshold if threshold is None else threshold
    called_right = (scores > cut).tolist()
    terms: list[Mapping[str, float]] = [{}] * len(triples)
    if pairs and isinstance(model, LinearAva):
        terms = [model.explained(triple).contributions for triple in triples]
    columns = triples, right, scores.tolist(), called_right, matched, terms
    used = sum(question.makes_examples for question in distinct)
    return AvaEvaluation(
        model.card.name,
        model.card.configuration,
        cut,
        questions=used,
        left_out=len(distinct) - used,
        positives=sum(right),
        negatives=len(right) - sum(right),
        ava=confusion_of(called_right, right),
        strings=confusion_of(matched, right),
        pairs=tuple(map(ScoredPair, *columns)) if pairs else (),
    )
