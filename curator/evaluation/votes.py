"""Votes on items as arrays."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from curator.bank.marks import Votes


@dataclass(frozen=True, eq=False)
class VoteTally:
    """The votes of ``judges``, by name, on items: two (judges, items) arrays.

    ``voted`` is True where the judge voted on the item, ``vital`` where they called it
    vital; where they called it okay, only the first is.
    """

    judges: tuple[str, ...]
    voted: NDArray[np.bool_]
    vital: NDArray[np.bool_]

    def vital_votes(self, judges: Iterable[str]) -> NDArray[np.bool_]:
        """(judges, items): True for votes of vital; False for unknown judges."""
        no_votes = np.zeros((1, self.vital.shape[1]), dtype=np.bool_)
        row = {judge: i for i, judge in enumerate(self.judges)}
        rows = [row.get(judge, -1) for judge in judges]  # −1 reads no_votes
        return np.concatenate([self.vital, no_votes])[rows]

    def without(self, judges: Collection[str]) -> VoteTally:
        """Return the tally without these judges; itself if none of them voted."""
        rows = [i for i, judge in enumerate(self.judges) if judge not in judges]
        if len(rows) == len(self.judges):
            return self
        names = tuple(self.judges[row] for row in rows)
        return VoteTally(names, self.voted[rows], self.vital[rows])


def vote_tally(votes: Sequence[Votes], items: int | None = None) -> VoteTally:
    """Convert votes to arrays; items after the last with votes have none."""
    names = sorted({judge for item_votes in votes for judge, _ in item_votes})
    row = {judge: i for i, judge in enumerate(names)}
    size = (len(names), len(votes) if items is None else items)
    voted = np.zeros(size, dtype=np.bool_)
    vital = np.zeros(size, dtype=np.bool_)
    for column, item_votes in enumerate(votes):
        for judge, vote in item_votes:
            voted[row[judge], column] = True
            vital[row[judge], column] = vote == "vital"
    return VoteTally(tuple(names), voted, vital)
