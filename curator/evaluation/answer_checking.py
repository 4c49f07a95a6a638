"""Quality of a check of answers, measured on answers and on whole systems.

A *check* calls every answer right or wrong, or leaves it open: True, False or None.

Source: Vu & Moschitti 2020, sections 6.3 to 6.5.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from curator.errors import EvaluationError
from curator.evaluation.agreement import cohens_kappa
from curator.results import computed

Decisions = Sequence[bool | None]
"""A check's decisions, in the order of the answers."""

Scores = NDArray[np.float64]

MEASURES = ("P@1", "MAP", "MRR")

Labels = Mapping[str, Mapping[str, bool]]
"""True for a right candidate, by question id and candidate id."""

Rankings = Mapping[str, Sequence[str | None]]
"""Candidate ids of one system by question id, best first; None at an empty rank."""

DECIMALS = 9  # so that equal fractions summed in another order tie
UNTUNED = 0.5


@dataclass(frozen=True, slots=True)
class Confusion:
    """Counts of answers by the check's decision and by the truth.

    A positive is an answer that the check calls right; it is true if the truth agrees.
    The truth may be another check.
    """

    true_positives: int
    false_positives: int
    false_negatives: int
    true_negatives: int

    @property
    @computed()
    def answers(self) -> int:
        positives = self.true_positives + self.false_positives
        return positives + self.false_negatives + self.true_negatives

    @property
    @computed()
    def precision(self) -> float | None:
        """Share of right answers among those called right; None if there are none."""
        return _share(self.true_positives, self.true_positives + self.false_positives)

    @property
    @computed()
    def recall(self) -> float | None:
        """Share of the right answers called right; None if no answer is right."""
        return _share(self.true_positives, self.true_positives + self.false_negatives)

    @property
    @computed()
    def f1(self) -> float | None:
        """F1: twice the hits, over the answers called right plus those that are right.

        The harmonic mean of precision and recall where both are defined. 0 for a
        model that calls nothing right, as the paper prints for its linear classifier
        (Table 6); None where nothing is right either.
        """
        wrong = self.false_positives + self.false_negatives
        return _share(2 * self.true_positives, 2 * self.true_positives + wrong)

    @property
    @computed()
    def agreement(self) -> float | None:
        return _share(self.true_positives + self.true_negatives, self.answers)

    @property
    @computed()
    def kappa(self) -> float | None:
        wrong = (self.true_negatives, self.false_negatives)
        return cohens_kappa((wrong, (self.false_positives, self.true_positives)))


def confusion_of(called_right: Decisions, right: Decisions) -> Confusion:
    """Count answers by two checks, the second taken for the truth.

    Only answers that both decide count.
    """
    counts = Counter(zip(called_right, right, strict=True))
    return Confusion(
        counts[True, True],
        counts[True, False],
        counts[False, True],
        counts[False, False],
    )


def accuracy(decisions: Decisions) -> float | None:
    """Share of the answers called right; None without answers or if one is open."""
    if not decisions or None in decisions:
        return None
    return decisions.count(True) / len(decisions)


def system_measures(rankings: Rankings, labels: Labels) -> dict[str, float]:
    """Compute the means of ``MEASURES`` over the questions of ``labels``.

    A system with one answer per question has P@1 only. A question that the system
    skipped counts 0, and so does one without a right candidate. A candidate without a
    label is not right. ``labels`` is not empty.

    Source: section 6.3.
    """
    import ir_measures

    metrics = {ir_measures.P @ 1: "P@1"}
    if any(len(r) - list(r).count(None) > 1 for r in rankings.values()):
        metrics |= {ir_measures.AP: "MAP", ir_measures.RR: "MRR"}
    qrels = {
        question_id: {candidate: int(right) for candidate, right in candidates.items()}
        for question_id, candidates in labels.items()
    }
    # No id has a tab, so these stand for empty ranks.
    run = {
        question_id: {
            candidate or f"\t{rank}": -float(rank)
            for rank, candidate in enumerate(rankings[question_id], start=1)
        }
        for question_id in labels
        if rankings.get(question_id)
    }
    sums = dict.fromkeys(metrics.values(), 0.0)
    for metric in ir_measures.iter_calc([*metrics], qrels, run) if run else ():
        sums[metrics[metric.measure]] += metric.value
    return {measure: total / len(labels) for measure, total in sums.items()}


@dataclass(frozen=True, slots=True)
class MeasureAgreement:
    """Agreement of one measure by the model's labels with the same by gold labels.

    ``kendall`` is tau_b and ``p`` its two-sided p-value, None where there is no order
    to compare; ``note`` then says why. ``sigma`` is the population standard deviation
    of the absolute error. ``rmse`` and ``sigma`` are None without systems.
    """

    measure: str
    systems: int
    kendall: float | None
    p: float | None
    rmse: float | None
    sigma: float | None
    note: str = ""


def measure_agreement(
    measure: str, model: Sequence[float], gold: Sequence[float]
) -> MeasureAgreement:
    """Compare two lists of values, one value per system in the same order.

    The paper does not say what its sigma is; the population standard deviation of the
    absolute error gives its Table 7 from its Table 8.

    Raises EvaluationError without scipy. Source: section 6.3, Tables 7 and 9.
    """
    ours, truth = (
        np.round(np.asarray(values, float), DECIMALS) for values in (model, gold)
    )
    kendall, p, note = _kendall(ours.tolist(), truth.tolist())
    if not len(ours):
        return MeasureAgreement(measure, 0, None, None, None, None, note)
    error = np.abs(ours - truth)
    rmse, sigma = math.sqrt(float((error**2).mean())), float(error.std())
    return MeasureAgreement(measure, len(ours), kendall, p, rmse, sigma, note)


def _kendall(
    ours: list[float], truth: list[float]
) -> tuple[float | None, float | None, str]:
    if len(ours) < 2:
        return None, None, "Correlation needs two or more systems."
    for rater, values in (("the model", ours), ("the gold labels", truth)):
        if len(set(values)) == 1:
            return None, None, f"All systems tie under {rater}: there is no order."
    from scipy.stats import kendalltau

    result = kendalltau(ours, truth, variant="b")
    return float(result.statistic), float(result.pvalue), ""


def tuned_threshold(
    top_scores: Mapping[str, Sequence[float | None]], right: Mapping[str, int]
) -> float:
    """Find the threshold with the smallest RMSE of P@1 between model and gold labels.

    ``top_scores`` gives, by system, the score of its first answer to every question,
    None where it has none; ``right`` how many of these answers are right. All systems
    have the same questions. All ``cut_points`` are tried; of equally good ones the
    nearest to .5 is chosen, and of two equally near the lower.

    Raises EvaluationError without systems or questions. Source: section 6.5.1.
    """
    questions = {len(scores) for scores in top_scores.values()}
    if len(questions) != 1 or questions == {0}:
        raise EvaluationError(
            "Tuning a threshold needs runs of systems on the dev questions, and there "
            "are none."
        )
    known_scores = {
        system: np.array(sorted(score for score in scores if score is not None))
        for system, scores in top_scores.items()
    }
    cuts = cut_points(np.concatenate(list(known_scores.values())))
    squares = np.zeros(len(cuts), dtype=np.int64)
    # Answers called right are counted, not averaged, so that equal errors are equal.
    for system, scores in known_scores.items():
        above = len(scores) - np.searchsorted(scores, cuts, side="right")
        squares += (above - right[system]) ** 2
    best = cuts[squares == squares.min()]
    return float(best[np.argmin(np.abs(best - UNTUNED))])


def cut_points(scores: Scores) -> Scores:
    """Thresholds in [0, 1], ascending, one for every way to cut the scores in two.

    Half-way between neighbouring scores, from the lowest to 0 and from the highest to
    1; and .5, which is as good as any other point between its neighbours. A score of 0
    is above no threshold.
    """
    ends = np.unique(np.concatenate([scores, [0.0, 1.0]]))
    low, high = ends[:-1], ends[1:]
    middle = (low + high) / 2
    # Between two neighbouring floats there is none: the lower one cuts the same.
    middle = np.where(middle < high, middle, low)
    at_one = [1.0] if (scores == 1.0).any() else []
    return np.unique(np.concatenate([middle, at_one, [UNTUNED]]))


def _share(part: int, total: int) -> float | None:
    return part / total if total else None
