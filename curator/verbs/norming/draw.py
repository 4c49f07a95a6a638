"""What a round asks about: items drawn by seed over grades and queries, or given."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal

import numpy as np

from curator.bank.questions import active
from curator.engine.settings import default_grader
from curator.engine.state import State
from curator.errors import NormingError, UnknownNameError
from curator.evaluation.norming import Item, Of
from curator.store import collection as store_collection
from curator.store.norming import read_rounds
from curator.verbs.checks.next_checks import population

Place = tuple[str, str | None, str | None]
"""Query, question and passage; a passage as a whole has no question, a vote no
passage."""


def kind_of(items: Sequence[Place]) -> Of:
    """What these items are. Raises NormingError where they are not all of one kind."""
    kinds: set[Of | None] = {
        "pairs" if q and p else "votes" if q else "passages" if p else None
        for _, q, p in items
    }
    found = kinds.pop() if len(kinds) == 1 else None
    if found is None:
        raise NormingError(
            "The items of a round are all pairs of a question and a passage, all "
            "passages, or all questions to be voted on; these are not."
        )
    return found


def drawn(
    state: State, of: Of, count: int, seed: int, query_id: str | None
) -> list[Place]:
    """``count`` items that nobody has checked or voted on, or all where fewer are left.

    As many of every rating of the first grader as there are, and from as many queries;
    in random order, so that no place tells of a rating. None that a round had before.
    Raises NormingError where nothing is left.
    """
    rng = np.random.default_rng(seed)
    taken = {item.on for one in read_rounds(state.connection) for item in one.items}
    strata = _votes(state, query_id) if of == "votes" else _pairs(state, of, query_id)
    out = state.collection.restricted  # judges see whatever is in a round
    strata = {
        r: [one for one in many if one[0] not in out] for r, many in strata.items()
    }
    found: list[Place] = []
    used: Counter[str] = Counter()
    left = {
        rating: [
            (query, question_id, passage_id)
            for query, question_id, words, passage_id in map(
                many.__getitem__, rng.permutation(len(many)).tolist()
            )
            if (query, words, passage_id) not in taken
        ]
        for rating, many in sorted(strata.items())
    }
    while len(found) < count and any(left.values()):
        for many in filter(None, left.values()):
            if len(found) < count:
                least = min(range(len(many)), key=lambda i: used[many[i][0]])
                used[many[least][0]] += 1
                found.append(many.pop(least))
    if not found:
        raise NormingError(
            "Nothing is left to be drawn: everything has been "
            f"{'voted on' if of == 'votes' else 'checked'} by somebody, or was in a "
            "round. Give the items: `curator norming WORKSPACE open --item QUERY "
            "QUESTION PASSAGE`."
        )
    rng.shuffle(found)
    return found


Strata = dict[int, list[tuple[str, str | None, str | None, str | None]]]
"""By rating: query, question's id and words, passage."""


def _pairs(state: State, of: Of, query_id: str | None) -> Strata:
    """Pairs or passages that nobody has checked, by the first grader's rating."""
    grader = default_grader(state)
    asked: Literal["passages", "pairs"] = "passages" if of == "passages" else "pairs"
    found: Strata = defaultdict(list)
    for one in population(state, grader, asked, query_id):
        query = one.pool.query_id
        checks = state.bank.checks_of(query)
        checked = {(check.item, check.passage_id) for check in checks}
        ids = one.pool.passage_ids
        columns = one.item.tolist(), one.passage.tolist(), one.rating.tolist()
        for row, place, rating in zip(*columns, strict=True):
            item = one.items[row] if one.items else None
            words = item.text if item else None
            if (words, ids[place]) not in checked:
                question_id = item.question_id if item else None
                found[rating].append((query, question_id, words, ids[place]))
    return found


def _votes(state: State, query_id: str | None) -> Strata:
    """Kept questions that nobody has voted on."""
    return {
        0: [
            (one, question.question_id, question.text, None)
            for one in state.query_ids(query_id)
            for question in active(state.bank.of_query(one), "any")
            if question.text and not question.votes
        ]
    }


def items_of(state: State, places: Iterable[Place]) -> tuple[Item, ...]:
    """The items with their texts as they are now.

    Raises UnknownNameError for a query, question or passage that is not here,
    NormingError for one without a text and for one twice.
    """
    places = list(places)
    if len(set(places)) < len(places):
        raise NormingError("An item is in a round once; one of these is there twice.")
    if out := [one for one, *_ in places if one in state.collection.restricted]:
        raise NormingError(
            f"Query '{out[0]}' is restricted: no judge is to see its texts, and judges "
            "see whatever is in a round."
        )
    wanted = [passage for _, _, passage in places if passage is not None]
    texts = store_collection.passage_texts(state.connection, wanted)
    return tuple(_items(state, places, texts.get))


def _items(
    state: State, places: Iterable[Place], text_of: Callable[[str], str | None]
) -> Iterator[Item]:
    for number, (query_id, question_id, passage_id) in enumerate(places):
        pool = state.collection.pools[state.query_ids(query_id)[0]]
        question = passage = None
        if question_id is not None:
            found = state.bank.find(query_id, question_id)
            if found is None:
                raise UnknownNameError(
                    f"No question '{question_id}' in query '{query_id}'. "
                    "`curator questions WORKSPACE` lists the ids."
                )
            question = found.text or ""
        if passage_id is not None:
            if passage_id not in pool.counted:
                raise UnknownNameError(
                    f"No passage '{passage_id}' in the pool of query '{query_id}'."
                )
            passage = text_of(passage_id) or ""
        if "" in (question, passage):
            raise NormingError(
                f"'{question_id if question == '' else passage_id}' has no text here, "
                "so nobody can be asked about it."
            )
        name = state.queries[query_id].name
        yield Item(number, query_id, question_id, passage_id, name, question, passage)
