"""Votes as arrays, and agreement of judges on vital questions.

Votes are nominal, vital or okay. Questions with a single vote say nothing about
agreement and are left out of Cohen's kappa and Krippendorff's alpha.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from curator.bank.marks import Votes
from curator.evaluation.agreement import (
    Table,
    cohens_kappa,
    confusion,
    krippendorffs_alpha,
)

Coefficient = Literal["Cohen's kappa", "Krippendorff's alpha"]


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


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Agreement of two judges over the questions that both have voted on.

    ``table`` counts ((okay, okay), (okay, vital)), ((vital, okay), (vital, vital)),
    the first judge's vote first. ``kappa`` is Cohen's, at most 1, None where it is
    undefined; ``note`` then says why.
    """

    first: str
    second: str
    table: Table
    kappa: float | None
    note: str = ""

    @property
    def questions(self) -> int:
        """Number of questions that both have voted on."""
        return sum(map(sum, self.table))

    @property
    def same(self) -> int:
        """Number of questions on which both voted alike."""
        return self.table[0][0] + self.table[1][1]


@dataclass(frozen=True, slots=True)
class VoteAgreement:
    """Agreement of all judges together, and of each two.

    ``questions`` have two votes or more and ``same`` of them only votes that are
    alike; ``judges`` voted on any of them. ``value`` is the ``coefficient``, at most
    1 and 0 for agreement by chance: Cohen's kappa of two judges, Krippendorff's alpha
    of more. None where it is undefined; ``note`` then says why.
    """

    judges: tuple[str, ...]
    questions: int
    same: int
    coefficient: Coefficient
    value: float | None
    note: str
    pairs: tuple[PairAgreement, ...]


def vote_agreement(votes: Iterable[Votes]) -> VoteAgreement:
    """Compute the agreement of judges over questions, given each question's votes.

    Source: Cohen 1960 for two judges; Krippendorff 2004, chapter 11 (nominal data,
    votes may be missing), for more.
    """
    shared = [question_votes for question_votes in votes if len(question_votes) > 1]
    tally = vote_tally(shared)
    judges = tally.judges
    called = tally.vital.sum(axis=0)
    alike = (called == 0) | (called == tally.voted.sum(axis=0))
    pairs = tuple(
        pair_agreement(tally, *two) for two in combinations(range(len(judges)), 2)
    )
    coefficient: Coefficient = (
        "Krippendorff's alpha" if len(judges) > 2 else "Cohen's kappa"
    )
    value, note = None, ""
    if not tally.voted.any():
        note = "No question has votes of two judges yet, so there is no agreement."
    elif not called.any() or np.array_equal(tally.vital, tally.voted):
        vote = "vital" if called.any() else "okay"
        note = f"Every vote says {vote}, so agreement beyond chance is undefined (0/0)."
    elif len(judges) > 2:
        items = [
            {judge: float(vote == "vital") for judge, vote in question_votes}
            for question_votes in shared
        ]
        value = krippendorffs_alpha(items, "nominal")
    else:
        value = pairs[0].kappa
    return VoteAgreement(
        judges, len(called), int(alike.sum()), coefficient, value, note, pairs
    )


def pair_agreement(tally: VoteTally, first: int, second: int) -> PairAgreement:
    """Build two judges' table and kappa over the questions that both have voted on."""
    both = tally.voted[first] & tally.voted[second]
    table = confusion(tally.vital[first, both], tally.vital[second, both])
    kappa = cohens_kappa(table)
    names = tally.judges[first], tally.judges[second]
    note = ""
    if not both.any():
        note = f"No question has votes of both {names[0]} and {names[1]}."
    elif kappa is None:
        note = f"{names[0]} and {names[1]} always gave the same vote."
    return PairAgreement(*names, table, kappa, note)
