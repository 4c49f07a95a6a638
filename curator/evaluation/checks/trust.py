"""Expected Kendall's tau of a board with the board by people's labels, from checks.

A unit is a pair of item and passage, or a passage. The board by people's labels takes
each system's mean label: over the passages it ranks high, discounted by rank as in DCG,
an empty rank being 0, over the items, over the queries. People's label of a unit, from
0 to 1, is modelled as a sum: a mean, a slope for the grader's value within its item,
one for the item's mean value, one for the scores that the board gives to the systems
that rank the passage, an effect of each of these systems, of the query, the item and
the passage, and noise. All unknowns are normal (Henderson 1975), hence also the
systems' means given the checks and the sizes of noise and of the systems' effects,
which are weighed by their likelihood (Rasmussen & Williams 2006, 5.4.1). Tau is drawn
from these means.

Without checks tau is what is usual for such values and ranks. The numbers a priori were
chosen on five collections (docs/trust.md). So far as they fit, a probability computed
so is right whenever one looks and stops (Rouder 2014): of all boards for which it is
95 %, 95 % have such a tau. Where they do not fit, stopping early makes it worse
(de Heide & Grünwald 2021).
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from curator.evaluation.ranks import TIE_TOLERANCE

Floats = NDArray[np.float64]
Numbers = NDArray[np.intp]

DRAWS: Final = 400
FUTURES: Final = 12
"""Number of simulated continuations, to tell how many checks would decide."""
CONTINUATIONS: Final = (20, 40, 80, 160, 320)
"""Numbers of further checks that are considered."""
_CANDIDATES = 2000  # units that continuations choose from

# A priori: mean and variance of the mean label, and of the slopes for the value within
# the item, for the item's mean value and for the board's scores.
_MEANS: Final = np.array([0.4, 1.0, 0.5, 0.5])
_VARIANCES: Final = np.array([0.3, 0.25, 0.25, 0.15]) ** 2
# Variances of effects, as shares of that of labels given the slopes.
_EFFECTS: Final = {"query": 0.2**2, "item": 0.45**2, "passage": 0.15**2}
_NOISE: Final = 1 - sum(_EFFECTS.values())
_SPREADS: Final = (0.28, 0.4, 0.52)  # standard deviations of labels
_SPREAD, _SPREAD_SD = 0.4, 0.1
_SYSTEM_EFFECTS: Final = (0.007, 0.02, 0.05, 0.13, 0.3, 0.7)
_SYSTEM_EFFECT, _SYSTEM_LOG = 0.01, 1.4  # the median, and the spread of the logarithm
_MODEL_ERROR = 0.13  # standard deviation of Fisher's z of tau that no check removes
_MOST_CERTAIN = 0.995  # taus beyond have no z


@dataclass(frozen=True, eq=False)
class RankedUnits:
    """The units of a query, and those checked.

    ``values`` are the grader's, from 0 to 1, NaN without a grade; ``items`` and
    ``passages`` the numbers of each unit's item and passage. ``discounts`` (passages,
    systems) are those of the ranks, 0 where a system does not rank a passage high.
    ``checked`` are the indices of the checks, ``answers`` people's labels of these.
    """

    values: Floats
    items: Numbers
    passages: Numbers
    discounts: Floats
    checked: Numbers
    answers: Floats


@dataclass(frozen=True, slots=True)
class ExpectedTau:
    """Mean of tau, its 95 % interval, and the probability that it is high enough."""

    mean: float
    low: float
    high: float
    probability: float


@dataclass(frozen=True, eq=False)
class _UnitRows:
    """Units, and what their labels tell about the systems' means."""

    features: Floats  # (units, slopes)
    systems: Floats  # (units, systems): weights of the systems' effects
    groups: Numbers  # (units, 3): query, item, passage
    covariance: Floats  # (units, systems): of other effects and noise with the means

    def select(self, units: Numbers) -> _UnitRows:
        return _UnitRows(
            self.features[units],
            self.systems[units],
            self.groups[units],
            self.covariance[units],
        )

    def without_sizes(self) -> Floats:
        """(units, units): covariance by other effects and noise."""
        covariance = _NOISE * np.eye(len(self.features))
        for group, variance in zip(self.groups.T, _EFFECTS.values(), strict=True):
            covariance += variance * (group[:, None] == group[None])
        return covariance


@dataclass(frozen=True, eq=False)
class _Normal:
    """Systems' means given the answers, for one size of noise and systems' effects."""

    probability: float
    spread: float
    effect: float
    mean: Floats
    covariance: Floats


@dataclass(frozen=True, eq=False)
class BoardModel:
    """Model of one board: ``board`` are the scores, ``units`` first the checked ones.

    ``slopes`` (systems, slopes) are the mean features of each system; ``effects`` and
    ``noise`` (systems, systems) the weights of systems' effects on the means and the
    covariance of the other effects and of noise. ``chances`` are the probabilities with
    which the units that are not checked are drawn next.
    """

    board: Floats
    slopes: Floats
    effects: Floats
    noise: Floats
    units: _UnitRows
    answers: Floats
    chances: Floats

    def tau(self, least: float, seed: int = 0) -> ExpectedTau:
        """Return tau as expected from the checks; ``least`` is what is high enough."""
        rng = np.random.default_rng(seed)
        taus = self._taus(self._means(self._now()), rng)
        low, high = np.quantile(taus, [0.025, 0.975])
        return ExpectedTau(
            float(taus.mean()), float(low), float(high), float((taus >= least).mean())
        )

    def deciding_checks(
        self, least: float, confidence: float, seed: int = 0
    ) -> int | None:
        """Return how many more checks would tell whether tau is ``least`` or more.

        So many that in half of the simulated continuations the probability is at least
        ``confidence``, or at most 1 - ``confidence``. None if it is more than the most
        considered.
        """

        def decided(means: Floats, rng: np.random.Generator) -> bool:
            probability = float((self._taus(means, rng) >= least).mean())
            return not 1 - confidence < probability < confidence

        return self._fewest(decided, seed)

    def separating_checks(
        self, top: int, confidence: float, seed: int = 0
    ) -> int | None:
        """Return how many more checks would separate the board's first systems.

        So many that in half of the simulated continuations each of the ``top`` systems
        is above or below the next of them with at least ``confidence``. 0 if they are
        separated, None if it is more than the most considered.
        """
        first = np.argsort(-self.board, kind="stable")[:top]

        def separated(means: Floats, rng: np.random.Generator) -> bool:
            above = (means[:, first[:-1]] > means[:, first[1:]]).mean(axis=0)
            return bool((np.maximum(above, 1 - above) >= confidence).all())

        rng = np.random.default_rng(seed)
        if separated(self._means(self._now()), rng):
            return 0
        return self._fewest(separated, seed)

    def _fewest(
        self, goal: Callable[[Floats, np.random.Generator], bool], seed: int
    ) -> int | None:
        now, checked = self._now(), len(self.answers)
        shares = [normal.probability for normal in now]

        def is_enough(number: int) -> bool:
            rng, reached = np.random.default_rng(seed), 0
            for _ in range(FUTURES):
                more = rng.choice(len(self.chances), number, False, self.chances)
                chosen = np.concatenate([np.arange(checked), checked + more])
                units = self.units.select(chosen)
                size = now[rng.choice(len(now), p=shares)]
                answers = self._with_drawn_answers(units, size, rng)
                means = self._means(self._posterior(units, answers))
                reached += goal(means, rng)
            return reached >= FUTURES / 2

        possible = np.count_nonzero(self.chances)
        numbers = [number for number in CONTINUATIONS if number <= possible]
        place = bisect_left(numbers, True, key=is_enough)
        return numbers[place] if place < len(numbers) else None

    def _with_drawn_answers(
        self, units: _UnitRows, size: _Normal, rng: np.random.Generator
    ) -> Floats:
        """The answers, and for the units after the checked ones drawn answers."""
        checked = len(self.answers)
        covariance = _answer_covariance(units, size.spread, size.effect)
        expected = units.features @ _MEANS
        inner, across = covariance[:checked, :checked], covariance[checked:, :checked]
        carried = np.linalg.solve(inner, across.T).T
        mean = expected[checked:] + carried @ (self.answers - expected[:checked])
        root = np.linalg.cholesky(covariance[checked:, checked:] - carried @ across.T)
        drawn = mean + root @ rng.standard_normal(len(mean))
        return np.concatenate([self.answers, drawn])

    def _now(self) -> list[_Normal]:
        checked = self.units.select(np.arange(len(self.answers)))
        return self._posterior(checked, self.answers)

    def _posterior(self, units: _UnitRows, answers: Floats) -> list[_Normal]:
        """Distributions of the systems' means, one for each choice of the sizes."""
        off = answers - units.features @ _MEANS
        own_slopes = (self.slopes * _VARIANCES) @ self.slopes.T
        own_effects = self.effects @ self.effects.T
        across_slopes = (units.features * _VARIANCES) @ self.slopes.T
        across_effects = units.systems @ self.effects.T
        inner_slopes = (units.features * _VARIANCES) @ units.features.T
        inner_effects = units.systems @ units.systems.T
        inner_others = units.without_sizes()
        sized, logs = [], []
        for spread in _SPREADS:
            for effect in _SYSTEM_EFFECTS:
                variance, system_variance = spread**2, (spread * effect) ** 2
                inner = inner_slopes + variance * inner_others
                lower = np.linalg.cholesky(inner + system_variance * inner_effects)
                across = across_slopes + variance * units.covariance
                carried = np.linalg.solve(
                    lower, across + system_variance * across_effects
                )
                weighed = np.linalg.solve(lower, off)
                variances = (
                    own_slopes + variance * self.noise + system_variance * own_effects
                )
                mean = self.slopes @ _MEANS + carried.T @ weighed
                sized.append((spread, effect, mean, variances - carried.T @ carried))
                logs.append(
                    -0.5 * float(weighed @ weighed)
                    - float(np.log(np.diag(lower)).sum())
                    - 0.5 * ((spread - _SPREAD) / _SPREAD_SD) ** 2
                    - 0.5 * (math.log(effect / _SYSTEM_EFFECT) / _SYSTEM_LOG) ** 2
                )
        likely = np.exp(np.array(logs) - max(logs))
        shares = (likely / likely.sum()).tolist()
        return [
            _Normal(share, *values) for share, values in zip(shares, sized, strict=True)
        ]

    def _means(self, normals: Sequence[_Normal]) -> Floats:
        """(draws, systems): draws of the systems' means, the same ones each time."""
        rng = np.random.default_rng(0)
        counts = rng.multinomial(DRAWS, [normal.probability for normal in normals])
        draws = []
        for normal, count in zip(normals, counts.tolist(), strict=True):
            if count:
                values, vectors = np.linalg.eigh(normal.covariance)
                root = vectors * np.sqrt(np.maximum(values, 0.0))
                noise = rng.standard_normal((count, len(values)))
                draws.append(normal.mean + noise @ root.T)
        return np.concatenate(draws)

    def _taus(self, means: Floats, rng: np.random.Generator) -> Floats:
        taus = np.clip(taus_with(self.board, means), -_MOST_CERTAIN, _MOST_CERTAIN)
        moved = np.arctanh(taus) + _MODEL_ERROR * rng.standard_normal(len(taus))
        return np.asarray(np.tanh(moved))


def board_model(
    board: Floats, queries: Sequence[RankedUnits], seed: int = 0
) -> BoardModel | None:
    """Build the model of a board, (systems,) scores.

    Only queries with units count. None without any, and where all systems tie.
    """
    if len(board) < 2 or np.ptp(board) <= TIE_TOLERANCE:
        return None
    above = board - board.mean()
    queries = [query for query in queries if len(query.values)]
    if not queries:
        return None
    item_means = [_item_means(query) for query in queries]
    usual = float(np.mean(np.concatenate(item_means)))
    systems, rng = len(board), np.random.default_rng(seed)
    slopes, effects = np.zeros((systems, len(_MEANS))), np.zeros((systems, systems))
    noise, used = np.zeros((systems, systems)), np.zeros(3, dtype=np.intp)
    checked: list[_UnitRows] = []
    candidates: list[_UnitRows] = []
    chances: list[Floats] = []
    quota = math.ceil(_CANDIDATES / len(queries))
    for query, means in zip(queries, item_means, strict=True):
        discounts = query.discounts[query.passages]
        # A rank left empty counts as a passage that people find not relevant.
        full = discounts.sum(axis=0).max()
        shares = discounts / (full or 1.0) / len(queries)
        values = np.nan_to_num(query.values - means[query.items])
        features = np.stack(
            [
                np.ones(len(values)),
                values,
                means[query.items] - usual,
                discounts @ above,
            ],
            axis=1,
        )
        slopes += shares.T @ features
        effects += shares.T @ discounts
        groups = np.stack([0 * query.items, query.items, query.passages], axis=1)
        covariance = _NOISE * shares
        noise += _NOISE * shares.T @ shares
        for group, variance in zip(groups.T, _EFFECTS.values(), strict=True):
            sums = np.zeros((int(group.max()) + 1, systems))
            np.add.at(sums, group, shares)
            noise += variance * sums.T @ sums
            covariance = covariance + variance * sums[group]
        units = _UnitRows(features, discounts, groups + used, covariance)
        used = used + groups.max(axis=0) + 1
        chance = shares.std(axis=1)
        chance[query.checked] = 0.0
        free = np.flatnonzero(chance)
        free = rng.choice(free, min(quota, len(free)), replace=False)
        checked.append(units.select(query.checked))
        candidates.append(units.select(free))
        chances.append(chance[free] * np.count_nonzero(chance) / max(len(free), 1))
    # The slope for scores is that of systems' means on the board, the size of systems'
    # effects that of these means, however many systems rank the same passages.
    reached = float(above @ slopes[:, 3]) / float(above @ above)
    per_score = 1 / reached if reached > TIE_TOLERANCE else 0.0
    size = float(np.sqrt(((effects - effects.mean(axis=0)) ** 2).sum() / systems))
    per_effect = 1 / max(size, TIE_TOLERANCE)
    scale = np.array([1.0, 1.0, 1.0, per_score])
    listed = [*checked, *candidates]
    weights = np.concatenate([[], *chances])
    return BoardModel(
        board,
        slopes * scale,
        effects * per_effect,
        noise,
        _UnitRows(
            np.concatenate([part.features for part in listed]) * scale,
            np.concatenate([part.systems for part in listed]) * per_effect,
            np.concatenate([part.groups for part in listed]),
            np.concatenate([part.covariance for part in listed]),
        ),
        np.concatenate([[], *(query.answers for query in queries)]),
        weights / weights.sum() if weights.any() else weights,
    )


def taus_with(board: Floats, means: Floats) -> Floats:
    """(draws,): Kendall's tau_b of the board with each of (draws, systems) scores."""
    first, second = np.triu_indices(len(board), 1)
    ours, theirs = (
        np.where(np.abs(gaps) > TIE_TOLERANCE, np.sign(gaps), 0.0)
        for gaps in (board[first] - board[second], means[:, first] - means[:, second])
    )
    untied = np.count_nonzero(ours) * np.count_nonzero(theirs, axis=1)
    return np.asarray((theirs @ ours) / np.sqrt(np.maximum(untied, 1)))


def _item_means(query: RankedUnits) -> Floats:
    """(items,): the mean known value of each item, 0 without any."""
    graded = ~np.isnan(query.values)
    counts = np.bincount(query.items, graded)
    sums = np.bincount(query.items, np.where(graded, query.values, 0.0))
    return np.asarray(sums / np.maximum(counts, 1))


def _answer_covariance(units: _UnitRows, spread: float, effect: float) -> Floats:
    return np.asarray(
        (units.features * _VARIANCES) @ units.features.T
        + spread**2
        * (units.without_sizes() + effect**2 * units.systems @ units.systems.T)
    )
