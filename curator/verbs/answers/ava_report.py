"""The paper's tables for AVA models, and the reports saved in their folders.

Source: Vu & Moschitti 2020, Tables 6 to 10.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from curator.errors import EvaluationError
from curator.evaluation.answer_checking import (
    MEASURES,
    Confusion,
    MeasureAgreement,
    TunedThreshold,
    confusion_of,
)
from curator.formats.answer_selection import SelectionQuestion
from curator.formats.text.notices import counted, listed
from curator.verbs.answers.ava_evaluation import (
    AvaEvaluation,
    References,
    ScoredCandidate,
    SplitReport,
    SystemRuns,
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
from grading.ava.card import from_stored, read_card, readable, understood, write_whole
from grading.ava.examples import merged, same_text
from grading.ava.model import Ava

REPORT = "report.json"
FORMAT = "ava-report/1"
OWN_THRESHOLD = 0.5  # a system calls its answer right if its own score is above it
RATIOS = ("precision", "recall", "f1")
TUNED = (
    "{dev}: the tuned threshold gives the P@1 of its systems the smallest RMSE. Of "
    "equally good thresholds, the middle of the gap nearest to .5 is used."
)

Splits = Sequence[tuple[UsableQuestions, SystemRuns]]
"""Dev, where there is one, and test, each with the systems that answer it."""


@dataclass(frozen=True, slots=True)
class StringDisagreement:
    """A candidate on which the model and the string check disagree.

    ``reference`` is the one with the highest score; ``score`` is the mean over all
    references. ``matched`` is True if one of them is nearly the same string.
    """

    question_id: str
    question: str
    candidate_id: str
    candidate: str
    reference: str
    correct: bool
    matched: bool
    score: float


@dataclass(frozen=True, slots=True)
class ScoredAnswer:
    """A system's first answer, with the system's own score and the model's.

    ``reference`` is the one with the highest score for the answer.
    """

    question: str
    candidate: str
    own_score: float
    reference: str
    score: float
    correct: bool


@dataclass(frozen=True)
class Baseline:
    """Compares a system's own scores of its first answers with the model's.

    An own score above 0.5 calls the answer right. ``differing`` are the answers on
    which the two disagree, those with the largest difference of scores first.
    """

    system: str
    own_counts: Confusion
    model_counts: Confusion
    differing: tuple[ScoredAnswer, ...]


@dataclass(frozen=True)
class ModelReport:
    """A model's figures: ``pointwise`` at the card's threshold, systems at this one.

    ``model`` is the card's name, or the folder where two models share one. ``tuned`` is
    None where the card's threshold was taken. ``disagreements`` are the first of the
    ``disagreeing``, those of which the model is surest, at ``threshold`` too.
    """

    model: str
    configuration: str
    threshold: float
    tuned: TunedThreshold | None
    pointwise: AvaEvaluation | None
    splits: tuple[SplitReport, ...] = ()
    disagreements: tuple[StringDisagreement, ...] = ()
    disagreeing: int = 0
    baseline: Baseline | None = None


@dataclass(frozen=True)
class AnswerCheckingReport:
    """All models on the same data; ``data`` is dev, where there is one, and test."""

    references: References
    models: tuple[ModelReport, ...]
    data: tuple[UsableQuestions, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SavedPoints:
    """A model's figures on single answers of ``data``, at its card's threshold then."""

    data: str
    threshold: float
    questions: int
    found: Confusion


@dataclass(frozen=True, slots=True)
class SavedSplit:
    """Agreement of the model and gold labels on the systems of ``data``."""

    data: str
    questions: int
    agreements: tuple[MeasureAgreement, ...]


@dataclass(frozen=True, slots=True)
class SavedReport:
    """A report as saved in a model's folder.

    ``threshold`` is that of the systems, tuned on the data ``tuned_on``, or the card's
    where that is "". ``references`` says what a correct answer was compared with;
    ``points`` is None where the data made no pairs.
    """

    references: str
    threshold: float
    tuned_on: str
    points: SavedPoints | None
    splits: tuple[SavedSplit, ...]


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
    opened = list(map(open_model, models))
    used, test_runs = (
        usable_questions(test, references, name=names[0]),
        read_systems(runs),
    )
    splits = [(used, test_runs)]
    if dev is not None:
        dev_systems = read_systems(dev_runs) if dev_runs else test_runs
        splits.insert(
            0, (usable_questions(dev, references, name=names[1]), dev_systems)
        )
    elif dev_runs:
        raise EvaluationError(
            "There are dev runs but no dev questions: give --dev too."
        )
    for dev_used, dev_systems in splits[:-1]:
        _refuse_mismatched(used, dev_used, dev_systems, dev_runs=bool(dev_runs))
    notes = _notes(splits)
    if dev is not None:
        notes.append(TUNED.format(dev=names[1]))
    answered = [question.answered() for question in test]
    pointwise: Sequence[AvaEvaluation | None] = [None] * len(models)
    # Systems are judged by question ids, single answers by the questions' texts.
    if any(question.makes_examples for question in merged(answered)):
        pointwise = evaluate_all(opened, answered)
    elif not used.questions:
        raise EvaluationError(
            f"None of {len(test)} questions of {names[0]} has a correct and an "
            "incorrect candidate and a reference, so there is nothing to report."
        )
    else:
        notes.append(
            f"No question of {names[0]} has two correct answers, so single answers are "
            "not evaluated."
        )
    cards = [model.card.name for model in opened]
    reports = []
    for model_or_folder, model, evaluated in zip(
        models, opened, pointwise, strict=True
    ):
        # Of models that share a name the folders, as given.
        shared = cards.count(model.card.name) > 1 and isinstance(
            model_or_folder, str | Path
        )
        name = str(model_or_folder) if shared else model.card.name
        reports.append(
            _model_report(model, name, evaluated, splits, examples, baseline)
        )
    data = tuple(used_questions for used_questions, _ in splits)
    return AnswerCheckingReport(references, tuple(reports), data, tuple(notes))


def save_threshold(folder: str | Path, model_report: ModelReport, *, dev: str) -> None:
    """Write the tuned threshold and the name of the dev set into the model's card.

    Raises EvaluationError where none was tuned, TrainingError where the card cannot be
    written.
    """
    if model_report.tuned is None:
        raise EvaluationError(
            "There is no tuned threshold to save. Tune one with --dev and --runs."
        )
    read_card(Path(folder)).tuned(model_report.tuned.threshold, dev).write(Path(folder))


def save_report(
    folder: str | Path, model_report: ModelReport, report: AnswerCheckingReport
) -> None:
    """Save a model's part of a report in its folder, atomically.

    ``show`` finds it there. Raises MissingModelError where there is no model,
    TrainingError where the folder cannot be written.
    """
    read_card(Path(folder))
    points, saved_points = model_report.pointwise, None
    if points is not None:
        saved_points = SavedPoints(
            report.data[-1].name, points.threshold, points.questions, points.ava
        )
    kept = SavedReport(
        report.references,
        model_report.threshold,
        model_report.splits[0].data if model_report.tuned else "",
        saved_points,
        tuple(
            SavedSplit(split.data, split.questions, split.agreements)
            for split in model_report.splits
        ),
    )
    stored: dict[str, Any] = {"format": FORMAT, **asdict(kept)}
    if kept.points is not None:  # derived from the counts, for readers of the file
        ratios = {name: getattr(kept.points.found, name) for name in RATIOS}
        stored["points"]["found"] |= ratios
    text = json.dumps(stored, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    write_whole(Path(folder), REPORT, text)


def read_saved_report(folder: Path) -> SavedReport | None:
    """Read the report in a model's folder; None where none was saved.

    Raises InvalidSpecError for one that is not understood, MissingModelError for one
    that cannot be read.
    """
    file = folder / REPORT
    with readable(folder):
        if not file.is_file():
            return None
        written = file.read_bytes()
    with understood(
        file,
        "report",
        "delete it, or save one again with `curator ava report … --save`",
    ):
        stored: dict[str, Any] = json.loads(written.decode())
        if stored.pop("format") != FORMAT:
            raise ValueError("unknown format")
        points = stored["points"]
        if points is not None:
            points["found"] = {
                k: v for k, v in points["found"].items() if k not in RATIOS
            }
            points = from_stored(SavedPoints, points)
        saved: SavedReport = from_stored(SavedReport, stored | {"points": None})
        for split in saved.splits:
            if any(agreement.measure not in MEASURES for agreement in split.agreements):
                raise ValueError("unknown measure")
    return replace(saved, points=points)


def _model_report(
    model: Ava,
    name: str,
    pointwise: AvaEvaluation | None,
    splits: Splits,
    examples: int,
    baseline: str | None,
) -> ModelReport:
    scored = [scored_candidates(model, used) for used, _ in splits]
    tuned = tune_on_dev(*splits[0], scored[0]) if len(splits) > 1 else None
    threshold = model.card.threshold if tuned is None else tuned.threshold
    reports = [
        split_report(used, systems, scores, threshold=threshold)
        for (used, systems), scores in zip(splits, scored, strict=True)
        if systems.rankings
    ]
    # Summed in another order, the same RMSE would differ in its last digits.
    if tuned is not None and (rmse := reports[0].agreements[0].rmse) is not None:
        tuned = replace(tuned, rmse=rmse)
    differ, compared = _disagreements(scored[-1], threshold), None
    if baseline is not None:
        compared = _baseline(baseline, splits[-1][1], scored[-1], threshold)
    return ModelReport(
        name,
        model.card.configuration,
        threshold,
        tuned,
        None if pointwise is None else replace(pointwise, model=name),
        tuple(reports),
        tuple(differ[:examples]),
        len(differ),
        compared,
    )


def _baseline(
    system: str,
    systems: SystemRuns,
    scored: Sequence[ScoredCandidate],
    threshold: float,
) -> Baseline:
    candidates: dict[tuple[str, str | None], ScoredCandidate] = {
        (candidate.question.question_id, candidate.candidate.candidate_id): candidate
        for candidate in scored
    }
    answers = []
    for question_id, own_score in systems.first_scores.get(system, {}).items():
        first = candidates.get((question_id, systems.rankings[system][question_id][0]))
        if first is None:  # not a candidate of a question that counts
            continue
        question, candidate = first.question.text, first.candidate
        answers.append(
            ScoredAnswer(
                question,
                candidate.text,
                own_score,
                first.closest,
                first.score,
                candidate.correct,
            )
        )
    if not answers:
        raise EvaluationError(
            f"'{system}' has no first answer here that is a candidate. Systems of the "
            f"runs: {listed(systems.rankings) or 'none'}."
        )
    if any(not 0 <= answer.own_score <= 1 for answer in answers):
        raise EvaluationError(
            f"The scores of '{system}' are not probabilities. A baseline needs scores "
            "from 0 to 1; above 0.5 it calls its answer right."
        )
    right = [answer.correct for answer in answers]
    own_says = [answer.own_score > OWN_THRESHOLD for answer in answers]
    model_says = [answer.score > threshold for answer in answers]
    differing = [
        answer
        for answer, system_value, model_value in zip(
            answers, own_says, model_says, strict=True
        )
        if system_value != model_value
    ]
    differing.sort(key=lambda answer: -abs(answer.score - answer.own_score))
    return Baseline(
        system,
        confusion_of(own_says, right),
        confusion_of(model_says, right),
        tuple(differing),
    )


def _disagreements(
    scored: Sequence[ScoredCandidate], threshold: float
) -> list[StringDisagreement]:
    # Candidates of a question with the same text and label are listed once.
    first: dict[tuple[str, str, bool], ScoredCandidate] = {}
    for scored_candidate in scored:
        candidate = scored_candidate.candidate
        key = (
            scored_candidate.question.question_id,
            same_text(candidate.text),
            candidate.correct,
        )
        first.setdefault(key, scored_candidate)
    differing = []
    for scored_candidate in first.values():
        question, candidate = scored_candidate.question, scored_candidate.candidate
        references = [reference for reference, _ in scored_candidate.reference_scores]
        matched = any(answers_match(candidate.text, text) for text in references)
        if matched != (scored_candidate.score > threshold):
            differing.append(
                StringDisagreement(
                    question.question_id,
                    question.text,
                    candidate.candidate_id,
                    candidate.text,
                    scored_candidate.closest,
                    candidate.correct,
                    matched,
                    scored_candidate.score,
                )
            )
    return sorted(
        differing, key=lambda disagreement: -abs(disagreement.score - threshold)
    )


def _refuse_mismatched(
    test: UsableQuestions, dev: UsableQuestions, runs: SystemRuns, *, dev_runs: bool
) -> None:
    if not runs.rankings:
        raise EvaluationError(
            "Tuning on dev needs runs of systems. Give them with --runs, or leave out "
            "--dev."
        )
    shared_ids = test.gold.keys() & dev.gold.keys()
    if shared_ids and not dev_runs:
        raise EvaluationError(
            f"{counted(len(shared_ids), 'question id')} are in both {test.name} and "
            f"{dev.name} ({listed(shared_ids)}), so the runs are ambiguous. Give the "
            f"runs of {dev.name} with --dev-runs."
        )


def _notes(splits: Splits) -> list[str]:
    notes = list(dict.fromkeys(note for _, runs in splits for note in runs.notes))
    for used, systems in splits:
        notes += [*_data_notes(used), *_system_notes(used, systems)]
    answering = {
        system for used, systems in splits for system in systems.rankings_for(used)
    }
    named = {system for _, systems in splits for system in systems.rankings}
    if idle := named - answering:
        notes.append(
            f"{counted(len(idle), 'system')} left out, without an answer to a counted "
            f"question: {listed(idle)}."
        )
    return notes


def _data_notes(used: UsableQuestions) -> list[str]:
    notes = []
    if used.one_sided:
        notes.append(
            f"{used.name}: {counted(used.one_sided, 'question')} left out without a "
            "correct or without an incorrect candidate."
        )
    if used.without_reference:
        notes.append(
            f"{used.name}: {counted(used.without_reference, 'question')} left out: the "
            "only correct answer has no other reference. --references all counts them."
        )
    contradictions = sum(
        question.answered().contradictions for question, _ in used.questions
    )
    if contradictions:
        number = counted(contradictions, "answer")
        notes.append(
            f"{used.name}: {number} given as correct and as incorrect. Each line keeps "
            "its label in rankings, and none is used as a reference."
        )
    return notes


def _system_notes(used: UsableQuestions, systems: SystemRuns) -> list[str]:
    """Notes on questions that systems skip, and on answers that are no candidates.

    Raises EvaluationError where the runs are not of these data: where no system answers
    a question that counts, or one ranks no candidate at all.
    """
    gold, answering = used.gold, systems.rankings_for(used)
    if systems.rankings and not answering:
        raise EvaluationError(
            f"No system answers any of the {len(used.questions)} counted questions of "
            f"{used.name}. Are the runs of other data?"
        )
    skips, foreign = [], []
    for system, rankings in answering.items():
        ranked = [
            (q, candidate_id)
            for q, ranking in rankings.items()
            for candidate_id in ranking
            if candidate_id
        ]
        unknown = [
            (q, candidate_id)
            for q, candidate_id in ranked
            if candidate_id not in gold[q]
        ]
        if unknown and len(unknown) == len(ranked):
            question_id, answer = unknown[0]
            raise EvaluationError(
                f"System '{system}' of '{systems.sources[system]}' ranks no candidate "
                f"of {used.name}: its first answer to question '{question_id}' is "
                f"'{answer}', where '{next(iter(gold[question_id]))}' is one of the "
                "candidates. A run ranks candidates by their ids in the data."
            )
        if unknown:
            foreign.append(f"{counted(len(unknown), 'ranked answer')} of {system}")
        question_ids = [question.question_id for question, _ in used.questions]
        if skipped := sum(
            not any(rankings.get(question_id, ())) for question_id in question_ids
        ):
            skips.append(f"{system} skips {counted(skipped, 'question')}")
    notes = []
    if skips:
        notes.append(f"{used.name}: {listed(skips)}; they count 0.")
    if foreign:
        notes.append(
            f"{used.name}: not among the candidates: {listed(foreign)}; each keeps its "
            "rank and counts as wrong."
        )
    return notes
