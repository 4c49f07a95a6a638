"""Any measure that ``ir-measures`` knows, on the derived qrels."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Self

import numpy as np
from numpy.typing import NDArray

from curator.errors import EvaluationError
from curator.evaluation.grades import NO_LABEL, GradedQuery, graded_labels
from curator.evaluation.measures.measure import (
    Measure,
    Name,
    Row,
    refuse_threshold,
    unbounded_row,
)
from curator.evaluation.settings import LabelRule

GDEVAL_HIGHEST = 4  # gdeval.pl refuses higher labels
MAX_CUTOFF = 999_999
WITHOUT_LEVELS = ("Judged", "NumQ")  # these only test for a label


@dataclass(frozen=True)
class AnyMeasure(Measure):
    """A measure computed by ``ir-measures`` from labels and rankings.

    Systems are passed with score = −rank and a placeholder passage at every empty rank,
    so that nothing moves up; a system that skipped the query scores 0. ``measure`` is
    the full name in ``ir-measures``, with the relevance threshold.

    Systems and passages have numbers as ids: gdeval.pl reads no topics with letters in
    their ids, and no passage ids with spaces.
    """

    measure: str = ""

    place = 1000  # after all that are computed here
    names = (
        Name(
            "AP",
            "the mean of the precision at every relevant passage, those not among "
            "{first} counting 0",
        ),
    )
    offered = ("AP",)
    based_on = "labels"
    bounded = False
    highest = None
    slow = True  # flipping every label takes seconds per query
    source = "as `ir-measures` has it"

    @classmethod
    def named(cls, name: str, threshold: int, k: int) -> Self | None:
        """Parse a name of ``ir-measures``, relevant from ``threshold`` by default.

        Raises EvaluationError for a measure that cannot be computed here.
        """
        import ir_measures
        from ir_measures.measures import diversity

        try:
            measure = ir_measures.parse_measure(name)
            if "rel" in measure.SUPPORTED_PARAMS and "rel" not in measure.params:
                measure = measure(rel=threshold)
            # Some names parse without a cut-off that they require.
            measure.validate_params()
        except (NameError, ValueError, TypeError, AssertionError, RecursionError):
            return None
        if type(measure).__module__ == diversity.__name__:
            raise EvaluationError(
                f"{name} cannot be computed here. Measures with questions as subtopics "
                "are alpha_nDCG@20, ERR_IA@20, StRecall@20 (with any cut-off) and "
                "NRBP, with alpha and beta .5."
            )
        cutoff = measure.params.get("cutoff")
        # trec_eval ends the whole process where a cut-off is 0.
        if cutoff is not None and not 1 <= cutoff <= MAX_CUTOFF:
            raise EvaluationError(
                f"The cut-off of {name} is {cutoff}; expected 1 to {MAX_CUTOFF:,}."
            )
        try:
            ir_measures.evaluator([measure], {"q": {"p": 1}})
        except (ValueError, TypeError) as error:
            reason = " ".join(str(error).split())
            raise EvaluationError(
                f"{measure} cannot be computed here: {reason}"
            ) from None
        depth = None if cutoff is None else int(cutoff)
        return cls(name, 0, depth, measure=str(measure))

    def with_label_rule(self, rule: LabelRule) -> Self:
        """Return the measure on labels of this rule, or raise EvaluationError."""
        import ir_measures

        measure = ir_measures.parse_measure(self.measure)
        if "rel" in measure.params:
            refuse_threshold(self.name, rule)
        elif rule.fractional and measure.NAME not in WITHOUT_LEVELS:
            raise EvaluationError(
                f"{self.name} needs labels that are whole numbers, and labels under "
                f"'{rule.label}' are fractions. Use nDCG@10, or --label max or "
                "answered."
            )
        return super().with_label_rule(rule)

    def row(self, graded: GradedQuery) -> Row:
        import ir_measures

        scores = np.zeros(len(graded.pool.top))
        measure = ir_measures.parse_measure(self.measure)
        labels = graded_labels(graded, self.rule)
        labelled = np.flatnonzero(labels != NO_LABEL)
        if self.rule.fractional and "rel" in measure.params:
            # ir-measures needs whole numbers, and this measure only compares them.
            labels = labels >= measure["rel"]
            measure = measure(rel=1)
        qrels = {str(i): int(labels[i]) for i in labelled}
        every_run = {str(i): run_of(slots) for i, slots in enumerate(graded.pool.top)}
        runs = {system: run for system, run in every_run.items() if run}
        if not qrels or not runs:
            return unbounded_row(graded, scores)
        highest = max(qrels.values())
        by_gdeval = measure.NAME == "ERR" or measure.params.get("dcg") == "exp-log2"
        if by_gdeval and highest > GDEVAL_HIGHEST:
            raise EvaluationError(
                f"{self.name} needs labels from 0 to {GDEVAL_HIGHEST}, and one in "
                f"query '{graded.query_id}' is {highest}. Use nDCG@10 or another "
                "measure."
            )
        # Each system becomes a topic with the same qrels: one call for all.
        same_qrels = dict.fromkeys(runs, qrels)
        if measure.NAME == "Accuracy":
            # ir-measures divides by the number of non-relevant passages of a ranking.
            # If there are none, no relevant passage is below one, and Accuracy is 1.
            relevant = {
                passage for passage, label in qrels.items() if label >= measure["rel"]
            }
            for system, run in [*runs.items()]:
                if relevant.issuperset(islice(run, self.depth)):
                    scores[int(system)] = 1.0
                    del runs[system]
        for metric in ir_measures.iter_calc([measure], same_qrels, runs):
            scores[int(metric.query_id)] = metric.value
        return unbounded_row(graded, scores)


def run_of(slots: NDArray[np.int32]) -> dict[str, float]:
    """{pool position: −rank} of one system, with a placeholder at each empty rank.

    Empty for a system that skipped the query.
    """
    filled = np.flatnonzero(slots >= 0)
    if not len(filled):
        return {}
    return {
        str(slot) if slot >= 0 else f"empty-{rank}": -float(rank)
        for rank, slot in enumerate(slots[: filled[-1] + 1].tolist(), start=1)
    }
