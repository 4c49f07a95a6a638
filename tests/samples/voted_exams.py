"""Queries on whose items judges have voted: one to score by hand, random ones.

By hand, three items on two passages of 150 and 250 letters:

    item  answered by  ann    bob    weight
    a     p0           vital  vital  2
    b     p1           vital  okay   1
    c     p1           okay   okay   0

Systems: one has p0, two has p1, three has both, four has nothing.
"""

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from curator.evaluation.grades import GradedQuery
from tests.samples.tiny_exams import graded_on, graded_queries, in_bytes

ANN, BOB = ("ann", "bob")
BOTH_VITAL = ((ANN, "vital"), (BOB, "vital"))
SPLIT = ((ANN, "vital"), (BOB, "okay"))
BOTH_OKAY = ((ANN, "okay"), (BOB, "okay"))


def with_letters(graded: GradedQuery, letters, votes) -> GradedQuery:
    """The same query with votes, and passages of so many letters."""
    counted = np.array(letters, dtype=np.int32)
    return replace(graded, letters=counted, votes=tuple(votes))


def by_hand(votes=(BOTH_VITAL, SPLIT, BOTH_OKAY), letters=(150, 250)) -> GradedQuery:
    """The query of this module's docstring."""
    graded = graded_on([[5, 0], [0, 4], [3, 4]], [[0], [1], [0, 1], []])
    return with_letters(graded, letters, votes)


@st.composite
def voted_queries(draw, *, judges=("ann", "bob", "cy"), full: bool = False, **sizes):
    """A random query with votes; ``full``: every judge voted on every item."""
    graded = draw(graded_queries(**sizes))
    size, items = graded.pool.size, len(graded.item_ids)
    drawn = draw(in_bytes(2 * size + items * len(judges)))
    letters = [(256 * drawn[i] + drawn[size + i]) % 401 for i in range(size)]
    choices = ["vital", "okay"] if full else ["vital", "okay", None]
    given = iter(drawn[2 * size :])
    votes = []
    for _ in graded.item_ids:
        of_item = [(judge, choices[next(given) % len(choices)]) for judge in judges]
        votes.append(tuple((judge, vote) for judge, vote in of_item if vote))
    return with_letters(graded, letters, votes)


def voted_by(graded: GradedQuery, judges) -> GradedQuery:
    """The same query with these judges' votes alone."""
    kept = [tuple(v for v in one if v[0] in judges) for one in graded.votes]
    return replace(graded, votes=tuple(kept))
