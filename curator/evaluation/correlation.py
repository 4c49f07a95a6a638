"""Rank correlations of two boards: Spearman's rho, Kendall's tau_b and tau_AP.

Also tau_b of the top systems only, and on request (``ON_REQUEST``) the coefficients of
other evaluation tools.

Ties count as ties (``correlate``) or are broken at random within the standard error
(``correlate_random_ties``), as Sander & Dietz 2021 did.

Without scipy, because its import takes longer than all computations here; the tests
compare the results with scipy's.
"""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from curator.errors import EvaluationError
from curator.evaluation.ranks import average_ranks, competition_ranks, leader_groups
from curator.results import Result

ReferenceKind = Literal["ranks", "scores"]
Ties = Literal["average", "random"]
Values = Sequence[float] | NDArray[np.float64]
Coefficient = Callable[[Values, Values], float | None]
TOP = 10  # the systems that are best in the reference


def seeded(seed: int) -> np.random.Generator:
    """Return a random generator for this seed. Raises EvaluationError if negative."""
    if seed < 0:
        raise EvaluationError(f"seed is {seed}; expected 0 or more.")
    return np.random.default_rng(seed)


@dataclass(frozen=True, slots=True)
class Interval:
    """From ``low`` to ``high``, both in [-1, 1]."""

    low: float
    high: float

    def to_json(self) -> list[float]:
        return [self.low, self.high]


@dataclass(frozen=True, slots=True)
class Correlation(Result["Correlation"], table="validity.coefficient_table"):
    """Rank correlations of two boards over the ``systems`` that both contain.

    A coefficient is None where it is undefined; ``note`` then says why. ``note`` is
    empty otherwise. ``without_reference`` and ``without_score`` name, sorted, the
    systems left out because they are on our board or in the reference only.
    ``tau_top10`` is Kendall's tau_b by ``tau_top``, ``kendall_interval`` the interval
    of Kendall's tau over ``resamples`` of the queries, drawn from ``seed``, ``also``
    the coefficients on request, by name. With ``repeats`` random orders of tied systems
    Spearman's and Kendall's are means with sample SDs, the others None.
    """

    systems: int
    spearman: float | None
    kendall: float | None
    tau_ap: float | None
    without_reference: tuple[str, ...] = ()
    without_score: tuple[str, ...] = ()
    note: str = ""
    tau_top10: float | None = None
    kendall_interval: Interval | None = None
    resamples: int = 0
    seed: int = 0
    also: Mapping[str, float | None] = field(default_factory=dict)
    repeats: int = 0
    spearman_sd: float | None = None
    kendall_sd: float | None = None

    @property
    def left_out(self) -> int:
        return len(self.without_reference) + len(self.without_score)

    @property
    def procedure(self) -> str:
        """Describe how intervals or means were computed, "" without these."""
        if self.repeats:
            repeats = f"mean and SD of {self.repeats} repeats"
            return f"ties at random · {repeats} · seed {self.seed}"
        if not self.resamples:
            return ""
        resamples = f"{self.resamples:,} resamples of the queries"
        return f"low, high: tau in 95 % of {resamples} · seed {self.seed}"


def spearman_rho(scores: Values, reference: Values) -> float | None:
    """Spearman's rho of two score lists, in [-1, 1]; ties share the average rank.

    None with fewer than two systems or where all tie on a side.
    """
    # Twice the average ranks are whole numbers, so equal orders give exactly 1.
    ours, theirs = (
        np.rint(2 * average_ranks(side)).astype(np.int64) - (len(side) + 1)
        for side in (scores, reference)
    )
    spread = int(ours @ ours) * int(theirs @ theirs)
    return int(ours @ theirs) / math.sqrt(spread) if spread else None


def kendall_tau_b(scores: Values, reference: Values) -> float | None:
    """Kendall's tau_b of two score lists, in [-1, 1], corrected for ties.

    (concordant - discordant pairs) / sqrt(pairs untied in one * untied in the other).
    None with fewer than two systems or where all tie on a side.

    Source: Kendall 1945.
    """
    ours, theirs = (
        np.sign(ranks[:, None] - ranks[None, :])
        for ranks in (competition_ranks(scores), competition_ranks(reference))
    )
    # These matrices contain every pair twice, above and below the diagonal.
    untied = int(np.count_nonzero(ours)) * int(np.count_nonzero(theirs))
    return int((ours * theirs).sum()) / math.sqrt(untied) if untied else None


def tau_ap(scores: Values, reference: Values) -> float | None:
    """tau_AP of our board against the true one, in [-1, 1]; mistakes on top weigh more.

    For each place of our board from the second on: the share of the systems above that
    the reference also has above; the mean over the places, scaled to [-1, 1]. Not
    symmetric. Higher is better on both sides.

    Ties are averaged over their random orders: a system of a tied group at places p to
    p + t - 1 is at each equally often, and each of two tied systems is first half of
    the time. A pair tied in the reference counts half for the same reason, so boards
    with the same ties on both sides stay below 1.

    None with fewer than two systems or where all tie on a side.

    Source: Yilmaz, Aslam & Robertson 2008; ties on our board as tau_AP,a of
    Urbano & Marrero 2017, which has no ties in the reference.
    """
    ours, truth = competition_ranks(scores), competition_ranks(reference)
    if _all_tie(ours) or _all_tie(truth):
        return None
    order = np.argsort(ours, kind="stable")
    ours, truth = ours[order], truth[order]
    agrees = 0.5 * (truth <= truth[:, None]) + 0.5 * (truth < truth[:, None])
    agreed_above = (agrees * (ours < ours[:, None])).sum(axis=1)
    sizes = np.bincount(ours, minlength=len(ours) + 1)
    mean_agreed_above = np.bincount(ours, agreed_above)[ours] / sizes[ours]
    above = np.arange(len(ours))  # systems above each place of our board
    tied_above = above - (ours - 1)
    shares = (mean_agreed_above + tied_above / 2)[1:] / above[1:]
    return 2 * float(shares.mean()) - 1


def tau_top(scores: Values, reference: Values, top: int = TOP) -> float | None:
    """Kendall's tau_b over the ``top`` systems best in the reference, in [-1, 1].

    These are all systems at place ``top`` or better in the reference, so more if some
    tie. None with fewer than two, or if all of them tie on a side.
    """
    best = competition_ranks(reference) <= top
    return kendall_tau_b(np.asarray(scores)[best], np.asarray(reference)[best])


def tau_gap(scores: Values, reference: Values) -> float | None:
    """tau_GAP of our order against the numbers of the reference, in [-1, 1].

    As tau_AP, but each place has the share of the gaps between the reference's numbers
    instead of the share of systems: a swap across a wide gap costs more. Systems that
    tie on our board keep the given order. Pairs that tie in the reference are left out,
    and so are places with such pairs only.

    None with fewer than two systems or where all tie on a side.

    Source: Gao & Oard 2015.
    """
    ours, places = competition_ranks(scores), competition_ranks(reference)
    if _all_tie(ours) or _all_tie(places):
        return None
    order = np.argsort(ours, kind="stable")
    places, truth = places[order], np.asarray(reference, dtype=np.float64)[order]
    gaps = np.tril(np.abs(truth[:, None] - truth), -1)
    gaps[places[:, None] == places] = 0.0
    above = gaps.sum(axis=1)
    agreed = np.where(places < places[:, None], gaps, 0.0).sum(axis=1)
    shares = agreed[above > 0] / above[above > 0]
    return 2 * float(shares.mean()) - 1


def tau_ap_b(scores: Values, reference: Values) -> float | None:
    """tau_AP,b: the mean of tau_AP either way round, with ties on both, in [-1, 1].

    Each system, except those on top, is compared with the systems strictly above it; a
    pair that ties on the other side is no agreement.

    None with fewer than two systems or where all tie on a side.

    Source: Urbano & Marrero 2017.
    """
    ours, truth = competition_ranks(scores), competition_ranks(reference)
    if _all_tie(ours) or _all_tie(truth):
        return None

    def one_way(walked: NDArray[np.int64], other: NDArray[np.int64]) -> float:
        above = walked < walked[:, None]
        agreed = (above & (other < other[:, None])).sum(axis=1)
        below = walked > 1
        return 2 * float((agreed[below] / (walked[below] - 1)).mean()) - 1

    return (one_way(ours, truth) + one_way(truth, ours)) / 2


def kendall_of_top(scores: Values, reference: Values, top: int) -> float | None:
    """Kendall's tau_b over exactly ``top`` systems, the best in the reference.

    Of the systems that tie at the last place the first in the given order; ``tau_top``
    takes all of them.
    """
    best = np.argsort(competition_ranks(reference), kind="stable")[:top]
    return kendall_tau_b(np.asarray(scores)[best], np.asarray(reference)[best])


ON_REQUEST: dict[str, Coefficient] = {
    "tau_gap": tau_gap,
    "tauap_b": tau_ap_b,
}
"""Coefficients of autojudge-evaluate, by its names; ``kendall@K`` is another."""
_KENDALL_AT = re.compile(r"kendall@([1-9]\d{0,8})")


def named_coefficient(
    name: str,
) -> Coefficient:
    """Return the coefficient of this name. Raises EvaluationError."""
    if match := _KENDALL_AT.fullmatch(name):
        return lambda ours, truth: kendall_of_top(ours, truth, int(match[1]))
    if name not in ON_REQUEST:
        raise EvaluationError(
            f"Unknown coefficient '{name}'. Available: {', '.join(ON_REQUEST)}, "
            "kendall@K (such as kendall@15)."
        )
    return ON_REQUEST[name]


def correlate(
    scores: Mapping[str, float],
    reference: Mapping[str, float],
    *,
    reference_is: ReferenceKind,
    also: Sequence[str] = (),
) -> Correlation:
    """Correlate our board with a reference board, over the systems on both.

    ``scores`` and ``reference`` map system to number. A reference of "ranks" has 1 at
    the top, and may have gaps, fractions and ties; in one of "scores" higher is better.
    Spearman and Kendall have terms for ties, tau_AP averages over their orders.
    ``also`` names coefficients on request; if one depends on the order of ties, they
    are sorted by name.

    Raises EvaluationError for a number that is not finite.
    """
    systems, ours, truth = _common_systems(scores, reference, reference_is)
    return Correlation(
        systems=len(systems),
        spearman=spearman_rho(ours, truth),
        kendall=kendall_tau_b(ours, truth),
        tau_ap=tau_ap(ours, truth),
        without_reference=tuple(sorted(scores.keys() - reference.keys())),
        without_score=tuple(sorted(reference.keys() - scores.keys())),
        note=_why_undefined(ours, truth),
        tau_top10=tau_top(ours, truth),
        also={
            name: named_coefficient(name)(ours, truth) for name in dict.fromkeys(also)
        },
    )


def correlate_random_ties(
    scores: Mapping[str, float],
    standard_errors: Mapping[str, float | None],
    reference: Mapping[str, float],
    *,
    reference_is: ReferenceKind,
    reference_standard_errors: Mapping[str, float | None] | None = None,
    repeats: int = 10,
    seed: int = 0,
) -> Correlation:
    """Mean and SD of Spearman and Kendall over random orders of the tied systems.

    A board is sorted by score. The first system and all that follow within its standard
    error are a group, then the next system begins a group; groups are shuffled. Both
    boards are shuffled in each repeat. A reference of ranks, and one of scores without
    standard errors, is shuffled within its exact ties. Systems with equal scores are
    sorted by name, so the result depends on the values and the seed only.

    Raises EvaluationError for repeats below 1, and for a number that is not finite.

    Source: Sander & Dietz 2021, section 4.1.1.
    """
    if repeats < 1:
        raise EvaluationError(
            f"Cannot shuffle ties {repeats} times; use 1 or more repeats."
        )
    systems, ours, truth = _common_systems(scores, reference, reference_is)
    errors_by_side = [
        None if errors is None else {s: errors.get(s) for s in systems}
        for errors in (standard_errors, reference_standard_errors)
    ]
    without_error = [
        system
        for side in errors_by_side
        for system, error in (side or {}).items()
        if error is None
    ]
    generator, note = seeded(seed), ""
    rhos, taus = list[float](), list[float]()
    if len(systems) < 2:
        note = _too_few(len(systems))
    elif without_error:
        note = (
            f"System '{without_error[0]}' has no standard error, so its random ties "
            "are unknown: score two or more queries, or use average ties."
        )
    else:
        groups = [
            _groups_within_error(values, side)
            for values, side in zip((ours, truth), errors_by_side, strict=True)
        ]
        for _ in range(repeats):
            orders = [_shuffled(side, generator) for side in groups]
            rhos.append(spearman_rho(*orders) or 0.0)
            taus.append(kendall_tau_b(*orders) or 0.0)
        if repeats == 1:
            note = "One repeat has no standard deviation; use two or more."
    return Correlation(
        systems=len(systems),
        spearman=statistics.fmean(rhos) if rhos else None,
        spearman_sd=statistics.stdev(rhos) if len(rhos) > 1 else None,
        kendall=statistics.fmean(taus) if taus else None,
        tau_ap=None,
        kendall_sd=statistics.stdev(taus) if len(taus) > 1 else None,
        repeats=repeats,
        seed=seed,
        without_reference=tuple(sorted(scores.keys() - reference.keys())),
        without_score=tuple(sorted(reference.keys() - scores.keys())),
        note=note,
    )


def _common_systems(
    scores: Mapping[str, float],
    reference: Mapping[str, float],
    reference_is: ReferenceKind,
) -> tuple[list[str], list[float], list[float]]:
    systems = sorted(scores.keys() & reference.keys())
    sign = -1.0 if reference_is == "ranks" else 1.0
    return (
        systems,
        [float(scores[system]) for system in systems],
        [sign * float(reference[system]) for system in systems],
    )


def _groups_within_error(
    values: Sequence[float], errors: Mapping[str, float | None] | None
) -> list[list[int]]:
    exact_ties = leader_groups(values)
    if errors is None:
        return exact_ties
    # Equal fractions lead in the order of names, not of their last bits.
    level = list(values)
    for group in exact_ties:
        for index in group:
            level[index] = values[group[0]]
    return leader_groups(level, [error or 0.0 for error in errors.values()])


def _shuffled(
    groups: Sequence[Sequence[int]], generator: np.random.Generator
) -> list[float]:
    """Return one score per system, all different, with each group in random order."""
    order = [i for group in groups for i in generator.permutation(group).tolist()]
    return [-float(place) for place in np.argsort(order)]


def _why_undefined(ours: Sequence[float], truth: Sequence[float]) -> str:
    if len(ours) < 2:
        return _too_few(len(ours))
    return " ".join(
        f"All {len(ours)} common systems tie {where}: there is no order to correlate."
        for where, side in (("on this board", ours), ("in the reference", truth))
        if _all_tie(competition_ranks(side))
    )


def _all_tie(ranks: NDArray[np.int64]) -> bool:
    return bool((ranks == 1).all())


def _too_few(systems: int) -> str:
    return (
        "Correlation needs at least two systems that are on this board and in the "
        f"reference; there {'is' if systems == 1 else 'are'} {systems or 'none'}."
    )
