"""Systems that answer questions, by gold labels and by a model's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from curator.errors import EvaluationError
from curator.evaluation.answer_checking import (
    MEASURES,
    MeasureAgreement,
    SystemMeasures,
    TunedThreshold,
    gives_one_answer,
    measure_agreement,
    system_measures,
    tuned_threshold,
)
from curator.formats.trec_runs import read_runs
from curator.verbs.answers.ava_candidates import ScoredCandidate, Usable

Ranked = Mapping[str, Mapping[str, tuple[str | None, ...]]]
"""Candidate ids by system and question id, best first; None at an empty rank."""


@dataclass(frozen=True)
class Systems:
    """What runs say, with what was odd about them.

    ``sources`` are the files or folders of runs, as given, by system.
    """

    rankings: Ranked
    notes: tuple[str, ...] = ()
    sources: Mapping[str, str] = field(default_factory=dict)

    def on(self, used: Usable) -> dict[str, dict[str, tuple[str | None, ...]]]:
        """The systems that answer one of these questions, with those answers alone."""
        ids = {one.question.question_id for one in used.questions}
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
    agreements: tuple[MeasureAgreement, ...] = field(default=())


def read_systems(paths: Sequence[Path]) -> Systems:
    """The rankings of runs, files or folders of them; ranks as everywhere, from 1.

    Raises InputFileError, and EvaluationError where two of them rank one question for
    one system.
    """
    rankings: dict[str, dict[str, tuple[str | None, ...]]] = {}
    notes: list[str] = []
    sources: dict[str, str] = {}
    for path in paths:
        parsed = read_runs(path)
        notes += [f"{path.name}: {said}" for said in parsed.notices]
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
    return Systems(rankings, tuple(notes), sources)


def tuned_on(
    used: Usable, systems: Systems, scored: Sequence[ScoredCandidate]
) -> TunedThreshold:
    """The threshold at which the model's P@1 is nearest to gold's on these systems."""
    scores = _scores(scored)
    gold = used.gold
    top_scores: dict[str, list[float | None]] = {}
    right: dict[str, int] = {}
    for system, rankings in systems.on(used).items():
        first = {q: (rankings.get(q) or (None,))[0] for q in gold}
        top_scores[system] = [scores[q].get(one or "") for q, one in first.items()]
        right[system] = sum(gold[q].get(one or "", False) for q, one in first.items())
    return tuned_threshold(top_scores, right)


def split_report(
    used: Usable,
    systems: Systems,
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
        for question_id, known in _scores(scored).items()
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


def unknown_answers(used: Usable, systems: Systems) -> dict[str, int]:
    """By system, how many ranked answers to these questions are no candidate.

    Systems without any are not named.
    """
    gold = used.gold
    return _named(
        {
            system: sum(
                one is not None and one not in gold[question_id]
                for question_id, ranking in rankings.items()
                for one in ranking
            )
            for system, rankings in systems.on(used).items()
        }
    )


def skipped_questions(used: Usable, systems: Systems) -> dict[str, int]:
    """By system, how many of these questions it has no answer to, if there are any."""
    return _named(
        {
            system: sum(
                not any(rankings.get(one.question.question_id, ()))
                for one in used.questions
            )
            for system, rankings in systems.on(used).items()
        }
    )


def _named(numbers: Mapping[str, int]) -> dict[str, int]:
    return {system: number for system, number in numbers.items() if number}


def _scores(scored: Sequence[ScoredCandidate]) -> dict[str, dict[str, float]]:
    by_question: dict[str, dict[str, float]] = {}
    for one in scored:
        of_question = by_question.setdefault(one.question.question_id, {})
        of_question[one.candidate.candidate_id] = one.score
    return by_question
