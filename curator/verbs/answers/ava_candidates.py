"""Scores of a question's candidates against references, as systems are judged by."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from curator.evaluation.answer_checking import mean_over_references
from curator.formats.answer_selection import Candidate, SelectionQuestion
from grading.ava.examples import same_text
from grading.ava.model import Ava, Triple, checked_scores

References = Literal["others", "all"]
"""Whether a correct candidate is held against the other correct ones or itself too."""


@dataclass(frozen=True, slots=True)
class Referenced:
    """A question and the references of each of its candidates, one or more."""

    question: SelectionQuestion
    references: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Usable:
    """The questions that systems can be judged by, and how many are left out.

    ``one_sided`` have no correct or no incorrect candidate; in ``without_reference``
    a candidate has no reference but itself.
    """

    name: str
    questions: tuple[Referenced, ...]
    one_sided: int
    without_reference: int

    @property
    def candidates(self) -> int:
        """Candidates of all questions that count."""
        return sum(len(one.references) for one in self.questions)

    @property
    def gold(self) -> dict[str, dict[str, bool]]:
        """Whether each candidate is correct, by question id and candidate id."""
        return {
            one.question.question_id: {
                c.candidate_id: c.correct for c in one.question.candidates
            }
            for one in self.questions
        }


@dataclass(frozen=True, slots=True)
class ScoredCandidate:
    """A candidate and its score: the mean over its references."""

    question: SelectionQuestion
    candidate: Candidate
    score: float
    reference_scores: tuple[tuple[str, float], ...]

    @property
    def closest(self) -> str:
        """The reference that speaks most for the candidate."""
        return max(self.reference_scores, key=lambda one: one[1])[0]


def usable_questions(
    questions: Iterable[SelectionQuestion], references: References, *, name: str
) -> Usable:
    """The questions with a correct and an incorrect candidate and enough references.

    References are the distinct correct answers (see ``AnsweredQuestion``). Among
    "others" a candidate is never its own reference, whatever its case and blanks;
    "all" takes the paper literally.

    Source: Vu & Moschitti 2020, section 6.5.1.
    """
    used: list[Referenced] = []
    one_sided = without_reference = 0
    for one in questions:
        answered = one.answered()
        if not answered.can_rank:
            one_sided += 1
            continue
        keyed = [(same_text(text), text) for text in answered.correct]
        held_against = tuple(
            tuple(
                text
                for key, text in keyed
                if references == "all" or key != same_text(candidate.text)
            )
            for candidate in one.candidates
        )
        if all(held_against):
            used.append(Referenced(one, held_against))
        else:
            without_reference += 1
    return Usable(name, tuple(used), one_sided, without_reference)


def scored_candidates(
    model: Ava, used: Sequence[Referenced]
) -> tuple[ScoredCandidate, ...]:
    """Every candidate's score, question by question; the model is asked once.

    Raises InvalidScoreError.
    """
    owners: list[tuple[SelectionQuestion, Candidate, tuple[str, ...]]] = [
        (one.question, candidate, references)
        for one in used
        for candidate, references in zip(
            one.question.candidates, one.references, strict=True
        )
    ]
    if not owners:
        return ()
    triples = [
        Triple(question.text, reference, candidate.text, question.short_answer)
        for question, candidate, references in owners
        for reference in references
    ]
    counts = [len(references) for _, _, references in owners]
    scores = checked_scores(model, triples)
    means = mean_over_references(scores, np.repeat(np.arange(len(owners)), counts))
    ends = np.cumsum(counts)
    return tuple(
        ScoredCandidate(
            question,
            candidate,
            float(mean),
            tuple(zip(references, scores[end - count : end].tolist(), strict=True)),
        )
        for (question, candidate, references), mean, count, end in zip(
            owners, means.tolist(), counts, ends.tolist(), strict=True
        )
    )
