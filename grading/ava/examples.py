"""Training data for AVA: labelled triples from questions with known answers.

Source: Vu & Moschitti 2020, section 5.2. For a question with the correct answers C and
the incorrect ones W, every (r, t) in C x C with r and t different is a positive, every
(r, t) in C x W a negative. Questions with fewer than two correct answers give nothing.
"""

import random
import unicodedata
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Protocol

from grading.ava.card import THRESHOLD
from grading.ava.model import Scores, Triple

_ENDS = " .!?,;:…\"'“”‘’"


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """A question with answers known to be correct or incorrect.

    Of equal answers (see ``same_text``) only the first is kept. An answer listed as
    both is removed from both.
    """

    text: str
    correct: tuple[str, ...]
    incorrect: tuple[str, ...] = ()
    short_answer: str | None = None

    def __post_init__(self) -> None:
        correct, incorrect = _distinct(self.correct), _distinct(self.incorrect)
        contradictory = correct.keys() & incorrect.keys()
        for name, answers in (("correct", correct), ("incorrect", incorrect)):
            kept = tuple(
                text for key, text in answers.items() if key not in contradictory
            )
            object.__setattr__(self, name, kept)

    @property
    def makes_examples(self) -> bool:
        """True if there are positives: two or more correct answers."""
        return len(self.correct) > 1


class Answered(Protocol):
    """An object with right and wrong answers to a question.

    For example a file's question with its candidates, or a workspace's with its key.
    """

    def answered(self) -> AnsweredQuestion:
        """Return the question as a model sees it: texts only."""
        ...


Questions = Iterable[AnsweredQuestion | Answered]


@dataclass(frozen=True, slots=True)
class Example:
    """A triple, and True if its candidate is right."""

    triple: Triple
    correct: bool


def same_text(text: str) -> str:
    """Return a key that is the same for equal answers: lower case, single blanks.

    Punctuation at either end and different forms of an accent are ignored.
    """
    composed = unicodedata.normalize("NFC", text).lower()
    return " ".join(composed.split()).strip(_ENDS)


def merged(questions: Questions) -> tuple[AnsweredQuestion, ...]:
    """Return the questions as a model sees them; those with equal texts are merged.

    A merged question has the answers of all.
    """
    groups = _by_text(
        question if isinstance(question, AnsweredQuestion) else question.answered()
        for question in questions
    )
    return tuple(
        AnsweredQuestion(
            group[0].text,
            tuple(answer for question in group for answer in question.correct),
            tuple(answer for question in group for answer in question.incorrect),
            next(filter(None, (question.short_answer for question in group)), None),
        )
        for group in groups.values()
    )


def _by_text(
    questions: Iterable[AnsweredQuestion],
) -> dict[str, list[AnsweredQuestion]]:
    groups: defaultdict[str, list[AnsweredQuestion]] = defaultdict(list)
    for question in questions:
        groups[same_text(question.text)].append(question)
    return groups


def examples_of(questions: Iterable[AnsweredQuestion]) -> list[Example]:
    """Return every positive and negative of these questions, in their order.

    Reference and candidate are never equal.
    """
    return [
        Example(
            Triple(question.text, reference, candidate, question.short_answer),
            correct=label,
        )
        for question in questions
        if question.makes_examples
        for reference in question.correct
        for answers, label in ((question.correct, True), (question.incorrect, False))
        for candidate in answers
        if candidate != reference
    ]


def pair_counts(questions: Iterable[AnsweredQuestion]) -> tuple[int, int]:
    """Return the numbers of positives and negatives of these questions."""
    right = [example.correct for example in examples_of(questions)]
    return sum(right), len(right) - sum(right)


def split(
    questions: Sequence[AnsweredQuestion], shares: Sequence[float], *, seed: int
) -> list[list[AnsweredQuestion]]:
    """Split the questions in parts of about these shares.

    Questions with the same text stay together. ``shares`` add up to 1; there is a part
    for each. The same seed gives the same split, regardless of the questions' order.
    """
    groups = _by_text(questions)
    names = sorted(groups)
    random.Random(seed).shuffle(names)
    parts: list[list[AnsweredQuestion]] = [[] for _ in shares]
    edges = [share * len(names) for share in accumulate(shares)]
    for number, name in enumerate(names):
        part = bisect_left(edges, number + 0.5)
        parts[min(part, len(parts) - 1)] += groups[name]
    return parts


def precision_recall_f1(
    scores: Scores, correct: Sequence[bool]
) -> tuple[float, float, float]:
    """Return precision, recall and F1 for scores above .5; 0 if undefined."""
    from sklearn.metrics import precision_recall_fscore_support

    precision, recall, f1, _ = precision_recall_fscore_support(
        correct, scores > THRESHOLD, average="binary", zero_division=0
    )
    return float(precision), float(recall), float(f1)


def _distinct(answers: Iterable[str]) -> dict[str, str]:
    """Return the first of equal texts, by its key."""
    texts: dict[str, str] = {}
    for text in answers:
        if key := same_text(text):
            texts.setdefault(key, text)
    return texts
