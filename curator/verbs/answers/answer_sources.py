"""Whose answers are checked, and by which AVA graders."""

from __future__ import annotations

from collections.abc import Sequence

from curator.engine.gradebook import GraderRecord
from curator.engine.settings import grader_name
from curator.engine.state import State
from curator.errors import EvaluationError, UnknownNameError
from curator.verbs.answers.checked_answers import keyed
from curator.verbs.answers.sources import sources


class NoAnswersError(EvaluationError):
    """No grader of the workspace answers questions, so there is nothing to check."""


class NoAnswerKeysError(EvaluationError):
    """No kept question has an answer key, so there is nothing to check answers by."""


def answer_sources(state: State) -> tuple[str, ...]:
    """The graders whose answers can be checked; the one with most grades first.

    Of several that read the same responses the first stands for all.
    """

    def answered(record: GraderRecord) -> int:
        pools = state.collection.pools
        return sum(
            int((state.gradebook.graded(record, pools[q], asked).ratings >= 0).sum())
            for q, questions in state.bank.by_query.items()
            if (asked := keyed(questions)) and q in pools
        )

    def computed() -> tuple[str, ...]:
        found = sources(state)
        return tuple(one.name for one in sorted(found, key=answered, reverse=True))

    return state.cached(("answer sources",), computed)


def chosen_source(state: State, name: str | None) -> GraderRecord:
    """The answering grader of this name, by default the first that is offered.

    Raises NoAnswersError and NoAnswerKeysError where there is nothing to check, and
    UnknownNameError.
    """
    offered = answer_sources(state)
    if not offered:
        raise NoAnswersError(
            "No grader here answers questions, so there are no answers to check: "
            "`curator grade WORKSPACE --grader flan-t5-large/qa` extracts some, "
            "`curator import WORKSPACE --autograder FILE` brings some."
        )
    if not any(keyed(questions) for questions in state.bank.by_query.values()):
        raise NoAnswerKeysError(
            "No kept question has an answer key, so no answer can be checked: import a "
            "bank with answer keys by `curator import WORKSPACE --bank FILE`."
        )
    if name is None:
        return state.grader(offered[0])
    answering = [one for one in state.gradebook.records if one.spec.answers]
    record = _meant(state, name, answering)
    for one in map(state.grader, offered):
        if one.spec.responder.key == record.spec.responder.key:
            return one
    raise UnknownNameError(
        f"Grader '{record.name}' does not answer questions, so it has no answers to "
        f"check. Those that do: {', '.join(offered)}."
    )


def chosen_models(
    state: State, source: GraderRecord, names: Sequence[str] | None
) -> tuple[GraderRecord, ...]:
    """The AVA graders of these names, or all, that check the source's answers."""
    checking = [
        record
        for record in state.gradebook.records
        if record.spec.reading.answers_of == source.spec.responder.key
    ]
    if names is None:
        return tuple(checking)
    found = [_meant(state, name, checking) for name in dict.fromkeys(names)]
    for record in found:
        if record not in checking:
            known = ", ".join(one.name for one in checking) or "none yet"
            raise UnknownNameError(
                f"Grader '{record.name}' does not check the answers of {source.name}. "
                f"AVA graders that do: {known}."
            )
    return tuple(found)


def _meant(state: State, name: str, among: Sequence[GraderRecord]) -> GraderRecord:
    """The one of these that the name can mean, else of all graders.

    An AVA grader's name holds that of the grader whose answers it checks.
    """
    in_full = any(record.name == name for record in state.gradebook.records)
    found = () if in_full else state.gradebook.meant(name, among)
    return found[0] if len(found) == 1 else state.grader(grader_name(state, name))
