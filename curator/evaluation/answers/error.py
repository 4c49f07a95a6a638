"""How far a model's view of systems is from people's: tau with p, RMSE and sigma.

Source: Vu & Moschitti 2020, section 6.3 and Tables 7 and 9.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from curator.errors import EvaluationError

DECIMALS = 9  # equal fractions summed in another order must tie


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

    Raises EvaluationError without scipy.
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
