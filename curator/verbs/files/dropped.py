"""Contents of a workspace that an export's format cannot hold, in words."""

from __future__ import annotations

from collections import Counter

from curator.bank.edits.kinds import MARKS
from curator.formats.codec import THINGS, Carried
from curator.formats.registry import exports
from curator.formats.text.notices import counted
from curator.snapshot.snapshot import Snapshot
from curator.store.counts import (
    count_gold_passages,
    extras_by_format,
    graders_with_grades,
    read_counts,
)

_FORM_EXTRAS = ("_form", "_spelling", "stated_title")
"""Endings of extras that record how a file was written, of no use to other formats."""


def dropped(snapshot: Snapshot, kind: str) -> tuple[str, ...]:
    return not_carried(snapshot, exports()[kind].carries)


def not_carried(snapshot: Snapshot, carries: Carried) -> tuple[str, ...]:
    """Count the contents that are not carried.

    Each entry is a count and its noun, such as "12 votes", in the order of THINGS;
    without zeros.
    """
    counts_of = content_counts(snapshot)
    if "passage texts" not in carries.things:
        counts_of["texts in no pool"] = 0  # included in the passage texts
        if "gold articles" in carries.things:
            counts_of["passage texts"] -= count_gold_passages(snapshot.connection)
    entries = [
        singular if counts_of[thing] == 1 else plural.format(counts_of[thing])
        for thing, (singular, plural) in THINGS.items()
        if counts_of[thing] and thing not in carries.things
    ]
    others = sum(
        number
        for (form, entity), number in extras_by_format(snapshot.connection).items()
        if not {"*", form, f"{form}:{entity}"} & carries.extras
        and not entity.endswith(_FORM_EXTRAS)
    )
    if others:
        entries.append("the unknown fields of " + counted(others, "record"))
    return tuple(entries)


def content_counts(snapshot: Snapshot) -> dict[str, int]:
    questions = list(snapshot.bank)
    states = Counter(question.state for question in questions)
    kept = [question for question in questions if question.state == "kept"]
    kinds = Counter(question.kind for question in kept)
    graders = graders_with_grades(snapshot.connection)
    direct = sum(grader.reading.kind == "direct" for grader in graders)
    return read_counts(snapshot.connection) | {
        "kept questions": kinds["question"],
        "kept nuggets": kinds["nugget"],
        "proposed": states["proposed"],
        "retired": states["retired"],
        "item texts": sum(question.text is not None for question in kept),
        "choices": sum(bool(question.choices) for question in kept),
        "answers": sum(bool(question.answers) for question in kept),
        "aggregators": sum(question.aggregator == "AND" for question in kept),
        "provenance": sum(question.provenance != "{}" for question in kept),
        "named boards": len(snapshot.collection.official_boards),
        **{f"{mark.noun}s": mark.count(snapshot.bank) for mark in MARKS.values()},
        "grades": len(graders) - direct,
        "direct grades": direct,
        # An imported grader has no information beyond its file.
        "graders": sum(not grader.reading.is_imported for grader in graders),
    }
