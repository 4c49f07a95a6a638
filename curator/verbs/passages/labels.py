"""Labels, ratings, judgments and runs as dictionaries for other tools.

``ir_measures`` and ``pytrec_eval`` take qrels as {query: {passage: grade}} and a run
as {query: {passage: score}}. Unknown grades are None or absent, and never 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from curator.collection.pools import GAP, UNJUDGED, Pool
from curator.evaluation.grades import graded_labels
from curator.evaluation.leaderboard import by_topic, judged_pools
from curator.evaluation.releases import Release
from curator.evaluation.settings import DEFAULT_MIN_ANSWERED
from curator.snapshot.settings import (
    BoardChoice,
    OptionValue,
    grader_name,
    settings,
    settings_from,
)
from curator.snapshot.snapshot import Snapshot
from curator.verbs.files.export_request import refuse_partial
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
    chosen = settings(
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
