"""What a workspace holds and an export's format has no place for, in plain words."""

from __future__ import annotations

from collections import Counter

from curator.engine.state import State
from curator.formats.codec import THINGS, Carried
from curator.formats.registry import exports
from curator.formats.text.notices import counted
from curator.store.counts import (
    counts,
    extras_by_format,
    graders_with_grades,
    texts_of_articles,
)

_OF_FORM = {
    *("bank_form", "graded_form", "run_form", "stated_title"),
    *("query_form", "passage_form"),
}
"""Extras that say how a file was written: no other format wants to know."""


def dropped(state: State, kind: str) -> tuple[str, ...]:
    """What an export of this kind has no place for: "12 votes", "3 subtopics"."""
    return not_carried(state.seen, exports()[kind].carries)


def not_carried(state: State, carries: Carried) -> tuple[str, ...]:
    """What the workspace holds beside what is carried.

    Each entry is a count and what it counts, such as "12 votes", in the order of
    THINGS; only what is there.
    """
    there = held(state)
    if "passage texts" not in carries.things:
        there["texts in no pool"] = 0  # among the others
        if "gold articles" in carries.things:
            there["passage texts"] -= texts_of_articles(state.connection)
    found = [
        one if there[thing] == 1 else many.format(there[thing])
        for thing, (one, many) in THINGS.items()
        if there[thing] and thing not in carries.things
    ]
    others = sum(
        number
        for (form, entity), number in extras_by_format(state.connection).items()
        if not {"*", form, f"{form}:{entity}"} & carries.extras
        and entity not in _OF_FORM
    )
    if others:
        found.append("the unknown fields of " + counted(others, "record"))
    return tuple(found)


def held(state: State) -> dict[str, int]:
    """How many there are of everything in THINGS."""
    questions = list(state.bank)
    states = Counter(one.state for one in questions)
    kept = [one for one in questions if one.state == "kept"]
    kinds = Counter(one.kind for one in kept)
    graders = graders_with_grades(state.connection)
    direct = sum(one.reading.kind == "direct" for one in graders)
    return counts(state.connection) | {
        "kept questions": kinds["question"],
        "kept nuggets": kinds["nugget"],
        "proposed": states["proposed"],
        "retired": states["retired"],
        "item texts": sum(one.text is not None for one in kept),
        "choices": sum(bool(one.choices) for one in kept),
        "answers": sum(bool(one.answers) for one in kept),
        "aggregators": sum(one.aggregator == "AND" for one in kept),
        "provenance": sum(one.provenance != "{}" for one in kept),
        "named boards": len(state.collection.official_boards),
        "votes": sum(len(one.votes) for one in questions),
        "ideal answers": sum(map(len, state.bank.ideals.values())),
        "verdicts": sum(map(len, state.bank.verdicts.values())),
        "checks": sum(map(len, state.bank.checks.values())),
        "dismissals": sum(map(len, state.bank.dismissals.values())),
        "decisions": sum(map(len, state.bank.decisions.values())),
        "notes": sum(map(len, state.bank.notes.values())),
        "done marks": len(state.bank.done),
        "grades": len(graders) - direct,
        "direct grades": direct,
        # An imported grader is no more than what its file says of it.
        "graders": sum(not one.reading.as_given for one in graders),
    }
