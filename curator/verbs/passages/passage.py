"""``passage``: one pool passage in detail, and the passages that answer a question."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import ClassVar

import numpy as np

from curator.bank.questions import Question
from curator.collection.pools import GAP, UNJUDGED
from curator.errors import UnknownNameError
from curator.evaluation.grades import (
    NO_LABEL,
    GradedQuery,
    graded_labels,
    merge_segments,
)
from curator.results import Result
from curator.snapshot.settings import BoardChoice, settings_from
from curator.snapshot.snapshot import Snapshot, cached_in_snapshot
from curator.store import collection as store_collection


@dataclass(frozen=True, slots=True)
class Citation:
    """A span of a passage that cites others, with its position.

    ``cited`` maps the ids of cited passages to True if the workspace has their texts.
    """

    start: int
    end: int
    cited: dict[str, bool]


@dataclass(frozen=True)
class RatedQuestion:
    """A question and its rating of the passage; None where the grade is unknown."""

    columns: ClassVar = "question=question.question_id rating correct question.text"

    question: Question
    rating: int | None
    correct: bool


@dataclass(frozen=True)
class PassageView(Result[RatedQuestion], rows="rated"):
    """A pool passage in detail; ``ranks`` maps system to 1-based rank.

    ``rated`` holds the active questions, which determine the label; ``retired`` those
    that once counted and have a known rating, ``citations`` are those of a passage of
    a generated report.
    """

    query_id: str
    passage_id: str
    text: str
    judgment: int | None
    label: float | None
    rated: tuple[RatedQuestion, ...]
    ranks: dict[str, int]
    retired: tuple[RatedQuestion, ...] = ()
    citations: tuple[Citation, ...] = ()

    @property
    def caption(self) -> str:
        return f"{self.query_id} · {self.passage_id}"


def passage(
    snapshot: Snapshot,
    query_id: str,
    passage_id: str,
    settings: BoardChoice | None = None,
) -> PassageView:
    """Return a pool passage with its text, judgment, label, answers and ranks."""
    settings = settings_from(snapshot, {}, settings)
    pool = snapshot.collection.pools[snapshot.query_ids(query_id)[0]]
    if passage_id not in pool.counted:
        raise UnknownNameError(
            f"No passage '{passage_id}' in the pool of query '{query_id}'."
        )
    position = pool.passage_ids.index(passage_id)
    graded = snapshot.matrix(settings.grader, query_id, snapshot.bank)
    threshold = snapshot.threshold(settings)
    questions = snapshot.bank.questions_of(query_id)
    record = snapshot.grader(settings.grader)
    retired = [question for question in questions if question.state == "retired"]
    retired_grades = merge_segments(snapshot.gradebook.graded(record, pool, retired))
    by_id = {question.question_id: question for question in questions}
    label = graded_labels(graded, settings.rule)[position].item()
    judgment = int(pool.judgments[position])
    rows, ranks = np.nonzero(pool.top == position)
    return PassageView(
        query_id=query_id,
        passage_id=passage_id,
        text=passage_texts(snapshot, [passage_id])[passage_id],
        judgment=None if judgment == UNJUDGED else judgment,
        label=None if label == NO_LABEL else label,
        rated=_rated(graded, position, by_id, threshold),
        ranks={
            snapshot.collection.systems[row]: rank + 1
            for row, rank in zip(rows.tolist(), ranks.tolist(), strict=True)
        },
        retired=tuple(
            rated
            for rated in _rated(retired_grades, position, by_id, threshold)
            if rated.rating is not None
        ),
        citations=citations(snapshot, query_id).get(passage_id, ()),
    )


def answering(
    snapshot: Snapshot,
    query_id: str,
    question_id: str,
    settings: BoardChoice | None = None,
) -> tuple[str, ...]:
    """Return the pool passages that answer a question, best rated first.

    Includes retired questions, as far as their grades are known; () for an unknown
    question.
    """
    settings = settings_from(snapshot, {}, settings)
    pool = snapshot.collection.pools[snapshot.query_ids(query_id)[0]]
    question = snapshot.bank.find(query_id, question_id)
    record = snapshot.grader(settings.grader)
    if question is None or record.spec.reading.item_kind == "query":
        return ()
    graded = snapshot.gradebook.graded(record, pool, [question])
    ratings = merge_segments(graded).ratings
    if not len(ratings):
        return ()
    threshold = snapshot.threshold(settings)
    order = np.argsort(-ratings[0], kind="stable")
    return tuple(
        pool.passage_ids[i]
        for i in order
        if ratings[0, i] >= threshold and i not in pool.uncounted
    )


def _rated(
    graded: GradedQuery, position: int, by_id: Mapping[str, Question], threshold: int
) -> tuple[RatedQuestion, ...]:
    ratings = zip(graded.item_ids, graded.ratings[:, position].tolist(), strict=True)
    return tuple(
        RatedQuestion(
            by_id[item_id], rating if rating >= 0 else None, rating >= threshold
        )
        for item_id, rating in ratings
        if item_id in by_id
    )


def passage_texts(snapshot: Snapshot, passage_ids: Sequence[str]) -> dict[str, str]:
    """Return the texts by passage id; ids without a text are absent."""
    return store_collection.passage_texts(snapshot.connection, passage_ids)


@cached_in_snapshot
def citations(snapshot: Snapshot, query_id: str) -> Mapping[str, tuple[Citation, ...]]:
    """Return the citations of each passage of the query's reports, in text order.

    Reports with identical passages share them, and a span has the citations of all of
    these reports, so the source is not revealed.
    """
    if not len(snapshot.collection.pools[query_id].citations):
        return {}
    collection = snapshot.full.collection
    pool = collection.pools[query_id]
    rows = {system: row for row, system in enumerate(collection.systems)}
    citations_by_query = store_collection.read_citations(snapshot.connection, query_id)
    spans_by_passage: defaultdict[str, defaultdict[tuple[int, int], dict[str, bool]]]
    spans_by_passage = defaultdict(lambda: defaultdict(dict))
    for system, passages in citations_by_query.get(query_id, {}).items():
        top = pool.top[rows[system]]
        for place, citing in zip(top.tolist(), passages, strict=False):
            if place != GAP:
                spans = spans_by_passage[pool.passage_ids[place]]
                for start, end, cited in citing:
                    spans[start, end] |= dict.fromkeys(cited, False)
    all_spans = chain.from_iterable(map(dict.values, spans_by_passage.values()))
    ids = {*chain.from_iterable(all_spans)}
    available = store_collection.passage_texts(snapshot.connection, sorted(ids)).keys()
    return {
        passage_id: tuple(
            Citation(*span, {id_: id_ in available for id_ in spans[span]})
            for span in sorted(spans)
        )
        for passage_id, spans in spans_by_passage.items()
    }
