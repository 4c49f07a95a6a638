"""The paper's tables for AVA models, and the reports saved in their folders.

Source: Vu & Moschitti 2020, Tables 6 to 10.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import compress
from operator import ne
from pathlib import Path
from typing import Any

from curator.errors import EvaluationError
from curator.evaluation.answer_checking import Confusion, confusion_of
from curator.formats.answer_selection import SelectionQuestion
from curator.formats.text.notices import counted, listed
from curator.results import to_json
from curator.verbs.answers.ava_evaluation import (
    AvaEvaluation,
    References,
    ScoredCandidate,
    SplitReport,
    UsableQuestions,
    evaluate_all,
    open_model,
    read_systems,
    scored_candidates,
    split_report,
    tune_on_dev,
    usable_questions,
)
from grading.answers import answers_match
from grading.ava.card import read_card, read_json, understood, write_json
from grading.ava.examples import same_text
from grading.ava.model import Ava

REPORT = "report.json"
FORMAT = "ava-report/1"
OWN_THRESHOLD = 0.5  # a system calls its answer right if its own score is above it
TUNED = (
    "{dev}: the tuned threshold gives the P@1 of its systems the smallest RMSE. Of "
    "equally good thresholds, the middle of the gap nearest to .5 is used."
)


@dataclass(frozen=True, slots=True)
class DifferingAnswer:
    """A candidate on which the model and another check disagree.

    ``reference`` is the one with the highest score; ``score`` is the mean over all
    references. ``other_check`` is the other's: True where a reference is nearly the
    same string, or a system's own score.
    """

    question_id: str
    question: str
    candidate_id: str
    candidate: str
    reference: str
    correct: bool
    score: float
    other_check: float


@dataclass(frozen=True)
class Baseline:
    """Compares a system's own scores of its first answers with the model's.

    An own score above 0.5 calls the answer right. ``differing`` are the answers on
    which the two disagree, those with the largest difference of scores first.
    """

    system: str
    own_counts: Confusion
    model_counts: Confusion
    differing: tuple[DifferingAnswer, ...]


@dataclass(frozen=True)
class ModelReport:
    """A model's figures: ``pointwise`` at the card's threshold, systems at this one.

    ``model`` is the card's name, or the folder where two models share one. ``tuned_on``
    is "" where the card's threshold was taken. ``disagreements`` with the string check
    are the first of the ``disagreeing``, those of which the model is surest, at
    ``threshold`` too.
    """

    model: str
    configuration: str
    threshold: float
    tuned_on: str
    pointwise: AvaEvaluation
    splits: tuple[SplitReport, ...] = ()
    disagreements: tuple[DifferingAnswer, ...] = ()
    disagreeing: int = 0
    baseline: Baseline | None = None


@dataclass(frozen=True)
class AnswerCheckingReport:
    """All models on the same data; ``data`` is dev, where there is one, and test."""

    references: References
    models: tuple[ModelReport, ...]
    data: tuple[UsableQuestions, ...]
    notes: tuple[str, ...] = ()


def report(
    models: Sequence[Ava | str | Path],
    test: Sequence[SelectionQuestion],
    *,
    dev: Sequence[SelectionQuestion] | None = None,
    runs: Sequence[str | Path] = (),
    dev_runs: Sequence[str | Path] = (),
    references: References = "others",
    examples: int = 5,
    names: tuple[str, str] = ("test", "dev"),
    baseline: str | None = None,
) -> AnswerCheckingReport:
    """Compute the paper's tables for these models, or those in folders.

    With ``dev`` and runs each model's threshold is tuned on dev, else it is the card's.
    Of equally good thresholds, which lie between two neighbouring scores, the middle
    of the gap nearest to .5 is taken. Scores are averaged over the references before
    the threshold. ``names`` are what test and dev are called.

    Raises EvaluationError for a dev set without runs or with ids that are in test
    too, for a system none of whose answers is a candidate, for a baseline that is no
    system or whose scores are no probabilities, and where no question counts;
    InvalidScoreError; InputFileError for a run.

    Source: Vu & Moschitti 2020, sections 6.3 to 6.6.

    Args:
        runs (--runs PATH): TREC runs of candidate ids, a file or a folder; repeat for
            several.
        dev_runs (--dev-runs PATH): Runs for the dev questions, if dev and test share
            ids. [--runs]
        references: Compare a correct answer with the others, or with all and itself.
        examples (N): Candidates to show on which model and string check differ.
        baseline (SYSTEM): Compare this system's own scores of its first answers, from 0
            to 1, with the model's.
    """
    if dev is None and dev_runs:
        raise EvaluationError(
            "There are dev runs but no dev questions: give --dev too."
        )
    opened = list(map(open_model, models))
    systems = read_systems(runs)
    used = usable_questions(test, references, name=names[0], runs=systems)
    data: tuple[UsableQuestions, ...] = (used,)
    if dev is not None:
        systems = read_systems(dev_runs) if dev_runs else systems
        dev_used = usable_questions(dev, references, name=names[1], runs=systems)
        data = dev_used, used
        if not systems.rankings:
            raise EvaluationError(
                "Tuning on dev needs runs of systems. Give them with --runs, or leave "
                "out --dev."
            )
        shared_ids = used.gold.keys() & dev_used.gold.keys()
        if shared_ids and not dev_runs:
            raise EvaluationError(
                f"{counted(len(shared_ids), 'question id')} are in both {names[0]} and "
                f"{names[1]} ({listed(shared_ids)}), so the runs are ambiguous. Give "
                f"the runs of {names[1]} with --dev-runs."
            )
    notes = _notes(data)
    if dev is not None:
        notes.append(TUNED.format(dev=names[1]))
    # Systems are judged by question ids, single answers by the questions' texts.
    pointwise = evaluate_all(opened, test)
    if not (used.questions or any(each.questions for each in pointwise)):
        raise EvaluationError(
            f"None of {len(test)} questions of {names[0]} has a correct and an "
            "incorrect candidate and a reference, so there is nothing to report."
        )
    # Models that share a name are told apart by their folders, as given.
    cards = [model.card.name for model in opened]
    model_names = [
        str(model) if cards.count(card) > 1 and isinstance(model, str | Path) else card
        for model, card in zip(models, cards, strict=True)
    ]
    reports = tuple(
        _model_report(model, name, evaluated, data, examples, baseline)
        for model, name, evaluated in zip(opened, model_names, pointwise, strict=True)
    )
    return AnswerCheckingReport(references, reports, data, tuple(notes))


def save_threshold(folder: str | Path, model_report: ModelReport) -> None:
    """Write the tuned threshold and the name of the dev set into the model's card.

    Raises EvaluationError where none was tuned.
    """
    if not model_report.tuned_on:
        raise EvaluationError(
            "There is no tuned threshold to save. Tune one with --dev and --runs."
        )
    threshold, tuned_on = model_report.threshold, model_report.tuned_on
    card = replace(read_card(Path(folder)), threshold=threshold, tuned_on=tuned_on)
    card.write(Path(folder))


def save_report(
    folder: str | Path, model_report: ModelReport, report: AnswerCheckingReport
) -> None:
    """Save a model's part of a report in its folder, atomically.

    ``show`` finds it there. Raises MissingModelError where there is no model.
    """
    read_card(Path(folder))
    points = model_report.pointwise
    stored = {
        "format": FORMAT,
        "references": report.references,
        "threshold": model_report.threshold,
        "tuned_on": model_report.tuned_on,
        "points": {
            "data": report.data[-1].name,
            "threshold": points.threshold,
            "questions": points.questions,
            "found": to_json(points.ava),
        },
        "splits": [
            {
                "data": split.data,
                "questions": split.questions,
                "agreements": to_json(split.agreements),
            }
            for split in model_report.splits
        ],
    }
    write_json(Path(folder) / REPORT, stored)


def read_saved_report(folder: Path) -> dict[str, Any] | None:
    """Read what ``save_report`` wrote into a model's folder; None without a report.

    Raises InvalidSpecError for a file that is not understood.
    """
    file = folder / REPORT
    if not file.is_file():
        return None
    with understood(file, "delete it, or save a report again with `--save`"):
        return read_json(file, FORMAT)


def _model_report(
    model: Ava,
    name: str,
    pointwise: AvaEvaluation,
    data: Sequence[UsableQuestions],
    examples: int,
    baseline: str | None,
) -> ModelReport:
    scored = [scored_candidates(model, used) for used in data]
    threshold, tuned_on = model.card.threshold, ""
    if len(data) > 1:
        threshold, tuned_on = tune_on_dev(data[0], scored[0]), data[0].name
    differing = _string_disagreements(scored[-1], threshold)
    return ModelReport(
        name,
        model.card.configuration,
        threshold,
        tuned_on,
        replace(pointwise, model=name),
        tuple(
            split_report(used, scores, threshold=threshold)
            for used, scores in zip(data, scored, strict=True)
            if used.runs.rankings
        ),
        tuple(differing[:examples]),
        len(differing),
        _baseline(baseline, data[-1], scored[-1], threshold) if baseline else None,
    )


def _baseline(
    system: str,
    used: UsableQuestions,
    scored: Sequence[ScoredCandidate],
    threshold: float,
) -> Baseline:
    runs = used.runs
    # Others are not candidates of a question that counts.
    own_scores = {
        (question_id, runs.rankings[system][question_id][0]): score
        for question_id, score in runs.first_scores.get(system, {}).items()
    }
    answers = [
        _differing_answer(row, own_scores[row.key])
        for row in scored
        if row.key in own_scores
    ]
    if not answers:
        raise EvaluationError(
            f"'{system}' has no first answer here that is a candidate. Systems of the "
            f"runs: {listed(runs.rankings) or 'none'}."
        )
    if any(not 0 <= answer.other_check <= 1 for answer in answers):
        raise EvaluationError(
            f"The scores of '{system}' are not probabilities. A baseline needs scores "
            "from 0 to 1; above 0.5 it calls its answer right."
        )
    right = [answer.correct for answer in answers]
    by_system = [answer.other_check > OWN_THRESHOLD for answer in answers]
    by_model = [answer.score > threshold for answer in answers]
    differing = list(compress(answers, map(ne, by_system, by_model)))
    differing.sort(key=lambda answer: -abs(answer.score - answer.other_check))
    return Baseline(
        system,
        confusion_of(by_system, right),
        confusion_of(by_model, right),
        tuple(differing),
    )


def _string_disagreements(
    scored: Sequence[ScoredCandidate], threshold: float
) -> list[DifferingAnswer]:
    # Candidates of a question with the same text and label are listed once.
    distinct: dict[tuple[str, str, bool], ScoredCandidate] = {}
    for row in scored:
        text, correct = same_text(row.candidate.text), row.candidate.correct
        distinct.setdefault((row.question.question_id, text, correct), row)
    answers = [
        _differing_answer(
            row,
            any(
                answers_match(row.candidate.text, text) for text in row.reference_scores
            ),
        )
        for row in distinct.values()
    ]
    differing = [row for row in answers if row.other_check != (row.score > threshold)]
    return sorted(differing, key=lambda answer: -abs(answer.score - threshold))


def _differing_answer(row: ScoredCandidate, other_check: float) -> DifferingAnswer:
    return DifferingAnswer(
        row.question.question_id,
        row.question.text,
        row.candidate.candidate_id,
        row.candidate.text,
        max(row.reference_scores, key=row.reference_scores.__getitem__),
        row.candidate.correct,
        row.score,
        other_check,
    )


def _notes(data: Sequence[UsableQuestions]) -> list[str]:
    notes = list(dict.fromkeys(note for used in data for note in used.runs.notes))
    for used in data:
        notes += [f"{used.name}: {note}" for note in _split_notes(used)]
    idle = {system for used in data for system in used.runs.rankings}
    idle -= {system for used in data for system in used.rankings}
    if idle:
        notes.append(
            f"{counted(len(idle), 'system')} left out, without an answer to a counted "
            f"question: {listed(idle)}."
        )
    return notes


def _split_notes(used: UsableQuestions) -> list[str]:
    """List what does not count: questions and answers of systems.

    Raises EvaluationError where the runs are not of these data: where no system answers
    a question that counts, or one ranks no candidate at all.
    """
    left_out = {
        "without a correct or without an incorrect candidate": used.one_sided,
        "whose only correct answer has no other reference (--references all counts "
        "them)": used.without_reference,
    }
    notes = [
        f"{counted(number, 'question')} left out {reason}."
        for reason, number in left_out.items()
        if number
    ]
    if used.runs.rankings and not used.rankings:
        raise EvaluationError(
            f"No system answers any of the {len(used.questions)} counted questions of "
            f"{used.name}. Are the runs of other data?"
        )
    skips, foreign = [], []
    for system, rankings in used.rankings.items():
        ranked = [(q, name) for q, names in rankings.items() for name in names if name]
        unknown = [name for q, name in ranked if name not in used.gold[q]]
        if unknown and len(unknown) == len(ranked):
            raise EvaluationError(
                f"System '{system}' ranks no candidate of {used.name}: its first "
                f"answer is '{unknown[0]}'. A run ranks candidates by their ids in the "
                "data."
            )
        if unknown:
            foreign.append(f"{counted(len(unknown), 'ranked answer')} of {system}")
        if skipped := sum(not any(rankings.get(q, ())) for q in used.gold):
            skips.append(f"{system} skips {counted(skipped, 'question')}")
    if skips:
        notes.append(f"{listed(skips)}; they count 0.")
    if foreign:
        notes.append(f"not among the candidates, and wrong: {listed(foreign)}.")
    return notes
