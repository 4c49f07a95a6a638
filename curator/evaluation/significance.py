"""Tests of differences between systems, with the tiers and ranks that follow.

Paired randomisation tests: if two systems were the same, each query's difference could
as well have had the other sign. p is the probability that a random choice of signs
makes the mean difference at least as large, in either direction. All pairs use the same
signs, so the sums of every pair come from one product of matrices.

Sources: Fisher 1935; Smucker, Allan & Carterette 2007, section 2.1; Holm 1979.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from curator.evaluation.comparison import ScoreMatrix
from curator.evaluation.ranks import TIE_TOLERANCE
from curator.results import HIDDEN, computed

MOST_EXACT = 10_000  # all choices of signs are tried up to so many
FEWEST_FLIPS = 10_000
FLIPS_PER_PAIR = 100  # so that Holm's smallest p can be about .01
MOST_COMPARED = 500_000_000  # (flips, pairs): about a second
CHUNK = 1_000  # choices of signs at once
ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class PairTest:
    """Test of two systems, the one with the higher mean first if they differ.

    ``difference`` is of their means; ``p`` and ``adjusted`` (Holm's) are in (0, 1].
    """

    first: str
    second: str
    difference: float
    p: float
    adjusted: float

    @property
    @computed()
    def significant(self) -> bool:
        return self.adjusted <= ALPHA


@dataclass(frozen=True)
class PairTests:
    """Tests of all pairs of systems, the smallest p first.

    ``flips`` counts the choices of signs; ``exact`` where these were all there are.
    ``note`` says why there is no test, or why none can be significant; empty otherwise.
    """

    pairs: tuple[PairTest, ...]
    queries: int
    flips: int
    exact: bool
    note: str = field(default="", metadata=HIDDEN)

    @property
    @computed()
    def discriminative_power(self) -> float | None:
        """Share of the pairs with an unadjusted p of at most .05; None without pairs.

        Source: Sakai 2006, with the randomisation test in place of the bootstrap.
        """
        if not self.pairs:
            return None
        return sum(pair.p <= ALPHA for pair in self.pairs) / len(self.pairs)


def pair_tests(matrix: ScoreMatrix, *, seed: int = 0) -> PairTests:
    """Test every pair of systems on the difference of their means, two-sided.

    All 2^n choices of signs where these are at most 10,000 (n queries, up to 13), p
    then being count / 2^n. Otherwise 10,000 random ones or 100 a pair, whichever is
    more, with p = (count + 1) / (flips + 1).
    """
    queries, systems = matrix.scores.shape
    if systems < 2 or not queries:
        note = "A test needs two systems and a scored query."
        return PairTests((), queries, 0, False, note)
    first, second = np.triu_indices(systems, 1)
    exact = 2**queries <= MOST_EXACT
    flips = 2**queries if exact else flips_for(len(first))
    signs = all_signs(queries) if exact else random_signs(flips, queries, seed)
    counts = flips_as_large(matrix.scores, signs)
    p = counts / flips if exact else (counts + 1) / (flips + 1)
    adjusted = holm(p)
    means = matrix.scores.mean(axis=0)
    gaps = means[first] - means[second]
    better, worse = np.where(gaps >= 0, [first, second], [second, first]).tolist()
    tests = sorted(
        map(
            PairTest,
            [matrix.systems[i] for i in better],
            [matrix.systems[i] for i in worse],
            *(column.tolist() for column in (np.abs(gaps), p, adjusted)),
        ),
        key=lambda test: (test.p, -round(test.difference, 9), test.first, test.second),
    )
    smallest, note = (2 if exact else 1) / flips * len(tests), ""
    if smallest > ALPHA:
        note = (
            f"No difference can be significant with {queries:,} queries and "
            f"{len(tests):,} pairs of systems."
        )
    return PairTests(tuple(tests), queries, flips, exact, note)


def flips_for(pairs: int) -> int:
    """Number of random choices of signs for this many pairs."""
    flips = max(FEWEST_FLIPS, FLIPS_PER_PAIR * pairs)
    return max(FEWEST_FLIPS, min(flips, MOST_COMPARED // pairs))


def all_signs(queries: int) -> NDArray[np.float64]:
    """(2^queries, queries): every choice of 1 and -1."""
    numbers = np.arange(2**queries)[:, None]
    return np.where(numbers >> np.arange(queries) & 1, -1.0, 1.0)


def random_signs(flips: int, queries: int, seed: int) -> NDArray[np.float64]:
    """(flips, queries): 1 or -1, each half of the time."""
    generator = np.random.default_rng(seed)
    drawn = generator.integers(0, 2, size=(flips, queries), dtype=np.int8)
    return np.asarray(1.0 - 2.0 * drawn)


def flips_as_large(
    scores: NDArray[np.float64], signs: NDArray[np.float64]
) -> NDArray[np.int64]:
    """(pairs,): the number of choices of signs with a difference as large as the real.

    ``scores`` is (queries, systems), ``signs`` (flips, queries). Differences within
    1e-9 of each other count as equal.
    """
    queries, systems = scores.shape
    first, second = np.triu_indices(systems, 1)
    totals = scores.sum(axis=0)
    least = np.abs(totals[first] - totals[second]) - TIE_TOLERANCE * queries
    counts = np.zeros(len(first), dtype=np.int64)
    # Reusing the same memory accounts for most of the speed.
    gaps = np.empty((systems - 1, CHUNK))
    for start in range(0, len(signs), CHUNK):
        # A pair's flipped sum is the difference of its systems' flipped sums.
        sums = (signs[start : start + CHUNK] @ scores).T.copy()
        at = 0
        for system in range(systems - 1):
            later = sums[system + 1 :]
            end = at + len(later)
            gap = gaps[: len(later), : sums.shape[1]]
            np.subtract(later, sums[system], out=gap)
            np.abs(gap, out=gap)
            counts[at:end] += (gap >= least[at:end, None]).sum(axis=1)
            at = end
    return counts


def holm(p: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
    """Holm's adjusted p values, in the order given.

    The smallest of m is multiplied by m, the next by m - 1 and so on; none is below
    one before it, none above 1.
    """
    values = np.asarray(p, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    factors = np.arange(len(values), 0, -1)
    raised = np.maximum.accumulate(values[order] * factors)
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(raised, 1.0)
    return adjusted


def tiers(systems: Sequence[str], tests: PairTests) -> dict[str, int]:
    """Tier by system, from 1: systems in a tier differ only by chance from its best.

    ``systems`` are in the order of the board. The best one leads the first tier, which
    has every system that is not significantly worse. The best remaining one leads the
    next tier, and so on, so that a system with widely varying scores may be below one
    of a later tier. A pair without a test counts as not different.
    """
    significant = {
        frozenset((test.first, test.second)) for test in tests.pairs if test.significant
    }
    tier_of = dict.fromkeys(systems, 0)
    number = 0
    while remaining := [system for system, tier in tier_of.items() if not tier]:
        number += 1
        members = [
            s for s in remaining if frozenset((remaining[0], s)) not in significant
        ]
        tier_of.update(dict.fromkeys(members, number))
    return tier_of


def rank_ranges(systems: Sequence[str], tests: PairTests) -> dict[str, tuple[int, int]]:
    """Best and worst rank by system that the tests leave open; empty without tests.

    Every system that is significantly better is above it, every one that is
    significantly worse below it, and any other may be either.
    """
    if not tests.pairs:
        return {}
    better = Counter(test.second for test in tests.pairs if test.significant)
    worse = Counter(test.first for test in tests.pairs if test.significant)
    return {s: (1 + better[s], len(systems) - worse[s]) for s in systems}
