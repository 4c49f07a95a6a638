"""Evaluate an AVA model on pairs of answers, on a question's candidates, on systems.

Source: Vu & Moschitti 2020, sections 6.3 and 6.5.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal

from curator.errors import EvaluationError
from curator.evaluation.answer_checking import (
    MEASURES,
    Confusion,
    MeasureAgreement,
    confusion_of,
    measure_agreement,
    system_measures,
    tuned_threshold,
)
from curator.formats.answer_selection import Candidate, SelectionQuestion
from curator.formats.trec.runs import read_runs
from curator.results import FLAT, column
from grading.answers import answers_match
from grading.ava import open_ava
from grading.ava.examples import Questions, examples_of, merged, same_text
from grading.ava.linear import LinearAva
from grading.ava.model import Ava, Triple, checked_scores

References = Literal["others", "all"]
"""References of a correct candidate: the other correct ones, or itself too."""

Ranked = Mapping[str, Mapping[str, tuple[str | None, ...]]]
"""Candidate ids by system and question id, best first; None at an empty rank."""


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
class AvaEvaluation:
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
    models = [open_model(model)]
    (evaluation,) = evaluate_all(models, questions, threshold=threshold, pairs=pairs)
    if not evaluation.questions:
        raise EvaluationError(
            f"None of {evaluation.left_out} questions has two correct answers, so "
            "there are no pairs to check; give more data."
        )
    return evaluation


def open_model(model: Ava | str | Path) -> Ava:
    return open_ava(Path(model)) if isinstance(model, str | Path) else model


def evaluate_all(
    models: Sequence[Ava],
    questions: Questions,
    *,
    threshold: float | None = None,
    pairs: bool = False,
) -> tuple[AvaEvaluation, ...]:
    """``evaluate`` of each model on the same pairs; strings are checked once."""
    if threshold is not None and not 0 <= threshold <= 1:
        raise EvaluationError(f"The threshold is {threshold:g}; give one from 0 to 1.")
    merged_questions = merged(questions)
    examples = examples_of(merged_questions)
    triples = [example.triple for example in examples]
    right = [example.correct for example in examples]
    matched = [answers_match(triple.candidate, triple.reference) for triple in triples]
    used = sum(question.makes_examples for question in merged_questions)
    evaluated = []
    for model in models:
        scores = checked_scores(model, triples)
        cut = model.card.threshold if threshold is None else threshold
        called_right = (scores > cut).tolist()
        terms: list[Mapping[str, float]] = [{}] * len(triples)
        if pairs and isinstance(model, LinearAva):
            terms = [model.explained(triple).contributions for triple in triples]
        columns = triples, right, scores.tolist(), called_right, matched, terms
        evaluated.append(
            AvaEvaluation(
                model.card.name,
                model.card.configuration,
                cut,
                questions=used,
                left_out=len(merged_questions) - used,
                positives=sum(right),
                negatives=len(right) - sum(right),
                ava=confusion_of(called_right, right),
                strings=confusion_of(matched, right),
                pairs=tuple(map(ScoredPair, *columns)) if pairs else (),
            )
        )
    return tuple(evaluated)


@dataclass(frozen=True)
class SystemRuns:
    """Rankings of systems, with notes on oddities in the files.

    ``first_scores`` are the systems' own scores of their first answers, by system and
    question id.
    """

    rankings: Ranked
    notes: tuple[str, ...] = ()
    first_scores: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


NO_RUNS = SystemRuns({})


@dataclass(frozen=True)
class UsableQuestions:
    """The questions that systems can be judged by, and counts of those left out.

    Each has the references of each of its candidates, one or more. ``one_sided`` have
    no correct or no incorrect candidate; in ``without_reference`` a candidate has no
    reference but itself.
    """

    name: str
    questions: tuple[tuple[SelectionQuestion, tuple[tuple[str, ...], ...]], ...]
    one_sided: int
    without_reference: int
    runs: SystemRuns = NO_RUNS

    @cached_property
    def gold(self) -> dict[str, dict[str, bool]]:
        """The correctness of each candidate, by question id and candidate id."""
        return {
            question.question_id: {
                candidate.candidate_id: candidate.correct
                for candidate in question.candidates
            }
            for question, _ in self.questions
        }

    @cached_property
    def rankings(self) -> Ranked:
        """The systems that answer one of these questions, with those answers."""
        kept = {
            system: {q: ranking for q, ranking in rankings.items() if q in self.gold}
            for system, rankings in self.runs.rankings.items()
        }
        return {system: rankings for system, rankings in kept.items() if rankings}

    def to_json(self) -> dict[str, str | int]:
        """Return counts of the usable and left-out questions."""
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
    reference_scores: Mapping[str, float]

    @property
    def key(self) -> tuple[str, str | None]:
        """The ids of the question and the candidate."""
        return self.question.question_id, self.candidate.candidate_id


def usable_questions(
    questions: Iterable[SelectionQuestion],
    references: References,
    *,
    name: str,
    runs: SystemRuns = NO_RUNS,
) -> UsableQuestions:
    """Select questions with a correct and an incorrect candidate and enough references.

    References are the distinct correct answers (see ``AnsweredQuestion``). With
    "others" a candidate is never its own reference, ignoring case and blanks; "all"
    follows the paper literally.

    Source: Vu & Moschitti 2020, section 6.5.1.
    """
    used = []
    one_sided = without_reference = 0
    for question in questions:
        answered = question.answered()
        if not answered.can_rank:
            one_sided += 1
            continue
        candidate_references = tuple(
            tuple(
                text
                for text in answered.correct
                if references == "all" or same_text(text) != same_text(candidate.text)
            )
            for candidate in question.candidates
        )
        if all(candidate_references):
            used.append((question, candidate_references))
        else:
            without_reference += 1
    return UsableQuestions(name, tuple(used), one_sided, without_reference, runs)


def scored_candidates(model: Ava, used: UsableQuestions) -> tuple[ScoredCandidate, ...]:
    """Score every candidate, question by question, in one call of the model.

    Raises InvalidScoreError.
    """
    owners = [
        (question, candidate, references)
        for question, by_candidate in used.questions
        for candidate, references in zip(question.candidates, by_candidate, strict=True)
    ]
    triples = [
        Triple(question.text, reference, candidate.text, question.short_answer)
        for question, candidate, references in owners
        for reference in references
    ]
    scores = iter(checked_scores(model, triples).tolist())
    scored = []
    for question, candidate, references in owners:
        by_reference = {reference: next(scores) for reference in references}
        mean = sum(by_reference.values()) / len(by_reference)
        scored.append(ScoredCandidate(question, candidate, mean, by_reference))
    return tuple(scored)


@dataclass(frozen=True, slots=True)
class SystemRow:
    """A system's measures by gold labels and by the model's labels."""

    system: str
    gold: Mapping[str, float]
    ava: Mapping[str, float]


@dataclass(frozen=True)
class SplitReport:
    """A data file's systems, and the model's agreement with gold labels by measure."""

    data: str
    questions: int
    systems: tuple[SystemRow, ...]
    agreements: tuple[MeasureAgreement, ...] = ()


def read_systems(paths: Sequence[str | Path]) -> SystemRuns:
    """Read the rankings of runs, given as files or folders; ranks start at 1.

    Raises InputFileError, and EvaluationError where two of them rank one question for
    one system.
    """
    rankings: dict[str, dict[str, tuple[str | None, ...]]] = {}
    notes: list[str] = []
    first_scores: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for path in map(Path, paths):
        parsed = read_runs(path)
        notes += [f"{path.name}: {notice}" for notice in parsed.notices]
        for ranking in parsed.rankings:
            by_question = rankings.setdefault(ranking.system, {})
            if ranking.query_id in by_question:
                raise EvaluationError(
                    f"System '{ranking.system}' ranks question '{ranking.query_id}' in "
                    "two runs. Give each run once, and each system its own tag."
                )
            by_question[ranking.query_id] = tuple(
                None if slot is None or slot.repeats else slot.passage_id
                for slot in ranking.slots
            )
            if ranking.slots and ranking.slots[0] is not None:
                first_scores[ranking.system][ranking.query_id] = ranking.slots[0].score
    return SystemRuns(rankings, tuple(notes), first_scores)


def tune_on_dev(used: UsableQuestions, scored: Sequence[ScoredCandidate]) -> float:
    """The threshold at which the model's P@1 is nearest to gold's on these systems."""
    scores, gold = _scores_by_id(scored), used.gold
    top_scores: dict[str, list[float | None]] = {}
    right: dict[str, int] = {}
    for system, rankings in used.rankings.items():
        first = [(q, (rankings.get(q) or (None,))[0] or "") for q in gold]
        top_scores[system] = [scores[q].get(answer) for q, answer in first]
        right[system] = sum(gold[q].get(answer, False) for q, answer in first)
    return tuned_threshold(top_scores, right)


def split_report(
    used: UsableQuestions, scored: Sequence[ScoredCandidate], *, threshold: float
) -> SplitReport:
    """Measure every system by both labels, and the agreement of the two by measure.

    MAP and MRR are of the systems that rank; a system with one answer per question has
    P@1 only.
    """
    gold = used.gold
    ava = {
        question_id: {name: score > threshold for name, score in by_candidate.items()}
        for question_id, by_candidate in _scores_by_id(scored).items()
    }
    rows = tuple(
        SystemRow(
            system, system_measures(rankings, gold), system_measures(rankings, ava)
        )
        for system, rankings in used.rankings.items()
    )
    agreements = []
    for measure in MEASURES:
        if measured := [row for row in rows if measure in row.gold]:
            by_model = [row.ava[measure] for row in measured]
            by_gold = [row.gold[measure] for row in measured]
            agreements.append(measure_agreement(measure, by_model, by_gold))
    return SplitReport(used.name, len(used.questions), rows, tuple(agreements))


def _scores_by_id(scored: Sequence[ScoredCandidate]) -> dict[str, dict[str, float]]:
    by_question: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for row in scored:
        by_candidate = by_question[row.question.question_id]
        by_candidate[row.candidate.candidate_id] = row.score
    return by_question
