"""A passage's relevance label: what its grades say together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from curator.evaluation.grades import GradedQuery

NO_LABEL = -1


def graded_labels(graded: GradedQuery) -> NDArray[np.int8]:
    """(passages,): the highest known rating on any active item, NO_LABEL without one.

    Under a direct relevance grader the query is the only item, so the label is its
    grade; under one that only says correct or not, the label is 1 or 0.

    Passages of a gold article that nobody ranked or judged have none.

    Source: Farzi & Dietz 2024, equations 2 and 3.
    """
    if not len(graded.ratings):
        return np.full(graded.pool.size, NO_LABEL, dtype=np.int8)
    labels = np.maximum(graded.ratings.max(axis=0), np.int8(NO_LABEL))
    labels[list(graded.pool.gold_only)] = NO_LABEL
    return np.asarray(labels)


def labels_without_each(graded: GradedQuery) -> NDArray[np.int8]:
    """(items, passages): the graded labels if that item were not in the bank.

    Unknown grades count as NO_LABEL, as in ``graded_labels``.
    """
    known = np.maximum(graded.ratings, np.int8(NO_LABEL))
    known[:, list(graded.pool.gold_only)] = NO_LABEL
    items = len(known)
    if items < 2:
        return np.full(known.shape, NO_LABEL, dtype=np.int8)
    best = known.argmax(axis=0)
    highest = known[best, np.arange(known.shape[1])]
    second = np.partition(known, items - 2, axis=0)[items - 2]
    is_best = np.arange(items)[:, None] == best
    return np.asarray(np.where(is_best, second, highest), dtype=np.int8)
