"""Quality of a grader's labels, estimated from pairs that people checked.

Pairs are grouped by label, and the number of pairs of each label is known. Within a
label the share of pairs that people say yes to is Σwy / Σw over the checks (Hájek
1971), with the precision of n* = (Σw)² / Σw² checks of equal weight (Kish 1965).
Estimates over several labels weigh each by its number of pairs (post-stratification). A
label without a check is merged with the nearest that has one on its side of the
threshold, the lower of two.

Sources. Weights: Des Raj 1956. The interval of a share: Jeffreys' as Brown, Cai &
DasGupta 2001 have it, at n* (Franco et al. 2019). Of sums and ratios of shares: MOVER
(Zou & Donner 2008; of strata Zou, Huang & Zhang 2009). The bound: Clopper-Pearson at n*
(Korn & Graubard 1998).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from curator.evaluation.agreement import cohens_kappa
from curator.evaluation.correlation import Interval
from curator.evaluation.passage_agreement import beta_share
from curator.results import HIDDEN, column

CONFIDENCE: Final = 0.95

MIN_PROBABILITY: Final = 1e-100  # lower probabilities would let weights overflow

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ShareEstimate:
    """A share in [0, 1] and its 95 % interval; None without a drawn check."""

    share: float
    interval: Interval | None = None


def _share(name: str) -> dict[str, Any]:
    """Return metadata of an estimate: its share and its interval in JSON."""

    def written(estimate: ShareEstimate | None) -> dict[str, Any]:
        interval = estimate and estimate.interval
        return {
            name: estimate and estimate.share,
            f"{name}_interval": interval and interval.to_json(),
        }

    return column(flat=True, to_json=written)


@dataclass(frozen=True, slots=True)
class LabelChecks:
    """A label with its number of ``pairs``, of checks, and the share of yes."""

    label: float = field(metadata=column(json="rating"))
    pairs: int
    checks: int
    right: ShareEstimate | None = field(metadata=_share("right"))


@dataclass(frozen=True, slots=True)
class Threshold:
    """Quality of labels if those from ``min_label`` on say yes and the others no.

    ``precision`` is the share of the labels yes that people say yes to, ``recall`` the
    share of people's yes that have the label yes, ``wrong`` the share of all labels
    that people contradict, at most ``upper`` with 95 % confidence. ``effective`` is n*
    of all checks. Cohen's ``kappa`` is of the estimated table. On a side without a
    check all labels count as wrong, and other numbers that need them are None; so is
    0/0.
    """

    min_label: float = field(metadata=column(json="min_rating"))
    precision: ShareEstimate | None = field(metadata=_share("precision"))
    recall: ShareEstimate | None = field(metadata=_share("recall"))
    wrong: float | None
    upper: float | None
    effective: float | None = field(metadata=HIDDEN)
    kappa: float | None


@dataclass(frozen=True, slots=True)
class Certificate:
    """Certificate: at most ``upper`` of all labels are wrong, with ``confidence``.

    Labels ``of`` pairs or passages that say yes from ``min_label`` on; ``wrong`` is the
    share of them that people contradict, estimated from ``checks`` checks.
    """

    of: str
    min_label: float
    checks: int
    wrong: float
    upper: float
    confidence: float = CONFIDENCE

    @property
    def most(self) -> float:
        """``upper`` in percent, rounded up to a tenth."""
        return math.ceil(self.upper * 1000 - 1e-9) / 10

    @property
    def sentence(self) -> str:
        """``at most 7 % of labels are wrong, with 95 % confidence, from 120 checks``.

        Rounded up, to a tenth of a percent.
        """
        checks = f"{self.checks:,} check{'' if self.checks == 1 else 's'}"
        return (
            f"at most {self.most:g} % of labels are wrong, with "
            f"{100 * self.confidence:g} % confidence, from {checks}"
        )


@dataclass(frozen=True, eq=False)
class CheckedLabels:
    """Checked pairs: the ``labels`` by a grader, and whether people say ``yes``.

    Equally long arrays. ``pairs`` has the number of pairs for each label of the grader,
    in ascending order; labels in between belong to the one below. ``drawn`` is True if
    ``weight`` comes from a draw; otherwise there are shares and no intervals.
    """

    labels: Floats
    yes: NDArray[np.bool_]
    weight: Floats
    pairs: dict[float, int]
    drawn: bool = True

    def by_label(self) -> tuple[LabelChecks, ...]:
        """Return a line for each label, the lowest first."""
        strata = self._strata()
        return tuple(
            LabelChecks(
                label,
                pairs,
                strata[label].checks if label in strata else 0,
                strata[label].estimate(self.drawn) if label in strata else None,
            )
            for label, pairs in self.pairs.items()
        )

    def at(self, min_label: float) -> Threshold:
        """Compute the quality of the labels under this threshold."""
        strata = self._strata()
        pairs, other_pairs = (
            {k: n for k, n in self.pairs.items() if (k >= min_label) == is_yes}
            for is_yes in (True, False)
        )
        yes, no = _merged(pairs, strata), _merged(other_pairs, strata)
        labelled, others = sum(pairs.values()), sum(other_pairs.values())
        unchecked = (0 if yes else labelled) + (0 if no else others)
        covered = labelled + others - unchecked
        if not covered:
            return Threshold(min_label, None, None, None, None, None, None)
        matched, missed = _total(yes), _total(no)
        wrong = (sum(n for n, _ in yes) - matched.value + missed.value) / covered
        effective = covered**2 / sum(
            n**2 / stratum.effective for n, stratum in (*yes, *no)
        )
        upper = clopper_pearson_upper(wrong, effective)
        wrong_share: float | None = None
        if self.drawn or not unchecked:
            wrong_share = (covered * wrong + unchecked) / (covered + unchecked)
        bound = kappa = recall = None
        if not unchecked:
            recall = _recall(matched, missed, self.drawn)
            neither = covered - labelled - missed.value
            unmatched = labelled - matched.value
            kappa = cohens_kappa(((neither, missed.value), (unmatched, matched.value)))
        if self.drawn:
            bound = (covered * upper + unchecked) / (covered + unchecked)
        return Threshold(
            min_label,
            matched.over(labelled, self.drawn) if yes else None,
            recall,
            wrong_share,
            bound,
            effective if self.drawn else None,
            kappa,
        )

    def _strata(self) -> dict[float, _Stratum]:
        levels = np.array(list(self.pairs))
        strata: dict[float, _Stratum] = {}
        for number, label in enumerate(self.pairs):
            selected = np.searchsorted(levels, self.labels, "right") - 1 == number
            selected &= self.weight > 0
            if selected.any():
                w = self.weight[selected]
                share = min(1.0, float(w[self.yes[selected]].sum() / w.sum()))
                effective = float(w.sum() ** 2 / (w @ w))
                strata[label] = _Stratum(int(selected.sum()), share, effective)
        return strata


@dataclass(frozen=True, slots=True)
class _Stratum:
    checks: int
    share: float
    effective: float

    def estimate(self, drawn: bool) -> ShareEstimate:
        return ShareEstimate(self.share, self.interval if drawn else None)

    @property
    def interval(self) -> Interval:
        return jeffreys(self.share, self.effective)


@dataclass(frozen=True, slots=True)
class _Sum:
    """A number of pairs, and its distance to the lower and the upper limit."""

    value: float
    below: float
    above: float

    def over(self, pairs: int, drawn: bool) -> ShareEstimate:
        low, high = self.value - self.below, self.value + self.above
        # Rounding may leave [0, 1].
        within = Interval(max(0.0, low / pairs), min(1.0, high / pairs))
        return ShareEstimate(min(1.0, self.value / pairs), within if drawn else None)


def _merged(
    pairs: dict[float, int], strata: dict[float, _Stratum]
) -> list[tuple[int, _Stratum]]:
    """Merge the labels of a side without checks into the nearest with checks."""
    checked = [label for label in pairs if label in strata]
    sizes = dict.fromkeys(checked, 0)
    for label, size in pairs.items() if checked else ():
        nearest = min(
            checked, key=lambda candidate: (abs(candidate - label), candidate)
        )
        sizes[nearest] += size
    return [(size, strata[label]) for label, size in sizes.items() if size]


def _total(side: Sequence[tuple[int, _Stratum]]) -> _Sum:
    below = [size * (stratum.share - stratum.interval.low) for size, stratum in side]
    above = [size * (stratum.interval.high - stratum.share) for size, stratum in side]
    value = sum(size * stratum.share for size, stratum in side)
    return _Sum(value, math.hypot(*below), math.hypot(*above))


def _recall(matched: _Sum, missed: _Sum, drawn: bool) -> ShareEstimate | None:
    """matched / (matched + missed), with limits ρ at matched (1 − ρ) − missed ρ = 0.

    At the MOVER limits of that difference, as in Donner & Zou 2012 for a ratio.
    """
    if matched.value + missed.value <= 0:
        return None

    def limit(sign: int, above: float, below: float) -> float:
        return _find_zero(
            lambda rho: (
                matched.value * (1 - rho)
                - missed.value * rho
                + sign * math.hypot((1 - rho) * above, rho * below)
            )
        )

    share = matched.value / (matched.value + missed.value)
    low = min(share, limit(-1, matched.below, missed.above))
    high = max(share, limit(1, matched.above, missed.below))
    return ShareEstimate(share, Interval(low, high) if drawn else None)


def best_threshold(thresholds: Sequence[Threshold]) -> float | None:
    """Return the label from which yes fits people best; None without estimates.

    Fewest labels are wrong; of several such the highest κ, of these the lowest label.
    """
    estimated = [threshold for threshold in thresholds if threshold.wrong is not None]
    if not estimated:
        return None

    def order(threshold: Threshold) -> tuple[float, float, float]:
        kappa = -1.0 if threshold.kappa is None else threshold.kappa
        return round(threshold.wrong or 0.0, 12), -round(kappa, 12), threshold.min_label

    return min(estimated, key=order).min_label


def draw_weights(probability: Floats, drawn: NDArray[np.int64]) -> Floats:
    """Weights of checks, in order of time: pairs represented, up to a factor.

    ``probability`` is NaN for a pair that a person chose, else its probability among
    the ``drawn`` pairs of its draw. With n drawn in all and m of them in later draws, a
    drawn pair weighs (drawn / probability + m) / n, a chosen one m / n: it was known to
    all later draws, as all earlier pairs were. Pairs drawn together in a row are one
    draw. Without any drawn all weigh 1.

    Source: Des Raj 1956, for draws one after the other without replacement.
    """
    chosen = np.isnan(probability)
    number = int((~chosen).sum())
    if not number:
        return np.ones(len(probability))
    draw = np.zeros(len(probability), dtype=np.int64)  # 0: before the first draw
    current = size = remaining = 0
    for at, batch in enumerate(drawn.tolist()):
        if not chosen[at]:
            if not remaining or batch != size:  # the next draw begins
                current, size, remaining = current + 1, batch, batch
            remaining -= 1
        draw[at] = current
    later = number - np.cumsum(np.bincount(draw[~chosen], minlength=current + 1))
    p = np.where(chosen, 1.0, np.maximum(probability, MIN_PROBABILITY))
    drawn_weight = np.where(chosen, 0.0, drawn / p)
    return np.asarray((drawn_weight + later[draw]) / number)


def clopper_pearson_upper(
    share: float, size: float, confidence: float = CONFIDENCE
) -> float:
    """One-sided upper bound of a share of ``size`` checks, which may be a fraction.

    The quantile of Beta(size · share + 1, size · (1 − share)).
    """
    if share >= 1:
        return 1.0
    return beta_quantile(confidence, size * share + 1, size * (1 - share))


def jeffreys(share: float, size: float, confidence: float = CONFIDENCE) -> Interval:
    """Two-sided quantiles of Beta(size · share + ½, size · (1 − share) + ½).

    The lower is 0 for a share of 0, the upper 1 for a share of 1.
    """
    tail = (1 - confidence) / 2
    a, b = size * share + 0.5, size * (1 - share) + 0.5
    low = 0.0 if share <= 0 else min(share, beta_quantile(tail, a, b))
    high = 1.0 if share >= 1 else max(share, beta_quantile(1 - tail, a, b))
    return Interval(low, high)


@lru_cache(maxsize=1 << 12)
def beta_quantile(probability: float, a: float, b: float) -> float:
    return _find_zero(lambda x: probability - beta_share(x, a, b))


def _find_zero(value: Callable[[float], float]) -> float:
    """Find the zero of a function that decreases over [0, 1], by bisection."""
    low, high = 0.0, 1.0
    for _ in range(60):  # beyond the precision of a double
        middle = (low + high) / 2
        low, high = (middle, high) if value(middle) > 0 else (low, middle)
    return (low + high) / 2
