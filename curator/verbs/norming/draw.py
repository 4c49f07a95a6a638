"""Items of a norming round: validation, and random draws over grades and queries."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np

from curator.bank.marks.norming import NormingTask
from curator.bank.questions import active
from curator.errors import NormingError, UnknownNameError
from curator.evaluation.norming import NormingItem
from curator.snapshot.settings import default_grader
from curator.snapshot.snapshot import Snapshot
from curator.store import collection as store_collection
from curator.store.norming import read_rounds
from curator.verbs.checks.next_checks import population

ItemIds = tuple[str, str | None, str | None]
"""Ids of query, question and passage; None for what an item of this kind lacks."""


def kind_of(items: Sequence[ItemIds]) -> NormingTask:
    """Return the kind of these items. Raises NormingError if kinds are mixed."""
    kinds = {
        (question is not None, passage is not None) for _, question, passage in items
    }
    names: dict[tuple[bool, bool], NormingTask]
    names = {(True, True): "pairs", (False, True): "passages", (True, False): "votes"}
    kind = names.get(kinds.pop()) if len(kinds) == 1 else None
    if kind is None:
        raise NormingError(
            "A round has items of one kind: pairs of a question and a passage, "
            "passages, or questions to vote on. These are of several kinds."
        )
    return kind


def draw_items(
    snapshot: Snapshot, of: NormingTask, count: int, seed: int, query_id: str | None
) -> list[ItemIds]:
    """Draw ``count`` items without checks or votes, or all if fewer are left.

    Balanced over ratings of the first grader and over queries; in random order, so that
    positions do not reveal ratings. Leaves out items of earlier rounds. Raises
    NormingError if nothing is left.
    """
    rng = np.random.default_rng(seed)
    taken = {
        item.key for round_ in read_rounds(snapshot.connection) for item in round_.items
    }
    strata = (
        _votes(snapshot, query_id) if of == "votes" else _pairs(snapshot, of, query_id)
    )
    restricted = snapshot.collection.restricted  # judges see all items of a round
    strata = {
        rating: [item for item in items if item[0] not in restricted]
        for rating, items in strata.items()
    }
    item_ids: list[ItemIds] = []
    used: Counter[str] = Counter()
    open_items = {
        rating: [
            (query, question_id, passage_id)
            for query, question_id, words, passage_id in map(
                items.__getitem__, rng.permutation(len(items)).tolist()
            )
            if (query, words, passage_id) not in taken
        ]
        for rating, items in sorted(strata.items())
    }
    while len(item_ids) < count and any(open_items.values()):
        for items in filter(None, open_items.values()):
            if len(item_ids) < count:
                index = min(range(len(items)), key=lambda i: used[items[i][0]])
                used[items[index][0]] += 1
                item_ids.append(items.pop(index))
    if not item_ids:
        raise NormingError(
            "No item is left to draw: all have been "
            f"{'voted on' if of == 'votes' else 'checked'} or were in a round. Name "
            "the items: `curator norming WORKSPACE open --item QUERY QUESTION PASSAGE`."
        )
    rng.shuffle(item_ids)
    return item_ids


Strata = dict[int, list[tuple[str, str | None, str | None, str | None]]]
"""By rating: query, question's id and words, passage."""


def _pairs(snapshot: Snapshot, of: NormingTask, query_id: str | None) -> Strata:
    grader = default_grader(snapshot)
    kind: Literal["passages", "pairs"] = "passages" if of == "passages" else "pairs"
    strata: Strata = defaultdict(list)
    for pairs in population(snapshot, grader, kind, query_id):
        query = pairs.pool.query_id
        checks = snapshot.bank.checks_of(query)
        checked = {(check.item, check.passage_id) for check in checks}
        ids = pairs.pool.passage_ids
        columns = pairs.item.tolist(), pairs.passage.tolist(), pairs.rating.tolist()
        for row, place, rating in zip(*columns, strict=True):
            item = pairs.items[row] if pairs.items else None
            words = item.text if item else None
            if (words, ids[place]) not in checked:
                question_id = item.question_id if item else None
                strata[rating].append((query, question_id, words, ids[place]))
    return strata


def _votes(snapshot: Snapshot, query_id: str | None) -> Strata:
    return {
        0: [
            (id_, question.question_id, question.text, None)
            for id_ in snapshot.query_ids(query_id)
            for question in active(snapshot.bank.questions_of(id_), "any")
            if question.text and not question.votes
        ]
    }


def resolve_items(
    snapshot: Snapshot, item_ids: Iterable[ItemIds]
) -> tuple[NormingItem, ...]:
    """Return the items with their current texts.

    Raises UnknownNameError for an unknown query, question or passage, NormingError for
    an item without a text or a duplicate.
    """
    item_ids = list(item_ids)
    if len(set(item_ids)) < len(item_ids):
        raise NormingError("An item can be in a round only once; one is given twice.")
    if restricted := [
        id_ for id_, *_ in item_ids if id_ in snapshot.collection.restricted
    ]:
        raise NormingError(
            f"Query '{restricted[0]}' is restricted, and judges would see its texts in "
            "a round. Leave it out."
        )
    passage_ids = [passage for _, _, passage in item_ids if passage is not None]
    texts = store_collection.passage_texts(snapshot.connection, passage_ids)
    items = []
    for number, (query_id, question_id, passage_id) in enumerate(item_ids):
        pool = snapshot.collection.pools[snapshot.query_ids(query_id)[0]]
        question = passage = None
        if question_id is not None:
            question = snapshot.bank.question(question_id).text or ""
        if passage_id is not None:
            if passage_id not in pool.counted:
                raise UnknownNameError(
                    f"No passage '{passage_id}' in the pool of query '{query_id}'."
                )
            passage = texts.get(passage_id) or ""
        if "" in (question, passage):
            raise NormingError(
                f"'{question_id if question == '' else passage_id}' has no text here, "
                "so nobody can answer it."
            )
        name = snapshot.queries[query_id].name
        ids = query_id, question_id, passage_id
        items.append(NormingItem(number, *ids, name, question, passage))
    return tuple(items)
