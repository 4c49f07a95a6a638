"""How far a grader's labels can be believed, told from pairs that people checked.

Pairs are grouped by label; of each label it is known how many pairs there are. Within
a label the share of pairs that people say yes to is Σwy / Σw over the checks (Hájek
1971), and n* = (Σw)² / Σw² checks that weigh alike would say as much (Kish 1965). What
is said of several labels weighs each by its number of pairs (post-stratification). A
label without a check is taken together with the nearest that has one on its side of the
threshold, the lower of two.

Sources. Weights: Des Raj 1956. The interval of a share: Jeffreys' as Brown, Cai &
DasGupta 2001 have it, at n* (Franco et al. 2019). Of sums and ratios of shares: MOVER
(Zou & Donner 2008; of strata Zou, Huang & Zhang 2009). The bound: Clopper-Pearson at n*
(Korn & Graubard 1998).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from curator.evaluation.correlation import Interval
from curator.evaluation.passage_agreement import beta_share

CONFIDENCE: Final = 0.95

LEAST: Final = 1e-100  # probabilities below it would have weights overflow

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A share in [0, 1] and its 95 % interval; None where no check was drawn."""

    share: float
    interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class LabelChecks:
    """Of one label: its ``pairs``, how many are checked, and the share said yes to."""

    label: float
    pairs: int
    checks: int
    right: Estimate | None


@dataclass(frozen=True, slots=True)
class Threshold:
    """What labels are worth if all from ``min_label`` on say yes and the others no.

    ``precision`` is the share of the labels yes that people say yes to, ``recall`` the
    share of people's yes that have the label yes, ``wrong`` the share of all labels
    that people contradict, at most ``upper`` with 95 % confidence. ``effective`` is n*
    of all checks. Cohen's ``kappa`` is of the estimated table. On a side without a
    check all labels count as wrong, and what else needs them is None; so is 0/0.
    """

    min_label: float
    precision: Estimate | None
    recall: Estimate | None
    wrong: float | None
    upper: float | None
    effective: float | None
    kappa: float | None


@dataclass(frozen=True, slots=True)
class Certificate:
    """At most ``upper`` of all labels are wrong, with this ``confidence``.

    Labels ``of`` pairs or passages that say yes from ``min_label`` on; ``wrong`` is the
    share of them that people contradict, estimated from so many ``checks``.
    """

    of: str
    min_label: float
    checks: int
    wrong: float
    upper: float
    confidence: float = CONFIDENCE

    @classmethod
    def of_fields(cls, value: Any) -> Self:
        """The certificate of these fields. Raises ValueError where it is none."""
        if not isinstance(value, dict) or value.keys() != {x.name for x in fields(cls)}:
            raise ValueError(f"is no certificate: {value}")
        one = cls(**value)
        numbers = one.min_label, one.wrong, one.upper, one.confidence
        if not (
            isinstance(one.of, str)
            and type(one.checks) is int
            and all(type(x) in (int, float) and math.isfinite(x) for x in numbers)
        ):
            raise ValueError(f"is no certificate: {value}")
        return one

    @property
    def most(self) -> float:
        """``upper`` in percent, rounded up to a tenth."""
        return math.ceil(self.upper * 1000 - 1e-9) / 10

    @property
    def sentence(self) -> str:
        """``at most 7 % of labels are wrong, with 95 % confidence, from 120 checks``.

        Rounded up, to a tenth of a percent.
        """
        checks = f"{self.checks:,} check{'s' * (self.checks != 1)}"
        return (
            f"at most {self.most:g} % of labels are wrong, with "
            f"{100 * self.confidence:g} % confidence, from {checks}"
        )


@dataclass(frozen=True, eq=False)
class CheckedLabels:
    """Checked pairs: the ``labels`` a grader gave them, whether people say ``yes``.

    Equally long arrays. ``pairs`` has for each label of the grader, in ascending order,
    how many pairs have it; labels in between belong to the one below. ``drawn`` says
    whether ``weight`` comes from a draw; without, there are shares and no intervals.
    """

    labels: Floats
    yes: NDArray[np.bool_]
    weight: Floats
    pairs: dict[float, int]
    drawn: bool = True

    def by_label(self) -> tuple[LabelChecks, ...]:
        """A line for each label, the lowest first."""
        strata = self._strata()
        return tuple(
            LabelChecks(
                *(label, pairs, strata[label].checks if label in strata else 0),
                strata[label].estimate(self.drawn) if label in strata else None,
            )
            for label, pairs in self.pairs.items()
        )

    def at(self, min_label: float) -> Threshold:
        """What the labels are worth under this threshold."""
        strata, unseen = self._strata(), 0
        sides, sizes = [], []
        for is_yes in (True, False):
            pairs = {k: n for k, n in self.pairs.items() if (k >= min_label) == is_yes}
            side = _merged(pairs, strata)
            size = sum(pairs.values())
            unseen += 0 if side else size
            sides.append(side)
            sizes.append(size)
        (yes, no), (labelled, others) = sides, sizes
        seen = labelled + others - unseen
        if not seen:
            return Threshold(min_label, *(None,) * 6)
        found, missed = _total(yes), _total(no)
        wrong = (sum(n for n, _ in yes) - found.value + missed.value) / seen
        effective = seen**2 / sum(n**2 / one.effective for n, one in (*yes, *no))
        upper = clopper_pearson_upper(wrong, effective)
        return Threshold(
            min_label,
            found.over(labelled, self.drawn) if yes else None,
            None if unseen else _recall(found, missed, self.drawn),
            (seen * wrong + unseen) / (seen + unseen)
            if self.drawn or not unseen
            else None,
            (seen * upper + unseen) / (seen + unseen) if self.drawn else None,
            effective if self.drawn else None,
            None if unseen else _kappa(found.value, labelled, missed.value, seen),
        )

    def _strata(self) -> dict[float, _Stratum]:
        levels = np.array(list(self.pairs))
        found: dict[float, _Stratum] = {}
        for number, label in enumerate(self.pairs):
            here = np.searchsorted(levels, self.labels, "right") - 1 == number
            here &= self.weight > 0
            if here.any():
                w = self.weight[here]
                share = min(1.0, float(w[self.yes[here]].sum() / w.sum()))
                effective = float(w.sum() ** 2 / (w @ w))
                found[label] = _Stratum(int(here.sum()), share, effective)
        return found


@dataclass(frozen=True, slots=True)
class _Stratum:
    checks: int
    share: float
    effective: float

    def estimate(self, drawn: bool) -> Estimate:
        return Estimate(self.share, self.interval if drawn else None)

    @property
    def interval(self) -> Interval:
        return jeffreys(self.share, self.effective)


@dataclass(frozen=True, slots=True)
class _Sum:
    """A number of pairs, and how far it may lie below and above."""

    value: float
    below: float
    above: float

    def over(self, pairs: int, drawn: bool) -> Estimate:
        low, high = self.value - self.below, self.value + self.above
        # They may leave [0, 1] by a rounding.
        within = Interval(max(0.0, low / pairs), min(1.0, high / pairs))
        return Estimate(min(1.0, self.value / pairs), within if drawn else None)


def _merged(
    pairs: dict[float, int], strata: dict[float, _Stratum]
) -> list[tuple[int, _Stratum]]:
    """The labels of a side that have checks, with the pairs of those that have none."""
    seen = [label for label in pairs if label in strata]
    sizes = dict.fromkeys(seen, 0)
    for label, size in pairs.items() if seen else ():
        sizes[min(seen, key=lambda one: (abs(one - label), one))] += size
    return [(size, strata[label]) for label, size in sizes.items() if size]


def _total(side: Sequence[tuple[int, _Stratum]]) -> _Sum:
    """How many pairs of these labels people would say yes to; its limits by MOVER."""
    below = [size * (one.share - one.interval.low) for size, one in side]
    above = [size * (one.interval.high - one.share) for size, one in side]
    value = sum(size * one.share for size, one in side)
    return _Sum(value, math.hypot(*below), math.hypot(*above))


def _recall(found: _Sum, missed: _Sum, drawn: bool) -> Estimate | None:
    """found / (found + missed), its limits ρ where found (1 − ρ) − missed ρ is 0.

    At the MOVER limits of that difference, as Donner & Zou 2012 have them for a ratio.
    """
    if found.value + missed.value <= 0:
        return None

    def least(rho: float) -> float:
        aside = math.hypot((1 - rho) * found.below, rho * missed.above)
        return found.value * (1 - rho) - missed.value * rho - aside

    def most(rho: float) -> float:
        aside = math.hypot((1 - rho) * found.above, rho * missed.below)
        return found.value * (1 - rho) - missed.value * rho + aside

    share = found.value / (found.value + missed.value)
    within = Interval(
        min(share, _falls_to_zero(least)), max(share, _falls_to_zero(most))
    )
    return Estimate(share, within if drawn else None)


def _kappa(found: float, labelled: int, missed: float, every: int) -> float | None:
    """Cohen's κ of labels and people; None where both say the same of all pairs."""
    yes, no = found + missed, every - found - missed
    expected = labelled * yes + (every - labelled) * no
    observed = every * (every - labelled + 2 * found - missed - found)
    rest = every * every - expected
    # Of numbers of pairs: less than a millionth of one is rounding.
    return (observed - expected) / rest if rest > 1e-6 else None


def best_threshold(thresholds: Sequence[Threshold]) -> float | None:
    """The label from which on yes fits people best; None where nothing can be said.

    Fewest labels are wrong; of several such the highest κ, of these the lowest label.
    """
    known = [one for one in thresholds if one.wrong is not None]
    if not known:
        return None

    def order(one: Threshold) -> tuple[float, float, float]:
        kappa = -1.0 if one.kappa is None else one.kappa
        return round(one.wrong or 0.0, 12), -round(kappa, 12), one.min_label

    return min(known, key=order).min_label


def draw_weights(probability: Floats, drawn: NDArray[np.int64]) -> Floats:
    """Of checks in order of time: how many pairs each stands for, all but a factor.

    ``probability`` is NaN for a pair that somebody chose, else that with which it came
    among the ``drawn`` that were drawn with it. With n drawn in all and m of them in
    later draws, a drawn pair weighs (drawn / probability + m) / n, a chosen one m / n:
    it was known to all later draws, as all earlier pairs are. As many as were drawn
    together in a row are one draw. Without any drawn all weigh 1.

    Source: Des Raj 1956, for draws one after the other without replacement.
    """
    chosen = np.isnan(probability)
    number = int((~chosen).sum())
    if not number:
        return np.ones(len(probability))
    draw = np.zeros(len(probability), dtype=np.int64)  # 0: before the first
    current = size = left = 0
    for at, together in enumerate(drawn.tolist()):
        if not chosen[at]:
            if not left or together != size:  # the next draw begins
                current, size, left = current + 1, together, together
            left -= 1
        draw[at] = current
    later = number - np.cumsum(np.bincount(draw[~chosen], minlength=current + 1))
    p = np.where(chosen, 1.0, np.maximum(probability, LEAST))
    own = np.where(chosen, 0.0, drawn / p)
    return np.asarray((own + later[draw]) / number)


def clopper_pearson_upper(
    share: float, size: float, confidence: float = CONFIDENCE
) -> float:
    """The one-sided upper bound of a share of ``size`` checks, which may be a fraction.

    The quantile of Beta(size · share + 1, size · (1 − share)).
    """
    if share >= 1:
        return 1.0
    return beta_quantile(confidence, size * share + 1, size * (1 - share))


def jeffreys(share: float, size: float, confidence: float = CONFIDENCE) -> Interval:
    """Quantiles of Beta(size · share + ½, size · (1 − share) + ½) to both sides.

    From 0 where the share is 0, to 1 where it is 1.
    """
    tail = (1 - confidence) / 2
    a, b = size * share + 0.5, size * (1 - share) + 0.5
    low = 0.0 if share <= 0 else min(share, beta_quantile(tail, a, b))
    high = 1.0 if share >= 1 else max(share, beta_quantile(1 - tail, a, b))
    return Interval(low, high)


@lru_cache(maxsize=1 << 12)
def beta_quantile(probability: float, a: float, b: float) -> float:
    """Where the distribution Beta(a, b) has this much of itself below."""
    return _falls_to_zero(lambda x: probability - beta_share(x, a, b))


def _falls_to_zero(value: Callable[[float], float]) -> float:
    """Where a function that falls over [0, 1] is 0, by halving."""
    low, high = 0.0, 1.0
    for _ in range(60):  # far below what a double can tell
        middle = (low + high) / 2
        low, high = (middle, high) if value(middle) > 0 else (low, middle)
    return (low + high) / 2
