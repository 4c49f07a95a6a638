"""``coverage``: number of questions that each passage answers."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from curator.collection.pools import UNJUDGED
from curator.errors import EvaluationError
from curator.evaluation.grades import NO_LABEL, GradedQuery, graded_labels
from curator.evaluation.settings import (
    DEFAULT_LABEL,
    DEFAULT_MEASURE,
)
from curator.results import Result, Rows, column
from curator.snapshot.settings import settings as chosen_settings
from curator.snapshot.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class CoveredPassage:
    """Number of its query's ``items`` that a passage answers, from known grades.

    ``answered`` is None without any known grade, ``missing`` counts unknown grades.
    ``judgment`` is the official one, ``relevant`` is True if it counts as relevant;
    None without a judgment, or a threshold for it.
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
    """Number of passages that answer exactly ``answered`` items, by judgment.

    ``relevant`` and ``not_relevant`` are None without a minimum relevance; then
    judged passages count only in ``passages``.
    """

    answered: int = field(metadata=column("items answered"))
    relevant: int | None = field(metadata=column("judged relevant"))
    not_relevant: int | None = field(metadata=column("judged not"))
    unjudged: int
    passages: int


@dataclass(frozen=True)
class Coverage(Result[CoverageCount], table="passages.coverage_table"):
    """The passages of a query, or of all, by number of answered items.

    ``counts`` has every number from 0 to the highest that occurs. Passages without a
    known grade are in ``passages`` only. ``query_id`` is None for all queries.
    ``label`` is the requested rule; it has no effect here.
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
        return len(self.passages) - sum(count.passages for count in self.counts)

    @property
    def missing(self) -> int:
        """Number of unknown grades of the counted passages."""
        return sum(
            passage.missing for passage in self.passages if passage.answered is not None
        )

    @property
    def mean(self) -> float | None:
        """Mean number of items that a counted passage answers; None without any."""
        counted = len(self.passages) - self.ungraded
        answers = sum(count.answered * count.passages for count in self.counts)
        return answers / counted if counted else None


def coverage(
    snapshot: Snapshot,
    query_id: str | None = None,
    *,
    grader: str | None = None,
    min_rating: int | None = None,
    min_relevance: int | None = None,
    label: str | None = None,
) -> Coverage:
    """Count the active items that each passage answers, and the passages by number.

    In pool order, without uncounted passages. ``min_relevance`` overrides the
    collection's. Raises UnknownNameError for an unknown query or grader, and
    EvaluationError under a direct relevance grader, which asks no questions, and if no
    query has an active question.

    Source: the coverage of a passage in isolation, Farzi & Dietz 2024, Figure 1.
    """
    chosen = chosen_settings(
        snapshot, grader, DEFAULT_MEASURE, min_rating=min_rating, label=label
    )
    if snapshot.grader(chosen.grader).spec.reading.kind == "direct":
        raise EvaluationError(
            f"'{chosen.grader}' grades passages as a whole and asks no questions that "
            "they could answer: name another grader with --grader NAME."
        )
    queries = snapshot.matrices(
        chosen.grader, snapshot.bank, snapshot.query_ids(query_id)
    )
    if not queries:
        raise EvaluationError("No query has an active question, so nothing is counted.")
    if min_relevance is None:
        min_relevance = snapshot.collection.min_relevance
    threshold = snapshot.threshold(chosen)
    passages = Rows(
        (
            passage
            for graded in queries.values()
            for passage in _covered(graded, threshold, min_relevance)
        ),
        CoveredPassage,
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
    pool, uncounted = graded.pool, frozenset(graded.pool.uncounted)
    return [
        CoveredPassage(
            pool.query_id,
            passage_id,
            answered if label != NO_LABEL else None,
            len(graded.item_ids),
            missing,
            None if judgment == UNJUDGED else judgment,
            _is_relevant(judgment, min_relevance),
        )
        for index, (passage_id, answered, label, missing, judgment) in enumerate(
            zip(
                pool.passage_ids,
                graded.correct(threshold).sum(axis=0).tolist(),
                graded_labels(graded).tolist(),
                (graded.ratings < 0).sum(axis=0).tolist(),
                pool.judgments.tolist(),
                strict=True,
            )
        )
        if index not in uncounted
    ]


def _is_relevant(judgment: int, min_relevance: int | None) -> bool | None:
    if judgment == UNJUDGED or min_relevance is None:
        return None
    return max(judgment, 0) >= min_relevance


def _counts(
    passages: Iterable[CoveredPassage], min_relevance: int | None
) -> tuple[CoverageCount, ...]:
    judged: defaultdict[int, Counter[bool | None]] = defaultdict(Counter)
    unjudged: Counter[int] = Counter()
    for passage in passages:
        if passage.answered is None:
            continue
        if passage.judgment is None:
            unjudged[passage.answered] += 1
        else:
            judged[passage.answered][passage.relevant] += 1
    has_threshold = min_relevance is not None
    return tuple(
        CoverageCount(
            answered,
            judged[answered][True] if has_threshold else None,
            judged[answered][False] if has_threshold else None,
            unjudged[answered],
            judged[answered].total() + unjudged[answered],
        )
        for answered in range(max([*judged, *unjudged], default=-1) + 1)
    )
