"""``passage``: a pool passage opened, and the passages that answer a question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from curator.bank.questions import Question
from curator.collection.pools import UNJUDGED
from curator.engine.settings import Chosen, settings_from
from curator.engine.state import State
from curator.errors import UnknownNameError
from curator.evaluation.grades import (
    NO_LABEL,
    GradedQuery,
    as_counted,
    graded_labels,
)
from curator.results import Result
from curator.store import collection as store_collection
from curator.verbs.passages.citations import Citation, citations


@dataclass(frozen=True)
class Rated:
    """A question and its rating of the passage; None where the grade is unknown."""

    question: Question
    rating: int | None
    correct: bool


@dataclass(frozen=True)
class PassageView(Result[Rated], table="passages.rated_table"):
    """A pool passage opened. ``ranks`` maps system to 1-based rank.

    ``rated`` holds the active questions, which make the label; ``retired`` those
    that once counted and have a known rating, ``citations`` are those of a passage of
    a generated report.
    """

    query_id: str
    passage_id: str
    text: str
    judgment: int | None
    label: float | None
    rated: tuple[Rated, ...]
    ranks: dict[str, int]
    retired: tuple[Rated, ...] = ()
    citations: tuple[Citation, ...] = ()


def passage(
    state: State,
    query_id: str,
    passage_id: str,
    settings: Chosen | None = None,
) -> PassageView:
    """A pool passage opened: its text, judgment, label, answers and ranks."""
    settings = settings_from(state, {}, settings)
    pool = state.collection.pools[state.query_ids(query_id)[0]]
    if passage_id not in pool.counted:
        raise UnknownNameError(
            f"No passage '{passage_id}' in the pool of query '{query_id}'."
        )
    position = pool.passage_ids.index(passage_id)
    graded = state.matrix(settings.grader, query_id, state.bank)
    threshold = state.threshold(settings)
    by_id = {q.question_id: q for q in state.bank.of_query(query_id)}
    shown = {name: state.viewer.question(one) for name, one in by_id.items()}
    label = graded_labels(graded, settings.rule)[position].item()
    judgment = int(pool.judgments[position])
    retired = as_counted(
        state.gradebook.graded(
            state.grader(settings.grader),
            pool,
            [q for q in by_id.values() if q.state == "retired"],
        )
    )
    ranks = {}
    for system, slots in zip(state.collection.systems, pool.top, strict=True):
        at = (slots == position).nonzero()[0]
        if len(at):
            ranks[system] = int(at[0]) + 1
    return PassageView(
        query_id=query_id,
        passage_id=passage_id,
        text=passage_texts(state, [passage_id])[passage_id],
        judgment=None if judgment == UNJUDGED else judgment,
        label=None if label == NO_LABEL else label,
        rated=rated_at(graded, position, shown, threshold),
        ranks=ranks,
        retired=tuple(
            one
            for one in rated_at(retired, position, shown, threshold)
            if one.rating is not None
        ),
        citations=citations(state, query_id).get(passage_id, ()),
    )


def answering(
    state: State, query_id: str, question_id: str, settings: Chosen | None = None
) -> tuple[str, ...]:
    """The pool passages that answer a question, the best rated first.

    Then in pool order. Retired questions too, as far as their grades are known; () for
    an unknown one.
    """
    settings = settings_from(state, {}, settings)
    pool = state.collection.pools[state.query_ids(query_id)[0]]
    asked = [q for q in state.bank.of_query(query_id) if q.question_id == question_id]
    record = state.grader(settings.grader)
    if not asked or record.spec.reading.item_kind == "query":
        return ()
    ratings = as_counted(state.gradebook.graded(record, pool, asked)).ratings
    if not len(ratings):
        return ()
    threshold = state.threshold(settings)
    order = np.argsort(-ratings[0], kind="stable")
    return tuple(
        pool.passage_ids[i]
        for i in order
        if ratings[0, i] >= threshold and i not in pool.aside
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


def passage_texts(state: State, passage_ids: Sequence[str]) -> dict[str, str]:
    """Text by passage id, for those that have one."""
    return store_collection.passage_texts(state.connection, passage_ids)
