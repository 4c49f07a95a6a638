"""``coverage``: number of questions that each passage answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from curator.collection.pools import UNJUDGED
from curator.errors import EvaluationError
from curator.evaluation.grades import NO_LABEL, GradedQuery, graded_labels
from curator.evaluation.settings import DEFAULT_LABEL, DEFAULT_MEASURE
from curator.formats.text.notices import counted
from curator.results import Result, Rows, column, to_json
from curator.snapshot.settings import settings as chosen_settings
from curator.snapshot.snapshot import Snapshot
from curator.verbs.passages.pool_rows import judged_relevant, optional


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
class Coverage(Result[CoverageCount], rows="counts"):
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
        return sum(passage.answered is None for passage in self.passages)

    @property
    def missing(self) -> int:
        """Number of unknown grades of the counted passages."""
        return sum(row.missing for row in self.passages if row.answered is not None)

    @property
    def mean(self) -> float | None:
        """Mean number of items that a counted passage answers; None without any."""
        passages = len(self.passages) - self.ungraded
        answers = sum(count.answered * count.passages for count in self.counts)
        return answers / passages if passages else None

    @property
    def caption(self) -> str:
        passages = counted(len(self.passages), "passage")
        queries = self.query_id or counted(self.queries, "query", "queries")
        mean = "" if self.mean is None else f" · {self.mean:.2f} items on average"
        rating = f"rating ≥ {self.min_rating}"
        return f"{self.grader} · {rating} · {passages} of {queries}{mean}"

    @property
    def notes(self) -> list[str]:
        notes = []
        if self.missing:
            notes.append(
                f"{self.missing:,} grades are missing; counts use only the others."
            )
        if self.ungraded:
            have = counted(self.ungraded, "passage has", "passages have")
            notes.append(f"{have} no grade: left out.")
        judged = any(passage.judgment is not None for passage in self.passages)
        if judged and self.min_relevance is None:
            notes.append("No minimum relevance is set: give --min-relevance N.")
        return notes

    def to_json(self) -> dict[str, Any]:
        """Return the settings and counts; ``passages`` has the rest."""
        settings = "grader", "min_rating", "label", "min_relevance"
        numbers = "queries", "ungraded", "missing", "mean"
        return {
            "settings": {name: getattr(self, name) for name in settings},
            "query": self.query_id,
            **{name: getattr(self, name) for name in numbers},
            "counts": to_json(self.counts),
        }


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
    query_ids = snapshot.query_ids(query_id)
    queries = snapshot.matrices(chosen.grader, snapshot.bank, query_ids)
    if not queries:
        raise EvaluationError("No query has an active question, so nothing is counted.")
    if min_relevance is None:
        min_relevance = snapshot.collection.min_relevance
    threshold = snapshot.threshold(chosen)
    passages: list[CoveredPassage] = []
    for graded in queries.values():
        passages += _covered(graded, threshold, min_relevance)
    return Coverage(
        chosen.grader,
        chosen.min_rating,
        min_relevance,
        query_id,
        len(queries),
        _counts(passages, has_threshold=min_relevance is not None),
        Rows(passages, CoveredPassage),
        chosen.label,
    )


def _covered(
    graded: GradedQuery, threshold: int, min_relevance: int | None
) -> list[CoveredPassage]:
    pool, uncounted = graded.pool, frozenset(graded.pool.uncounted)
    rows = zip(
        pool.passage_ids,
        optional(
            graded.correct(threshold).sum(axis=0), graded_labels(graded) == NO_LABEL
        ),
        [len(graded.item_ids)] * pool.size,
        (graded.ratings < 0).sum(axis=0).tolist(),
        optional(pool.judgments, pool.judgments == UNJUDGED),
        judged_relevant(pool, min_relevance),
        strict=True,
    )
    return [
        CoveredPassage(pool.query_id, *row)
        for index, row in enumerate(rows)
        if index not in uncounted
    ]


def _counts(
    passages: Iterable[CoveredPassage], *, has_threshold: bool
) -> tuple[CoverageCount, ...]:
    counts: Counter[tuple[int, str]] = Counter()
    for passage in passages:
        if passage.answered is not None:
            judged = "unjudged" if passage.judgment is None else str(passage.relevant)
            counts.update([(passage.answered, judged), (passage.answered, "any")])
    return tuple(
        CoverageCount(
            answered,
            counts[answered, "True"] if has_threshold else None,
            counts[answered, "False"] if has_threshold else None,
            counts[answered, "unjudged"],
            counts[answered, "any"],
        )
        for answered in range(max((number for number, _ in counts), default=-1) + 1)
    )
