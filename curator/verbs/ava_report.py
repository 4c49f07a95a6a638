"""What the paper's section 6 says of its models, said of ours.

Source: Vu & Moschitti 2020, Tables 6 to 10.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from curator.errors import EvaluationError
from curator.evaluation.answer_checking.tuning import TunedThreshold
from curator.exchange.answer_selection import SelectionQuestion
from curator.exchange.notices import counted, listed
from curator.verbs.ava_candidates import (
    References,
    ScoredCandidate,
    Usable,
    scored_candidates,
    usable_questions,
)
from curator.verbs.ava_evaluate import Evaluated, evaluate_all
from curator.verbs.ava_systems import (
    SplitReport,
    Systems,
    read_systems,
    split_report,
    tuned_on,
    unknown_answers,
)
from grading.answers import answers_match
from grading.ava.card import read_card
from grading.ava.triples import Ava


@dataclass(frozen=True, slots=True)
class UsedData:
    """How many questions of a data file count for systems, and why others do not."""

    data: str
    questions: int
    candidates: int
    one_sided: int
    without_reference: int


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A candidate of which the model and the string check say different things.

    ``reference`` is the one that speaks most for the candidate; ``score`` is the mean
    over all of them. ``matched`` says that one of them is the same string or nearly.
    """

    question_id: str
    question: str
    candidate_id: str
    candidate: str
    reference: str
    correct: bool
    matched: bool
    score: float


@dataclass(frozen=True)
class ModelReport:
    """One model's part. ``pointwise`` is at the card's threshold, systems at this one.

    ``tuned`` is None where the card's threshold was taken. ``disagreements`` are the
    ones that were asked for, the model's surest first, out of ``disagreeing``.
    """

    model: str
    configuration: str
    threshold: float
    tuned: TunedThreshold | None
    pointwise: Evaluated | None
    splits: tuple[SplitReport, ...] = ()
    disagreements: tuple[Disagreement, ...] = ()
    disagreeing: int = 0


@dataclass(frozen=True)
class Report:
    """All models on the same data; ``data`` is dev, where there is one, and test."""

    references: References
    models: tuple[ModelReport, ...]
    data: tuple[UsedData, ...]
    notes: tuple[str, ...] = field(default=())


def report(
    models: Sequence[Ava],
    test: Sequence[SelectionQuestion],
    *,
    dev: Sequence[SelectionQuestion] | None = None,
    runs: Sequence[Path] = (),
    dev_runs: Sequence[Path] = (),
    references: References = "others",
    examples: int = 5,
    names: tuple[str, str] = ("test", "dev"),
) -> Report:
    """Each model answer by answer, on systems, and where it differs from strings.

    ``runs`` are TREC runs of candidate ids, files or folders; those of the dev
    questions may stand among them or be ``dev_runs``. With dev and runs each model's
    threshold is tuned on dev, else it is the card's. ``names`` are those of test and
    dev. Scores are averaged over the references before the threshold.

    Raises EvaluationError for a dev set without runs or with ids that are in test
    too, and where no question counts; InputFileError for a run.

    Source: Vu & Moschitti 2020, sections 6.3 to 6.6.
    """
    used = usable_questions(test, references, name=names[0])
    dev_used = None if dev is None else usable_questions(
        dev, references, name=names[1]
    )  # fmt: skip
    on_test = read_systems(runs)
    on_dev = read_systems(dev_runs) if dev_runs else on_test
    _check(used, dev_used, on_test, on_dev, apart=bool(dev_runs))
    notes = [*dict.fromkeys((*on_test.notes, *on_dev.notes))]
    parts = [(used, on_test)]
    if dev_used is not None:
        parts.insert(0, (dev_used, on_dev))
    notes += [said for part in parts for said in _noted(*part)]
    answered = [one.answered() for one in test]
    pointwise: Sequence[Evaluated | None] = [None] * len(models)
    if any(one.makes_examples for one in answered):
        pointwise = evaluate_all(models, answered)
    elif not used.questions:
        raise EvaluationError(
            f"None of {len(test)} questions of {names[0]} has a correct and an "
            "incorrect candidate and a reference, so there is nothing to report."
        )
    else:
        notes.append(
            f"No question of {names[0]} has two correct answers: there are no pairs "
            "to check answer by answer."
        )
    return Report(
        references,
        tuple(
            _model_report(model, found, parts, examples)
            for model, found in zip(models, pointwise, strict=True)
        ),
        tuple(
            UsedData(
                one.name,
                len(one.questions),
                one.candidates,
                one.one_sided,
                one.without_reference,
            )
            for one, _ in parts
        ),
        tuple(notes),
    )


def save_threshold(folder: Path, found: ModelReport, *, dev: str) -> None:
    """Write the tuned threshold, and the name of the dev set, into the model's card.

    Raises EvaluationError where none was tuned.
    """
    if found.tuned is None:
        raise EvaluationError(
            "There is no tuned threshold to save: tuning takes --dev and --runs."
        )
    read_card(folder).tuned(found.tuned.threshold, dev).write(folder)


def _model_report(
    model: Ava,
    pointwise: Evaluated | None,
    parts: Sequence[tuple[Usable, Systems]],
    examples: int,
) -> ModelReport:
    """``parts`` are test alone, or dev and test."""
    scored = [scored_candidates(model, used.questions) for used, _ in parts]
    tuned = tuned_on(*parts[0], scored[0]) if len(parts) > 1 else None
    threshold = model.card.threshold if tuned is None else tuned.threshold
    splits = [
        split_report(used, systems, scores, threshold=threshold)
        for (used, systems), scores in zip(parts, scored, strict=True)
        if systems.rankings
    ]
    differ = disagreements(scored[-1], threshold)
    return ModelReport(
        model.card.name,
        model.card.configuration,
        threshold,
        tuned,
        pointwise,
        tuple(splits),
        tuple(differ[:examples]),
        len(differ),
    )


def disagreements(
    scored: Sequence[ScoredCandidate], threshold: float
) -> list[Disagreement]:
    """Where the string check and the model differ, the model's surest first."""
    found = []
    for one in scored:
        matched = any(
            answers_match(one.candidate.text, reference)
            for reference, _ in one.reference_scores
        )
        if matched != (one.score > threshold):
            found.append(
                Disagreement(
                    one.question.question_id,
                    one.question.text,
                    one.candidate.candidate_id,
                    one.candidate.text,
                    one.closest,
                    one.candidate.correct,
                    matched,
                    one.score,
                )
            )
    return sorted(found, key=lambda one: -abs(one.score - threshold))


def _check(
    used: Usable, dev: Usable | None, runs: Systems, dev_runs: Systems, *, apart: bool
) -> None:
    if dev is not None and not dev_runs.rankings:
        raise EvaluationError(
            "A threshold is tuned on dev so that systems come out right: give their "
            "runs with --runs, or leave --dev out."
        )
    if apart and dev is None:
        raise EvaluationError(
            "There are dev runs but no dev questions: give --dev too."
        )
    if dev is not None and not apart:
        both = {q.question.question_id for q in used.questions} & {
            q.question.question_id for q in dev.questions
        }
        if both:
            raise EvaluationError(
                f"{counted(len(both), 'question id')} stand in {used.name} and in "
                f"{dev.name} ({listed(both)}), so a run of one would be read as one of "
                "the other; give those of dev with --dev-runs."
            )
    for part, systems in ((dev, dev_runs), (used, runs)):
        if part is not None and systems.rankings and not systems.on(part):
            raise EvaluationError(
                f"No system answers one of the {len(part.questions)} questions of "
                f"{part.name} that count; are the runs of other data?"
            )


def _noted(used: Usable, systems: Systems) -> list[str]:
    notes = []
    if used.one_sided:
        notes.append(
            f"{used.name}: {counted(used.one_sided, 'question')} left out without a "
            "correct or without an incorrect candidate."
        )
    if used.without_reference:
        notes.append(
            f"{used.name}: {counted(used.without_reference, 'question')} left out "
            "whose one correct answer has no reference but itself; --references all "
            "counts them."
        )
    if unknown := unknown_answers(used, systems):
        notes.append(
            f"{used.name}: {counted(unknown, 'ranked answer')} not among the "
            "candidates: each keeps its rank and counts as wrong."
        )
    return notes
