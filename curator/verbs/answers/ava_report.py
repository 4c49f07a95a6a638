"""What the paper's section 6 says of its models, said of ours.

Source: Vu & Moschitti 2020, Tables 6 to 10.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from curator.errors import EvaluationError
from curator.evaluation.answer_checking import TunedThreshold
from curator.formats.answer_selection import SelectionQuestion
from curator.verbs.answers.ava_candidates import (
    References,
    ScoredCandidate,
    scored_candidates,
    usable_questions,
)
from curator.verbs.answers.ava_evaluate import Evaluated, evaluate_all
from curator.verbs.answers.ava_questions import merged
from curator.verbs.answers.ava_report_checks import (
    Parts,
    refuse_mismatched,
    report_notes,
)
from curator.verbs.answers.ava_systems import (
    SplitReport,
    read_systems,
    split_report,
    tuned_on,
)
from grading.answers import answers_match
from grading.ava.card import read_card
from grading.ava.examples import same_text
from grading.ava.model import Ava

TUNED = (
    "{dev}: at a tuned threshold the P@1 of its systems has the smallest RMSE. Any "
    "between two neighbouring scores is equally good; the middle of such a gap is "
    "taken, of several the nearest to .5."
)


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
    folders: Sequence[Path | None] = (),
) -> Report:
    """Each model answer by answer, on systems, and where it differs from strings.

    ``runs`` are TREC runs of candidate ids, files or folders; those of the dev
    questions may stand among them or be ``dev_runs``. With dev and runs each model's
    threshold is tuned on dev, else it is the card's. ``names`` are those of test and
    dev. Scores are averaged over the references before the threshold. ``folders`` are
    those of the models, None where one has none; they tell models of one name apart.

    Of equally good thresholds, which lie between two neighbouring scores, the middle
    of the gap nearest to .5 is taken.

    Raises EvaluationError for a dev set without runs or with ids that are in test
    too, for a system none of whose answers is a candidate, and where no question
    counts; InputFileError for a run.

    Source: Vu & Moschitti 2020, sections 6.3 to 6.6.
    """
    used = usable_questions(test, references, name=names[0])
    dev_used = None if dev is None else usable_questions(
        dev, references, name=names[1]
    )  # fmt: skip
    on_test = read_systems(runs)
    on_dev = read_systems(dev_runs) if dev_runs else on_test
    parts = [(used, on_test)]
    if dev_used is not None:
        parts.insert(0, (dev_used, on_dev))
    refuse_mismatched(parts, dev_runs=bool(dev_runs))
    notes = report_notes(parts)
    if dev_used is not None:
        notes.append(TUNED.format(dev=dev_used.name))
    answered = [one.answered() for one in test]
    pointwise: Sequence[Evaluated | None] = [None] * len(models)
    # Systems are judged by question ids, single answers by the questions' texts.
    if any(one.makes_examples for one in merged(answered)):
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
            _model_report(model, name, found, parts, examples)
            for model, name, found in zip(
                models, _names(models, folders), pointwise, strict=True
            )
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


def _names(models: Sequence[Ava], folders: Sequence[Path | None]) -> list[str]:
    """The cards' names, but of models that share one the folders as given."""
    names = [model.card.name for model in models]
    return [
        name if folder is None or names.count(name) == 1 else str(folder)
        for name, folder in zip(names, folders or [None] * len(models), strict=True)
    ]


def _model_report(
    model: Ava,
    name: str,
    pointwise: Evaluated | None,
    parts: Parts,
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
    # Summed in another order, the same RMSE would differ in its last digits.
    if tuned is not None and (rmse := splits[0].agreements[0].rmse) is not None:
        tuned = replace(tuned, rmse=rmse)
    differ = disagreements(scored[-1], threshold)
    return ModelReport(
        name,
        model.card.configuration,
        threshold,
        tuned,
        None if pointwise is None else replace(pointwise, model=name),
        tuple(splits),
        tuple(differ[:examples]),
        len(differ),
    )


def disagreements(
    scored: Sequence[ScoredCandidate], threshold: float
) -> list[Disagreement]:
    """Where the string check and the model differ, the model's surest first.

    Of candidates of a question that are the same text with the same label, the first
    stands for all.
    """
    found = []
    seen: set[tuple[str, str, bool]] = set()
    for one in scored:
        candidate = one.candidate
        text = same_text(candidate.text)
        key = (one.question.question_id, text, candidate.correct)
        if key in seen:
            continue
        seen.add(key)
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
