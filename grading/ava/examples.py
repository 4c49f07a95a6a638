"""Training data for AVA: triples with a label, made of answers known right or wrong.

Source: Vu & Moschitti 2020, section 5.2. For a question with the correct answers C and
the incorrect ones W, every (r, t) in C x C with r and t different is a positive, every
(r, t) in C x W a negative. Questions with fewer than two correct answers give nothing.
"""

import random
import unicodedata
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Protocol

import numpy as np

from grading.ava.card import THRESHOLD
from grading.ava.model import Scores, Triple

_ENDS = " .!?,;:…\"'“”‘’"


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """A question with answers that somebody knows to be correct or incorrect.

    Of answers that are the same text (see ``same_text``) the first alone stands. One
    that is listed as both is taken for neither: ``contradictions`` counts them.
    """

    text: str
    correct: tuple[str, ...]
    incorrect: tuple[str, ...] = ()
    short_answer: str | None = None
    contradictions: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        right, wrong = _distinct(self.correct), _distinct(self.incorrect)
        both = right.keys() & wrong.keys()
        for name, answers in (("correct", right), ("incorrect", wrong)):
            kept = tuple(text for key, text in answers.items() if key not in both)
            object.__setattr__(self, name, kept)
        object.__setattr__(self, "contradictions", len(both))

    @property
    def makes_examples(self) -> bool:
        """Whether there are positives to be made of it: two correct answers."""
        return len(self.correct) > 1

    @property
    def can_rank(self) -> bool:
        """Whether a ranking of its answers can be right or wrong (section 6.5.1)."""
        return bool(self.correct and self.incorrect)


class Answered(Protocol):
    """Anything that knows right and wrong answers to a question.

    A file's question with its candidates does, and a workspace's with its key.
    """

    def answered(self) -> AnsweredQuestion:
        """The question as a model sees it: texts alone."""
        ...


Questions = Iterable[AnsweredQuestion | Answered]


@dataclass(frozen=True, slots=True)
class Example:
    """A triple and whether its candidate is right."""

    triple: Triple
    correct: bool


def same_text(text: str) -> str:
    """What two answers have in common that are the same: lower-cased, single blanks.

    Punctuation at either end counts for nothing, nor does the way an accent is
    written.
    """
    composed = unicodedata.normalize("NFC", text).lower()
    return " ".join(composed.split()).strip(_ENDS)


def answered(questions: Questions) -> list[AnsweredQuestion]:
    """The questions as a model sees them, whoever knows the answers."""
    return [
        one if isinstance(one, AnsweredQuestion) else one.answered()
        for one in questions
    ]


def merged(questions: Iterable[AnsweredQuestion]) -> tuple[AnsweredQuestion, ...]:
    """One question for each text, with the answers of all, in the order they come."""
    return tuple(
        alike[0]
        if len(alike) == 1
        else AnsweredQuestion(
            alike[0].text,
            tuple(answer for one in alike for answer in one.correct),
            tuple(answer for one in alike for answer in one.incorrect),
            next((one.short_answer for one in alike if one.short_answer), None),
        )
        for alike in _by_text(questions).values()
    )


def _by_text(
    questions: Iterable[AnsweredQuestion],
) -> dict[str, list[AnsweredQuestion]]:
    groups: defaultdict[str, list[AnsweredQuestion]] = defaultdict(list)
    for one in questions:
        groups[same_text(one.text)].append(one)
    return groups


def contradictions_in(
    before: Sequence[AnsweredQuestion], after: Sequence[AnsweredQuestion]
) -> int:
    """Answers that some question counts as both, or that came to be in merging.

    ``after`` are the questions of ``before``, ``merged``.
    """
    known = sum(one.contradictions for one in before)
    # A question that is alone of its text is the same object still.
    same = {id(one) for one in before}
    return known + sum(one.contradictions for one in after if id(one) not in same)


def examples_of(questions: Iterable[AnsweredQuestion]) -> list[Example]:
    """Every positive and negative of these questions, question by question.

    r and t are never the same text.
    """
    return [
        Example(Triple(one.text, r, t, one.short_answer), correct=label)
        for one in questions
        if one.makes_examples
        for r in one.correct
        for answers, label in ((one.correct, True), (one.incorrect, False))
        for t in answers
        if t != r
    ]


def pair_counts(questions: Iterable[AnsweredQuestion]) -> tuple[int, int]:
    """How many positives and negatives ``examples_of`` makes of these questions."""
    usable = [one for one in questions if one.makes_examples]
    positives = sum(len(one.correct) * (len(one.correct) - 1) for one in usable)
    return positives, sum(len(one.correct) * len(one.incorrect) for one in usable)


def split(
    questions: Sequence[AnsweredQuestion], shares: Sequence[float], *, seed: int
) -> list[list[AnsweredQuestion]]:
    """The questions in parts of about these shares, no question in two of them.

    Questions of the same text stay together. ``shares`` add up to 1; the parts are as
    many. The same seed splits the same questions alike, in whatever order they come.
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
    """Of calling right what scores above .5; 0 where one is not defined."""
    found, right = scores > THRESHOLD, np.array(correct, dtype=bool)
    hits, called, known = (int(one.sum()) for one in (found & right, found, right))
    precision, recall = hits / max(called, 1), hits / max(known, 1)
    return precision, recall, 2 * hits / max(called + known, 1)


def _distinct(answers: Iterable[str]) -> dict[str, str]:
    """The first of each text, by what it shares with the others that are the same."""
    found: dict[str, str] = {}
    for text in answers:
        if key := same_text(text):
            found.setdefault(key, text)
    return found
