"""A ranking as the table keeps it: passage numbers and scores by rank."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from curator.collection.rankings import Ranking

RankArrays = tuple[NDArray[np.int32], NDArray[np.float64]]
"""Passage numbers and scores by rank, as the ranking table keeps them."""


def ranking_arrays(ranking: Ranking, passages: dict[str, int]) -> RankArrays:
    """(numbers, scores) by rank as the ranking table keeps them."""
    numbers = np.zeros(len(ranking.slots), dtype="<i4")
    scores = np.full(len(ranking.slots), np.nan, dtype="<f8")
    for i, slot in enumerate(ranking.slots):
        if slot is not None:
            number = passages[slot.passage_id]
            numbers[i] = -number if slot.repeats else number
            scores[i] = slot.score
    return numbers, scores


def joined_ranks(old: RankArrays, new: RankArrays) -> RankArrays | None:
    """What both say of one ranking, ``old`` where both speak; None if they contradict.

    A file of graded passages holds only the ranks whose texts were to be had; the
    run itself, or another such file, fills the others.
    """
    depth = max(len(old[0]), len(new[0]))
    numbers = np.zeros((2, depth), dtype="<i4")
    scores = np.full((2, depth), np.nan, dtype="<f8")
    for row, (some_numbers, some_scores) in enumerate((old, new)):
        numbers[row, : len(some_numbers)] = some_numbers
        scores[row, : len(some_scores)] = some_scores
    said = numbers != 0
    if (said.all(axis=0) & (numbers[0] != numbers[1])).any():
        return None
    joined = np.where(said[0], numbers[0], numbers[1])
    ranked = joined[joined > 0]
    if len(np.unique(ranked)) < len(ranked):
        return None  # one passage at two ranks
    return joined, np.where(said[0], scores[0], scores[1])
