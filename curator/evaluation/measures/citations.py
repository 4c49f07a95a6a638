"""Measures of a generated report's citations, by grades of both sides.

A report is cut into passages, and a grader says which items each passage answers, not
which sentence. So a passage of a report has the citations of all its sentences. It is
*supported* in an item that it answers if any passage that it cites answers it too,
under the same grader and threshold. A cited passage without a text in the pool is
unknown, like a missing grade.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from curator.collection.pools import GAP
from curator.evaluation.grades import GradedQuery, values_at_ranks
from curator.evaluation.measures.cover import Cover
from curator.evaluation.measures.measure import (
    Grades,
    Measure,
    Name,
    Row,
    Scores,
    require_items,
)

SOURCE = "here, after the supported nuggets of TREC RAG 2024 and of ARGUE"


class CitationMeasure(Measure):
    """Base class of measures of citations."""

    needs = "citations"
    cut_off = "settings"

    def grades(self, graded: GradedQuery, row: Row) -> Grades:
        """Count the grades of the pool and of cited passages, also without text."""
        pool_grades = super().grades(graded, row)
        lost = int((graded.pool.citations[:, 2] == GAP).sum()) * len(graded.item_ids)
        cited = np.zeros(0) if graded.cited is None else graded.cited
        graded_pairs = pool_grades.known + int((cited >= 0).sum())
        return pool_grades._replace(
            needed=pool_grades.needed + cited.size + lost, known=graded_pairs
        )

    def exclusion_input(self, graded: GradedQuery) -> int:
        """Return the number of citations of passages without a text."""
        return int((graded.pool.citations[:, 2] == GAP).sum())

    def exclusions(self, query_inputs: Sequence[int]) -> tuple[bool, str]:
        lost = sum(query_inputs)
        note = (
            f"Citations of passages without a text here: {lost:,}. What these support "
            "is unknown."
        )
        return False, note if lost else ""


class SupportedCover(CitationMeasure, Cover):
    """Share of the active items that a report answers with a supporting citation.

    |{item : some passage in S's top k is correct for it and cites one that is}| /
    |items|, in [0, 1], never above Cover.
    """

    place = 84
    names = (
        Name(
            "supported-cover",
            "the share of a query’s kept questions that {first} of a system answer, "
            "and a passage that they cite answers, too",
            "Supported Cover",
        ),
    )
    offered = compared = ("supported-cover",)
    source = SOURCE

    def covered(
        self, graded: GradedQuery, *, possibly: bool = False
    ) -> NDArray[np.bool_]:
        return supported(graded, self.threshold, self.depth, possibly=possibly)

    def flips(self, graded: GradedQuery) -> None:
        """None: one grade may be of an answer and of what supports another."""

    def overall(self, graded: GradedQuery) -> None:
        """None: the pool cites nothing."""


class CitationPrecision(CitationMeasure):
    """Share of a report's citations that support an item.

    |{(passage, cited) : both are correct for some item}| / |{(passage, cited)}| over
    S's top k, in [0, 1]; a cited passage counts once for each passage that cites it.
    0 without a citation.
    """

    place = 85
    names = (
        Name(
            "citation-precision",
            "the share of the citations in {first} of a system that answer a kept "
            "question which the citing passage answers, too",
            "Citation precision",
        ),
    )
    offered = ("citation-precision",)
    source = SOURCE

    def row(self, graded: GradedQuery) -> Row:
        require_items(graded, self.name)
        citations = _within(graded, self.depth)
        systems, number = citations[:, 0], len(graded.pool.top)
        counts = np.maximum(np.bincount(systems, minlength=number), 1)

        def share(possibly: bool) -> Scores:
            right = _right(graded, self.threshold, citations, possibly).any(axis=0)
            return np.bincount(systems, right.astype(np.float64), number) / counts

        score = share(possibly=False)
        return Row(score, score, share(possibly=True))


class CitationRecall(CitationMeasure):
    """Share of the items that a report answers which are supported.

    Supported Cover / Cover in a query, in [0, 1]; 0 where nothing is answered.
    """

    place = 86
    names = (
        Name(
            "citation-recall",
            "of a query’s kept questions that {first} of a system answer, the share "
            "that a passage which they cite answers, too",
            "Citation recall",
        ),
    )
    offered = ("citation-recall",)
    source = SOURCE

    def row(self, graded: GradedQuery) -> Row:
        require_items(graded, self.name)
        at = self.threshold, self.depth
        answered = graded.covered(*at)
        certain, possible = (
            supported(graded, *at, possibly=possibly) for possibly in (False, True)
        )
        # Lower bound: unknown answers count without support. Upper bound: all possible
        # support counts, and no other answers.
        bare = graded.covered(*at, possibly=True) & ~certain
        score, lower, upper = (
            (supported_items & answered_items).sum(axis=0)
            / np.maximum(answered_items.sum(axis=0), 1)
            for supported_items, answered_items in (
                (certain, answered),
                (certain, answered | bare),
                (possible, answered | possible),
            )
        )
        return Row(score, lower, upper)


def supported(
    graded: GradedQuery, threshold: int, depth: int | None, *, possibly: bool = False
) -> NDArray[np.bool_]:
    """(items, systems): True where an answering passage cites another that answers.

    ``possibly``: counting unknown grades as correct.
    """
    citations = _within(graded, depth)
    right = _right(graded, threshold, citations, possibly)
    result = np.zeros((len(graded.item_ids), len(graded.pool.top)), dtype=np.bool_)
    np.logical_or.at(result.T, citations[:, 0], right.T)
    return result


def _within(graded: GradedQuery, depth: int | None) -> NDArray[np.int32]:
    """Select the citations of the first ``depth`` passages."""
    citations = graded.pool.citations
    return citations if depth is None else citations[citations[:, 1] < depth]


def _right(
    graded: GradedQuery,
    threshold: int,
    citations: NDArray[np.int32],
    possibly: bool,
) -> NDArray[np.bool_]:
    """(items, citations): True where citing and cited passage both answer the item."""
    systems, ranks, places = citations.T
    correct = (graded.possibly_correct if possibly else graded.correct)(threshold)
    both = correct
    if graded.cited is not None:
        both = correct.copy()
        cited = graded.cited
        answers = (cited >= threshold) | (possibly & (cited < 0))
        both[:, list(graded.pool.cited_only)] = answers
    # GAP is −1, so it reads the last column, for passages without a text.
    lost = np.full((len(both), 1), possibly)
    cites = np.concatenate([both, lost], axis=1)[:, places]
    answers = values_at_ranks(correct, graded.pool.top)[:, systems, ranks]
    return np.asarray(answers & cites)
