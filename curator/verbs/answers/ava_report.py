"""The paper's tables for AVA models, and the reports saved in their folders.

Source: Vu & Moschitti 2020, sections 6.3 to 6.6, Tables 6 to 10.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from curator.collection.rankings import Ranking
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
from curator.formats.answer_selection import SelectionQuestion
from curator.formats.text.notices import counted, listed
from curator.formats.trec.runs import read_runs
from curator.results import Result, to_json
from curator.verbs.answers.ava_evaluation import (
    AvaEvaluation,
    evaluate_pairs,
    open_model,
)
from grading.answers import answers_match
from grading.ava.card import read_card, read_json, understood, write_json
from grading.ava.examples import same_text
from grading.ava.model import Ava, Triple, checked_scores

REPORT = "report.json"
FORMAT = "ava-report/1"
OWN_THRESHOLD = 0.5  # a system calls its answer right if its own score is above it

References = Literal["others", "all"]
"""References of a correct candidate: the other correct ones, or itself too."""

Runs = Mapping[str, Mapping[str, Ranking]]
"""Rankings of candidate ids, by system and question id."""

NO_RUNS: Runs = {}


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
    runs: Runs

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
    def rankings(self) -> dict[str, dict[str, tuple[str | None, ...]]]:
        """Candidate ids, best first, of the systems that answer a usable question.

        By system and question id; None at an empty rank.
        """
        ids = {
            system: {
                question_id: tuple(
                    None if slot is None or slot.repeats else slot.passage_id
                    for slot in ranking.slots
                )
                for question_id, ranking in rankings.items()
                if question_id in self.gold
            }
            for system, rankings in self.runs.items()
        }
        return {system: rankings for system, rankings in ids.items() if rankings}

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
class CheckedCandidate:
    """A candidate with the model's score and the result of another check.

    ``reference`` is the one with the highest score; ``score`` is the mean over all
    references. ``other_check`` is True where a reference is nearly the same string, or
    a system's own score.
    """

    question_id: str
    question: str
    candidate_id: str
    candidate: str
    reference: str
    correct: bool
    score: float
    other_check: float


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
    agreements: tuple[MeasureAgreement, ...]


@dataclass(frozen=True)
class Baseline:
    """Compares a system's own scores of its first answers with the model's.

    An own score above 0.5 calls the answer right. ``differing`` are the answers on
    which the two disagree, those with the largest difference of scores first.
    """

    system: str
    own_counts: Confusion
    model_counts: Confusion
    differing: tuple[CheckedCandidate, ...]


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
    splits: tuple[SplitReport, ...]
    disagreements: tuple[CheckedCandidate, ...]
    disagreeing: int
    baseline: Baseline | None


@dataclass(frozen=True)
class AnswerCheckingReport(Result[Any], table="answers.report_tables"):
    """All models on the same data; ``data`` is dev, where there is one, and test."""

    references: References
    models: tuple[ModelReport, ...]
    data: tuple[UsableQuestions, ...]
    notes: tuple[str, ...]


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
    systems, notes = read_systems(runs)
    used = usable_questions(test, references, name=names[0], runs=systems)
    data = [used]
    if dev_runs:
        systems, dev_notes = read_systems(dev_runs)
        notes = [*dev_notes, *notes]
    if dev is not None:
        dev_used = usable_questions(dev, references, name=names[1], runs=systems)
        _check_runs(dev_used, used, is_shared=not dev_runs)
        data.insert(0, dev_used)
    elif dev_runs:
        raise EvaluationError(
            "There are dev runs but no dev questions: give --dev too."
        )
    notes += _notes(data)
    opened = list(map(open_model, models))
    # Systems are judged by question ids, single answers by the questions' texts.
    pointwise = [evaluate_pairs(model, test) for model in opened]
    if not (data[-1].questions or any(each.questions for each in pointwise)):
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
        _model_report(model, replace(evaluated, model=name), data, examples, baseline)
        for model, evaluated, name in zip(opened, pointwise, model_names, strict=True)
    )
    distinct_notes = tuple(dict.fromkeys(notes))
    return AnswerCheckingReport(references, reports, tuple(data), distinct_notes)


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
        "splits": to_json(
            [replace(split, systems=()) for split in model_report.splits]
        ),
    }
    for split in stored["splits"]:
        del split["systems"]
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


def read_systems(paths: Sequence[str | Path]) -> tuple[Runs, list[str]]:
    """Read the rankings of runs, given as files or folders, and notes on oddities.

    Raises InputFileError, and EvaluationError where two of them rank one question for
    one system.
    """
    systems: defaultdict[str, dict[str, Ranking]] = defaultdict(dict)
    notes: list[str] = []
    for path in map(Path, paths):
        parsed = read_runs(path)
        notes += [f"{path.name}: {notice}" for notice in parsed.notices]
        for ranking in parsed.rankings:
            if ranking.query_id in systems[ranking.system]:
                raise EvaluationError(
                    f"System '{ranking.system}' ranks question '{ranking.query_id}' in "
                    "two runs. Give each run once, and each system its own tag."
                )
            systems[ranking.system][ranking.query_id] = ranking
    return systems, notes


def usable_questions(
    questions: Iterable[SelectionQuestion],
    references: References,
    *,
    name: str,
    runs: Runs = NO_RUNS,
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
        if not (answered.correct and answered.incorrect):
            one_sided += 1
            continue
        by_candidate = tuple(
            tuple(
                text
                for text in answered.correct
                if references == "all" or same_text(text) != same_text(candidate.text)
            )
            for candidate in question.candidates
        )
        if all(by_candidate):
            used.append((question, by_candidate))
        else:
            without_reference += 1
    return UsableQuestions(name, tuple(used), one_sided, without_reference, runs)


def check_candidates(model: Ava, used: UsableQuestions) -> list[CheckedCandidate]:
    """Check every candidate by the model, in one call, and by comparing strings.

    Raises InvalidScoreError.
    """
    candidates = [
        (question, candidate, references)
        for question, by_candidate in used.questions
        for candidate, references in zip(question.candidates, by_candidate, strict=True)
    ]
    triples = [
        Triple(question.text, reference, candidate.text, question.short_answer)
        for question, candidate, references in candidates
        for reference in references
    ]
    scores = iter(checked_scores(model, triples).tolist())
    checked = []
    for question, candidate, references in candidates:
        by_reference = {reference: next(scores) for reference in references}
        checked.append(
            CheckedCandidate(
                question.question_id,
                question.text,
                candidate.candidate_id,
                candidate.text,
                max(by_reference, key=by_reference.__getitem__),
                candidate.correct,
                sum(by_reference.values()) / len(by_reference),
                any(answers_match(candidate.text, text) for text in references),
            )
        )
    return checked


def _model_report(
    model: Ava,
    pointwise: AvaEvaluation,
    data: Sequence[UsableQuestions],
    examples: int,
    baseline: str | None,
) -> ModelReport:
    checked = [check_candidates(model, used) for used in data]
    threshold, tuned_on = model.card.threshold, ""
    if len(data) > 1:
        threshold, tuned_on = _tuned_threshold(data[0], checked[0]), data[0].name
    # Candidates of a question with the same text and label are listed once.
    distinct = {
        (row.question_id, same_text(row.candidate), row.correct): row
        for row in reversed(checked[-1])
    }
    differing = [
        row
        for row in reversed(distinct.values())
        if row.other_check != (row.score > threshold)
    ]
    differing.sort(key=lambda row: -abs(row.score - threshold))
    return ModelReport(
        pointwise.model,
        model.card.configuration,
        threshold,
        tuned_on,
        pointwise,
        tuple(
            _split_report(used, candidates, threshold)
            for used, candidates in zip(data, checked, strict=True)
            if used.runs
        ),
        tuple(differing[:examples]),
        len(differing),
        _baseline(baseline, data[-1].runs, checked[-1], threshold)
        if baseline
        else None,
    )


def _tuned_threshold(
    used: UsableQuestions, checked: Sequence[CheckedCandidate]
) -> float:
    """The threshold at which the model's P@1 is nearest to gold's on these systems."""
    candidates = {(row.question_id, row.candidate_id): row for row in checked}
    top_scores: dict[str, list[float | None]] = {}
    right: dict[str, int] = {}
    for system, rankings in used.rankings.items():
        first = [
            candidates.get((question_id, (rankings.get(question_id) or ("",))[0] or ""))
            for question_id in used.gold
        ]
        top_scores[system] = [row.score if row else None for row in first]
        right[system] = sum(row is not None and row.correct for row in first)
    return tuned_threshold(top_scores, right)


def _split_report(
    used: UsableQuestions, checked: Sequence[CheckedCandidate], threshold: float
) -> SplitReport:
    """Measure every system by both labels, and the agreement of the two by measure.

    MAP and MRR are of the systems that rank; a system with one answer per question has
    P@1 only.
    """
    by_model: defaultdict[str, dict[str, bool]] = defaultdict(dict)
    for row in checked:
        by_model[row.question_id][row.candidate_id] = row.score > threshold
    rows = tuple(
        SystemRow(
            system,
            system_measures(rankings, used.gold),
            system_measures(rankings, by_model),
        )
        for system, rankings in used.rankings.items()
    )
    agreements = []
    for measure in MEASURES:
        if measured := [row for row in rows if measure in row.gold]:
            values = [row.ava[measure] for row in measured]
            gold = [row.gold[measure] for row in measured]
            agreements.append(measure_agreement(measure, values, gold))
    return SplitReport(used.name, len(used.questions), rows, tuple(agreements))


def _baseline(
    system: str,
    runs: Runs,
    checked: Sequence[CheckedCandidate],
    threshold: float,
) -> Baseline:
    own_scores = {
        (question_id, ranking.slots[0].passage_id): ranking.slots[0].score
        for question_id, ranking in runs.get(system, {}).items()
        if ranking.slots and ranking.slots[0]
    }
    # Others are not candidates of a question that counts.
    answers = [
        replace(row, other_check=own_scores[row.question_id, row.candidate_id])
        for row in checked
        if (row.question_id, row.candidate_id) in own_scores
    ]
    if not answers:
        raise EvaluationError(
            f"'{system}' has no first answer here that is a candidate. Systems of the "
            f"runs: {listed(runs) or 'none'}."
        )
    if any(not 0 <= answer.other_check <= 1 for answer in answers):
        raise EvaluationError(
            f"The scores of '{system}' are not probabilities. A baseline needs scores "
            "from 0 to 1; above 0.5 it calls its answer right."
        )
    right = [answer.correct for answer in answers]
    by_system = [answer.other_check > OWN_THRESHOLD for answer in answers]
    by_model = [answer.score > threshold for answer in answers]
    differing = [
        answer
        for answer, other, model in zip(answers, by_system, by_model, strict=True)
        if other != model
    ]
    differing.sort(key=lambda answer: -abs(answer.score - answer.other_check))
    return Baseline(
        system,
        confusion_of(by_system, right),
        confusion_of(by_model, right),
        tuple(differing),
    )


def _check_runs(
    dev: UsableQuestions, test: UsableQuestions, *, is_shared: bool
) -> None:
    if not dev.runs:
        raise EvaluationError(
            "Tuning on dev needs runs of systems. Give them with --runs, or leave "
            "out --dev."
        )
    shared_ids = test.gold.keys() & dev.gold.keys()
    if shared_ids and is_shared:
        raise EvaluationError(
            f"{counted(len(shared_ids), 'question id')} are in both {test.name} and "
            f"{dev.name} ({listed(shared_ids)}), so the runs are ambiguous. Give "
            f"the runs of {dev.name} with --dev-runs."
        )


def _notes(data: Sequence[UsableQuestions]) -> list[str]:
    notes: list[str] = []
    for used in data:
        notes += [f"{used.name}: {note}" for note in _split_notes(used)]
    idle = {system for used in data for system in used.runs}
    idle -= {system for used in data for system in used.rankings}
    if idle:
        notes.append(
            f"{counted(len(idle), 'system')} left out, without an answer to a counted "
            f"question: {listed(idle)}."
        )
    if len(data) > 1:
        notes.append(
            f"{data[0].name}: the tuned threshold gives the P@1 of its systems the "
            "smallest RMSE. Of equally good thresholds, the middle of the gap nearest "
            "to .5 is used."
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
    if used.runs and not used.rankings:
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
