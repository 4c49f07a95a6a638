"""Orders of a query's passages, and search for passages by words.

``look`` is the order in which passages are worth a judge's time; pages and the
reader start with its first passage.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Literal, get_args

from curator.errors import UnknownNameError
from curator.snapshot.snapshot import Snapshot
from curator.store import collection as store_collection

if TYPE_CHECKING:
    from curator.verbs.passages.pool_rows import PooledPassage

Order = Literal[
    "pool", "look", "label", "judgment", "rank", "retrieved", "covered", "length"
]
Passages = tuple["PooledPassage", ...]
Value = Callable[["PooledPassage"], float | None]

VALUES: Mapping[str, Value] = {
    "label": lambda passage: passage.label,
    "judgment": lambda passage: passage.judgment,
    "rank": lambda passage: -passage.rank if passage.rank else None,
    "retrieved": lambda passage: len(passage.ranks),
    "covered": lambda passage: None if passage.label is None else len(passage.answers),
}
"""Sort keys of the orders, the highest first; None always comes last."""


def sort_passages(
    passages: Iterable[PooledPassage],
    order: Order,
    *,
    reverse: bool = False,
    letters: Mapping[str, int] | None = None,
) -> Passages:
    """Return the passages in this order; ties keep the given order.

    "pool": as imported. "look": retrieved passages before others; among them likely
    relevant passages that no question covers, by judgment and votes, then the others by
    votes. Labels, judgments and numbers of systems and of questions come highest first,
    best ranks lowest first, texts longest first by ``letters``. ``reverse`` reverses
    the order; passages without a value stay last. Raises UnknownNameError for an
    unknown order.
    """
    if order not in get_args(Order):
        raise UnknownNameError(
            f"No order '{order}' of passages. Available: {', '.join(get_args(Order))}."
        )
    listed = list(passages)
    if order == "pool":
        return tuple(reversed(listed)) if reverse else tuple(listed)
    if order == "look":
        return tuple(sorted(listed, key=_look_key, reverse=reverse))
    lengths = letters or {}
    value = VALUES.get(order) or (lambda passage: lengths.get(passage.passage_id))
    values = {id(passage): value(passage) for passage in listed}
    sortable = [passage for passage in listed if values[id(passage)] is not None]
    sortable.sort(key=lambda passage: values[id(passage)] or 0, reverse=not reverse)
    return (*sortable, *(p for p in listed if values[id(p)] is None))


def likely_uncovered(passage: PooledPassage) -> bool:
    """Return True if no kept question covers a likely relevant passage.

    It is judged relevant or, if unjudged, retrieved; and all its grades are known.
    """
    likely = passage.relevant or (passage.relevant is None and bool(passage.ranks))
    # The mean of ratings may be low although a question is answered.
    covered = passage.answered or passage.answers
    return bool(likely and not covered and not passage.missing)


def by_relevance(passage: PooledPassage) -> tuple[bool, int, float]:
    """Sort key: judged relevant first, by judgment, then by votes of systems."""
    return (
        not passage.relevant,
        -(passage.judgment or 0) if passage.relevant else 0,
        -passage.votes,
    )


def _look_key(passage: PooledPassage) -> tuple[bool, bool, tuple[bool, int, float]]:
    uncovered = likely_uncovered(passage)
    key = by_relevance(passage) if uncovered else (False, 0, -passage.votes)
    return (not passage.ranks, not uncovered, key)


def letters(snapshot: Snapshot, query_id: str) -> dict[str, int]:
    """Return the number of non-space characters of each passage's text, by id."""
    (query_id,) = snapshot.query_ids(query_id)
    passage_ids = snapshot.collection.pools[query_id].passage_ids
    return dict(zip(passage_ids, snapshot.letters(query_id).tolist(), strict=True))


def holding(snapshot: Snapshot, query_id: str, words: str) -> tuple[str, ...]:
    """Return the query's passages whose text or id contains all words, in pool order.

    Case-insensitive, and parts of words match; double quotes mark phrases.
    """
    (query_id,) = snapshot.query_ids(query_id)
    pool = snapshot.collection.pools[query_id]
    terms = [
        " ".join((phrase or word).casefold().split())
        for phrase, word in re.findall(r'"([^"]+)"|(\S+)', words)
    ]

    def matches(passage_id: str, text: str) -> bool:
        normalized = " ".join(f"{text} {passage_id}".casefold().split())
        return all(term in normalized for term in terms)

    def search() -> tuple[str, ...]:
        texts = store_collection.passage_texts(snapshot.connection, pool.counted)
        return tuple(
            name for name in pool.counted if matches(name, texts.get(name, ""))
        )

    key = query_id, query_id in snapshot.restricted
    return snapshot.caches.searches.get((*key, *terms), (pool,), search)
