"""Which grader ``ava:FOLDER+SOURCE`` means: a model, and whose answers it checks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from curator.boards import Boards
from curator.errors import NotGradableError, UnknownNameError
from curator.gradebook import GraderRecord, plain_name
from curator.verbs.sources import sources
from grading.ava.card import CARD
from grading.errors import MissingModelError
from grading.graders.ava import FAMILY, AvaGrader, opened


def checker_named(boards: Boards, name: str) -> tuple[GraderRecord, AvaGrader]:
    """The grader of this name with its model, opened but not loaded.

    It says what the model in its folder is now. One of the workspace that has a number
    behind its name keeps the threshold it was stored with. Raises MissingModelError
    where the model is gone or is another one by now, UnknownNameError and
    NotGradableError where nobody's answers can be checked.
    """
    stored = next((r for r in boards.gradebook.records if r.name == name), None)
    if stored is not None and stored.parts:
        folder, source = _folder_of(stored), stored.parts[0]
    else:
        folder, source = _parsed(boards, name)
    grader = opened(folder, source.spec)
    if stored is not None and stored.spec.responder != grader.spec.responder:
        raise MissingModelError(
            f"{name}: the model in '{folder}' is not the one that it was when it "
            "graded. Put the same files back, or keep the new model in another folder"
        )
    if stored is not None and not name.endswith(f"+{source.name}"):
        return stored, AvaGrader(stored.spec, grader.model)
    for record in boards.gradebook.records:
        if record.spec.key == grader.spec.key:
            return record, grader
    return GraderRecord(0, grader.spec, (source,)), grader


def _folder_of(record: GraderRecord) -> str:
    """The folder that a stored grader's name names."""
    rest = f"+{record.parts[0].name}"
    name = record.name if record.name.endswith(rest) else plain_name(record.name)
    return name.removeprefix(FAMILY).removesuffix(rest)


def _parsed(boards: Boards, name: str) -> tuple[str, GraderRecord]:
    """The folder and the answering grader that a name names.

    Either may hold a plus itself, so every one may be the one between.
    """
    whole = name.removeprefix(FAMILY).strip()
    pluses = [at for at, letter in enumerate(whole) if letter == "+"]
    halves = [(whole[:at].strip(), whole[at + 1 :].strip()) for at in pluses]
    for folder, wanted in halves:
        found = _meant(boards, wanted)
        if len(found) == 1 and _is_model(folder):
            return folder, found[0]
    for folder, wanted in halves:
        if _is_model(folder) and wanted in _others(boards):
            raise NotGradableError(
                f"'{name}': {wanted} gives no answers that could be checked. "
                f"{_listed(sources(boards))}"
            )
    if _is_model(whole) or not halves:
        return whole, _only(boards, name, sources(boards))
    known = [(f, found) for f, wanted in halves if (found := _meant(boards, wanted))]
    folder, found = known[-1] if known else (halves[0][0], ())
    return folder, _only(boards, name, found)


def _only(boards: Boards, name: str, found: Sequence[GraderRecord]) -> GraderRecord:
    """The one grader found. Raises UnknownNameError."""
    if len(found) == 1:
        return found[0]
    raise UnknownNameError(
        f"'{name}' does not say whose answers it checks; expected "
        f"{FAMILY}FOLDER+ANSWERING_GRADER. {_listed(found or sources(boards))}"
    )


def _listed(found: Sequence[GraderRecord]) -> str:
    if found:
        return f"There are: {', '.join(one.name for one in found)}."
    return (
        "There is none in this workspace: import answers, or grade with one that "
        "answers, such as flan-t5-large/qa."
    )


def _meant(boards: Boards, wanted: str) -> tuple[GraderRecord, ...]:
    """The answering graders that a name can mean, one for each model's answers."""
    if not wanted:
        return ()
    keys = {
        one.spec.responder.key
        for one in boards.gradebook.meant(wanted)
        if one.spec.answers
    }
    return tuple(one for one in sources(boards) if one.spec.responder.key in keys)


def _others(boards: Boards) -> set[str]:
    """The full names of graders that give no answers."""
    return {one.name for one in boards.gradebook.records if not one.spec.answers}


def _is_model(folder: str) -> bool:
    return bool(folder) and (Path(folder) / CARD).is_file()
