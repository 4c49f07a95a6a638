"""What a report says of its data and runs beside the numbers, and what it refuses."""

from __future__ import annotations

from collections.abc import Sequence

from curator.errors import EvaluationError
from curator.formats.text.notices import counted, listed
from curator.verbs.answers.ava_candidates import Usable
from curator.verbs.answers.ava_systems import (
    Ranked,
    Systems,
    skipped_questions,
    unknown_answers,
)

Parts = Sequence[tuple[Usable, Systems]]
"""Dev, where there is one, and test, each with the systems that answer it."""


def refuse_mismatched(parts: Parts, *, dev_runs: bool) -> None:
    """Raise EvaluationError where runs are missing, or are not of these data.

    ``dev_runs`` says that the dev questions have runs of their own.
    """
    used, _ = parts[-1]
    dev = parts[0] if len(parts) > 1 else None
    if dev is not None and not dev[1].rankings:
        raise EvaluationError(
            "A threshold is tuned on dev so that systems come out right: give their "
            "runs with --runs, or leave --dev out."
        )
    if dev_runs and dev is None:
        raise EvaluationError(
            "There are dev runs but no dev questions: give --dev too."
        )
    if dev is not None and not dev_runs:
        both = used.gold.keys() & dev[0].gold.keys()
        if both:
            raise EvaluationError(
                f"{counted(len(both), 'question id')} stand in {used.name} and in "
                f"{dev[0].name} ({listed(both)}), so a run of one would be read as one "
                "of the other; give those of dev with --dev-runs."
            )
    for part, systems in parts:
        if systems.rankings and not systems.on(part):
            raise EvaluationError(
                f"No system answers one of the {len(part.questions)} questions of "
                f"{part.name} that count; are the runs of other data?"
            )
        _refuse_foreign(part, systems)


def report_notes(parts: Parts) -> list[str]:
    """What does not count, and what counts as wrong, a line each."""
    notes = [*dict.fromkeys(said for _, systems in parts for said in systems.notes)]
    for used, systems in parts:
        notes += _of_data(used)
        notes += _of_systems(used, systems)
    known = {system for used, systems in parts for system in systems.on(used)}
    named = {system for _, systems in parts for system in systems.rankings}
    if idle := named - known:
        notes.append(
            f"{counted(len(idle), 'system')} left out without an answer to a question "
            f"that counts: {listed(idle)}."
        )
    return notes


def _of_data(used: Usable) -> list[str]:
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
    both = sum(one.question.answered().contradictions for one in used.questions)
    if both:
        notes.append(
            f"{used.name}: {counted(both, 'answer stands', 'answers stand')} as "
            "correct and as incorrect: each line keeps its label in rankings, and is "
            "no reference."
        )
    return notes


def _of_systems(used: Usable, systems: Systems) -> list[str]:
    notes = []
    if skipped := skipped_questions(used, systems):
        said = listed(
            f"{system} skips {counted(number, 'question')}"
            for system, number in skipped.items()
        )
        notes.append(f"{used.name}: {said}; they count 0.")
    if unknown := unknown_answers(used, systems):
        said = listed(
            f"{counted(number, 'ranked answer')} of {system}"
            for system, number in unknown.items()
        )
        notes.append(
            f"{used.name}: not among the candidates: {said}; each keeps its rank and "
            "counts as wrong."
        )
    return notes


def _refuse_foreign(used: Usable, systems: Systems) -> None:
    """Raise EvaluationError for a system that ranks things of another kind."""
    unknown = unknown_answers(used, systems)
    answering = systems.on(used)
    for system, number in unknown.items():
        ranked = _answers(answering, system)
        if len(ranked) > number:
            continue
        question_id, answer = ranked[0]
        candidate = next(iter(used.gold[question_id]))
        raise EvaluationError(
            f"System '{system}' of '{systems.sources.get(system, 'the runs')}' ranks "
            f"no candidate of {used.name}: its first answer to question "
            f"'{question_id}' is '{answer}', where '{candidate}' is one of the "
            "candidates. A run ranks candidates by their ids in the data."
        )


def _answers(systems: Ranked, system: str) -> list[tuple[str, str]]:
    """The (question id, answer) pairs of a system, without its empty ranks."""
    return [
        (question_id, one)
        for question_id, ranking in systems[system].items()
        for one in ranking
        if one is not None
    ]
