"""``answer_checks``: string matching, AVA models and people on the same answers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from curator.bank.edits.verdict import majority
from curator.engine.gradebook import GraderRecord
from curator.engine.state import State
from curator.evaluation.answer_checking import (
    NOT_ASKED,
    RIGHT,
    UNKNOWN,
    WRONG,
    Decisions,
    MeasureAgreement,
    accuracies,
    measure_agreement,
    two_checks,
)
from curator.formats.text.notices import counted
from curator.verbs.answers.answer_sources import chosen_models, chosen_source
from curator.verbs.answers.checked_answers import QueryAnswers, query_answers
from curator.verbs.answers.compared_checks import (
    NO_VERDICTS,
    STRING,
    AnswerChecks,
    Check,
    CheckedSystem,
)


def answer_checks(
    state: State,
    source: str | None = None,
    graders: Sequence[str] | None = None,
) -> AnswerChecks:
    """String matching, AVA graders and people on what one grader answered.

    People's verdicts as far as they may be seen.

    ``source`` is an answering grader, by default the one with most answers to the
    questions with a key; ``graders`` are AVA graders, by default all that check its
    answers. Names may be cut short. Raises UnknownNameError, NoAnswersError and
    NoAnswerKeysError.
    """
    state = state.seen
    chosen = chosen_source(state, source)
    models = chosen_models(state, chosen, graders)
    key = ("answer checks", chosen.grader_id, *(one.grader_id for one in models))
    return state.cached(key, lambda: _answer_checks(state, chosen, models))


def _answer_checks(
    state: State,
    source: GraderRecord,
    models: Sequence[GraderRecord],
) -> AnswerChecks:
    parts = tuple(
        query_answers(state, source, models, query_id) for query_id in state.query_ids()
    )
    by_check = tuple(
        np.concatenate([np.zeros(0, np.int8), *(one.decisions[n] for one in parts)])
        for n in range(1 + len(models))
    )
    by_people = np.concatenate(
        [np.zeros(0, np.int8), *(_verdicts(state, one) for one in parts)]
    )
    checks = tuple(
        Check(
            name,
            name.replace(f"+{source.name}", ""),
            threshold,
            int((said != UNKNOWN).sum()),
            int((said == RIGHT).sum()),
            two_checks(said, by_people),
        )
        for (name, threshold), said in zip(
            [(STRING, None), *((one.name, _threshold(one)) for one in models)],
            by_check,
            strict=True,
        )
    )
    systems = _systems(state, parts, by_check, by_people)
    judged = int((by_people != UNKNOWN).sum())
    return AnswerChecks(
        source=source.name,
        questions=sum(len(one.questions) for one in parts),
        kept=sum(one.state == "kept" for one in state.bank),
        answers=len(by_people),
        judged=judged,
        checks=checks,
        pairs=tuple(
            (checks[a].name, checks[b].name, two_checks(*two))
            for (a, b), two in zip(
                combinations(range(len(checks)), 2),
                combinations(by_check, 2),
                strict=True,
            )
        ),
        systems=systems,
        agreements=_agreements(checks, systems),
        notes=_notes(source, checks, systems, len(by_people), judged),
        _parts=parts,
        _said=(*by_check, by_people),
    )


def _verdicts(state: State, part: QueryAnswers) -> Decisions:
    """What most people say of each answer."""
    most = majority(state.bank.verdicts_of(part.query_id))
    if not most:
        return np.full(len(part.answers), UNKNOWN, dtype=np.int8)
    value = {"right": RIGHT, "wrong": WRONG, None: UNKNOWN}
    words = (
        (part.questions[number].text, one.answer)
        for one, number in zip(part.answers, part.asked, strict=True)
    )
    said = [value[most.get((text or "", answer))] for text, answer in words]
    return np.array(said, dtype=np.int8)


def _systems(
    state: State,
    parts: Sequence[QueryAnswers],
    by_check: Sequence[Decisions],
    by_people: Decisions,
) -> tuple[CheckedSystem, ...]:
    """Every system, the best by string matching first."""
    names = state.collection.systems
    numbered, before = [np.zeros((len(names), 0), dtype=np.int32)], 0
    for part in parts:
        numbered.append(np.where(part.firsts >= 0, part.firsts + before, part.firsts))
        before += len(part.answers)
    firsts = np.concatenate(numbered, axis=1)
    asked = (firsts != NOT_ASKED).sum(axis=1).tolist()
    *checked, people = (accuracies(one, firsts) for one in (*by_check, by_people))
    found = [
        CheckedSystem(name, asked[row], tuple(one[row] for one in checked), people[row])
        for row, name in enumerate(names)
    ]
    return tuple(sorted(found, key=lambda one: (-(one.by_check[0] or 0), one.system)))


def _agreements(
    checks: Sequence[Check], systems: Sequence[CheckedSystem]
) -> tuple[MeasureAgreement, ...]:
    """Each check's accuracies against people's, over the systems that have both."""
    if all(one.by_people is None for one in systems):
        return ()
    return tuple(
        measure_agreement(
            check.name,
            *zip(
                *(
                    (one.by_check[n], one.by_people)
                    for one in systems
                    if one.by_check[n] is not None and one.by_people is not None
                ),
                strict=True,
            ),
        )
        for n, check in enumerate(checks)
    )


def _notes(
    source: GraderRecord,
    checks: Sequence[Check],
    systems: Sequence[CheckedSystem],
    answers: int,
    judged: int,
) -> tuple[str, ...]:
    """What there is not, and the way to it."""
    notes = []
    if len(checks) == 1:
        notes.append(
            "No AVA grader has scored these answers: `curator ava train` makes a "
            f"model, `curator grade WORKSPACE --grader 'ava:FOLDER+{source.name}'` "
            "has it score them."
        )
    notes += [
        f"{one.name} has not scored {counted(answers - one.checked, 'answer')}: "
        f"`curator grade WORKSPACE --grader '{one.name}'` goes on."
        for one in checks
        if one.checked < answers
    ]
    if not judged:
        notes.append(NO_VERDICTS)
    elif judged < answers:
        notes.append(
            f"What is held against people's verdicts rests on {judged:,} of "
            f"{counted(answers, 'answer')}: those that have a majority. If these are "
            "mostly answers on which checks differ, it does not show how good a check "
            "is on all."
        )
    if judged and systems and all(one.by_people is None for one in systems):
        notes.append(
            "No system has an accuracy by people: every answer in its first passages "
            "needs a majority of verdicts."
        )
    return tuple(notes)


def _threshold(model: GraderRecord) -> float | None:
    """The score above which the model calls an answer right."""
    return next(iter(model.spec.reading.thresholds), None)
