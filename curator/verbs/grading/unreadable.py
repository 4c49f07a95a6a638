"""Responses that state no rating, with their words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from curator.engine.state import State
from curator.store import collection as store_collection
from curator.store import grades as store_grades
from curator.store.responses import raw_by_text
from curator.store.texts import stored_item_ids
from curator.verbs.answers.extracted import answering_grader_of
from curator.verbs.grading.missing import targets_here
from grading.ratings import UNREADABLE


@dataclass(frozen=True)
class Unreadable:
    """A response that states no rating: it is unknown, never 0."""

    query_id: str
    target_id: str
    passage_id: str
    raw: str


def unreadable(
    state: State,
    name: str,
    *,
    query_id: str | None = None,
) -> tuple[Unreadable, ...]:
    """Responses that state no rating, with their words: unknown, never 0.

    Of one that checks answers, what the answering grader said. Raises UnknownNameError.
    """
    record = state.grader(name)
    found: list[Unreadable] = []
    if record.spec.combined:
        for part in record.parts:
            found += unreadable(state, part.name, query_id=query_id)
        return tuple(found)
    answering = answering_grader_of(record) or record
    for one in state.query_ids(query_id):
        pool = state.collection.pools[one]
        targets = targets_here(state, record, one)
        ratings = state.gradebook.graded_targets(record, pool, targets).ratings
        where = np.argwhere(ratings == UNREADABLE).tolist()
        if not where:
            continue
        responder_id = store_grades.responder_id_of(
            state.connection, answering.grader_id
        )
        texts = store_collection.pool_texts(state.connection, one)
        ids = stored_item_ids(state.connection, [target.item for target in targets])
        for at, position in where:
            raws = raw_by_text(state.connection, responder_id, ids[targets[at].item])
            found.append(
                Unreadable(
                    one,
                    targets[at].target_id,
                    pool.passage_ids[position],
                    raws.get(texts[position][0], ""),
                )
            )
    return tuple(found)
