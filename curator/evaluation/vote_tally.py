"""Votes as arrays: who voted on which item, and who called it vital."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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

    def of(self, judges: Iterable[str]) -> NDArray[np.bool_]:
        """(judges, items): what these judges called vital; False for a stranger."""
        found = np.zeros((0, self.vital.shape[1]), dtype=np.bool_)
        rows = [
            self.vital[self.judges.index(judge)]
            if judge in self.judges
            else np.zeros(self.vital.shape[1], dtype=np.bool_)
            for judge in judges
        ]
        return np.stack(rows) if rows else found


def vote_tally(votes: Sequence[Votes], items: int | None = None) -> VoteTally:
    """The votes as arrays; of ``items`` items, the last ones without any vote."""
    names = sorted({judge for one in votes for judge, _ in one})
    row = {judge: i for i, judge in enumerate(names)}
    size = (len(names), len(votes) if items is None else items)
    voted = np.zeros(size, dtype=np.bool_)
    vital = np.zeros(size, dtype=np.bool_)
    for column, one in enumerate(votes):
        for judge, vote in one:
            voted[row[judge], column] = True
            vital[row[judge], column] = vote == "vital"
    return VoteTally(tuple(names), voted, vital)
