"""What a generated report's citations are worth, by the grades of both sides.

A report is cut into passages, and a grader says of each which items it answers, not in
which sentence. So a passage of a report has the citations of all its sentences. It is
*supported* in an item that it answers where any passage that it cites answers it too,
under the same grader and the same threshold. What is cited and has no text in the pool
is unknown, as a missing grade is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from curator.collection.pools import GAP
from curator.evaluation.grades import GradedQuery, at_ranks
from curator.evaluation.measures.cover import Cover
from curator.evaluation.measures.measure import (
    Documented,
    Grades,
    Measure,
    Name,
    Row,
    require_items,
)

HOW = (
    "by hand; a count in plain Python over random reports; every completion",
    "here, after the supported nuggets of TREC RAG 2024 and of ARGUE",
)


class OfCitations(Measure):
    """What measures of citations have in common."""

    threshold: int
    depth: int | None

    needs = "citations"
    looks_at_k = True

    @classmethod
    def named(cls, name: str, threshold: int, k: int) -> Self | None:
        return cls(threshold, k) if name.lower() == cls.listed else None  # type: ignore[call-arg]

    def grades(self, graded: GradedQuery, row: Row) -> Grades:
        """Those of the pool, and of what is cited: also where that has no text."""
        found = super().grades(graded, row)
        lost = int((graded.pool.citations[:, 2] == GAP).sum()) * len(graded.item_ids)
        cited = np.zeros(0) if graded.cited is None else graded.cited
        known = found.known + int((cited >= 0).sum())
        return found._replace(needed=found.needed + cited.size + lost, known=known)

    def told(self, graded: GradedQuery) -> int:
        """How many of its citations are of passages without a text."""
        return int((graded.pool.citations[:, 2] == GAP).sum())

    def left_out(self, told: Sequence[int]) -> tuple[bool, str]:
        lost = sum(told)
        if not lost:
            return False, ""
        if lost == 1:
            one = "1 citation is of a passage without a text here"
            return False, f"{one}: what it supports is unknown."
        many = f"{lost:,} citations are of passages without a text here"
        return False, f"{many}: what they support is unknown."


@dataclass(frozen=True, slots=True)
class SupportedCover(OfCitations, Cover):
    """Share of the active items that a report answers where what it cites does, too.

    |{item : some passage in S's top k is correct for it and cites one that is}| /
    |items|, in [0, 1], never above Cover.
    """

    threshold: int
    depth: int | None
    name: str = "supported-cover"

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
    usage = listed = "supported-cover"
    documented = (
        Documented(
            "supported Cover",
            "items that any of the first *k* passages answers, and so does one that it "
            "cites / active items",
            *reversed(HOW),
        ),
    )

    def covered(
        self, graded: GradedQuery, *, possibly: bool = False
    ) -> NDArray[np.bool_]:
        return supported(graded, self.threshold, self.depth, possibly=possibly)

    def flips(self, graded: GradedQuery) -> None:
        """None: one grade may be of an answer and of what supports another."""

    def overall(self, graded: GradedQuery) -> None:
        """None: the pool cites nothing."""


@dataclass(frozen=True, slots=True)
class CitationPrecision(OfCitations):
    """Share of a report's citations that support an item.

    |{(passage, cited) : both are correct for some item}| / |{(passage, cited)}| over
    S's top k, in [0, 1]; a cited passage counts once for each passage that cites it.
    0 without a citation.
    """

    threshold: int
    depth: int | None
    name: str = "citation-precision"

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
    usage = listed = "citation-precision"
    documented = (
        Documented(
            "citation precision",
            "citations that answer an item which the citing passage answers / "
            "citations; 0 without any",
            *reversed(HOW),
        ),
    )

    def row(self, graded: GradedQuery) -> Row:
        require_items(graded, "Citation precision", "not questions")
        citations = _within(graded, self.depth)
        systems, number = citations[:, 0], len(graded.pool.top)
        of = np.maximum(np.bincount(systems, minlength=number), 1)
        score, above = (
            np.bincount(systems, right.any(axis=0).astype(np.float64), number) / of
            for possibly in (False, True)
            for right in [_right(graded, self.threshold, citations, possibly)]
        )
        return Row(score, score, above)


@dataclass(frozen=True, slots=True)
class CitationRecall(OfCitations):
    """Share of the items that a report answers which are supported.

    Supported Cover / Cover in a query, in [0, 1]; 0 where nothing is answered.
    """

    threshold: int
    depth: int | None
    name: str = "citation-recall"

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
    usage = listed = "citation-recall"
    documented = (
        Documented(
            "citation recall",
            "supported items / answered items; 0 where none is answered",
            *reversed(HOW),
        ),
    )

    def row(self, graded: GradedQuery) -> Row:
        require_items(graded, "Citation recall", "not questions")
        at = self.threshold, self.depth
        answered = graded.covered(*at)
        known, possible = (
            supported(graded, *at, possibly=one) for one in (False, True)
        )
        # The least: what may be answered without support is. The most: whatever may be
        # supported is, and nothing else is answered.
        bare = graded.covered(*at, possibly=True) & ~known
        score, lower, upper = (
            (found & of).sum(axis=0) / np.maximum(of.sum(axis=0), 1)
            for found, of in (
                (known, answered),
                (known, answered | bare),
                (possible, answered | possible),
            )
        )
        return Row(score, lower, upper)


def supported(
    graded: GradedQuery, threshold: int, depth: int | None, *, possibly: bool = False
) -> NDArray[np.bool_]:
    """(items, systems): answered by a passage that cites one which answers it, too.

    ``possibly``: if every unknown grade says so.
    """
    citations = _within(graded, depth)
    right = _right(graded, threshold, citations, possibly)
    found = np.zeros((len(graded.item_ids), len(graded.pool.top)), dtype=np.bool_)
    np.logical_or.at(found.T, citations[:, 0], right.T)
    return found


def _within(graded: GradedQuery, depth: int | None) -> NDArray[np.int32]:
    """The citations of the first ``depth`` passages."""
    citations = graded.pool.citations
    return citations if depth is None else citations[citations[:, 1] < depth]


def _right(
    graded: GradedQuery,
    threshold: int,
    citations: NDArray[np.int32],
    possibly: bool,
) -> NDArray[np.bool_]:
    """(items, citations): whether the citing and the cited passage both answer it."""
    systems, ranks, places = citations.T
    correct = (graded.possibly_correct if possibly else graded.correct)(threshold)
    both = correct
    if graded.cited is not None:
        both = correct.copy()
        cited = graded.cited
        answers = (cited >= threshold) | (possibly & (cited < 0))
        both[:, list(graded.pool.cited_only)] = answers
    # GAP is −1, so it reads what is said of a passage without a text.
    lost = np.full((len(both), 1), possibly)
    cites = np.concatenate([both, lost], axis=1)[:, places]
    answers = at_ranks(correct, graded.pool.top)[:, systems, ranks]
    return np.asarray(answers & cites)
