"""n-EXAM: what systems answer, measured by what a human-edited gold article answers.

Some questions are beyond the grader or miss the query, which lowers everybody's EXAM.
A gold article written for the query shows what could be reached. A clearly written
ranking may pass it, so scores above 1 are no error.

Source: Sander & Dietz 2021, section 3.1.3 and Table 4.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from curator.errors import EvaluationError
from curator.evaluation.ranks import TIE_TOLERANCE


class NExamUndefinedError(EvaluationError):
    """There is no gold article, or the gold articles answer nothing."""


@dataclass(frozen=True, slots=True)
class NExam:
    """n-EXAM per system, over the ``queries`` that have a gold article.

    ``star`` marks the systems comparable to the gold articles. ``gold`` is the gold
    articles' mean EXAM. ``standard_errors`` is None over a single query.
    """

    scores: NDArray[np.float64]
    standard_errors: NDArray[np.float64] | None
    star: NDArray[np.bool_]
    gold: float
    queries: int
    note: str = ""


def n_exam(exam: ArrayLike, gold: ArrayLike) -> NExam:
    """Each system's EXAM as a multiple of the gold articles', 0 or more.

    ``exam`` holds EXAM per system and query, shape (systems, queries), with 0 where a
    system skipped the query; ``gold`` the gold articles' EXAM per query, NaN where a
    query has none. Those queries leave both sums.

        n-EXAM(S) = sum_q EXAM(S, q) / sum_q EXAM(gold, q)
        SE(S)     = SE of EXAM(S, q) over the same queries / mean gold EXAM
        star(S)   where mean EXAM(S) >= mean EXAM(gold) - SE of EXAM(S)

    The star's SE is on the scale of EXAM. The sample SD (n - 1) is used; over one
    query there is none, and a star then means EXAM at or above gold.

    Raises NExamUndefinedError without gold articles or where they answer nothing,
    ValueError for arrays that do not fit together.
    """
    exam_by_query = np.asarray(exam, dtype=np.float64)
    gold_by_query = np.asarray(gold, dtype=np.float64)
    if exam_by_query.ndim != 2 or exam_by_query.shape[1:] != gold_by_query.shape:
        raise ValueError(
            f"expected EXAM of shape (systems, queries) and gold of shape (queries,), "
            f"got {exam_by_query.shape} and {gold_by_query.shape}"
        )
    has_gold = ~np.isnan(gold_by_query)
    exam_by_query = exam_by_query[:, has_gold]
    if not np.isfinite(exam_by_query).all():
        raise ValueError("EXAM holds values that are not finite; skipped queries are 0")
    queries = exam_by_query.shape[1]
    if queries == 0:
        raise NExamUndefinedError(
            "n-EXAM needs gold articles and no scored query has one; import them or "
            "choose the measure 'cover'."
        )
    gold_mean = float(gold_by_query[has_gold].mean())
    if gold_mean <= 0:
        raise NExamUndefinedError(
            "n-EXAM is undefined: the gold articles answer no question of the bank; "
            "lower the minimum rating or choose the measure 'cover'."
        )
    means = exam_by_query.mean(axis=1)
    errors = (
        exam_by_query.std(axis=1, ddof=1) / np.sqrt(queries) if queries > 1 else None
    )
    reach = gold_mean - TIE_TOLERANCE - (0.0 if errors is None else errors)
    return NExam(
        scores=means / gold_mean,
        standard_errors=None if errors is None else errors / gold_mean,
        star=means >= reach,
        gold=gold_mean,
        queries=queries,
        note=""
        if queries > 1
        else "One query has no standard error; a star means EXAM at or above gold.",
    )
