"""Resolve a grader's name to a stored grader, or to one that can be opened."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from curator.errors import NotGradableError, UnknownNameError
from curator.snapshot.gradebook import (
    PART_OPTIONS,
    GraderRecord,
    plain_name,
    records_of,
)
from curator.snapshot.languages import languages
from curator.snapshot.settings import default_instant_grader
from curator.snapshot.snapshot import Snapshot
from curator.store import grades as store_grades
from curator.store.connection import write_transaction
from curator.verbs.answers.ava_grader import resolve_ava_grader
from curator.verbs.setup import saved_endpoint
from grading.ava.grader import FAMILY, AvaGrader
from grading.errors import InvalidPromptError
from grading.graders.computed import ComputedGrader
from grading.graders.text import TextGrader
from grading.prompts.prompt import Prompt
from grading.ratings import SCALES, scale_of
from grading.registry import DEFAULT_GRADER, computed_grader, open_grader, reopen
from grading.responders import (
    DTYPES,
    LOWER,
    MEAN,
    GradedKind,
    GraderSpec,
    Reading,
    Responder,
    shared_kind,
)

BOTH, MEAN_OF = "both:", "mean:"


def usual_grader(snapshot: Snapshot) -> str:
    """The default grader, or the older default that has graded here before.

    Raises NotGradableError where it does not read the language of the texts.
    """
    texts = languages(snapshot)
    if not texts.english:
        raise NotGradableError(f"{texts.note} Name a grader with --grader.")
    earlier = (record.name for record in snapshot.gradebook.match_graders("embedding"))
    return default_instant_grader(snapshot) or next(earlier, DEFAULT_GRADER)


def resolve_grader(
    snapshot: Snapshot,
    name: str,
    *,
    prompt: Prompt | None = None,
    dry_run: bool = False,
) -> tuple[GraderRecord, ComputedGrader | TextGrader | AvaGrader | None]:
    """Find the grader of this name, with its record, opened but not loaded.

    Stored graders come before new ones, so that a grader is asked as before.
    ``grader_id`` is 0 for a grader that is not stored: "embedding (2)" is the current
    embedding grader where a stored one grades differently. A combination of two
    graders, its record's ``parts``, opens none. A chat model is asked at the
    workspace's endpoint; in a ``dry_run`` a model's files may be missing. Raises
    NotGradableError for an imported grader, GradingError for an unknown one.
    """
    endpoint = saved_endpoint(snapshot.connection)
    options: dict[str, Any] = {"endpoint": endpoint, "dry_run": dry_run}
    if name.startswith(FAMILY):
        if prompt is not None:
            raise InvalidPromptError(f"{FAMILY}… takes no prompt; leave out --prompt")
        return resolve_ava_grader(snapshot, name, dry_run=dry_run)
    matches = snapshot.gradebook.match_graders(name) if prompt is None else ()
    # An abbreviation may be the name of a new grader. A name without its number format
    # is the stored grader, unless both are stored: then this machine decides.
    if len(matches) == 1 and matches[0].spec.learned:
        return matches[0], None
    if len(matches) == 1 and matches[0].name.startswith(name):
        suffix = matches[0].name.removeprefix(name)
        if suffix in ("", *(f"/{dtype}" for dtype in DTYPES)):
            return matches[0], _reopen(matches[0], options)
    if prompt is None and snapshot.gradebook.learned:
        snapshot.gradebook.learned.record(name)  # raises for a name without parts
    if name.startswith((BOTH, MEAN_OF)):
        if prompt is not None:
            raise InvalidPromptError(f"'{name}' takes no prompt; leave out --prompt")
        return _resolve_combined(snapshot, name), None
    plain = plain_name(name)
    grader = open_grader(plain, prompt=prompt, **options)
    spec, words = grader.spec, None
    if spec.reading.frequencies:
        # A new grader uses the current word frequencies of the collection.
        words = snapshot.cached(
            ("frequencies",),
            lambda: store_grades.count_frequencies(snapshot.connection),
        )
        reading = replace(spec.reading, frequencies=words.key)
        spec = replace(spec, reading=reading)
        grader = computed_grader(spec, plain)
    record = replace(_record_of(snapshot, spec), frequencies=words)
    if plain != name != full_name(snapshot, record):
        open_grader(name, dry_run=dry_run)  # raises for a number that is not the next
    return record, grader


def _record_of(
    snapshot: Snapshot, spec: GraderSpec, parts: tuple[GraderRecord, ...] = ()
) -> GraderRecord:
    """The workspace's record of this grader, else a new one."""
    records = snapshot.gradebook.records
    same = (record for record in records if record.spec.key == spec.key)
    return next(same, GraderRecord(0, spec, parts))


def _reopen(
    record: GraderRecord, options: Mapping[str, Any]
) -> ComputedGrader | TextGrader | None:
    if record.spec.combined:
        return None
    if record.by_people:
        raise NotGradableError(
            f"No command grades as {record.name}: their grades are the verdicts that "
            "they give on answers, on the pages Judge and Answers or with `curator "
            "edit WORKSPACE verdict`, and their checks of passages, with `curator "
            "checks WORKSPACE record FILE`."
        )
    if not record.can_grade:
        raise NotGradableError(
            f"{record.name} was imported and cannot grade new text here. Grade with "
            "another: `curator grade WORKSPACE --grader embedding`."
        )
    return reopen(record.spec, plain_name(record.name), **options)


def _resolve_combined(snapshot: Snapshot, name: str) -> GraderRecord:
    """Resolve ``both:A+B`` or ``mean:A+B`` to a combination of two stored graders.

    ``both`` is the lower of their ratings, ``mean`` the mean of both, each scaled by
    its ranks. The scales are fixed by the grades known at its creation; a name with a
    number, ``mean:A+B (2)``, creates a new one. Raises UnknownNameError, and
    NotGradableError where the graders cannot be combined.
    """
    family, plain = (MEAN_OF if name.startswith(MEAN_OF) else BOTH), name
    try:
        first, second, item_kind = _two_graders(snapshot, name, family)
    except UnknownNameError:
        plain = plain_name(name)
        if family == BOTH or plain == name:
            raise
        first, second, item_kind = _two_graders(snapshot, plain, family)
    pair = tuple(sorted((first, second), key=lambda grader: grader.spec.key))
    options = dict(zip(PART_OPTIONS, (grader.spec.key for grader in pair), strict=True))
    parser = LOWER if family == BOTH else MEAN
    if family == MEAN_OF:
        if plain == name:
            for record in snapshot.gradebook.records:
                if record.spec.reading.parser == MEAN and record.parts == pair:
                    return record
        for grader, scale in zip(pair, SCALES, strict=True):
            grades = snapshot.gradebook.known_grades(grader)
            if not len(grades):
                raise NotGradableError(
                    f"'{name}': {grader.name} has no grades yet, so its ratings have "
                    "no ranks. Grade with it first."
                )
            options[scale] = scale_of(grades).text
    spec = GraderSpec(
        f"{family}{first.name}+{second.name}",
        Responder(family[:-1], "", "", tuple(options.items())),
        Reading(first.spec.reading.kind, item_kind, parser),
    )
    return _record_of(snapshot, spec, pair if family == MEAN_OF else (first, second))


def _two_graders(
    snapshot: Snapshot, name: str, family: str
) -> tuple[GraderRecord, GraderRecord, GradedKind]:
    """Find the two stored graders that a name combines, and their kind of items.

    Raises UnknownNameError, and NotGradableError for graders that cannot be combined.
    """
    gradebook = snapshot.gradebook
    kinds = ("rated",) if family == BOTH else ("rated", "direct")
    names = name.removeprefix(family)
    # Names may contain a plus, so every plus is tried as the separator.
    for plus in re.finditer(r"\+", names):
        parts = names[: plus.start()].strip(), names[plus.end() :].strip()
        pair = [*map(gradebook.match_graders, parts)]
        if all(len(matches) == 1 for matches in pair):
            break
    else:
        raise UnknownNameError(
            f"'{name}' names no two graders of this workspace; expected "
            f"{family}ONE+OTHER, of: "
            f"{', '.join(record.name for record in gradebook.records) or 'none yet'}. "
            "Grade with each of them first."
        )
    first, second = (grader for (grader,) in pair)
    readings = [grader.spec.reading for grader in (first, second)]
    item_kind = shared_kind(readings[0].item_kind, readings[1].item_kind)
    if (
        first is second
        or item_kind is None
        or readings[0].kind != readings[1].kind
        or readings[0].kind not in kinds
        or (item_kind == "query" and first.can_grade != second.can_grade)
        or any(part.by_people or part.spec.combined for part in (first, second))
    ):
        direct = ", or two of whole queries, both imported or both asked here"
        raise NotGradableError(
            f"'{name}': these graders cannot be combined. Combine two different "
            "graders that both rate questions 0-5, or both "
            f"nuggets{direct if 'direct' in kinds else ''}; neither may be a "
            "combination itself."
        )
    return first, second, item_kind


def full_name(snapshot: Snapshot, record: GraderRecord) -> str:
    """The full name that the grader has, or will get; a name in use gets a number."""
    if record.grader_id:
        return record.name
    names = {stored.name for stored in snapshot.gradebook.records}
    return store_grades.unique_name(record.name, names)


def register_grader(
    connection: sqlite3.Connection, record: GraderRecord
) -> GraderRecord:
    """Store the grader and the graders it depends on, and return its stored record."""
    if record.grader_id:
        return record
    for part in record.parts:
        register_grader(connection, part)
    with write_transaction(connection):
        if record.frequencies is not None:
            store_grades.write_frequencies(connection, record.frequencies)
        grader_id, _ = store_grades.store_grader(connection, record.spec)
    records = records_of(store_grades.read_graders(connection))
    return next(stored for stored in records if stored.grader_id == grader_id)
