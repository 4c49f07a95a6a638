"""A model on single answers: precision, recall and F1, next to the string check."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from curator.errors import EvaluationError
from curator.evaluation.answer_checking import Confusion, confusion_of
from curator.verbs.answers.ava_questions import contradictions_in, merged
from grading.answers import answers_match
from grading.ava.examples import AnsweredQuestion, Example, examples_of
from grading.ava.linear import LinearAva
from grading.ava.model import Ava, checked_scores


@dataclass(frozen=True, slots=True)
class CheckedPair:
    """One (reference, candidate) pair and what model and string check say of it.

    ``contributions`` are a linear model's, by feature; empty for any other.
    """

    example: Example
    score: float
    called_right: bool
    matched: bool
    contributions: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Evaluated:
    """A model on all pairs of some questions, and the string check on the same ones.

    ``left_out`` questions have fewer than two correct answers; ``contradictions`` are
    answers that stand as correct and as incorrect, and count as neither.
    """

    model: str
    configuration: str
    threshold: float
    questions: int
    left_out: int
    contradictions: int
    positives: int
    negatives: int
    ava: Confusion
    strings: Confusion
    pairs: tuple[CheckedPair, ...] = ()


def evaluate(
    model: Ava,
    questions: Iterable[AnsweredQuestion],
    *,
    threshold: float | None = None,
    pairs: bool = False,
) -> Evaluated:
    """Precision, recall and F1 of the model over every pair of ``examples_of``.

    A candidate is right if its score is above the threshold, which is the card's
    unless given. The string check is the answer-key check of reference and candidate.
    ``pairs`` keeps each pair. Questions of the same text are one, with the answers of
    all, as in training.

    Raises EvaluationError where no question has two correct answers, and for a
    threshold outside [0, 1]; InvalidScoreError.

    Source: Vu & Moschitti 2020, section 6.3.
    """
    return evaluate_all([model], questions, threshold=threshold, pairs=pairs)[0]


def evaluate_all(
    models: Sequence[Ava],
    questions: Iterable[AnsweredQuestion],
    *,
    threshold: float | None = None,
    pairs: bool = False,
) -> tuple[Evaluated, ...]:
    """``evaluate`` of each model on the same pairs; strings are checked once."""
    if threshold is not None and not 0 <= threshold <= 1:
        raise EvaluationError(
            f"The threshold is {threshold:g}; scores lie between 0 and 1."
        )
    given = list(questions)
    known = merged(given)
    contradictions = contradictions_in(given, known)
    used = [one for one in known if one.makes_examples]
    examples = examples_of(used)
    if not examples:
        raise EvaluationError(
            f"None of {len(known)} questions has two correct answers, so there are no "
            "pairs to check; give more data."
        )
    right = [one.correct for one in examples]
    matched = [
        answers_match(one.triple.candidate, one.triple.reference) for one in examples
    ]
    strings = confusion_of(matched, right)
    found = []
    for model in models:
        scores = checked_scores(model, [one.triple for one in examples])
        cut = model.card.threshold if threshold is None else threshold
        kept = zip(examples, scores.tolist(), matched, strict=True) if pairs else ()
        found.append(
            Evaluated(
                model.card.name,
                model.card.configuration,
                cut,
                questions=len(used),
                left_out=len(known) - len(used),
                contradictions=contradictions,
                positives=sum(right),
                negatives=len(right) - sum(right),
                ava=confusion_of(scores > cut, right),
                strings=strings,
                pairs=tuple(
                    CheckedPair(
                        one, score, score > cut, same, contributions(model, one)
                    )
                    for one, score, same in kept
                ),
            )
        )
    return tuple(found)


def contributions(model: Ava, example: Example) -> dict[str, float]:
    """What each feature adds to a linear model's decision; empty for other models."""
    if not isinstance(model, LinearAva):
        return {}
    explained = model.explained(example.triple)
    return {one.feature: one.contribution for one in explained.contributions}
