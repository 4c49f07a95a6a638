"""Labels, ratings, judgments and runs as dictionaries for other tools; ``coverage``.

``ir_measures`` and ``pytrec_eval`` take qrels as {query: {passage: grade}} and a run
as {query: {passage: score}}. Unknown grades are None or absent, and never 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from curator.collection.pools import GAP, UNJUDGED, Pool
from curator.errors import EvaluationError
from curator.evaluation.grades import NO_LABEL, GradedQuery, graded_labels
from curator.evaluation.leaderboard import by_topic, judged_pools
from curator.evaluation.releases import Release
from curator.evaluation.settings import (
    DEFAULT_LABEL,
    DEFAULT_MEASURE,
    DEFAULT_MIN_ANSWERED,
)
from curator.formats.text.notices import counted
from curator.results import Result, Rows, column, to_json
from curator.snapshot.settings import (
    BoardChoice,
    OptionValue,
    grader_name,
    settings_from,
)
from curator.snapshot.settings import settings as chosen_settings
from curator.snapshot.snapshot import Snapshot
from curator.verbs.files.export_request import refuse_partial
from curator.verbs.passages.pool_rows import judged_relevant, optional
from curator.verbs.releases import freeze, release_named

Qrels = dict[str, dict[str, int]]
"""Grade by passage id by query id."""
QuestionQrels = dict[str, dict[str, dict[str, int]]]
"""Level by passage id by question id by query id."""
Run = dict[str, dict[str, float]]
"""Score by passage id by query id."""
Number = TypeVar("Number", int, float)


def labels(
    snapshot: Snapshot,
    *,
    grader: str | None = None,
    query_id: str | None = None,
    min_rating: int | None = None,
    min_answered: int = DEFAULT_MIN_ANSWERED,
    label: str | None = None,
) -> dict[str, dict[str, float | None]]:
    """Return every passage's label by query; None without a known grade.

    By ``label`` it is the highest known rating on the query's kept questions ("max"),
    or the ``min_answered``-th highest; the "mean" of all, of the "top3", or the number
    "answered", from ``min_rating`` on. The default rule is that of the workspace's
    first board. Queries without a kept question are left out, and so are passages of
    the gold article alone.

    Source: Farzi & Dietz 2024, equation 3.
    """
    chosen = chosen_settings(
        snapshot,
        grader,
        min_rating=min_rating,
        min_answered=min_answered,
        label=label,
    )
    query_ids = snapshot.query_ids(query_id)
    matrices = snapshot.matrices(chosen.grader, snapshot.bank, query_ids)
    return {
        query_id: _by_passage(graded.pool, graded_labels(graded, chosen.rule).tolist())
        for query_id, graded in matrices.items()
    }


def qrels(
    snapshot: Snapshot,
    /,
    settings: BoardChoice | None = None,
    *,
    release: str | None = None,
    binary: bool = False,
    by_subtopic: bool = False,
    allow_partial: bool = False,
    **options: OptionValue,
) -> Qrels:
    """Return the labels as qrels, as ``export`` writes them, without unlabelled ones.

    They are whole numbers: means are multiplied by a scale, which the manifest of an
    export states; ``labels`` has the fractions. ``binary`` makes them 1 from the
    minimum rating on, else 0. ``by_subtopic`` gives a label for each
    ``query/subtopic``. A ``release`` has its own frozen labels. Raises EvaluationError
    if grades are missing, unless ``allow_partial``: labels then use the known grades.
    """
    frozen = _frozen(snapshot, release, settings, options, allow_partial)
    result: Qrels = {}
    levels = frozen.levels(binary=binary, by_subtopic=by_subtopic)
    for (query_id, passage_id), label in levels.items():
        result.setdefault(query_id, {})[passage_id] = label
    return result


def question_qrels(
    snapshot: Snapshot,
    /,
    settings: BoardChoice | None = None,
    *,
    release: str | None = None,
    graded: bool = False,
    allow_partial: bool = False,
    **options: OptionValue,
) -> QuestionQrels:
    """Return qrels by question, as ``export`` writes them; unknown grades are absent.

    1 where the passage answers the question and 0 where not, from the minimum rating;
    ``graded`` gives the ratings. A ``release`` has its own. Raises EvaluationError if
    grades are missing, unless ``allow_partial``, and under a direct relevance grader.
    """
    frozen = _frozen(snapshot, release, settings, options, allow_partial)
    result: QuestionQrels = {}
    levels = frozen.question_levels(graded=graded)
    for query_id, question_id, passage_id, level in levels:
        questions = result.setdefault(query_id, {})
        questions.setdefault(question_id, {})[passage_id] = level
    return result


def _frozen(
    snapshot: Snapshot,
    release: str | None,
    settings: BoardChoice | None,
    options: Mapping[str, OptionValue],
    allow_partial: bool,
) -> Release:
    if release is not None:
        return release_named(snapshot, release)[1]
    chosen = settings_from(snapshot, options, settings)
    frozen = freeze(snapshot, chosen, scores=False)
    refuse_partial(frozen.known, frozen.needed, allow_partial)
    return frozen


def judgments(snapshot: Snapshot) -> Qrels:
    """Return the official judgments of pooled passages as qrels; unjudged are absent.

    Judgments for subtopics are under ``query/subtopic``, as ``judgments:…`` takes them.
    Empty for a judge in blind mode. ``export`` also writes judgments of passages
    without a text.
    """
    queries, subtopics = judged_pools(snapshot.collection, by="subtopic")
    return {
        topic: {
            pool.passage_ids[position]: int(pool.judgments[position])
            for position in np.flatnonzero(pool.judgments != UNJUDGED).tolist()
        }
        for topic, pool in (queries | subtopics).items()
    }


def ratings(
    snapshot: Snapshot, query_id: str, *, grader: str | None = None
) -> dict[str, dict[str, int | None]]:
    """Return the query's ratings by kept question, then by passage; None if unknown.

    0 to 5, or 0 and 1 for a grader that only says right or wrong. Under a direct
    relevance grader the query itself is the item. Raises UnknownNameError.
    """
    (query_id,) = snapshot.query_ids(query_id)
    graded = snapshot.matrix(grader_name(snapshot, grader), query_id, snapshot.bank)
    by_item = zip(graded.item_ids, graded.ratings.tolist(), strict=True)
    return {item_id: _by_passage(graded.pool, values) for item_id, values in by_item}


def _by_passage(pool: Pool, values: list[Number]) -> dict[str, Number | None]:
    """Return the values of the counted passages by id; negative ones are unknown."""
    by_id = dict(zip(pool.passage_ids, values, strict=True))
    return {name: by_id[name] if by_id[name] >= 0 else None for name in pool.counted}


def runs(snapshot: Snapshot) -> dict[str, Run]:
    """Return every system's run, with −rank as the score, which sorts into ranks.

    A rank whose passage is not in the pool has a placeholder, ``(rank 7)``, which has
    no judgment; it keeps lower passages at their ranks. Queries that the system
    skipped are absent. Queries whose subtopics are ranked or judged also have entries
    ``query/subtopic``.
    """
    pools = snapshot.collection.pools
    subtopics = {
        (query_id, subtopic_id): part
        for query_id, pool in pools.items()
        for subtopic_id, part in pool.subtopics.items()
    }
    topics = {**pools} | by_topic(subtopics)
    return {
        system: {
            topic: run
            for topic, pool in topics.items()
            if (run := _run(pool.passage_ids, pool.top[row]))
        }
        for row, system in enumerate(snapshot.collection.systems)
    }


def _run(passage_ids: tuple[str, ...], slots: NDArray[np.int32]) -> dict[str, float]:
    last = np.flatnonzero(slots != GAP).max(initial=-1)
    return {
        f"(rank {rank})" if slot == GAP else passage_ids[slot]: -float(rank)
        for rank, slot in enumerate(slots[: last + 1].tolist(), start=1)
    }


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
