"""What a grader that answers prompts lacks, and what it would be asked."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from curator.bank.questions import active
from curator.engine.gradebook import GraderRecord, Target, query_target, targets_of
from curator.engine.state import State
from curator.store import collection as store_collection
from curator.store.responses import texts_answered
from curator.store.texts import cached_item_key
from grading.graders.text import TextGrader
from grading.models.protocol import Asked
from grading.ratings import NOT_ASKED, UNREADABLE


@dataclass(frozen=True)
class Missing:
    """One query's targets that lack grades, with where.

    ``unknown`` and, of these, ``unreadable`` are (targets, pool positions).
    """

    query_id: str
    targets: tuple[Target, ...]
    unknown: NDArray[np.bool_]
    unreadable: NDArray[np.bool_]

    @property
    def grades(self) -> int:
        """How many grades it lacks."""
        return int(self.unknown.sum())


def targets_here(
    state: State, record: GraderRecord, query_id: str
) -> tuple[Target, ...]:
    """What the grader has to be asked about in this query now."""
    kind = record.spec.reading.item_kind
    if kind == "query":
        return (query_target(record, state.queries[query_id]),)
    questions = state.bank.of_query(query_id)
    return targets_of(
        record, active(questions, "nugget" if kind == "nugget" else "question")
    )


def can_be_asked(record: GraderRecord, target: Target) -> bool:
    """Whether there is a text to ask, and a key where the answer is checked by one."""
    return target.item.text is not None and bool(
        target.answers or not record.spec.reading.checks_keys
    )


def missing_in(
    state: State, record: GraderRecord, query_id: str, *, again: bool = False
) -> Missing | None:
    """What this query lacks and can be asked; None where it lacks nothing.

    ``again`` counts unreadable responses as lacking.
    """
    pool = state.collection.pools[query_id]
    if not pool.size:
        return None
    targets = [
        target
        for target in targets_here(state, record, query_id)
        if can_be_asked(record, target)
    ]
    ratings = state.gradebook.graded_targets(record, pool, targets).ratings
    unreadable = (ratings == UNREADABLE) & again
    unknown = (ratings == NOT_ASKED) | unreadable
    lacking = unknown.any(axis=1)
    if not lacking.any():
        return None
    return Missing(
        query_id,
        tuple(t for t, lacks in zip(targets, lacking, strict=True) if lacks),
        unknown[lacking],
        unreadable[lacking],
    )


def prompts_missing(
    connection: sqlite3.Connection,
    record: GraderRecord,
    grader: TextGrader,
    missing: Iterable[Missing],
) -> Iterator[Asked]:
    """The prompts that would be put to the model, each once.

    What has a response, by whichever reading, asks nothing unless it is unreadable and
    to be asked again.
    """
    known = texts_answered(connection, record.spec.responder)
    again: defaultdict[str, set[str]] = defaultdict(set)
    for one in missing:
        texts = store_collection.pool_texts(connection, one.query_id)
        for target, unknown, unreadable in zip(
            one.targets, one.unknown, one.unreadable, strict=True
        ):
            item = cached_item_key(target.item)
            for position in np.flatnonzero(unknown).tolist():
                _, key, body = texts[position]
                asked = again[item] if unreadable[position] else known[item]
                if key not in asked:
                    asked.add(key)
                    yield grader.asked(target.item, body)
