"""Looking into a workspace: its history, past banks, and single passages."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from curator.bank.questions import Bank, Question
from curator.collection.pools import UNJUDGED
from curator.engine.state import Boards
from curator.errors import UnknownNameError
from curator.evaluation.grades import GradedQuery
from curator.evaluation.labels import NO_LABEL, graded_labels
from curator.evaluation.settings import Settings
from curator.store import collection as store_collection
from curator.store import history as store_history
from curator.store import undo as store_undo
from curator.store.history import Event

__all__ = [
    "Baselines",
    "Event",
    "PassageView",
    "Rated",
    "bank_at",
    "history",
    "passage",
]


@dataclass(frozen=True)
class Baselines:
    """Events to compare the bank with.

    ``last_edit`` is the event just before my latest batch that still stands, None
    without one; ``imported`` the latest event of an import; ``latest`` the last event.
    """

    last_edit: int | None
    imported: int
    latest: int
    saved_at: str | None


@dataclass(frozen=True)
class Rated:
    """A question and its rating of the passage; None where the grade is unknown."""

    question: Question
    rating: int | None
    correct: bool


@dataclass(frozen=True)
class PassageView:
    """A pool passage opened. ``ranks`` maps system to 1-based rank.

    ``rated`` holds the active questions, which make the label; ``retired`` those
    that once counted and have a known rating.
    """

    query_id: str
    passage_id: str
    text: str
    judgment: int | None
    label: int | None
    rated: tuple[Rated, ...]
    ranks: dict[str, int]
    retired: tuple[Rated, ...] = ()


def bank_at(connection: sqlite3.Connection, boards: Boards, event: int) -> Bank:
    """The bank as it was right after ``event``; queries without later events shared."""
    return store_history.bank_at(connection, boards.bank, event)


def history(
    connection: sqlite3.Connection,
    *,
    query_id: str | None = None,
    limit: int | None = None,
    imports: bool = False,
) -> tuple[Event, ...]:
    """Events, the latest first; imports only if asked for."""
    return store_history.read_events(
        connection, query_id=query_id, limit=limit, imports=imports
    )


def baselines(
    connection: sqlite3.Connection, *, by: str, query_id: str | None = None
) -> Baselines:
    """The events a board can be compared with."""
    latest = store_history.last_event(connection)
    (imported,) = connection.execute(
        "SELECT max(event_id) FROM event JOIN batch USING (batch_id) "
        "WHERE batch.kind = 'import'"
    ).fetchone()
    saved = connection.execute("SELECT at FROM batch ORDER BY batch_id DESC").fetchone()
    last = store_undo.before_last_batch(connection, by=by, query_id=query_id)
    return Baselines(last, int(imported or 0), latest, saved[0] if saved else None)


def passage(
    connection: sqlite3.Connection,
    boards: Boards,
    query_id: str,
    passage_id: str,
    settings: Settings,
) -> PassageView:
    """The passage as this query's pool holds it, under these settings."""
    pool = boards.collection.pools[boards.query_ids(query_id)[0]]
    if passage_id not in pool.without_gold:
        raise UnknownNameError(
            f"No passage '{passage_id}' in the pool of query '{query_id}'."
        )
    position = pool.passage_ids.index(passage_id)
    graded = boards.sheet(settings.grader, query_id, boards.bank).graded
    threshold = boards.threshold(settings)
    by_id = {q.question_id: q for q in boards.bank.of_query(query_id)}
    label = int(graded_labels(graded)[position])
    judgment = int(pool.judgments[position])
    retired = boards.gradebook.graded(
        boards.grader(settings.grader),
        pool,
        [q for q in by_id.values() if q.state == "retired"],
    )
    ranks = {}
    for system, slots in zip(boards.collection.systems, pool.top, strict=True):
        at = (slots == position).nonzero()[0]
        if len(at):
            ranks[system] = int(at[0]) + 1
    return PassageView(
        query_id=query_id,
        passage_id=passage_id,
        text=passage_texts(connection, [passage_id])[passage_id],
        judgment=None if judgment == UNJUDGED else judgment,
        label=None if label == NO_LABEL else label,
        rated=rated_at(graded, position, by_id, threshold),
        ranks=ranks,
        retired=tuple(
            one
            for one in rated_at(retired, position, by_id, threshold)
            if one.rating is not None
        ),
    )


def answering(
    boards: Boards, query_id: str, question_id: str, settings: Settings
) -> tuple[str, ...]:
    """The passages that answer a question, the best rated first, then in pool order.

    Retired questions too, as far as their grades are known; () for an unknown one.
    """
    pool = boards.collection.pools[boards.query_ids(query_id)[0]]
    asked = [q for q in boards.bank.of_query(query_id) if q.question_id == question_id]
    record = boards.grader(settings.grader)
    if not asked or record.spec.reading.item_kind == "query":
        return ()
    ratings = boards.gradebook.graded(record, pool, asked).ratings
    if not len(ratings):
        return ()
    threshold = boards.threshold(settings)
    order = np.argsort(-ratings[0], kind="stable")
    return tuple(
        pool.passage_ids[i]
        for i in order
        if ratings[0, i] >= threshold and i not in pool.gold_only
    )


def rated_at(
    graded: GradedQuery, position: int, by_id: Mapping[str, Question], threshold: int
) -> tuple[Rated, ...]:
    """The questions with their ratings of the passage at this pool position."""
    return tuple(
        Rated(
            by_id[item_id],
            int(rating) if rating >= 0 else None,
            bool(rating >= threshold),
        )
        for item_id, rating in zip(
            graded.item_ids, graded.ratings[:, position], strict=True
        )
        if item_id in by_id
    )


def passage_texts(
    connection: sqlite3.Connection, passage_ids: Sequence[str]
) -> dict[str, str]:
    """Text by passage id, for those that have one."""
    return store_collection.passage_texts(connection, passage_ids)
