"""Any measure that ``ir-measures`` knows, on the derived qrels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from curator.evaluation.grades import GradedQuery
from curator.evaluation.labels import NO_LABEL, graded_labels
from curator.evaluation.rows import Row, Scores


@dataclass(frozen=True, slots=True)
class AnyMeasure:
    """A measure computed by ``ir-measures`` from labels and rankings.

    Systems are handed over with score = −rank and a placeholder passage at every
    empty rank, so that nothing moves up; a system that skipped the query scores 0.
    ``measure`` is the string with its relevance threshold written out.
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

    def _scores(self, graded: GradedQuery, labels: NDArray[np.int8]) -> Scores:
        import ir_measures

        qrels = qrels_of(graded, labels)
        scores = np.zeros(len(graded.pool.top))
        if not qrels:
            return scores
        measure = ir_measures.parse_measure(self.measure)
        evaluator = ir_measures.evaluator([measure], {graded.query_id: qrels})
        for system in range(len(scores)):
            run = run_of(graded, system)
            if run:
                for metric in evaluator.iter_calc({graded.query_id: run}):
                    scores[system] = metric.value
        return scores


def qrels_of(graded: GradedQuery, labels: NDArray[np.int8]) -> dict[str, int]:
    """{passage id: label} without the passages that have no label."""
    return {
        passage_id: int(label)
        for passage_id, label in zip(graded.pool.passage_ids, labels, strict=True)
        if label != NO_LABEL
    }


def run_of(graded: GradedQuery, system: int) -> dict[str, float]:
    """{passage id: −rank} of one system, a placeholder at each empty rank.

    Empty for a system that skipped the query.
    """
    slots = graded.pool.top[system]
    filled = np.flatnonzero(slots >= 0)
    if not len(filled):
        return {}
    ids: Any = graded.pool.passage_ids
    return {
        ids[slot] if slot >= 0 else f"no passage at rank {rank}": -float(rank)
        for rank, slot in enumerate(slots[: filled[-1] + 1], start=1)
    }
