"""The paper's tables for our models, and what is kept of them beside each.

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
    Evaluated,
    References,
    ScoredCandidate,
    SplitReport,
    SystemRuns,
    UsableQuestions,
    evaluate_all,
    opened_model,
    read_systems,
    scored_candidates,
    split_report,
    tuned_on,
    usable_questions,
)
from grading.answers import answers_match
from grading.ava.card import from_stored, read_card, readable, understood, write_whole
from grading.ava.examples import merged, same_text
from grading.ava.model import Ava

REPORT = "report.json"
FORMAT = "ava-report/1"
OWN_THRESHOLD = 0.5  # a system's own score above it says that its answer is right
RATIOS = ("precision", "recall", "f1")
TUNED = (
    "{dev}: at a tuned threshold the P@1 of its systems has the smallest RMSE. Any "
    "between two neighbouring scores is equally good; the middle of such a gap is "
    "taken, of several the nearest to .5."
)

Splits = Sequence[tuple[UsableQuestions, SystemRuns]]
"""Dev, where there is one, and test, each with the systems that answer it."""


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


@dataclass(frozen=True, slots=True)
class ScoredAnswer:
    """A system's first answer, with the system's own score and the model's.

    ``reference`` is the one that speaks most for the answer.
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

    Right are own scores above 0.5. ``differing`` are the answers of which the two say
    different things, those with the largest difference of scores first.
    """

    system: str
    own_counts: Confusion
    model_counts: Confusion
    differing: tuple[ScoredAnswer, ...]


@dataclass(frozen=True)
class ModelReport:
    """One model's part. ``pointwise`` is at the card's threshold, systems at this one.

    ``model`` is the card's name, or the folder where two models share one. ``tuned``
    is None where the card's threshold was taken. ``disagreements`` are the ones that
    were asked for, the model's surest first, out of ``disagreeing``; they are at
    ``threshold`` too.
    """

    model: str
    configuration: str
    threshold: float
    tuned: TunedThreshold | None
    pointwise: Evaluated | None
    splits: tuple[SplitReport, ...] = ()
    disagreements: tuple[Disagreement, ...] = ()
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
    """The model on single answers of ``data``, at the threshold of its card then."""

    data: str
    threshold: float
    questions: int
    found: Confusion


@dataclass(frozen=True, slots=True)
class SavedSplit:
    """The systems of ``data`` by the model and by gold labels, measure by measure."""

    data: str
    questions: int
    agreements: tuple[MeasureAgreement, ...]


@dataclass(frozen=True, slots=True)
class SavedReport:
    """What a model's folder says of how well it stands in for people.

    ``threshold`` is that of the systems, tuned on the data ``tuned_on``, or the
    card's where that is "". ``references`` says what a correct answer was held
    against; ``points`` is None where the data made no pairs.
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
    """The paper's tables for these models, or those in folders: by answer and system.

    ``runs`` are TREC runs of candidate ids, files or folders; those of the dev
    questions, on which thresholds are tuned, may stand among them or be ``dev_runs``.
    With ``dev`` and runs each model's threshold is tuned on dev, else it is the card's.
    Of equally good thresholds, which lie between two neighbouring scores, the middle
    of the gap nearest to .5 is taken. Scores are averaged over the references before
    the threshold; ``references`` "all" holds a correct answer against itself too.
    ``examples`` is how many answers to list on which model and string check differ,
    ``names`` what test and dev are called. ``baseline`` is a system whose own scores of
    its first answers are held against the model's.

    Raises EvaluationError for a dev set without runs or with ids that are in test
    too, for a system none of whose answers is a candidate, for a baseline that is no
    system or whose scores are no probabilities, and where no question counts;
    InvalidScoreError; InputFileError for a run.

    Source: Vu & Moschitti 2020, sections 6.3 to 6.6.
    """
    opened = list(map(opened_model, models))
    used, on_test = (
        usable_questions(test, references, name=names[0]),
        read_systems(runs),
    )
    splits = [(used, on_test)]
    if dev is not None:
        on_dev = read_systems(dev_runs) if dev_runs else on_test
        splits.insert(0, (usable_questions(dev, references, name=names[1]), on_dev))
    elif dev_runs:
        raise EvaluationError(
            "There are dev runs but no dev questions: give --dev too."
        )
    for held, on_dev in splits[:-1]:
        _refuse_mismatched(used, held, on_dev, dev_runs=bool(dev_runs))
    notes = _notes(splits)
    if dev is not None:
        notes.append(TUNED.format(dev=names[1]))
    answered = [one.answered() for one in test]
    pointwise: Sequence[Evaluated | None] = [None] * len(models)
    # Systems are judged by question ids, single answers by the questions' texts.
    if any(one.makes_examples for one in merged(answered)):
        pointwise = evaluate_all(opened, answered)
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
    cards = [model.card.name for model in opened]
    reports = []
    for given, model, evaluated in zip(models, opened, pointwise, strict=True):
        # Of models that share a name the folders, as given.
        shared = cards.count(model.card.name) > 1 and isinstance(given, str | Path)
        name = str(given) if shared else model.card.name
        reports.append(
            _model_report(model, name, evaluated, splits, examples, baseline)
        )
    data = tuple(one for one, _ in splits)
    return AnswerCheckingReport(references, tuple(reports), data, tuple(notes))


def save_threshold(folder: str | Path, found: ModelReport, *, dev: str) -> None:
    """Write the tuned threshold, and the name of the dev set, into the model's card.

    Raises EvaluationError where none was tuned, TrainingError where the card cannot be
    written.
    """
    if found.tuned is None:
        raise EvaluationError(
            "There is no tuned threshold to save: tuning takes --dev and --runs."
        )
    read_card(Path(folder)).tuned(found.tuned.threshold, dev).write(Path(folder))


def save_report(
    folder: str | Path, found: ModelReport, within: AnswerCheckingReport
) -> None:
    """Keep a model's part of a report in its folder, whole or not at all.

    ``show`` finds it there. Raises MissingModelError where there is no model,
    TrainingError where the folder cannot be written.
    """
    read_card(Path(folder))
    points = found.pointwise
    kept = SavedReport(
        within.references,
        found.threshold,
        found.splits[0].data if found.tuned else "",
        None
        if points is None
        else SavedPoints(
            within.data[-1].name, points.threshold, points.questions, points.ava
        ),
        tuple(
            SavedSplit(one.data, one.questions, one.agreements) for one in found.splits
        ),
    )
    stored: dict[str, Any] = {"format": FORMAT, **asdict(kept)}
    if kept.points is not None:  # follow from the counts; for whoever reads the file
        ratios = {name: getattr(kept.points.found, name) for name in RATIOS}
        stored["points"]["found"] |= ratios
    text = json.dumps(stored, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    write_whole(Path(folder), REPORT, text)


def read_saved_report(folder: Path) -> SavedReport | None:
    """The report in a model's folder, None where none was saved.

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
            raise ValueError("its format is another one")
        points = stored["points"]
        if points is not None:
            points["found"] = {
                k: v for k, v in points["found"].items() if k not in RATIOS
            }
            points = from_stored(SavedPoints, points)
        found: SavedReport = from_stored(SavedReport, stored | {"points": None})
        for one in found.splits:
            if any(each.measure not in MEASURES for each in one.agreements):
                raise ValueError("a measure is of another kind")
    return replace(found, points=points)


def _model_report(
    model: Ava,
    name: str,
    pointwise: Evaluated | None,
    splits: Splits,
    examples: int,
    baseline: str | None,
) -> ModelReport:
    """``splits`` are test alone, or dev and test."""
    scored = [scored_candidates(model, used) for used, _ in splits]
    tuned = tuned_on(*splits[0], scored[0]) if len(splits) > 1 else None
    threshold = model.card.threshold if tuned is None else tuned.threshold
    reports = [
        split_report(used, systems, scores, threshold=threshold)
        for (used, systems), scores in zip(splits, scored, strict=True)
        if systems.rankings
    ]
    # Summed in another order, the same RMSE would differ in its last digits.
    if tuned is not None and (rmse := reports[0].agreements[0].rmse) is not None:
        tuned = replace(tuned, rmse=rmse)
    differ = _disagreements(scored[-1], threshold)
    return ModelReport(
        name,
        model.card.configuration,
        threshold,
        tuned,
        None if pointwise is None else replace(pointwise, model=name),
        tuple(reports),
        tuple(differ[:examples]),
        len(differ),
        None
        if baseline is None
        else _baseline(baseline, splits[-1][1], scored[-1], threshold),
    )


def _baseline(
    system: str,
    systems: SystemRuns,
    scored: Sequence[ScoredCandidate],
    threshold: float,
) -> Baseline:
    """Hold a system's own scores of its first answers against the model's."""
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
            f"The scores of '{system}' are no probabilities: a baseline's go from 0 "
            "to 1, and above 0.5 it takes its answer for right."
        )
    right = [answer.correct for answer in answers]
    own_says = [answer.own_score > OWN_THRESHOLD for answer in answers]
    model_says = [answer.score > threshold for answer in answers]
    differing = [
        answer
        for answer, by_system, by_model in zip(
            answers, own_says, model_says, strict=True
        )
        if by_system != by_model
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
) -> list[Disagreement]:
    """Where the string check and the model differ, the model's surest first.

    Of candidates of a question that are the same text with the same label, the first
    stands for all.
    """
    first: dict[tuple[str, str, bool], ScoredCandidate] = {}
    for one in scored:
        text, correct = same_text(one.candidate.text), one.candidate.correct
        first.setdefault((one.question.question_id, text, correct), one)
    differing = []
    for one in first.values():
        question, candidate = one.question, one.candidate
        references = [reference for reference, _ in one.reference_scores]
        matched = any(answers_match(candidate.text, text) for text in references)
        if matched != (one.score > threshold):
            differing.append(
                Disagreement(
                    *(question.question_id, question.text),
                    *(candidate.candidate_id, candidate.text, one.closest),
                    candidate.correct,
                    matched,
                    one.score,
                )
            )
    return sorted(differing, key=lambda one: -abs(one.score - threshold))


def _refuse_mismatched(
    test: UsableQuestions, dev: UsableQuestions, runs: SystemRuns, *, dev_runs: bool
) -> None:
    """Raise EvaluationError where dev has no runs, or shares those of test's ids."""
    if not runs.rankings:
        raise EvaluationError(
            "A threshold is tuned on dev so that systems come out right: give their "
            "runs with --runs, or leave --dev out."
        )
    both = test.gold.keys() & dev.gold.keys()
    if both and not dev_runs:
        raise EvaluationError(
            f"{counted(len(both), 'question id')} stand in {test.name} and in "
            f"{dev.name} ({listed(both)}), so a run of one would be read as one of the "
            "other; give those of dev with --dev-runs."
        )


def _notes(splits: Splits) -> list[str]:
    """What does not count, and what counts as wrong, a line each."""
    notes = list(dict.fromkeys(note for _, runs in splits for note in runs.notes))
    for used, systems in splits:
        notes += [*_of_data(used), *_of_systems(used, systems)]
    known = {system for used, systems in splits for system in systems.on(used)}
    named = {system for _, systems in splits for system in systems.rankings}
    if idle := named - known:
        notes.append(
            f"{counted(len(idle), 'system')} left out without an answer to a question "
            f"that counts: {listed(idle)}."
        )
    return notes


def _of_data(used: UsableQuestions) -> list[str]:
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
    both = sum(one.answered().contradictions for one, _ in used.questions)
    if both:
        notes.append(
            f"{used.name}: {counted(both, 'answer stands', 'answers stand')} as "
            "correct and as incorrect: each line keeps its label in rankings, and is "
            "no reference."
        )
    return notes


def _of_systems(used: UsableQuestions, systems: SystemRuns) -> list[str]:
    """What systems skip, and what they rank that is no candidate.

    Raises EvaluationError where the runs are not of these data: where no system answers
    a question that counts, or one ranks no candidate at all.
    """
    gold, answering = used.gold, systems.on(used)
    if systems.rankings and not answering:
        raise EvaluationError(
            f"No system answers one of the {len(used.questions)} questions of "
            f"{used.name} that count; are the runs of other data?"
        )
    skips, foreign = [], []
    for system, rankings in answering.items():
        ranked = [(q, one) for q, known in rankings.items() for one in known if one]
        unknown = [(q, one) for q, one in ranked if one not in gold[q]]
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
        asked = [question.question_id for question, _ in used.questions]
        if skipped := sum(not any(rankings.get(one, ())) for one in asked):
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
