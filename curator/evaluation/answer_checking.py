"""How well a check tells right answers from wrong: on answers and on whole systems.

A *check* says of every answer that it is right or wrong, or has not said yet: one
``Decisions`` array, in the order of the answers. Counts and numbers only.

Source: Vu & Moschitti 2020, sections 6.3 to 6.5.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from curator.errors import EvaluationError
from curator.evaluation.agreement import cohens_kappa, confusion

Decisions = NDArray[np.int8]
"""RIGHT, WRONG or UNKNOWN for each answer."""

UNKNOWN, WRONG, RIGHT = -1, 0, 1

NO_ANSWER = -1  # in a passage that is known to give none
NOT_ASKED = -2  # whether it gives one is not known

Scores = NDArray[np.float64]

MEASURES = ("P@1", "MAP", "MRR")

Labels = Mapping[str, Mapping[str, bool]]
"""Whether each candidate is right, by question id and candidate id."""

Rankings = Mapping[str, Sequence[str | None]]
"""One system's candidate ids by question id, best first; None at an empty rank."""

DECIMALS = 9  # equal fractions summed in another order must tie
UNTUNED = 0.5


@dataclass(frozen=True, slots=True)
class Confusion:
    """How many answers a check calls right or not, and the truth does.

    A positive is an answer that the check calls right, a true one is called what it is.
    The truth may be another check: false positives are then right to the first alone.
    """

    true_positives: int
    false_positives: int
    false_negatives: int
    true_negatives: int

    @property
    def answers(self) -> int:
        """How many answers are counted."""
        positives = self.true_positives + self.false_positives
        return positives + self.false_negatives + self.true_negatives

    @property
    def precision(self) -> float | None:
        """Share of those called right that are; None where none was."""
        return _share(self.true_positives, self.true_positives + self.false_positives)

    @property
    def recall(self) -> float | None:
        """Share of the right ones that were called so; None where none is right."""
        return _share(self.true_positives, self.true_positives + self.false_negatives)

    @property
    def f1(self) -> float | None:
        """Twice the hits, over those called right and those that are.

        The harmonic mean of precision and recall where both are defined. 0 for a
        model that calls nothing right, as the paper prints for its linear classifier
        (Table 6); None where nothing is right either.
        """
        wrong = self.false_positives + self.false_negatives
        return _share(2 * self.true_positives, 2 * self.true_positives + wrong)

    @property
    def agreement(self) -> float | None:
        """Share of the answers that both call the same; None without any."""
        return _share(self.true_positives + self.true_negatives, self.answers)

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa; None where it is 0/0."""
        wrong = (self.true_negatives, self.false_negatives)
        return cohens_kappa((wrong, (self.false_positives, self.true_positives)))

    @property
    def note(self) -> str:
        """Why a number is undefined; "" where none is."""
        notes = []
        if self.precision is None:
            notes.append("No answer was called right: there is no precision.")
        if self.recall is None:
            notes.append("No answer is right: there is no recall.")
        return " ".join(notes)


def confusion_of(called_right: ArrayLike, right: ArrayLike) -> Confusion:
    """Counts over answers, in the same order in both."""
    (tn, fn), (fp, tp) = confusion(called_right, right)
    return Confusion(tp, fp, fn, tn)


def two_checks(first: Decisions, second: Decisions) -> Confusion:
    """The first held against the second, over the answers that neither leaves open."""
    both = (first != UNKNOWN) & (second != UNKNOWN)
    return confusion_of(first[both] == RIGHT, second[both] == RIGHT)


def accuracies(
    decisions: Decisions, firsts: NDArray[np.int32]
) -> tuple[float | None, ...]:
    """Share of the questions that each system's first passage answers right.

    ``firsts`` is (systems, questions): the number of the answer there, NO_ANSWER, which
    is wrong, or NOT_ASKED, which does not count. None for a system of which one answer
    is UNKNOWN to the check, and for one without a question that counts.
    """
    # Counted from behind: NO_ANSWER is the last, NOT_ASKED the one before.
    more = np.array([UNKNOWN, WRONG], dtype=np.int8)
    decided = np.append(decisions, more)[firsts]
    asked = firsts != NOT_ASKED
    undecided = ((decided == UNKNOWN) & asked).any(axis=1)
    right = (decided == RIGHT).sum(axis=1)
    columns = (one.tolist() for one in (right, asked.sum(axis=1), undecided))
    return tuple(
        None if unknown or not whole else hits / whole
        for hits, whole, unknown in zip(*columns, strict=True)
    )


def mean_over_references(scores: Scores, candidate: NDArray[np.int64]) -> Scores:
    """The mean score of each candidate over the references it was held against.

    ``candidate`` gives the candidate's number for each score; every number from 0 to
    the highest stands there. Source: section 6.5.1.
    """
    return np.bincount(candidate, weights=scores) / np.bincount(candidate)


@dataclass(frozen=True, slots=True)
class SystemMeasures:
    """Means over all questions. ``map`` and ``mrr`` are None without rankings."""

    p_at_1: float
    map: float | None
    mrr: float | None

    def value(self, measure: str) -> float | None:
        """The value of one of ``MEASURES``."""
        return {"P@1": self.p_at_1, "MAP": self.map, "MRR": self.mrr}[measure]


def gives_one_answer(rankings: Rankings) -> bool:
    """Whether the system gives one answer a question, and so has no ranking."""
    return all(
        sum(one is not None for one in ranking) < 2 for ranking in rankings.values()
    )


def system_measures(rankings: Rankings, labels: Labels) -> SystemMeasures:
    """The measures over every question of ``labels``, computed by ``ir-measures``.

    Ranks are taken as given. A question that the system skipped counts 0, and so does
    one none of whose candidates is right. A candidate without a label keeps its place
    and is not right. ``labels`` is not empty. Source: section 6.3.
    """
    import ir_measures

    metrics = [ir_measures.P @ 1]
    if not gives_one_answer(rankings):
        metrics += [ir_measures.AP, ir_measures.RR]
    # By number: an id of theirs might look like one of the placeholders.
    numbers = {
        question_id: {one: str(i) for i, one in enumerate(candidates)}
        for question_id, candidates in labels.items()
    }
    qrels = {
        question_id: {numbers[question_id][c]: int(right) for c, right in known.items()}
        for question_id, known in labels.items()
    }
    # A placeholder where there is no known candidate.
    run = {
        question_id: {
            numbers[question_id].get(one or "", f"empty-{rank}"): -float(rank)
            for rank, one in enumerate(rankings[question_id], start=1)
        }
        for question_id in labels
        if rankings.get(question_id)
    }
    sums = dict.fromkeys(metrics, 0.0)
    for metric in ir_measures.iter_calc(metrics, qrels, run) if run else ():
        sums[metric.measure] += metric.value
    means = [sums[one] / len(labels) for one in metrics]
    return SystemMeasures(*means, *[None] * (len(MEASURES) - len(means)))


@dataclass(frozen=True, slots=True)
class MeasureAgreement:
    """One measure of the same systems by the model's labels and by gold labels.

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
    """The agreement of two lists of values, a value per system in the same order.

    The paper does not say what its sigma is; the population standard deviation of the
    absolute error gives its Table 7 from its Table 8.

    Raises EvaluationError without scipy. Source: section 6.3, Tables 7 and 9.
    """
    ours, truth = (np.round(np.asarray(x, float), DECIMALS) for x in (model, gold))
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
    for who, values in (("the model", ours), ("the gold labels", truth)):
        if len(set(values)) == 1:
            return None, None, f"All systems are alike to {who}: there is no order."
    try:
        from scipy.stats import kendalltau
    except ImportError:
        raise EvaluationError(
            'Kendall\'s tau of systems needs scipy: pip install "exam-curator[ava]"'
        ) from None
    found = kendalltau(ours, truth, variant="b")
    return float(found.statistic), float(found.pvalue), ""


@dataclass(frozen=True, slots=True)
class TunedThreshold:
    """The threshold, and the RMSE of P@1 over ``systems`` that it leaves."""

    threshold: float
    rmse: float
    systems: int


def tuned_threshold(
    top_scores: Mapping[str, Sequence[float | None]], right: Mapping[str, int]
) -> TunedThreshold:
    """The threshold with the smallest RMSE of P@1 between the model and gold labels.

    ``top_scores`` gives, by system, the score of its first answer to every question,
    None where it has none; ``right`` how many of these answers are right. All systems
    have the same questions. Every threshold that tells the scores apart otherwise is
    tried (see ``cut_points``); of equally good ones the nearest to .5 is taken, and
    the lower of two as near.

    Raises EvaluationError without systems or questions. Source: section 6.5.1.
    """
    questions = {len(scores) for scores in top_scores.values()}
    if len(questions) != 1 or questions == {0}:
        raise EvaluationError(
            "A threshold is tuned on systems that answer the dev questions; there is "
            "none. Give their runs."
        )
    known = {
        system: np.array(sorted(one for one in scores if one is not None))
        for system, scores in top_scores.items()
    }
    cuts = cut_points(np.concatenate(list(known.values())))
    squares = np.zeros(len(cuts), dtype=np.int64)
    # Answers called right are counted, not averaged, so that equal errors are equal.
    for system, scores in known.items():
        above = len(scores) - np.searchsorted(scores, cuts, side="right")
        squares += (above - right[system]) ** 2
    best = cuts[squares == squares.min()]
    nearest = float(best[np.argmin(np.abs(best - UNTUNED))])
    mean = float(squares.min()) / len(known)
    return TunedThreshold(nearest, math.sqrt(mean) / questions.pop(), len(known))


def cut_points(scores: Scores) -> Scores:
    """Thresholds in [0, 1], rising, for every way to cut these scores in two.

    Half-way between neighbours; half-way from the lowest to 0, where all are right,
    and from the highest to 1, where none is; and .5, which is no worse than any other
    point between its neighbours. A lowest score of 0 is above no threshold.
    """
    ends = np.unique(np.concatenate([scores, [0.0, 1.0]]))
    low, high = ends[:-1], ends[1:]
    middle = (low + high) / 2
    # Between two neighbouring floats there is none: the lower one cuts the same.
    middle = np.where(middle < high, middle, low)
    at_one = [1.0] * bool((scores == 1.0).any())
    return np.unique(np.concatenate([middle, at_one, [UNTUNED]]))


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
