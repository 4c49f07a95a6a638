"""A collection: queries, pools and ranks as numpy arrays, and blind mode."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from hashlib import sha256
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Subtopic:
    """A facet of a query. ``text`` is None if only its id is known."""

    subtopic_id: str
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Query:
    """An information need. ``title`` is None if only its id is known."""

    query_id: str
    title: str | None = None
    background: str | None = None
    subtopics: tuple[Subtopic, ...] = ()

    @property
    def name(self) -> str:
        return self.title if self.title is not None else self.query_id


@dataclass(frozen=True, slots=True)
class WithheldQuery(Query):
    """A restricted query: known by its id; its grades are found by a content key."""

    item_key: str = ""


GAP = -1  # a rank without a passage that has a text
UNJUDGED = -(2**15)


@dataclass(frozen=True, eq=False)
class Pool:
    """A query's passages in their fixed order, and each system's ranking of them.

    ``top`` is int32 (systems, depth): the pool position of the passage at each rank,
    GAP if there is none. ``judgments`` is int16 (passages,): the official grade,
    UNJUDGED if there is none. ``gold`` are the positions of the passages of the query's
    gold article, in its order, ``gold_only`` those neither ranked nor judged: they are
    graded, and count only for the article. ``listed`` is int32 (systems,): the number
    of ranks of each system, gaps included.

    ``subtopics`` are the same passages as ranked and judged for each subtopic, by its
    id, if the query's subtopics have their own ranks or judgments; else {}.

    ``segments`` maps the position of a document to those of its segments: graders see
    the segments, and the document has their best answer. ``segment_only`` are segments
    neither ranked nor judged.

    ``citations`` is int32 (citations, 3), the citations of generated reports: system,
    rank from 0 and pool position, GAP outside the pool. ``cited_only`` are the
    positions of passages that are only cited: they are graded, and count only for
    citations.
    """

    query_id: str
    passage_ids: tuple[str, ...]
    top: NDArray[np.int32]
    judgments: NDArray[np.int16]
    gold: tuple[int, ...] = ()
    gold_only: tuple[int, ...] = ()
    listed: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    subtopics: Mapping[str, Pool] = field(default_factory=dict)
    segments: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    segment_only: tuple[int, ...] = ()
    citations: NDArray[np.int32] = field(
        default_factory=lambda: np.zeros((0, 3), np.int32)
    )
    cited_only: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        return len(self.passage_ids)

    @cached_property
    def uncounted(self) -> tuple[int, ...]:
        """Positions of passages that are graded, but do not count by themselves."""
        return tuple(sorted({*self.gold_only, *self.segment_only, *self.cited_only}))

    @cached_property
    def gradable(self) -> NDArray[np.bool_]:
        """(passages,): True for passages that graders see: segments, no documents."""
        is_gradable = np.ones(self.size, dtype=np.bool_)
        is_gradable[list(self.segments)] = False
        return is_gradable

    @cached_property
    def counted(self) -> tuple[str, ...]:
        """The ids of all other passages, in pool order."""
        uncounted = frozenset(self.uncounted)
        return tuple(
            passage_id
            for position, passage_id in enumerate(self.passage_ids)
            if position not in uncounted
        )

    @property
    def depth(self) -> int:
        """The deepest rank of any system here."""
        return int(self.top.shape[1])

    def subtopic_pool(self, subtopic_id: str) -> Pool:
        """Return the pool as ranked and judged for a subtopic, else for the query."""
        return self.subtopics.get(subtopic_id, self)

    def top_k(self, k: int | None) -> NDArray[np.int32]:
        """Return the first ``k`` ranks of every system, all for None."""
        return self.top if k is None else self.top[:, :k]

    def rank_votes(self, k: int | None) -> NDArray[np.float64]:
        """Return (passages,): the sum of 1/rank over systems, in ``k`` ranks."""
        top = self.top_k(k)
        votes = np.zeros(self.size + 1)  # the last for gaps
        ranks = np.arange(1, top.shape[1] + 1)
        np.add.at(votes, top, np.broadcast_to(1 / ranks, top.shape))
        return votes[:-1]

    def judged_from(self, judgment: int) -> list[str]:
        """Return the passages judged ``judgment`` or more, in pool order."""
        relevant = (self.judgments != UNJUDGED) & (self.judgments >= judgment)
        return [self.passage_ids[position] for position in np.flatnonzero(relevant)]

    def retrieved(self, k: int | None) -> NDArray[np.int64]:
        """Return (systems,): how many of the first ``k`` ranks each system filled.

        Gaps count; if the length of the lists is unknown, those after the last passage
        do not.
        """
        listed = self.listed.astype(np.int64)
        if len(listed) != len(self.top):
            ranks = np.arange(1, self.depth + 1)
            listed = np.where(self.top != GAP, ranks, 0).max(axis=1, initial=0)
        return listed if k is None else np.minimum(listed, k)


OFFICIAL_SCORE = ("official_score", "official")
"""Entity and format of the extra with a system's score on the official board."""
OFFICIAL_BOARD = ("official_board", "official")
"""Entity and format of the extra with a further official board, by its name."""


class OfficialBoard(NamedTuple):
    """Ranks by system, and scores if they were imported."""

    ranks: Mapping[str, float]
    scores: Mapping[str, float]


@dataclass(frozen=True, eq=False)
class Collection:
    """A test collection: queries, pools, systems and official results.

    ``official`` maps system to its official rank (1 is best; fractions and ties occur),
    ``official_scores`` to its score, if scores were imported; ``official_boards`` are
    further official boards by name. ``min_relevance`` is the lowest judgment that
    counts as relevant, None if it is not set. ``guidelines`` is the organizer's
    Markdown for judges, or None. ``blind``: judges may not see system names, judgments
    and official ranks. ``human_first`` is the number of questions a judge writes in a
    query before seeing a model's proposals. ``mask_salt`` is the secret from which
    masks are made, never to be shown; "" without masks. ``restricted`` are the queries
    whose texts only organizers see.
    """

    title: str
    queries: tuple[Query, ...]
    systems: tuple[str, ...]
    pools: Mapping[str, Pool]
    official: Mapping[str, float] = field(default_factory=dict)
    official_scores: Mapping[str, float] = field(default_factory=dict)
    official_boards: Mapping[str, OfficialBoard] = field(default_factory=dict)
    min_relevance: int | None = None
    guidelines: str | None = None
    blind: bool = False
    human_first: int = 0
    mask_salt: str = field(default="", repr=False)
    restricted: frozenset[str] = frozenset()

    def official_board(self, measure: str) -> OfficialBoard | None:
        """Return the board ``official``, or ``official:NAME``; None if unknown."""
        name = measure.partition(":")[2]
        if not name:
            return OfficialBoard(self.official, self.official_scores)
        return self.official_boards.get(name)

    @cached_property
    def names(self) -> dict[str, str]:
        return {query.query_id: query.name for query in self.queries}

    @cached_property
    def depth(self) -> int:
        """The deepest rank of any system in any query, 0 without runs."""
        return max((pool.depth for pool in self.pools.values()), default=0)

    @cached_property
    def ranks_subtopics(self) -> bool:
        """True if subtopics of any query have their own ranks or judgments."""
        return any(pool.subtopics for pool in self.pools.values())

    @cached_property
    def highest_judgment(self) -> int:
        pools = self.pools.values()
        return max((int(pool.judgments.max(initial=0)) for pool in pools), default=0)

    @property
    def judged_subtopics(self) -> bool:
        """True if any subtopic has its own judgments."""
        return any(
            (subtopic_pool.judgments != UNJUDGED).any()
            for pool in self.pools.values()
            for subtopic_pool in pool.subtopics.values()
        )


@lru_cache(maxsize=8)
def blinded(collection: Collection) -> Collection:
    """Return the collection with masked systems, without judgments and official ranks.

    Pools keep their passages, and every system its rankings, so all scores are
    unchanged. Systems are sorted by mask, since the order of import, often
    alphabetical, would reveal them. The salt is removed as well. Cached, so that
    results computed from it can be cached, too.
    """
    names = masks(collection.systems, collection.mask_salt)
    # Row of each mask's system in the pools.
    rows = {names[system]: row for row, system in enumerate(collection.systems)}
    systems = tuple(sorted(rows))
    order = np.array([rows[mask] for mask in systems], dtype=np.intp)
    return replace(
        collection,
        systems=systems,
        pools={
            query_id: _blinded(pool, order)
            for query_id, pool in collection.pools.items()
        },
        official={},
        official_scores={},
        official_boards={},
        min_relevance=None,
        mask_salt="",
    )


def _blinded(pool: Pool, order: NDArray[np.intp]) -> Pool:
    return replace(
        pool,
        top=pool.top[order],
        listed=pool.listed[order] if len(pool.listed) else pool.listed,
        judgments=np.full_like(pool.judgments, UNJUDGED),
        citations=_reordered(pool.citations, order),
        subtopics={
            subtopic_id: _blinded(subtopic_pool, order)
            for subtopic_id, subtopic_pool in pool.subtopics.items()
        },
    )


def _reordered(
    citations: NDArray[np.int32], order: NDArray[np.intp]
) -> NDArray[np.int32]:
    reordered = citations.copy()
    reordered[:, 0] = np.argsort(order)[citations[:, 0]]
    return reordered


def masks(systems: Iterable[str], salt: str) -> dict[str, str]:
    """Return masks such as ``System 07`` by name, numbered in a secret order.

    The order is secret as long as ``salt`` is: names are public, so an order that
    depends on names alone could be computed by anybody.
    """
    shuffled = sorted(
        systems, key=lambda name: sha256(f"{salt}\n{name}".encode()).digest()
    )
    width = len(str(len(shuffled)))
    return {
        system: f"System {number:0{width}}" for number, system in enumerate(shuffled, 1)
    }
