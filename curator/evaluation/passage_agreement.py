"""Agreement of scores of single passages with the judgments of these passages.

Source: Keikha, Park & Croft 2014, sections 5 and 6, Tables 2 to 4, Figure 1. The paper
does not name its correlation: Pearson's r, Spearman's ρ and Kendall's τ_b are given.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from curator.evaluation.correlation import spearman_rho
from curator.evaluation.measures.measure import Scores
from curator.evaluation.ranks import average_ranks
from curator.results import column

Grades = NDArray[np.int64]  # (passages,): what judges gave each

FEWEST = 3  # two points always lie on a line


@dataclass(frozen=True, slots=True)
class LevelScores:
    """The scores of the passages with one judgment: five quantiles and their mean.

    Quartiles lie between neighbours in proportion, as numpy's do.
    """

    judgment: int = field(metadata=column("{level}"))
    passages: int
    lowest: float
    first_quartile: float = field(metadata=column("1st quartile"))
    median: float
    third_quartile: float = field(metadata=column("3rd quartile"))
    highest: float
    mean: float


@dataclass(frozen=True, slots=True)
class PassageAgreement:
    """Agreement of one measure's scores with the judgments of ``passages`` passages.

    Coefficients are in [-1, 1] over all passages together; p is two-sided, of t for
    ``pearson`` and ``spearman``, of the normal approximation with ties for
    ``kendall``. ``kendall_by_query`` is the mean τ_b within a query, over the
    ``queries`` that have one. ``auc`` is how often a relevant passage scores above one
    that is not, a tie being half. None where undefined: with fewer than three
    passages, all scores or all judgments alike; for ``auc`` without passages of both
    kinds. ``levels`` come by judgment.
    """

    columns: ClassVar = (
        "measure r=pearson p_of_r=pearson_p rho=spearman p_of_rho=spearman_p "
        "tau=kendall p_of_tau=kendall_p tau_by_query=kendall_by_query AUC=auc"
    )

    measure: str
    passages: int
    pearson: float | None
    pearson_p: float | None
    spearman: float | None
    spearman_p: float | None
    kendall: float | None
    kendall_p: float | None
    kendall_by_query: float | None
    queries: int
    auc: float | None
    levels: tuple[LevelScores, ...]


def passage_agreement(
    measure: str,
    scores: Sequence[Scores],
    grades: Sequence[Grades],
    *,
    relevant_from: int | None,
) -> PassageAgreement:
    """Compute the agreement over the passages of several queries, one array each."""
    all_scores = np.concatenate([np.zeros(0), *scores])
    judged = np.concatenate([np.zeros(0, np.int64), *grades])
    r, rho = pearson_r(all_scores, judged), None
    if r is not None:
        rho = spearman_rho(all_scores.tolist(), judged.tolist())
    tau, tau_p = kendall_test(all_scores, judged)
    tau_by_query = (
        kendall_test(*arrays)[0] for arrays in zip(scores, grades, strict=True)
    )
    query_taus = [tau_b for tau_b in tau_by_query if tau_b is not None]
    return PassageAgreement(
        measure,
        len(all_scores),
        r,
        correlation_p(r, len(all_scores)),
        rho,
        correlation_p(rho, len(all_scores)),
        tau,
        tau_p,
        float(np.mean(query_taus)) if query_taus else None,
        len(query_taus),
        None if relevant_from is None else auc(all_scores, judged >= relevant_from),
        tuple(
            _level(int(grade), all_scores[judged == grade])
            for grade in np.unique(judged)
        ),
    )


def pearson_r(scores: Scores, grades: Grades) -> float | None:
    """Pearson's r; None with fewer than three passages or where a side is constant."""
    if len(scores) < FEWEST or np.ptp(scores) == 0 or np.ptp(grades) == 0:
        return None
    ours, theirs = scores - scores.mean(), grades - grades.mean()
    coefficient = ours @ theirs / math.sqrt((ours @ ours) * (theirs @ theirs))
    return float(np.clip(coefficient, -1, 1))


def correlation_p(r: float | None, size: int) -> float | None:
    """Two-sided p of r over ``size`` pairs: t = r √(n − 2) / √(1 − r²), n − 2 degrees.

    This is the regularised incomplete beta function of 1 − r² at (n − 2)/2 and 1/2.
    """
    if r is None or size < FEWEST:
        return None
    return beta_share(max(0.0, 1 - r * r), (size - 2) / 2, 0.5)


def kendall_test(scores: Scores, grades: Grades) -> tuple[float | None, float | None]:
    """Kendall's τ_b and its two-sided p; None, None where ``pearson_r`` is None.

    Judgments have few levels, so pairs are counted level against level. The variance
    of concordant less discordant pairs is the one for ties (Kendall 1970, chapter 4).
    """
    size = len(scores)
    if size < FEWEST or np.ptp(scores) == 0 or np.ptp(grades) == 0:
        return None, None
    ranks = average_ranks((-scores).tolist())
    by_level = [np.sort(ranks[grades == grade]) for grade in np.unique(grades)]
    more = 0
    for at, low in enumerate(by_level):
        for high in by_level[at + 1 :]:
            below = np.searchsorted(low, high, "left").sum()
            above = high.size * low.size - np.searchsorted(low, high, "right").sum()
            more += int(below - above)
    ties = [np.unique(side, return_counts=True)[1].tolist() for side in (ranks, grades)]
    pairs = size * (size - 1) // 2
    tied = [sum(t * (t - 1) // 2 for t in side) for side in ties]
    tau = more / math.sqrt((pairs - tied[0]) * (pairs - tied[1]))
    threes = [sum(t * (t - 1) * (t - 2) for t in side) for side in ties]
    fives = [sum(t * (t - 1) * (2 * t + 5) for t in side) for side in ties]
    variance = (
        (size * (size - 1) * (2 * size + 5) - sum(fives)) / 18
        + 2 * tied[0] * tied[1] / (size * (size - 1))
        + threes[0] * threes[1] / (9 * size * (size - 1) * (size - 2))
    )
    return tau, math.erfc(abs(more) / math.sqrt(2 * variance))


def auc(scores: Scores, relevant: NDArray[np.bool_]) -> float | None:
    """Probability that a relevant passage scores above another; a tie counts half."""
    relevant_count, size = int(relevant.sum()), len(scores)
    if not 0 < relevant_count < size:
        return None
    ranks = average_ranks((-scores).tolist())  # the highest score has the last rank
    above = float(ranks[relevant].sum()) - relevant_count * (relevant_count + 1) / 2
    return above / (relevant_count * (size - relevant_count))


def _level(judgment: int, scores: Scores) -> LevelScores:
    low, first, middle, third, high = np.quantile(
        scores, [0, 0.25, 0.5, 0.75, 1]
    ).tolist()
    mean = float(scores.mean())
    return LevelScores(judgment, len(scores), low, first, middle, third, high, mean)


def beta_share(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function I_x(a, b), by its continued fraction.

    Source: Press et al., Numerical Recipes, section 6.4.
    """
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):  # where the fraction converges slowly
        return 1 - beta_share(1 - x, b, a)
    front = math.exp(
        math.lgamma(a + b)
        - math.lgamma(a)
        - math.lgamma(b)
        + a * math.log(x)
        + b * math.log1p(-x)
    )
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    share = d
    for m in range(1, 1000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for step in (even, odd):
            d, c = 1 / (1 + step * d), 1 + step / c
            share *= d * c
        if abs(d * c - 1) < 1e-15:
            break
    return front * share / a
