"""Stability of a board under other draws of its questions.

A query's questions are taken for a sample from a source of such questions; queries are
fixed. Two kinds of draws are made: halves, which share no question and so are two banks
of half the size, and *more*, a few additional questions. docs/validity.md derives the
expected tau_b and its interval from the halves (Spearman 1910, Brown 1910, Greiner
1909).
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations_with_replacement
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from curator.collection.pools import UNJUDGED
from curator.evaluation.correlation import TOP
from curator.evaluation.grades import GradedQuery
from curator.evaluation.measures import Measure
from curator.evaluation.ranks import TIE_TOLERANCE
from curator.results import IF_ANY

Floats = NDArray[np.float64]
Drawn = NDArray[np.intp]

DRAWS = 200
FEW_DRAWS = 20  # if the measure is recomputed for each
ENUMERATED = 2000  # most ways to add questions that are enumerated
ADDED = 1000  # draws of questions added in every query at once
WIDEST = 8.0  # largest factor of the differences of halves
SIZES = (*range(1, 11), 15, 20, 30, 50, 100, 200, 500)  # of banks with fewer questions
TAIL = 0.025  # on either side of an interval


@dataclass(frozen=True, slots=True)
class Expected:
    """Kendall's tau_b in [-1, 1]: its expected value and its 95 % interval."""

    tau: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class ExpectedAtSize:
    """Expected tau_b of two boards of ``questions`` questions in all queries.

    With a reference instead of a second board, there are at most ``per_query`` in each.
    """

    questions: int
    expected: Expected
    per_query: int = field(default=0, metadata=IF_ANY)


@dataclass(frozen=True, slots=True)
class TopTenChange:
    """Probability that ``more`` questions change the top ten.

    ``members``: another system enters the first ten; ``order``: any place among them
    changes, so it is at least as probable. Both in [0, 1].
    """

    more: int
    order: float
    members: float


@dataclass(frozen=True, slots=True)
class Covered:
    """Number of passages judged ``relevant``, and of those that items answer."""

    relevant: int
    covered: int


@dataclass(frozen=True, eq=False)
class DrawnRows:
    """Scores of one query, by this bank and by others drawn from its questions.

    ``row`` is (systems,); ``halves`` (2, draws, systems), of banks of ``half`` items
    that share none; ``again`` (draws, systems), of as many items drawn with
    replacement; ``moves`` (items, systems), the scores less those without each item.
    """

    items: int
    row: Floats
    halves: Floats
    again: Floats
    moves: Floats

    @property
    def half(self) -> int:
        return self.items // 2

    @cached_property
    def board(self) -> Board:
        return Board(self.row, [self], 1)


def drawn_rows(
    graded: GradedQuery, measure: Measure, draws: int = DRAWS, seed: int = 0
) -> DrawnRows:
    """Score all draws of a query of two items or more."""
    items, row = len(graded.item_ids), measure.scored(graded).row.score
    first, second, again = (
        measure.scores_of_draws(graded, draw)
        for draw in drawn_items(graded.query_id, items, draws, seed)
    )
    moves = np.asarray(row - measure.without_each(graded))
    return DrawnRows(items, row, np.stack([first, second]), again, moves)


def drawn_items(
    query_id: str, items: int, draws: int, seed: int
) -> tuple[Drawn, Drawn, Drawn]:
    """(draws, …) items: of one half, of the other, and with replacement.

    Halves have half of the items, rounded down; other queries have other draws.
    """
    generator = _generator(query_id, seed)
    order = generator.random((draws, items)).argsort(axis=1)
    half = items // 2
    again = generator.integers(0, items, (draws, items))
    return order[:, :half], order[:, half : 2 * half], again


def drawn_order(query_id: str, items: int, draws: int, seed: int) -> Drawn:
    """(draws, items): the items of a query in random orders."""
    return _generator(query_id, seed).random((draws, items)).argsort(axis=1)


def _generator(query_id: str, seed: int) -> np.random.Generator:
    return np.random.default_rng([seed, zlib.crc32(query_id.encode())])


def with_fewer_questions(
    graded: Sequence[GradedQuery],
    measure: Measure,
    reference: Floats,
    draws: int = DRAWS,
    seed: int = 0,
) -> tuple[ExpectedAtSize, ...]:
    """Correlate boards of 1, 2, … questions drawn from every query with a reference.

    ``reference`` is (systems,), NaN for a system without one. A query that has no more
    questions keeps all of them. Ten sizes at first, and then fewer.
    """
    with_reference = np.flatnonzero(np.isfinite(reference))
    items = [len(query.item_ids) for query in graded]
    orders = [
        drawn_order(query.query_id, item_count, draws, seed)
        for query, item_count in zip(graded, items, strict=True)
    ]
    most = max(items)
    curve = []
    for size in sorted({size for size in SIZES if size < most} | {most}):
        rows = [
            measure.scores_of_draws(query, order[:, :size])
            for query, order in zip(graded, orders, strict=True)
        ]
        boards = np.mean(rows, axis=0)[:, with_reference]
        curve.append(
            ExpectedAtSize(
                sum(min(size, item_count) for item_count in items),
                interval(taus(reference[with_reference], boards)),
                size,
            )
        )
    return tuple(curve)


@dataclass(frozen=True, eq=False)
class Board:
    """Mean over queries, by this bank and by others drawn from its questions.

    ``score`` is of all queries; ``queries`` are those that have two items or more, of
    ``count`` in all. Those of a single item stay as they are, and leave the halves.
    """

    score: Floats
    queries: Sequence[DrawnRows]
    count: int

    @property
    def items(self) -> int:
        """Number of items of the queries with draws."""
        return sum(query.items for query in self.queries)

    @property
    def halves(self) -> tuple[Floats, Floats]:
        """The boards of both halves, (draws, systems) each."""
        first, second = np.mean([query.halves for query in self.queries], axis=0)
        return first, second

    @property
    def share(self) -> float:
        """Share of the items in a half; .5 if all numbers of items are even."""
        return sum(query.half for query in self.queries) / self.items

    def differences(self, more: float = 0, times: float = 1) -> Floats:
        """(draws, systems): the differences of two banks of ``more`` items per query.

        Both banks have ``times`` as many items plus ``more``; by variance, as if the
        contributions of items to a score were independent.
        """
        total = 0.0
        for query in self.queries:
            share = query.half / (times * query.items + more)
            total = total + (query.halves[0] - query.halves[1]) * math.sqrt(share)
        return np.asarray(total) / self.count

    def again(self) -> Floats:
        """(draws, systems): the boards of items drawn with replacement."""
        moved = sum(query.again - query.row for query in self.queries)
        return np.asarray(self.score + moved / self.count)

    def halves_agree(self) -> float:
        """Mean tau_b of the boards of two halves."""
        return float(taus(*self.halves).mean())

    @cached_property
    def expected(self) -> Expected:
        """Expected tau_b of this board and that of another bank of its size."""
        return interval(taus(self.score, self.score + self._width * self.differences()))

    def grown(self, more: Iterable[int]) -> tuple[ExpectedAtSize, ...]:
        """Estimate the tau_b of two banks of larger sizes, and of twice the size.

        The width of the differences is that of this size.
        """
        ways = [(count, 1) for count in more] + [(0, 2)]
        by_size = {}
        for extra, times in ways:
            other = self.score + self._width * self.differences(extra, times)
            size = times * self.items + extra * len(self.queries)
            by_size[size] = ExpectedAtSize(size, interval(taus(self.score, other)))
        return tuple(by_size[size] for size in sorted(by_size))

    @cached_property
    def _width(self) -> float:
        most = step_up(self.halves_agree(), 1 / self.share)
        return widening(self.score, self.differences(), most)

    def change(self, more: int, seed: int = 0) -> TopTenChange:
        """Estimate the effect of ``more`` items in every query on the top ten."""
        generator = np.random.default_rng(seed)
        total = np.zeros((ADDED, len(self.score)))
        for query in self.queries:
            total += change_by_additions(
                query.moves, draw_from_urn(generator, query.items, more), more
            )
        return top_ten_change(self.score, self.score + total / self.count, more)

    def change_of(self, moves: Floats, more: int, seed: int = 0) -> TopTenChange:
        """Estimate the effect of ``more`` items in the query with these ``moves``."""
        items = len(moves)
        if math.comb(items + more - 1, more) <= ENUMERATED:
            # In draws from an urn, as below, all of these are equally probable.
            ways = combinations_with_replacement(range(items), more)
            drawn = np.array([*ways], dtype=np.intp)
        else:
            drawn = draw_from_urn(np.random.default_rng(seed), items, more)
        after = self.score + change_by_additions(moves, drawn, more) / self.count
        return top_ten_change(self.score, after, more)


def tau_over_queries(
    rows: Sequence[Floats], draws: int = DRAWS, seed: int = 0
) -> Expected:
    """Expected tau_b of the mean of these rows and that of as many other queries.

    By the same halves, of queries in place of items; two rows or more.
    """
    scores = np.stack(rows)
    first, second, _ = drawn_items("", len(rows), draws, seed)
    halves = np.stack([scores[half].mean(axis=1) for half in (first, second)])
    drawn = DrawnRows(len(rows), scores.mean(axis=0), halves, halves[0], scores)
    return drawn.board.expected


def draw_from_urn(generator: np.random.Generator, items: int, more: int) -> Drawn:
    """(ADDED, more): items drawn one by one, each put back with another of its kind.

    The questions seen so far predict the next one, but not for certain: a question of a
    new kind makes the next of that kind more probable (Pólya's urn).
    """
    drawn = np.empty((ADDED, more), dtype=np.intp)
    for at in range(more):
        ball = generator.integers(0, items + at, ADDED)
        earlier = drawn[np.arange(ADDED), np.maximum(ball - items, 0)]
        drawn[:, at] = np.where(ball < items, ball, earlier)
    return drawn


def change_by_additions(moved: Floats, drawn: Drawn, more: int) -> Floats:
    """(draws, systems): the change of a query's scores if these items came once more.

    Exact if a score is a mean over items; otherwise an item adds what its removal takes
    away, scaled as in a mean.
    """
    items = len(moved)
    return np.asarray(moved[drawn].sum(axis=1) * (items - 1) / (items + more))


def top_ten_change(
    before: Floats, after: Floats, more: int, top: int = TOP
) -> TopTenChange:
    """Share of the boards ``after`` (draws, systems) in which the top ten differs.

    The top ten are the systems at place ten or better: more where some tie.
    """
    ranks, others = places(before[None])[0], places(after)
    top_before, top_after = ranks <= top, others <= top
    order = ((ranks != others) & (top_before | top_after)).any(axis=1)
    return TopTenChange(
        more, float(order.mean()), float((top_before != top_after).any(axis=1).mean())
    )


def places(scores: Floats) -> NDArray[np.int64]:
    """(boards, systems): each system's place, one more than the systems above it."""
    above = scores[:, None, :] > scores[:, :, None] + TIE_TOLERANCE
    return np.asarray(1 + above.sum(axis=2))


def taus(reference: Floats, others: Floats) -> Floats:
    """(boards,): Kendall's tau_b of each of ``others`` with ``reference``.

    ``others`` is (boards, systems), ``reference`` (systems,) or as many boards. 0 if
    all systems tie on a side: such a board says nothing about the other.
    """
    ours, theirs = signs(reference), signs(others)
    agree = (ours * theirs).sum(axis=-1)
    untied = np.abs(ours).sum(axis=-1) * np.abs(theirs).sum(axis=-1)
    return np.asarray(agree / np.sqrt(np.maximum(untied, 1)))


def signs(scores: Floats) -> NDArray[np.float32]:
    """(…, pairs): 1 where the first of two systems is above, -1 below, 0 tied."""
    first, second = np.triu_indices(scores.shape[-1], 1)
    apart = scores[..., first] - scores[..., second]
    above, below = apart > TIE_TOLERANCE, apart < -TIE_TOLERANCE
    # Sums of so few whole numbers are exact.
    return above.astype(np.float32) - below.astype(np.float32)


def step_up(tau: float, times: float) -> float:
    """Tau of banks ``times`` as large as those that agree with ``tau``.

    Spearman-Brown between the correlations that these taus are of; odd in tau.

    Source: Spearman 1910, Brown 1910; Greiner 1909.
    """
    r = math.sin(math.pi * tau / 2)
    r = times * r / (1 + (times - 1) * abs(r))
    return 2 / math.pi * math.asin(max(-1.0, min(1.0, r)))


def widening(score: Floats, apart: Floats, most: float) -> float:
    """Factor, from 1 on, by which ``apart`` gets a mean tau of ``most``.

    1 if the boards agree no better anyway, WIDEST if no factor is enough.
    """

    def agrees(width: float) -> float:
        return float(taus(score, score + width * apart).mean())

    low, high = 1.0, WIDEST
    if agrees(low) <= most:
        return low
    for _ in range(10):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if agrees(middle) > most else (low, middle)
    return high


def interval(values: Floats) -> Expected:
    """Return the mean of these taus and their middle 95 %."""
    low, high = np.quantile(values, (TAIL, 1 - TAIL)).tolist()
    return Expected(float(values.mean()), low, high)


def covered_passages(
    graded: GradedQuery, threshold: int, min_relevance: int | None
) -> Covered | None:
    """Count the relevant passages that items answer; None without judgments."""
    judgments = graded.pool.judgments
    if min_relevance is None or not (judgments != UNJUDGED).any():
        return None
    relevant = (judgments != UNJUDGED) & (judgments >= min_relevance)
    relevant[list(graded.pool.uncounted)] = False
    answered = graded.correct(threshold)[:, relevant].any(axis=0)
    return Covered(int(relevant.sum()), int(answered.sum()))


@dataclass(frozen=True, slots=True)
class Figures:
    """Stability of a board of ``questions`` questions in ``queries`` queries.

    All are taus of two boards: ``expected`` of this one and that of another bank of its
    size, ``halves`` of two halves of this bank, ``again`` of this board and those of
    questions drawn from it with replacement, ``over_queries`` of this one and that of
    as many other queries, None for fewer than four. ``change`` is the effect of more
    questions on the top ten of the collection's board, ``covered`` None without
    judgments. ``single`` counts the queries with a single question, which are not drawn
    from. ``draws`` draws were made; ``left_out`` queries lack grades and are left out.
    """

    questions: int
    queries: int
    expected: Expected
    halves: float
    again: Expected
    change: TopTenChange
    over_queries: Expected | None = None
    covered: Covered | None = None
    single: int = 0
    draws: int = DRAWS
    left_out: int = 0

    @classmethod
    def from_fields(cls, value: dict[str, Any]) -> Self:
        """Build the figures from stored fields. Raises TypeError, KeyError."""
        parts = {n: part(**value[n]) for n, part in _PARTS.items() if value[n]}
        return cls(**value | parts)

    @property
    def sentence(self) -> str:
        """Sentence on the effect of other questions, and of more, on the board."""
        where = " here" if self.queries == 1 else " in every query"
        scope = ""
        if self.left_out > 0:
            scope = f" Over the {self.queries:,} fully graded queries."
        return (
            "With as many other questions like these, the order of the systems would "
            f"have a \N{GREEK SMALL LETTER TAU} of {format_tau(self.expected)} to this "
            f"order. {format_change(self.change, where)}.{scope}"
        )


_PARTS: Mapping[str, Any] = {
    "expected": Expected,
    "again": Expected,
    "change": TopTenChange,
    "over_queries": Expected,
    "covered": Covered,
}


def format_tau(expected: Expected) -> str:
    """Format a tau and its interval: ``.92 (.89 to .95)``."""
    tau, low, high = (
        short_tau(value) for value in (expected.tau, expected.low, expected.high)
    )
    return f"{tau} ({low} to {high})"


def short_tau(value: float) -> str:
    """Format a tau with two decimals: ``.92``, ``−1``, ``−.05``."""
    text = f"{value:z.2f}".replace("0.", ".").removesuffix(".00") or "0"
    return text.replace("-", "\N{MINUS SIGN}")


def format_change(change: TopTenChange, where: str) -> str:
    """``2 more questions here would change the top ten with a probability of 5 %``."""
    questions = "question" if change.more == 1 else "questions"
    return (
        f"{change.more:,} more {questions}{where} would change the top ten with a "
        f"probability of {100 * change.order:.3g} %"
    )
