"""Which grader a name means: one of the workspace's, or one that can be opened."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from curator.engine.gradebook import (
    AGREEING,
    GraderRecord,
    plain_name,
    records_of,
)
from curator.engine.languages import languages
from curator.engine.settings import first_grader
from curator.engine.state import State
from curator.errors import NotGradableError, UnknownNameError
from curator.store import grades as store_grades
from curator.store.connection import exclusive
from curator.verbs.answers.ava_grader import resolve_ava_grader
from curator.verbs.setup.settings import saved_endpoint
from grading.ava.grader import FAMILY, AvaGrader
from grading.errors import InvalidPromptError
from grading.graders.computed import ComputedGrader
from grading.graders.text import TextGrader
from grading.prompts.prompt import Prompt
from grading.registry import DEFAULT_GRADER, computing, open_grader, reopened
from grading.responders import (
    DTYPES,
    LOWER,
    MEAN,
    AskedKind,
    GraderSpec,
    Reading,
    ReadingKind,
    Responder,
    shared_kind,
)
from grading.scales import SCALES, scale_of

BOTH, MEAN_OF = "both:", "mean:"


def usual_grader(state: State) -> str:
    """Who grades where nobody is named: the default, or the one from before it.

    So a workspace that ``embedding`` has graded goes on being graded by it. Raises
    NotGradableError where these do not read the language of the texts.
    """
    if not languages(state).english:
        raise NotGradableError(f"{languages(state).note} Name a grader with --grader.")
    before = (one.name for one in state.gradebook.meant("embedding"))
    return first_grader(state) or next(before, DEFAULT_GRADER)


def resolve_grader(
    state: State, name: str, *, prompt: Prompt | None = None, dry_run: bool = False
) -> tuple[GraderRecord, ComputedGrader | TextGrader | AvaGrader | None]:
    """The grader of this name by its record, and opened, but not loaded.

    One of the workspace comes before a new one, so that it is asked as it was before.
    ``grader_id`` is 0 where the workspace does not know it yet: "embedding (2)" is what
    embedding is today beside one that grades otherwise. What combines two
    others, its record's ``parts``, opens none. A chat model is asked at the endpoint
    that the workspace names; in a ``dry_run`` a model's files may be missing. Raises
    NotGradableError for an imported one, GradingError for one unknown here.
    """
    endpoint = saved_endpoint(state.connection)
    opening: dict[str, Any] = {"endpoint": endpoint, "dry_run": dry_run}
    if name.startswith(FAMILY):
        if prompt is not None:
            raise InvalidPromptError(
                f"{FAMILY}… asks no prompt of its own; leave out --prompt"
            )
        return resolve_ava_grader(state, name, dry_run=dry_run)
    found = state.gradebook.meant(name) if prompt is None else ()
    # A name cut short may be that of a new grader; one without its number format is
    # the workspace's own, unless that has both and this machine has to decide.
    if len(found) == 1 and found[0].spec.learned:
        return found[0], None
    if len(found) == 1 and found[0].name.startswith(name):
        rest = found[0].name.removeprefix(name)
        if rest in ("", *(f"/{dtype}" for dtype in DTYPES)):
            return found[0], _reopened(found[0], opening)
    if prompt is None and state.gradebook.learned:
        state.gradebook.learned.record(name)  # refuses what names no parts
    for family, of_two in ((BOTH, _both), (MEAN_OF, _mean)):
        if name.startswith(family):
            if prompt is not None:
                said = f"{family}… asks nothing itself; leave out --prompt"
                raise InvalidPromptError(said)
            return of_two(state, name), None
    plain = plain_name(name)
    grader = open_grader(plain, prompt=prompt, **opening)
    spec, words = grader.spec, None
    if spec.reading.frequencies:
        # A new one weighs words as they stand in the collection now.
        words = state.cached(
            ("frequencies",), lambda: store_grades.counted_frequencies(state.connection)
        )
        reading = replace(spec.reading, frequencies=words.key)
        spec = replace(spec, reading=reading)
        grader = computing(spec, plain)
    record = replace(_record_of(state, spec), frequencies=words)
    if plain != name != name_to_be(state, record):
        open_grader(name, dry_run=dry_run)  # refuses a number that is not the next one
    return record, grader


def _record_of(
    state: State, spec: GraderSpec, parts: tuple[GraderRecord, ...] = ()
) -> GraderRecord:
    """The workspace's record of this grader, else a new one."""
    records = (one for one in state.gradebook.records if one.spec.key == spec.key)
    return next(records, GraderRecord(0, spec, parts))


def _reopened(
    record: GraderRecord, opening: Mapping[str, Any]
) -> ComputedGrader | TextGrader | None:
    if record.spec.combined:
        return None
    if record.by_people:
        raise NotGradableError(
            f"{record.name} are graded by nobody's command: their grades are the "
            "verdicts that they give on answers, on the pages Passages and Answers or "
            "with `curator edit WORKSPACE --right ID ANSWER`, and their checks of "
            "passages, with `curator checks WORKSPACE record FILE`."
        )
    if not record.can_grade:
        raise NotGradableError(
            f"{record.name} was imported and cannot grade new text here. Grade with "
            "another: `curator grade WORKSPACE --grader embedding`."
        )
    return reopened(record.spec, plain_name(record.name), **opening)


def _both(state: State, name: str) -> GraderRecord:
    """What ``both:A+B`` means: the lower ratings of two graders of this workspace.

    Raises UnknownNameError, and NotGradableError where they cannot be compared.
    """
    first, second, item_kind = _two(state, name, BOTH, ("rated",))
    keys = sorted((first.spec.key, second.spec.key))
    spec = GraderSpec(
        f"{BOTH}{first.name}+{second.name}",
        Responder("both", "", "", tuple(zip(AGREEING, keys, strict=True))),
        Reading("rated", item_kind, LOWER),
    )
    return _record_of(state, spec, (first, second))


def _mean(state: State, name: str) -> GraderRecord:
    """What ``mean:A+B`` means: the mean of two graders, each on a scale by its ranks.

    The scales are those of the grades known when it was made, which it keeps; under a
    name with a number, ``mean:A+B (2)``, it is made anew. Raises as ``_both`` does.
    """
    kinds: tuple[ReadingKind, ...] = ("rated", "direct")
    try:
        plain = name
        first, second, item_kind = _two(state, name, MEAN_OF, kinds)
    except UnknownNameError:
        if name == (plain := plain_name(name)):
            raise
        first, second, item_kind = _two(state, plain, MEAN_OF, kinds)
    pair = sorted((first, second), key=lambda one: one.spec.key)
    if plain == name:
        for record in state.gradebook.records:
            if record.spec.reading.parser == MEAN and record.parts == tuple(pair):
                return record
    known = [state.gradebook.known_grades(one) for one in pair]
    for one, grades in zip(pair, known, strict=True):
        if not len(grades):
            raise NotGradableError(
                f"'{name}': {one.name} has no grades yet, so nothing has a rank among "
                "them. Grade with it first."
            )
    options = dict(zip(AGREEING, (one.spec.key for one in pair), strict=True))
    options |= dict(zip(SCALES, (scale_of(one).text for one in known), strict=True))
    spec = GraderSpec(
        f"{MEAN_OF}{first.name}+{second.name}",
        Responder("mean", "", "", tuple(options.items())),
        Reading(first.spec.reading.kind, item_kind, MEAN),
    )
    return _record_of(state, spec, tuple(pair))


def _two(
    state: State, name: str, family: str, kinds: Sequence[ReadingKind]
) -> tuple[GraderRecord, GraderRecord, AskedKind]:
    """The two graders of this workspace that a name combines, and what they share.

    That is the kind of items that both are asked about; what they say is of one of the
    ``kinds``. Raises UnknownNameError, and NotGradableError for two that are not alike.
    """
    known = state.gradebook
    names = name.removeprefix(family)
    # A name may hold a plus itself, so every one may be the one between.
    for plus in (at for at, letter in enumerate(names) if letter == "+"):
        pair = [known.meant(one.strip()) for one in (names[:plus], names[plus + 1 :])]
        if all(len(one) == 1 for one in pair):
            break
    else:
        raise UnknownNameError(
            f"'{name}' names no two graders of this workspace; expected "
            f"{family}ONE+OTHER, of: "
            f"{', '.join(one.name for one in known.records) or 'none yet'}. "
            "Grade with each of them first."
        )
    first, second = (one for (one,) in pair)
    readings = [one.spec.reading for one in (first, second)]
    item_kind = shared_kind(readings[0].item_kind, readings[1].item_kind)
    if (
        first is second
        or item_kind is None
        or readings[0].kind != readings[1].kind
        or readings[0].kind not in kinds
        or (item_kind == "query" and first.can_grade != second.can_grade)
        or first.by_people
        or second.by_people
        or first.spec.combined
        or second.spec.combined
    ):
        direct = ", or two of whole queries that both were imported or are asked here"
        raise NotGradableError(
            f"'{name}': two different graders that both rate questions 0-5, or both "
            f"nuggets{direct if 'direct' in kinds else ''}, can be combined, and none "
            "that is combined itself; these cannot."
        )
    return first, second, item_kind


def name_to_be(state: State, record: GraderRecord) -> str:
    """The full name it has in the workspace, or will have: one taken gets a number."""
    if record.grader_id:
        return record.name
    return store_grades.numbered(
        record.name, {one.name for one in state.gradebook.records}
    )


def registered(connection: sqlite3.Connection, record: GraderRecord) -> GraderRecord:
    """The record as the workspace has it, which it has from now on.

    So it has the graders that it rests on.
    """
    if record.grader_id:
        return record
    for part in record.parts:
        registered(connection, part)
    with exclusive(connection):
        if record.frequencies is not None:
            store_grades.write_frequencies(connection, record.frequencies)
        grader_id, _ = store_grades.grader_id_of(connection, record.spec)
    records = records_of(store_grades.read_graders(connection))
    return next(one for one in records if one.grader_id == grader_id)
