"""``coverage``: how many questions each passage answers, over a query or all."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from curator.collection.pools import UNJUDGED
from curator.engine.settings import settings as chosen_settings
from curator.engine.state import State
from curator.errors import EvaluationError
from curator.evaluation.grades import NO_LABEL, GradedQuery, graded_labels
from curator.evaluation.settings import (
    DEFAULT_LABEL,
    DEFAULT_MEASURE,
)
from curator.results import Result, Rows


@dataclass(frozen=True, slots=True)
class CoveredPassage:
    """How many of its query's ``items`` a passage answers, as far as is known.

    ``answered`` is None where none of its grades is known, ``missing`` counts those
    that are not. ``judgment`` is the official one, ``relevant`` whether it counts as
    such; None without a judgment, or a threshold for it.
    """

    query_id: str
    passage_id: str
    answered: int | None
    items: int
    missing: int
    judgment: int | None
    relevant: bool | None


@dataclass(frozen=True, slots=True)
class CoverageCount:
    """How many passages answer just so many items, by what was judged of them.

    ``relevant`` and ``not_relevant`` are None where nobody has said from which judgment
    a passage is relevant; the judged ones are in ``passages`` alone then.
    """

    answered: int
    relevant: int | None
    not_relevant: int | None
    unjudged: int
    passages: int


@dataclass(frozen=True)
class Coverage(Result[CoverageCount], table="passages.coverage_table"):
    """The passages of a query, or of all, by how many items they answer.

    ``counts`` has every number from 0 to the highest that occurs. Passages without a
    known grade are in ``passages`` alone. ``query_id`` is None for all queries.
    ``label`` is the rule that was asked for, on which nothing here rests.
    """

    grader: str
    min_rating: int
    min_relevance: int | None
    query_id: str | None
    queries: int
    counts: tuple[CoverageCount, ...]
    passages: Rows[CoveredPassage]
    label: str = DEFAULT_LABEL

    @property
    def ungraded(self) -> int:
        """How many passages have no known grade."""
        return len(self.passages) - sum(one.passages for one in self.counts)

    @property
    def missing(self) -> int:
        """How many grades of the counted passages are unknown."""
        return sum(one.missing for one in self.passages if one.answered is not None)

    @property
    def mean(self) -> float | None:
        """The mean number of items that a counted passage answers; None for none."""
        counted = len(self.passages) - self.ungraded
        answers = sum(one.answered * one.passages for one in self.counts)
        return answers / counted if counted else None


def coverage(
    state: State,
    query_id: str | None = None,
    *,
    grader: str | None = None,
    min_rating: int | None = None,
    min_relevance: int | None = None,
    label: str | None = None,
) -> Coverage:
    """How many active items each passage answers, and how many passages each number.

    In pool order, without passages aside. ``min_relevance`` stands in for the
    collection's. Raises UnknownNameError for a query or a grader that is not there, and
    EvaluationError under a direct relevance grader, which asks no questions, and where
    no query has an active one.

    Source: the coverage of a passage in isolation, Farzi & Dietz 2024, Figure 1.
    """
    chosen = chosen_settings(
        state, grader, DEFAULT_MEASURE, min_rating=min_rating, label=label
    )
    if state.grader(chosen.grader).spec.reading.kind == "direct":
        raise EvaluationError(
            f"'{chosen.grader}' grades passages as a whole and asks no questions that "
            "they could answer: name another grader with --grader NAME."
        )
    queries = state.matrices(chosen.grader, state.bank, state.query_ids(query_id))
    if not queries:
        raise EvaluationError("No query has an active question, so nothing is counted.")
    if min_relevance is None:
        min_relevance = state.collection.min_relevance
    threshold = state.threshold(chosen)
    passages = Rows(
        (
            passage
            for graded in queries.values()
            for passage in _covered(graded, threshold, min_relevance)
        ),
        "passages.covered_table",
    )
    return Coverage(
        chosen.grader,
        chosen.min_rating,
        min_relevance,
        query_id,
        len(queries),
        _counts(passages, min_relevance),
        passages,
        chosen.label,
    )


def _covered(
    graded: GradedQuery, threshold: int, min_relevance: int | None
) -> list[CoveredPassage]:
    pool, aside = graded.pool, frozenset(graded.pool.aside)
    return [
        CoveredPassage(
            pool.query_id,
            passage_id,
            answered if label != NO_LABEL else None,
            len(graded.item_ids),
            missing,
            None if judgment == UNJUDGED else judgment,
            None
            if judgment == UNJUDGED or min_relevance is None
            else max(judgment, 0) >= min_relevance,
        )
        for at, (passage_id, answered, label, missing, judgment) in enumerate(
            zip(
                pool.passage_ids,
                graded.correct(threshold).sum(axis=0).tolist(),
                graded_labels(graded).tolist(),
                (graded.ratings < 0).sum(axis=0).tolist(),
                pool.judgments.tolist(),
                strict=True,
            )
        )
        if at not in aside
    ]


def _counts(
    passages: Iterable[CoveredPassage], min_relevance: int | None
) -> tuple[CoverageCount, ...]:
    judged: defaultdict[int, Counter[bool | None]] = defaultdict(Counter)
    unjudged: Counter[int] = Counter()
    for one in passages:
        if one.answered is None:
            continue
        if one.judgment is None:
            unjudged[one.answered] += 1
        else:
            judged[one.answered][one.relevant] += 1
    said = min_relevance is not None
    return tuple(
        CoverageCount(
            at,
            judged[at][True] if said else None,
            judged[at][False] if said else None,
            unjudged[at],
            judged[at].total() + unjudged[at],
        )
        for at in range(max([*judged, *unjudged], default=-1) + 1)
    )
