"""In which order a query's passages are gone through, and those that hold some words.

``look`` is the order in which they are worth a judge's time; what a page or the reader
shows first is the first of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Literal, get_args

from curator.engine.state import State
from curator.errors import UnknownNameError
from curator.store import collection as store_collection

if TYPE_CHECKING:
    from curator.verbs.passages.pool_rows import PooledPassage

Order = Literal[
    "pool", "look", "label", "judgment", "rank", "retrieved", "covered", "length"
]
Passages = tuple["PooledPassage", ...]
Value = Callable[["PooledPassage"], float | None]

VALUES: Mapping[str, Value] = {
    "label": lambda one: one.label,
    "judgment": lambda one: one.judgment,
    "rank": lambda one: -one.rank if one.rank else None,
    "retrieved": lambda one: len(one.ranks),
    "covered": lambda one: None if one.label is None else len(one.answers),
}
"""What a passage is placed by, the highest first; None comes last either way."""


def in_order(
    passages: Iterable[PooledPassage],
    order: Order,
    *,
    reverse: bool = False,
    letters: Mapping[str, int] | None = None,
) -> Passages:
    """The passages by this order; what is equal stays in the order given.

    "pool": as they were imported. "look": those that a system retrieves before others;
    among them what no question covers although it is likely relevant, by judgment and
    votes, then the rest by votes. Labels, judgments and numbers of systems and of
    questions come highest first, best ranks lowest first, texts longest first:
    ``letters`` says how long each is. ``reverse`` turns the order round; what has no
    such value stays last. Raises UnknownNameError for another order.
    """
    if order not in get_args(Order):
        raise UnknownNameError(
            f"No order '{order}' of passages. There are: {', '.join(get_args(Order))}."
        )
    many = list(passages)
    if order == "pool":
        return tuple(reversed(many)) if reverse else tuple(many)
    if order == "look":
        return tuple(sorted(many, key=_to_look_at, reverse=reverse))
    lengths = letters or {}
    value = VALUES.get(order) or (lambda one: lengths.get(one.passage_id))
    placed = [(value(one), one) for one in many]
    known = sorted(
        ((number, one) for number, one in placed if number is not None),
        key=lambda pair: pair[0],
        reverse=not reverse,
    )
    return (
        *(one for _, one in known),
        *(one for number, one in placed if number is None),
    )


def likely_uncovered(one: PooledPassage) -> bool:
    """Whether no kept question covers a passage that is likely relevant.

    It is judged relevant or, unjudged, retrieved; and all its grades are known.
    """
    likely = one.relevant or (one.relevant is None and bool(one.ranks))
    # A mean may be low although a question is answered.
    covered = one.answered or one.answers
    return bool(likely and not covered and not one.missing)


def by_relevance(one: PooledPassage) -> tuple[bool, int, float]:
    """Sorts what is judged relevant first, by judgment, then by votes of systems."""
    return (not one.relevant, -(one.judgment or 0) if one.relevant else 0, -one.votes)


def _to_look_at(one: PooledPassage) -> tuple[bool, bool, tuple[bool, int, float]]:
    first = likely_uncovered(one)
    key = by_relevance(one) if first else (False, 0, -one.votes)
    return (not one.ranks, not first, key)


def letters(state: State, query_id: str) -> dict[str, int]:
    """How many characters of each passage's text are not white space, by its id."""
    (query_id,) = state.query_ids(query_id)
    counted = state.letters(query_id).tolist()
    return dict(zip(state.collection.pools[query_id].passage_ids, counted, strict=True))


def holding(state: State, query_id: str, words: str) -> tuple[str, ...]:
    """The query's passages whose text, or id, holds all these words, in pool order.

    In any case of letters, parts of words too; words in double quotes stand together.
    """
    (query_id,) = state.query_ids(query_id)
    wanted = [
        " ".join((together or alone).casefold().split())
        for together, alone in re.findall(r'"([^"]+)"|(\S+)', words)
    ]

    def found() -> tuple[str, ...]:
        texts = store_collection.passage_texts(state.connection, pool.counted)
        return tuple(
            passage_id
            for passage_id in pool.counted
            for text in [f"{texts.get(passage_id, '')} {passage_id}"]
            for read in [" ".join(text.casefold().split())]
            if all(word in read for word in wanted)
        )

    pool = state.collection.pools[query_id]
    as_read = query_id, query_id in state.restricted
    return state.kept.holding.get((*as_read, *wanted), (pool,), found)
