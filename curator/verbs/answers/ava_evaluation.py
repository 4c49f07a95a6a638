"""An AVA model on pairs of answers, on a question's candidates, and on systems.

Source: Vu & Moschitti 2020, sections 6.3 and 6.5.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np

from curator.errors import EvaluationError
from curator.evaluation.answer_checking import (
    MEASURES,
    Confusion,
    MeasureAgreement,
    SystemMeasures,
    TunedThreshold,
    confusion_of,
    gives_one_answer,
    mean_over_references,
    measure_agreement,
    system_measures,
    tuned_threshold,
)
from curator.formats.answer_selection import Candidate, SelectionQuestion
from curator.formats.trec.runs import read_runs
from grading.answers import answers_match
from grading.ava import open_ava
from grading.ava.examples import (
    Example,
    Questions,
    answered,
    contradictions_in,
    examples_of,
    merged,
    same_text,
)
from grading.ava.linear import LinearAva
from grading.ava.model import Ava, Triple, checked_scores

References = Literal["others", "all"]
"""Whether a correct candidate is held against the other correct ones or itself too."""

Ranked = Mapping[str, Mapping[str, tuple[str | None, ...]]]
"""Candidate ids by system and question id, best first; None at an empty rank."""


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
    model: Ava | str | Path,
    questions: Questions,
    *,
    threshold: float | None = None,
    pairs: bool = False,
) -> Evaluated:
    """How well the model, or the one in this folder, tells these answers apart.

    Precision, recall and F1 over every pair of ``examples_of``, and those of the
    answer-key check of reference and candidate beside them. A candidate is right if
    its score is above the threshold, which is the card's unless given. ``pairs`` keeps
    each pair. Questions of the same text are one, with the answers of all, as in
    training.

    Raises EvaluationError where no question has two correct answers, and for a
    threshold outside [0, 1]; InvalidScoreError.
    """
    models = [opened_model(model)]
    return evaluate_all(models, questions, threshold=threshold, pairs=pairs)[0]


def opened_model(model: Ava | str | Path) -> Ava:
    """The model, or the one in this folder."""
    return open_ava(Path(model)) if isinstance(model, str | Path) else model


def evaluate_all(
    models: Sequence[Ava],
    questions: Questions,
    *,
    threshold: float | None = None,
    pairs: bool = False,
) -> tuple[Evaluated, ...]:
    """``evaluate`` of each model on the same pairs; strings are checked once."""
    if threshold is not None and not 0 <= threshold <= 1:
        raise EvaluationError(
            f"The threshold is {threshold:g}; scores lie between 0 and 1."
        )
    given = answered(questions)
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
    evaluated = []
    for model in models:
        scores = checked_scores(model, [one.triple for one in examples])
        cut = model.card.threshold if threshold is None else threshold
        kept = zip(examples, scores.tolist(), matched, strict=True) if pairs else ()
        explained = model.explained if isinstance(model, LinearAva) else None
        evaluated.append(
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
                        *(one, score, score > cut, same),
                        explained(one.triple).by_feature if explained else {},
                    )
                    for one, score, same in kept
                ),
            )
        )
    return tuple(evaluated)


@dataclass(frozen=True)
class UsableQuestions:
    """The questions that systems can be judged by, and how many are left out.

    Each stands with the references of each of its candidates, one or more.
    ``one_sided`` have no correct or no incorrect candidate; in ``without_reference``
    a candidate has no reference but itself.
    """

    name: str
    questions: tuple[tuple[SelectionQuestion, tuple[tuple[str, ...], ...]], ...]
    one_sided: int
    without_reference: int

    @property
    def gold(self) -> dict[str, dict[str, bool]]:
        """Whether each candidate is correct, by question id and candidate id."""
        return {
            question.question_id: {
                one.candidate_id: one.correct for one in question.candidates
            }
            for question, _ in self.questions
        }

    def counts(self) -> dict[str, str | int]:
        """How much counts for systems, and why the rest does not."""
        return {
            "data": self.name,
            "questions": len(self.questions),
            "candidates": sum(len(references) for _, references in self.questions),
            "one_sided": self.one_sided,
            "without_reference": self.without_reference,
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
) -> UsableQuestions:
    """The questions with a correct and an incorrect candidate and enough references.

    References are the distinct correct answers (see ``AnsweredQuestion``). Among
    "others" a candidate is never its own reference, whatever its case and blanks;
    "all" takes the paper literally.

    Source: Vu & Moschitti 2020, section 6.5.1.
    """
    used = []
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
            used.append((one, held_against))
        else:
            without_reference += 1
    return UsableQuestions(name, tuple(used), one_sided, without_reference)


def scored_candidates(model: Ava, used: UsableQuestions) -> tuple[ScoredCandidate, ...]:
    """Every candidate's score, question by question; the model is asked once.

    Raises InvalidScoreError.
    """
    owners = [
        (question, candidate, references)
        for question, held_against in used.questions
        for candidate, references in zip(question.candidates, held_against, strict=True)
    ]
    if not owners:
        return ()
    triples = [
        Triple(question.text, reference, candidate.text, question.short_answer)
        for question, candidate, references in owners
        for reference in references
    ]
    scores = checked_scores(model, triples)
    counts = [len(references) for _, _, references in owners]
    means = mean_over_references(scores, np.repeat(np.arange(len(owners)), counts))
    each = iter(scores.tolist())  # of which every candidate takes its references'
    return tuple(
        ScoredCandidate(question, one, mean, tuple(zip(references, each, strict=False)))
        for (question, one, references), mean in zip(
            owners, means.tolist(), strict=True
        )
    )


@dataclass(frozen=True)
class SystemRuns:
    """What runs say, with what was odd about them.

    ``sources`` are the files or folders of runs, as given, by system; ``first_scores``
    the systems' own scores of their first answers, by system and question id.
    """

    rankings: Ranked
    notes: tuple[str, ...] = ()
    sources: Mapping[str, str] = field(default_factory=dict)
    first_scores: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def on(self, used: UsableQuestions) -> dict[str, dict[str, tuple[str | None, ...]]]:
        """The systems that answer one of these questions, with those answers alone."""
        ids = {question.question_id for question, _ in used.questions}
        kept = {
            system: {q: one for q, one in rankings.items() if q in ids}
            for system, rankings in self.rankings.items()
        }
        return {system: rankings for system, rankings in kept.items() if rankings}


@dataclass(frozen=True, slots=True)
class SystemRow:
    """A system by gold labels and by the model's, over all questions that count."""

    system: str
    gold: SystemMeasures
    ava: SystemMeasures
    one_answer: bool


@dataclass(frozen=True)
class SplitReport:
    """A data file's systems, and how well the model sees them, measure by measure."""

    data: str
    questions: int
    systems: tuple[SystemRow, ...]
    agreements: tuple[MeasureAgreement, ...] = ()


def read_systems(paths: Sequence[str | Path]) -> SystemRuns:
    """The rankings of runs, files or folders of them; ranks as everywhere, from 1.

    Raises InputFileError, and EvaluationError where two of them rank one question for
    one system.
    """
    rankings: dict[str, dict[str, tuple[str | None, ...]]] = {}
    notes: list[str] = []
    sources: dict[str, str] = {}
    first_scores: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for path in map(Path, paths):
        parsed = read_runs(path)
        notes += [f"{path.name}: {notice}" for notice in parsed.notices]
        for one in parsed.rankings:
            of_system = rankings.setdefault(one.system, {})
            sources.setdefault(one.system, str(path))
            if one.query_id in of_system:
                raise EvaluationError(
                    f"System '{one.system}' ranks question '{one.query_id}' in two of "
                    "the runs; give each run once, and the systems different tags."
                )
            of_system[one.query_id] = tuple(
                None if slot is None or slot.repeats else slot.passage_id
                for slot in one.slots
            )
            if one.slots and one.slots[0] is not None:
                first_scores[one.system][one.query_id] = one.slots[0].score
    return SystemRuns(rankings, tuple(notes), sources, first_scores)


def tuned_on(
    used: UsableQuestions, systems: SystemRuns, scored: Sequence[ScoredCandidate]
) -> TunedThreshold:
    """The threshold at which the model's P@1 is nearest to gold's on these systems."""
    scores = _scores_by_id(scored)
    gold = used.gold
    top_scores: dict[str, list[float | None]] = {}
    right: dict[str, int] = {}
    for system, rankings in systems.on(used).items():
        first = {q: (rankings.get(q) or (None,))[0] for q in gold}
        top_scores[system] = [scores[q].get(one or "") for q, one in first.items()]
        right[system] = sum(gold[q].get(one or "", False) for q, one in first.items())
    return tuned_threshold(top_scores, right)


def split_report(
    used: UsableQuestions,
    systems: SystemRuns,
    scored: Sequence[ScoredCandidate],
    *,
    threshold: float,
) -> SplitReport:
    """Every system by both labels, and the agreement of the two by measure.

    MAP and MRR are of the systems that rank; one with an answer a question has P@1.
    """
    gold = used.gold
    ava = {
        question_id: {one: score > threshold for one, score in known.items()}
        for question_id, known in _scores_by_id(scored).items()
    }
    rows = tuple(
        SystemRow(
            system,
            system_measures(rankings, gold),
            system_measures(rankings, ava),
            gives_one_answer(rankings),
        )
        for system, rankings in systems.on(used).items()
    )
    agreements = []
    for measure in MEASURES:
        ours = [v for row in rows if (v := row.ava.value(measure)) is not None]
        truth = [v for row in rows if (v := row.gold.value(measure)) is not None]
        if ours:
            agreements.append(measure_agreement(measure, ours, truth))
    return SplitReport(used.name, len(used.questions), rows, tuple(agreements))


def _scores_by_id(scored: Sequence[ScoredCandidate]) -> dict[str, dict[str, float]]:
    by_question: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for one in scored:
        by_question[one.question.question_id][one.candidate.candidate_id] = one.score
    return by_question
