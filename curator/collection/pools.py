"""A collection: queries, pools and ranks as numpy arrays, and what blind mode hides."""

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
    """A facet of a query. ``text`` is None where only its id is known."""

    subtopic_id: str
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Query:
    """An information need. ``title`` is None where only its id is known."""

    query_id: str
    title: str | None = None
    background: str | None = None
    subtopics: tuple[Subtopic, ...] = ()

    @property
    def name(self) -> str:
        """The title, or the id where no text is known."""
        return self.title if self.title is not None else self.query_id


@dataclass(frozen=True, slots=True)
class WithheldQuery(Query):
    """A restricted query: known by its id; its grades are found by a content key."""

    item_key: str = ""


GAP = -1  # a rank at which no passage with text stands
UNJUDGED = -(2**15)


@dataclass(frozen=True, eq=False)
class Pool:
    """A query's passages in their fixed order, and where each system ranked them.

    ``top`` is int32 (systems, depth): the pool position of the passage at each rank,
    GAP where there is none. ``judgments`` is int16 (passages,): the official grade,
    UNJUDGED where there is none. ``gold`` are the positions of the passages of the
    query's gold article, in its order, ``gold_only`` those that no system ranked and
    nobody judged: they are graded, and count for nothing but the article. ``listed``
    is int32 (systems,): how many ranks each system's list has, gaps included.

    ``subtopics`` are the same passages as ranked and judged for each subtopic, by its
    id, in a query whose subtopics have ranks or judgments of their own; {} in others.

    ``segments`` maps the position of a document to those of its segments: graders see
    the segments, and the document answers what one of them does. ``segment_only`` are
    those of them that no system ranked and nobody judged.

    ``citations`` is int32 (citations, 3), what generated reports cite: system, rank
    from 0 and pool position, GAP for what is not in the pool. ``cited_only`` are the
    positions of what is cited alone: it is graded, and counts for nothing but what it
    supports.
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
        """The number of passages."""
        return len(self.passage_ids)

    @cached_property
    def aside(self) -> tuple[int, ...]:
        """Positions of what is graded and counts for nothing by itself."""
        return tuple(sorted({*self.gold_only, *self.segment_only, *self.cited_only}))

    @cached_property
    def asked(self) -> NDArray[np.bool_]:
        """(passages,): what graders are asked about; not documents, but segments."""
        found = np.ones(self.size, dtype=np.bool_)
        found[list(self.segments)] = False
        return found

    @cached_property
    def counted(self) -> tuple[str, ...]:
        """The passage ids without those aside, in pool order."""
        aside = frozenset(self.aside)
        return tuple(p for i, p in enumerate(self.passage_ids) if i not in aside)

    @property
    def depth(self) -> int:
        """The deepest rank any system has here."""
        return int(self.top.shape[1])

    def of_subtopic(self, subtopic_id: str) -> Pool:
        """The pool as it was ranked and judged for a subtopic, else for the query."""
        return self.subtopics.get(subtopic_id, self)

    def top_k(self, k: int | None) -> NDArray[np.int32]:
        """The first ``k`` ranks of every system, all of them for None."""
        return self.top if k is None else self.top[:, :k]

    def rank_votes(self, k: int | None) -> NDArray[np.float64]:
        """(passages,): the sum over systems of 1/rank, in their first ``k`` ranks."""
        top = self.top_k(k)
        votes = np.zeros(self.size + 1)  # the last for gaps
        ranks = np.arange(1, top.shape[1] + 1)
        np.add.at(votes, top, np.broadcast_to(1 / ranks, top.shape))
        return votes[:-1]

    def judged_from(self, judgment: int) -> list[str]:
        """List the passages judged ``judgment`` or more, in pool order."""
        relevant = (self.judgments != UNJUDGED) & (self.judgments >= judgment)
        return [self.passage_ids[at] for at in np.flatnonzero(relevant)]

    def retrieved(self, k: int | None) -> NDArray[np.int64]:
        """(systems,): how many of the first ``k`` ranks each system filled.

        A gap is one of them; where nobody has said how long the lists are, not those
        after the last passage.
        """
        listed = self.listed.astype(np.int64)
        if len(listed) != len(self.top):
            ranks = np.arange(1, self.depth + 1)
            listed = np.where(self.top != GAP, ranks, 0).max(axis=1, initial=0)
        return listed if k is None else np.minimum(listed, k)


OFFICIAL_SCORE = ("official_score", "official")
"""Entity and format of the extra that is a system's score on the official board."""
OFFICIAL_BOARD = ("official_board", "official")
"""Entity and format of the extra that is a further official board, by its name."""


class OfficialBoard(NamedTuple):
    """Ranks by system, and the scores that give them where scores were imported."""

    ranks: Mapping[str, float]
    scores: Mapping[str, float]


@dataclass(frozen=True, eq=False)
class Collection:
    """A test collection: queries, pools, systems and what is known officially.

    ``official`` maps system to its official rank (1 is best; fractions and ties
    occur), ``official_scores`` to the score that gives it, where scores came in;
    ``official_boards`` are further official boards by name.
    ``min_relevance`` is the judgment from which a passage counts as
    relevant, None where nobody has said. ``guidelines`` is Markdown that the organizer
    wrote for the judges, None where there is none. ``blind``: judges are not to see
    system names, judgments and official ranks. ``human_first`` is how many questions a
    judge writes in a query before seeing what a model proposes there. ``mask_salt`` is
    the secret from which their masks are made, never to be shown; "" where nothing is
    masked. ``restricted`` are the queries whose texts organizers alone are shown.
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
        """Find the board ``official``, or ``official:NAME``; None for another name."""
        name = measure.partition(":")[2]
        if not name:
            return OfficialBoard(self.official, self.official_scores)
        return self.official_boards.get(name)

    @cached_property
    def depth(self) -> int:
        """The deepest rank stored of any system in any query, 0 without runs."""
        return max((pool.depth for pool in self.pools.values()), default=0)

    @cached_property
    def ranks_subtopics(self) -> bool:
        """Whether subtopics of any query have ranks or judgments of their own."""
        return any(pool.subtopics for pool in self.pools.values())

    @cached_property
    def highest_judgment(self) -> int:
        """The highest judgment of any passage, 0 without any."""
        pools = self.pools.values()
        return max((int(one.judgments.max(initial=0)) for one in pools), default=0)

    @property
    def judged_subtopics(self) -> bool:
        """Whether any subtopic has judgments of its own."""
        return any(
            (one.judgments != UNJUDGED).any()
            for pool in self.pools.values()
            for one in pool.subtopics.values()
        )


@lru_cache(maxsize=8)
def blinded(collection: Collection) -> Collection:
    """The collection with systems renamed, and without judgments and official ranks.

    Pools keep their passages, and every system its rankings, so every score stays what
    it is. Systems stand in the order of their masks: the order of import, often the
    alphabet's, would tell which is which. The salt of the masks is gone as well. The
    same object each time, so what is computed from it can be kept.
    """
    names = masks(collection.systems, collection.mask_salt)
    # The row that each mask's system has in the pools, by mask.
    rows = {names[system]: row for row, system in enumerate(collection.systems)}
    systems = tuple(sorted(rows))
    order = np.array([rows[mask] for mask in systems], dtype=np.intp)
    return replace(
        collection,
        systems=systems,
        pools={q: _blinded(pool, order) for q, pool in collection.pools.items()},
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
        citations=_of_rows(pool.citations, order),
        subtopics={s: _blinded(one, order) for s, one in pool.subtopics.items()},
    )


def _of_rows(
    citations: NDArray[np.int32], order: NDArray[np.intp]
) -> NDArray[np.int32]:
    """The citations where the systems stand in this order."""
    found = citations.copy()
    found[:, 0] = np.argsort(order)[citations[:, 0]]
    return found


def masks(systems: Iterable[str], salt: str) -> dict[str, str]:
    """``System 07`` by name, numbered in an order that tells nothing of the names.

    The order is secret as long as ``salt`` is: names are public, so anybody could
    compute one that rests on them alone.
    """
    shuffled = sorted(
        systems, key=lambda name: sha256(f"{salt}\n{name}".encode()).digest()
    )
    width = len(str(len(shuffled)))
    return {
        system: f"System {number:0{width}}" for number, system in enumerate(shuffled, 1)
    }
