"""Any measure that ``ir-measures`` knows, on the derived qrels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from curator.errors import EvaluationError
from curator.evaluation.grades import GradedQuery
from curator.evaluation.labels import NO_LABEL, graded_labels
from curator.evaluation.rows import Row, Scores

GDEVAL_HIGHEST = 4  # gdeval.pl refuses higher labels


@dataclass(frozen=True, slots=True)
class AnyMeasure:
    """A measure computed by ``ir-measures`` from labels and rankings.

    Systems are handed over with score = −rank and a placeholder passage at every
    empty rank, so that nothing moves up; a system that skipped the query scores 0.
    ``measure`` is the string with its relevance threshold written out.

    Systems and passages go by number: gdeval.pl reads no topics with letters in
    their ids, and no passage ids with spaces.
    """

    name: str
    measure: str
    depth: int | None

    def row(self, graded: GradedQuery) -> Row:
        score = self._scores(graded, graded_labels(graded))
        complete = graded.known == graded.needed
        return Row(score, score if complete else None, score if complete else None)

    def without_each(self, graded: GradedQuery) -> NDArray[np.float64]:
        from curator.evaluation.labels import labels_without_each

        if len(graded.item_ids) < 2:
            return np.full((len(graded.item_ids), len(graded.pool.top)), np.nan)
        return np.stack([self._scores(graded, x) for x in labels_without_each(graded)])

    def flips(self, graded: GradedQuery) -> None:
        """Nothing: to read every label the other way would take seconds a query."""

    def _scores(self, graded: GradedQuery, labels: NDArray[np.int8]) -> Scores:
        import ir_measures

        scores = np.zeros(len(graded.pool.top))
        qrels = qrels_of(labels)
        every_run = {str(i): run_of(slots) for i, slots in enumerate(graded.pool.top)}
        runs = {system: run for system, run in every_run.items() if run}
        if not qrels or not runs:
            return scores
        measure = ir_measures.parse_measure(self.measure)
        highest = max(qrels.values())
        if by_gdeval(measure) and highest > GDEVAL_HIGHEST:
            raise EvaluationError(
                f"{self.name} takes labels from 0 to {GDEVAL_HIGHEST}, and one in "
                f"query '{graded.query_id}' is {highest}; use nDCG@10 or another "
                "measure."
            )
        # Each system is a topic of its own with the same qrels: one call for all.
        same_qrels = dict.fromkeys(runs, qrels)
        for metric in ir_measures.iter_calc([measure], same_qrels, runs):
            scores[int(metric.query_id)] = metric.value
        return scores


def by_gdeval(measure: Any) -> bool:
    """Whether ``ir-measures`` leaves this measure to the script gdeval.pl."""
    return bool(measure.NAME == "ERR" or measure.params.get("dcg") == "exp-log2")


def qrels_of(labels: NDArray[np.int8]) -> dict[str, int]:
    """{pool position: label} without the passages that have no label."""
    return {str(i): int(labels[i]) for i in np.flatnonzero(labels != NO_LABEL)}


def run_of(slots: NDArray[np.int32]) -> dict[str, float]:
    """{pool position: −rank} of one system, a placeholder at each empty rank.

    Empty for a system that skipped the query.
    """
    filled = np.flatnonzero(slots >= 0)
    if not len(filled):
        return {}
    return {
        str(slot) if slot >= 0 else f"empty-{rank}": -float(rank)
        for rank, slot in enumerate(slots[: filled[-1] + 1].tolist(), start=1)
    }
