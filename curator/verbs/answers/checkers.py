"""Which grader ``ava:FOLDER+SOURCE`` means: a model, and whose answers it checks."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

from curator.engine.gradebook import DTYPES, GraderRecord, plain_name
from curator.engine.state import State
from curator.errors import NotGradableError, UnknownNameError
from curator.verbs.answers.sources import sources
from grading.ava.card import has_card, read_card
from grading.ava.grader import FAMILY, AvaGrader, opened
from grading.errors import MissingModelError, UnknownGraderError
from grading.registry import gives_answers, grader_names, open_grader

EXAMPLE = "flan-t5-large/qa"

# What may stand behind a source's name: the same answers, read otherwise, or in the
# one number format they are here in.
_SAME_ANSWERS = {
    f"{verified}{dtype}"
    for verified in ("", "/verified")
    for dtype in ("", *(f"/{one}" for one in DTYPES))
}


def checker_named(state: State, name: str) -> tuple[GraderRecord, AvaGrader]:
    """The grader of this name with its model, opened but not loaded.

    It says what the model in its folder is now. One of the workspace that has a number
    behind its name keeps the threshold it was stored with. A source that the workspace
    does not have is one that can be opened here, with ``grader_id`` 0. Raises
    MissingModelError where a model is gone or is another one by now, UnknownNameError,
    UnknownGraderError and NotGradableError where nobody's answers can be checked.
    """
    records = state.gradebook.records
    stored = next((one for one in records if one.name == name and one.parts), None)
    if stored is not None:
        folder, source = _folder_of(stored), stored.parts[0]
    else:
        folder, wanted = _halves(state, name)
        read_card(Path(folder))  # a model that is not there is told first
        source = _source(state, name, wanted)
    grader = opened(folder, source.spec)
    for one in [stored] if stored else _of_folder(state, folder, source):
        if one.spec.responder != grader.spec.responder:
            raise MissingModelError(
                f"{one.name}: the model in '{folder}' is not the one that it was when "
                "it graded. Put the same files back, or keep the new model in another "
                "folder"
            )
    if stored is not None and not name.endswith(f"+{source.name}"):
        return stored, AvaGrader(stored.spec, grader.model)
    for record in records:
        if record.spec.key == grader.spec.key:
            return record, grader
    return GraderRecord(0, grader.spec, (source,)), grader


def _folder_of(record: GraderRecord) -> str:
    """The folder that a stored grader's name names."""
    rest = f"+{record.parts[0].name}"
    name = record.name if record.name.endswith(rest) else plain_name(record.name)
    return name.removeprefix(FAMILY).removesuffix(rest)


def _of_folder(state: State, folder: str, source: GraderRecord) -> list[GraderRecord]:
    """The workspace's graders that check these answers by the model of this folder."""
    key, here = source.spec.responder.key, Path(folder).absolute()
    return [
        one
        for one in state.gradebook.records
        if one.parts and one.spec.reading.answers_of == key
        if Path(_folder_of(one)).absolute() == here
    ]


def _halves(state: State, name: str) -> tuple[str, str]:
    """The folder and the source that a name names; "" for a source that it does not.

    Either may hold a plus itself, so every one may be the one between.
    """
    whole = name.removeprefix(FAMILY).strip()
    pluses = [at for at, letter in enumerate(whole) if letter == "+"]
    halves = [(whole[:at].strip(), whole[at + 1 :].strip()) for at in pluses]
    models = [one for one in halves if _is_model(one[0])]
    for one in models:
        if len(_meant(state, one[1])) == 1:
            return one
    if not halves or _is_model(whole):
        return whole, ""
    known = [one for one in halves if _meant(state, one[1])]
    return (models or known[-1:] or halves)[0]


def _source(state: State, name: str, wanted: str) -> GraderRecord:
    """The answering grader of this name: the workspace's, or one to be asked first."""
    here = sources(state)
    if wanted in _others(state):
        raise _no_answers(name, wanted, here)
    found = _meant(state, wanted) if wanted else here
    if len(found) == 1:
        return found[0]
    if not wanted or (found and not _answers(wanted)):
        raise UnknownNameError(
            f"'{name}' does not say whose answers it checks; expected "
            f"{FAMILY}FOLDER+ANSWERING_GRADER. {_listed(found)}"
        )
    answers = gives_answers(wanted)
    if answers is None:
        raise UnknownNameError(
            f"'{name}': no grader '{wanted}' gives answers here.{_hint(wanted, here)} "
            f"{_listed(here)}"
        )
    if not answers:
        raise _no_answers(name, wanted, here)
    spec = open_grader(wanted).spec
    same = (one for one in here if one.spec.responder.key == spec.responder.key)
    return next(same, GraderRecord(0, spec))


def _listed(found: Sequence[GraderRecord]) -> str:
    if found:
        return f"There are: {_names(found)}."
    return (
        "There is none in this workspace: import answers, or grade with one that "
        f"answers, such as {EXAMPLE}."
    )


def _hint(wanted: str, here: Sequence[GraderRecord]) -> str:
    """The nearest name, of the workspace's first, as a question after a blank."""
    own = [part for one in here for part in (one.name, one.name.partition("/")[0])]
    new = [
        f"{one}/qa"
        for one in grader_names()
        if "<" not in one and _answers(f"{one}/qa")
    ]
    for names in (own, new):
        if near := get_close_matches(wanted, names, 1):
            return f" Did you mean '{near[0]}'?"
    return ""


def _no_answers(
    name: str, wanted: str, here: Sequence[GraderRecord]
) -> NotGradableError:
    """What is wrong with a grader that does not answer, and which would."""
    like = f"{wanted}/qa" if _answers(f"{wanted}/qa") else EXAMPLE
    others = f", or of this workspace: {_names(here)}" if here else ""
    return NotGradableError(
        f"'{name}': {wanted} gives no answers that could be checked; name one that "
        f"answers, such as {like}{others}."
    )


def _names(found: Sequence[GraderRecord]) -> str:
    return ", ".join(one.name for one in found)


def _meant(state: State, wanted: str) -> tuple[GraderRecord, ...]:
    """The answering graders that a name can mean, one for each model's answers.

    The name of one that could be opened is not taken for another's cut short.
    """
    if not wanted:
        return ()
    records = [one for one in state.gradebook.records if one.spec.answers]
    meant = [one for one in records if one.name == wanted] or [
        one
        for one in records
        if one.name.startswith(wanted)
        and one.name.removeprefix(wanted) in _SAME_ANSWERS
    ]
    if not meant and not _answers(wanted):
        meant += state.gradebook.meant(wanted, records)
    keys = {one.spec.responder.key for one in meant}
    return tuple(one for one in sources(state) if one.spec.responder.key in keys)


def _answers(wanted: str) -> bool:
    """Whether this names a grader that can be opened and answers."""
    try:
        return bool(gives_answers(wanted))
    except UnknownGraderError:
        return False


def _others(state: State) -> set[str]:
    """The full names of graders that give no answers."""
    return {one.name for one in state.gradebook.records if not one.spec.answers}


def _is_model(folder: str) -> bool:
    return bool(folder) and has_card(Path(folder))
